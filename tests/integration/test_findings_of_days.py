"""Findings that only a harvest of several days, or one that has the documents, can make: told, and mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.audits import Answer, answer_of, words
from tests.utils.command import run_scrapy
from tests.utils.hostile import RawSite, truncated
from tests.utils.mistaken import SITEMAP
from tests.utils.publishers import INDEX, publish, robots_of
from tests.utils.sites import write_register
from woo_harvester.demo.mistaken import GOOD
from woo_harvester.demo.server import Authority, LoopbackServer, Page
from woo_harvester.demo.sitemaps import Entry, docx_page, pdf_page
from woo_harvester.findings import explain

pytestmark = pytest.mark.integration

DAYS = [f"2024-05-0{day}T12:00:00+02:00" for day in range(1, 6)]
NAMES = ("a", "b", "c", "d", "e")
SECOND_INDEX = "/sitemapindex-diwoo-infocat002.xml"
SETTINGS = {
    "WOO_WITHDRAW_DOCUMENTS": 2,
    "WOO_WITHDRAW_ALL_OF": 3,
    "WOO_WITHDRAW_RUNS": 2,
    "RETRY_ENABLED": 0,
}

Publish = Callable[[LoopbackServer, int], None]


def listed(site: LoopbackServer, day: int, *names: str) -> list[Entry]:
    return [Entry(loc=site.url(f"/{name}.pdf"), lastmod=DAYS[day], diwoo=GOOD) for name in names]


def all_of(site: LoopbackServer, day: int, *names: str) -> None:
    """Publish documents that are right."""
    for name in names:
        site.pages[f"/{name}.pdf"] = pdf_page(f"Besluit {name}")
    publish(site, *listed(site, day, *names))


def gone_on_the_second_day(site: LoopbackServer, day: int) -> None:
    all_of(site, min(3, day), *(NAMES[:1] if day == 1 else NAMES))


def an_index_less_on_the_second_day(site: LoopbackServer, day: int) -> None:
    """robots.txt names one of two indexes no longer, and then names it again."""
    publish(site, *listed(site, 0, "f"), index=SECOND_INDEX)
    all_of(site, 0, *NAMES)
    indexes = [INDEX] if day == 1 else [INDEX, SECOND_INDEX]
    site.pages["/robots.txt"] = robots_of(site, *indexes)
    site.pages["/f.pdf"] = pdf_page("Besluit f")


def older_on_the_second_day(site: LoopbackServer, day: int) -> None:
    all_of(site, (2, 1, 3, 3)[day], *NAMES)


def back_on_the_third_day(site: LoopbackServer, day: int) -> None:
    """Withdrawn and offered again as it was; then with a newer lastmod."""
    again = {2: listed(site, 0, "e"), 3: listed(site, 3, "e")}.get(day, [])
    all_of(site, 0, *NAMES)
    if day:
        publish(site, *listed(site, 0, *NAMES[:4]), *again)


def broken_on_the_second_day(site: LoopbackServer, day: int) -> None:
    all_of(site, 0, *NAMES)
    if day == 1:
        site.pages[SITEMAP] = Page(b"<urlset>", content_type="application/xml")


def wrong_document(page: Page) -> Publish:
    """The publisher whose document is another one until the third day."""

    def build(site: LoopbackServer, day: int) -> None:
        all_of(site, day, "a")
        if day < 2:
            site.pages["/a.pdf"] = page

    return build


def cut_off(site: LoopbackServer, day: int) -> None:
    assert isinstance(site, RawSite)
    all_of(site, day, "a")
    site.behaviours = {"/a.pdf": truncated(b"%PDF-1.7\n")} if day < 2 else {}


#: A code, what its publisher does on four days, and on which of them (0 is the first) it is told last.
DAILY: dict[str, tuple[Publish, int]] = {
    "index.verdwenen": (an_index_less_on_the_second_day, 1),
    "intrekking.massaal": (gone_on_the_second_day, 1),
    "intrekking.onvolledig": (broken_on_the_second_day, 1),
    "lastmod.ouder": (older_on_the_second_day, 1),
    "lastmod.heraanbod": (back_on_the_third_day, 2),
    "document.afgebroken": (cut_off, 1),
    "document.leeg": (wrong_document(Page(b"", content_type="application/pdf")), 1),
    "format.strijdig": (wrong_document(docx_page("Toch Word")), 1),
}


@pytest.fixture(scope="module")
def days(
    ca: Authority, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, RawSite], list[Answer]]]:
    """What the reports of four days tell of a publisher for each code."""
    folder = tmp_path_factory.mktemp("days")
    with ExitStack() as stack:
        sites = {code: stack.enter_context(RawSite(ca, {})) for code in DAILY}
        register = write_register(
            folder / "register.xml", {f"Publicist {code}": [site.url("/")] for code, site in sites.items()}
        )
        told = []
        for day in range(4):
            for code, site in sites.items():
                DAILY[code][0](site, day)
            given = ["crawl", "woo", "-a", f"register={register}", "-a", "documents=download"]
            told.append(answer_of(run_scrapy(given, folder, ca_bundle, settings=SETTINGS)))
        yield sites, told


@pytest.mark.parametrize("code", DAILY)
def test_a_finding_is_reported_on_its_day_and_gone_when_it_is_mended(
    days: tuple[dict[str, RawSite], list[Answer]], code: str
) -> None:
    sites, answers = days
    site = sites[code]
    day = DAILY[code][1]
    told, mended = answers[day], answers[day + 1]
    page = told.page(site)  # type: ignore[arg-type]
    row = told.rows(site)[code]  # type: ignore[arg-type]
    assert words(explain(code).what) in page
    assert words(explain(code).mend) in page
    assert (row.sitemap or row.url or "-") in page
    assert code not in mended.rows(site)  # type: ignore[arg-type]
    changes = mended.hosts[site.host].changes
    assert changes is not None
    assert code in changes.mended
