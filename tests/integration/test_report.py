"""The report that runs leave: sums that close day after day, and what an error in it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.publishers import INDEX, publish, robots_of
from tests.utils.sites import MakeSite, write_register
from woo_harvester.demo.mistaken import GOOD
from woo_harvester.demo.server import Certificate, Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, html_page
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import HostReport
from woo_harvester.report.run_folder import RunFolder

pytestmark = pytest.mark.integration

DAYS = [f"2024-05-0{day}T12:00:00+02:00" for day in range(1, 6)]
PDF = Page(b"%PDF-1.7\n", content_type="application/pdf")


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    made = make_site({f"/{name}.pdf": PDF for name in "abcdefgh"})
    made.pages["/web.pdf"] = html_page("Downloadpagina")
    made.pages["/weg.pdf"] = html_page("Weg", status=404)
    return made


class Installation:
    """Runs one after another over one host."""

    def __init__(self, folder: Path, bundle: Path, site: Site) -> None:
        self.folder, self._bundle, self._site = folder, bundle, site
        self._register = write_register(folder / "register.xml", {"Gemeente Haven": [site.url("/")]})

    def run(self, *args: str, **settings: object) -> Run:
        given = ["crawl", "woo", "-a", f"register={self._register}", *args]
        return run_scrapy(given, self.folder, self._bundle, settings=settings)

    def host(self, *args: str, **settings: object) -> HostReport:
        """What the report of a run tells of the host."""
        done = self.run(*args, **settings)
        assert done.returncode == 0, done.stderr
        assert done.report is not None
        (account,) = RunFolder(done.report).read_accounts()
        assert account.unfinished == 0, account
        (host,) = read_hosts(done.report / "report.json")
        assert (done.report / "index.html").exists()
        assert (done.report / "report.csv").exists()
        return host


@pytest.fixture
def installation(tmp_path: Path, ca_bundle: Path, site: Site) -> Installation:
    return Installation(tmp_path, ca_bundle, site)


def listed(site: Site, **lastmods: str) -> Iterator[Entry]:
    """An entry for each document, by its name."""
    for name, lastmod in lastmods.items():
        yield Entry(loc=site.url(f"/{name}.pdf"), lastmod=lastmod, diwoo=replace(GOOD, format=None))


def test_the_sums_close_whatever_was_known_before(installation: Installation, site: Site) -> None:
    foreign = Entry(loc="https://elders.example/x.pdf", lastmod=DAYS[0])
    entries = [*listed(site, a=DAYS[1], b=DAYS[1], web=DAYS[0], weg=DAYS[0]), foreign]
    publish(site, *entries, next(listed(site, a=DAYS[1])))
    first = installation.host()
    assert (first.listed, first.harvested, first.new, first.repeated) == (5, 2, 2, 1)

    # The sitemap is as it was, but the document that could not be had is tried again, so that it is read.
    again = installation.host()
    assert (again.listed, again.harvested, again.unchanged, again.new) == (5, 2, 2, 0)
    assert {row.code: row.count for row in again.findings if row.severity == "error"} == {
        "document.html-pagina": 1,
        "document.onbereikbaar": 1,
        "loc.niet-geregistreerd": 1,
    }

    # Nothing failed any more: what was refused is known, and a sitemap that is the same is passed over.
    publish(site, *listed(site, a=DAYS[1], b=DAYS[1], web=DAYS[0]))
    installation.host()  # the state has one more than is listed, until the end of this run
    installation.host()
    same = installation.host()
    assert (same.sitemaps_unchanged, same.listed, same.harvested) == (1, 3, 2)
    assert [row.code for row in same.findings if row.severity == "error"] == ["document.html-pagina"]

    publish(site, *listed(site, a=DAYS[0], b=DAYS[2], c=DAYS[2], web=DAYS[0]))  # older, changed, new, refused
    changed = installation.host()
    assert (changed.listed, changed.harvested) == (4, 3)
    assert (changed.new, changed.changed, changed.unchanged) == (1, 1, 1)

    publish(site, *listed(site, b=DAYS[2], c=DAYS[2]))
    gone = installation.host()
    assert (gone.listed, gone.harvested, gone.withdrawn) == (2, 2, 1)
    assert gone.changes is not None
    assert gone.changes.mended == ["document.html-pagina"]

    publish(site, *listed(site, a=DAYS[1], b=DAYS[2], c=DAYS[2]))
    offered = installation.host("-a", "documents=none")
    assert (offered.listed, offered.harvested) == (3, 2)
    assert [row.code for row in offered.findings if row.severity == "error"] == ["lastmod.heraanbod"]
    assert len(offered.history) == 8


def test_the_report_tells_of_the_register_and_of_what_was_done_with_documents(
    installation: Installation, site: Site
) -> None:
    publish(site, "/a.pdf")
    done = installation.run(WOO_REPORT_LANG="en", WOO_REPORT_HISTORY=0)
    assert done.report is not None
    head = read_head(done.report / "report.json")
    assert (head.run.documents, head.run.reason, head.lang) == ("head", "finished", "en")
    assert head.register_.date == done.stats["woo/register/date"]
    assert {path.name for path in (installation.folder / "reports").iterdir()} == {done.report.name}
    (host,) = read_hosts(done.report / "report.json")
    assert [body.name for body in host.organisations] == ["Gemeente Haven"]


def test_a_run_over_the_register_has_each_host_that_gives_nothing_in_its_coverage(
    tmp_path: Path, ca_bundle: Path, make_site: MakeSite
) -> None:
    well, without_robots, lost = make_site(), make_site(), make_site()
    expired, dead = make_site(certificate=Certificate.EXPIRED), "localhost:1"
    publish(well, "/a.pdf")
    lost.pages["/robots.txt"] = robots_of(lost, INDEX)
    register = write_register(
        tmp_path / "register.xml",
        {
            "Amsterdam": [well.url("/d"), without_robots.url("/woo")],
            "Utrecht": [without_robots.url("/utrecht"), lost.url("/")],
            "Dienst": [expired.url("/"), f"https://{dead}/publicaties"],
            "Adviesraad": [],
        },
    )
    once = {"RETRY_TIMES": 0, "WOO_RETRY_BACKOFF": 0}
    done = run_scrapy(["crawl", "woo", "-a", f"register={register}"], tmp_path, ca_bundle, settings=once)
    assert (done.returncode, done.report is None) == (0, False), done.stderr
    assert done.report is not None
    coverage = read_head(done.report / "report.json").coverage
    assert coverage is not None
    assert (coverage.organisations, coverage.with_location, coverage.hosts) == (4, 3, 5)
    assert [body.name for body in coverage.no_location] == ["Adviesraad"]
    gaps = {gap.host: (gap.code, gap.seen) for gap in (*coverage.no_robots, *coverage.no_index)}
    assert gaps == {
        without_robots.host: ("robots.ontbreekt", "HTTP 404"),
        lost.host: ("index.onbereikbaar", "HTTP 404"),
    }
    assert {gap.host: gap.code for gap in coverage.dead} == {
        expired.host: "tls.ongeldig",
        dead: "robots.onbereikbaar",
    }
    assert [body.name for body in coverage.no_robots[0].organisations] == ["Amsterdam", "Utrecht"]
    assert (done.report / "coverage-no-robots.csv").exists()
