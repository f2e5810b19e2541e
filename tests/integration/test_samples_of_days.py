"""Samples and landing pages over several days: reported once, taken again for a newer version, never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.sampled_sites import LANDING, OCTETS, WEB, by_method, ranged
from tests.samples import SAMPLES
from tests.utils.calendar import Calendar, Story
from tests.utils.command import Run
from tests.utils.daily import FIRST, NEWER, Harvester
from tests.utils.disturbed_runs import Fallible, GatedSite
from tests.utils.publishers import entry, publish
from woo_harvester.demo.server import Authority, LoopbackServer, Page, Request
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import html_page

pytestmark = pytest.mark.integration

PDF = SAMPLES["PDF"].read_bytes()
LATER = "2024-06-02T10:00:00+02:00"
calendar = Calendar(Harvester, "-a", "documents=head", RETRY_TIMES=1)


def listed(site: LoopbackServer, *paths: str, lastmod: str = FIRST) -> None:
    publish(site, *(entry(site, path, lastmod=lastmod) for path in paths))


def codes(run: Run) -> list[str]:
    """Return the codes of the findings about what documents are."""
    return [
        found["code"] for found in run.findings if found["code"].startswith(("document.", "format.", "host."))
    ]


def paths_of(run: Run, site: LoopbackServer) -> list[str]:
    return sorted(found["document"]["weblocatie"].removeprefix(site.url("")) for found in run.records)


def methods(site: LoopbackServer, path: str) -> list[str]:
    return [request.method for request in site.requested(path)]


@calendar.story
def test_a_landing_page_is_reported_in_the_run_that_harvests_it(site: Site) -> Story:
    listed(site, "/besluit")
    site.pages["/besluit"] = Page(LANDING, content_type=WEB)
    first = yield
    assert (codes(first), paths_of(first, site)) == (["document.landingspagina"], ["/besluit"])
    second = yield
    assert (codes(second), paths_of(second, site)) == ([], [])
    assert methods(site, "/besluit") == ["HEAD", "GET"]
    listed(site, "/besluit", lastmod=NEWER)
    third = yield
    assert (codes(third), paths_of(third, site)) == (["document.landingspagina"], ["/besluit"])
    listed(site, "/besluit", "/files/12.pdf", lastmod=LATER)
    site.pages["/files/12.pdf"] = Page(PDF)
    site.pages["/besluit"] = html_page("Besluit", "De tekst zelf. " * 200)
    fourth = yield
    assert (codes(fourth), paths_of(fourth, site)) == ([], ["/besluit", "/files/12.pdf"])


@calendar.story
def test_a_type_that_the_beginning_shows_is_reported_in_the_run_that_harvests_it(site: Site) -> Story:
    listed(site, "/d/1.docx")
    site.pages["/d/1.docx"] = ranged(PDF, "text/plain")
    first = yield
    assert (codes(first), paths_of(first, site)) == (["format.strijdig"], ["/d/1.docx"])
    second = yield
    assert (codes(second), paths_of(second, site)) == ([], [])
    assert methods(site, "/d/1.docx") == ["HEAD", "GET"]


@calendar.story
def test_what_the_beginning_shows_to_be_refused_is_reported_each_day_and_not_asked_for_again(
    site: Site,
) -> Story:
    listed(site, "/d/1")
    site.pages["/d/1"] = ranged(b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(9000), OCTETS)
    for _ in range(3):
        run = yield
        assert (codes(run), paths_of(run, site)) == (["format.niet-ondersteund"], [])
    assert methods(site, "/d/1") == ["HEAD", "GET"]
    listed(site, "/d/1", lastmod=NEWER)
    site.pages["/d/1"] = ranged(PDF, OCTETS)
    mended = yield
    assert (codes(mended), paths_of(mended, site)) == ([], ["/d/1"])


@calendar.story
def test_a_host_that_asks_for_rest_at_a_sample_loses_nothing(site: Site) -> Story:
    """The document is known by its headers; the others wait for the next run."""
    rest = Page("rust", status=503, headers={"Retry-After": "86400"})
    paths = [f"/d/{number}.pdf" for number in range(1, 30)]
    listed(site, *paths)
    site.pages["/d/*"] = Page(PDF, content_type="application/pdf")
    site.pages["/d/1.pdf"] = by_method(Page(content_type="text/plain"), rest)
    first = yield
    assert "/d/1.pdf" in paths_of(first, site)
    assert "host.achterstand" in codes(first)
    harvested = paths_of(first, site)
    assert len(harvested) < len(paths)
    site.pages["/d/1.pdf"] = ranged(PDF, "text/plain")
    second = yield
    assert sorted([*harvested, *paths_of(second, site)]) == sorted(
        f"/d/{number}.pdf" for number in range(1, 30)
    )


@calendar.story
def test_a_page_of_another_language_each_day_is_asked_for_once_a_version(site: Site) -> Story:
    """A page that is made for each request is as good as one that stays the same."""
    made: list[Request] = []

    def page(request: Request) -> Page:
        made.append(request)
        return Page(LANDING.replace("Samenvatting", f"Bezoeker {len(made)}"), content_type=WEB)

    listed(site, "/besluit")
    site.pages["/besluit"] = page
    for _ in range(3):
        yield
    assert [request.method for request in made] == ["HEAD", "GET"]


@pytest.fixture
def gated(ca: Authority) -> GatedSite:
    return GatedSite(ca)


def test_a_document_whose_sample_was_under_way_at_a_kill_comes_in_the_next_run(
    gated: GatedSite, tmp_path: Path, ca_bundle: Path
) -> None:
    def head(request: Request) -> Page:
        if request.method == "HEAD":
            gated.gates.add("/d/1.pdf")
        return Page(PDF, content_type="text/plain")

    with gated:
        installation = Fallible(tmp_path, ca_bundle, [gated])
        listed(gated, "/d/1.pdf", "/d/2.pdf")
        gated.pages |= {"/d/1.pdf": head, "/d/2.pdf": Page(PDF)}
        started = installation.start("-a", "documents=head", WOO_DURABLE_INTERVAL=0.05)
        started.wait_until(lambda: "/d/1.pdf" in gated.waiting, "the sample is asked for")
        assert started.kill(0)
        gated.gates.clear()
        gated.pages["/d/1.pdf"] = Page(PDF, content_type="text/plain")
        after = installation.run("-a", "documents=head")
        assert "/d/1.pdf" in paths_of(after, gated)
        assert installation.run("-a", "documents=head").records == []
