"""What an operator types: arguments that narrow a run, and arguments that make no sense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.utils.command import Run
from tests.utils.crawl import Crawl
from tests.utils.publishers import publish
from tests.utils.sites import MakeSite, write_register
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.demo.sitemaps import GEMEENTE

NONE = ("-a", "documents=none")


@pytest.fixture(scope="module")
def sites(ca: Authority) -> Iterator[list[Site]]:
    """Four hosts with a document each."""
    with ExitStack() as stack:
        made = [stack.enter_context(Site(ca)) for _ in range(4)]
        for site in made:
            publish(site, "/besluit.pdf")
        yield made


@pytest.fixture
def register(tmp_path: Path, sites: list[Site]) -> Path:
    """A gemeente with two hosts, and a commissie and another with the same name with one each."""
    first, second, third, fourth = (Location(site.url("/woo")) for site in sites)
    bodies = [
        RooEntry(naam="Gemeente Haven", systeem_id="101", tooi=GEMEENTE.uri, locations=[first, second]),
        RooEntry(naam="Commissie", systeem_id="102", locations=[third]),
        RooEntry(naam="Commissie", systeem_id="103", locations=[fourth]),
        RooEntry(naam="Zonder plaats", systeem_id="104"),
    ]
    path = tmp_path / "register.xml"
    path.write_text(register_xml(bodies))
    return path


def visited(run: Run) -> set[str]:
    """The hosts that gave a document."""
    return {loc.split("/")[2] for loc in run.locs}


def test_a_register_out_of_reach_leaves_its_copy_in_use(
    crawl: Crawl, make_site: MakeSite, register: Path, sites: list[Site]
) -> None:
    site = make_site({"/roo.xml": Page(register.read_bytes(), content_type="application/xml")})
    given = ("-a", f"register={site.url('/roo.xml')}", "-a", "deltafetch_reset=1", *NONE)
    assert len(crawl(*given).records) == 4
    site.pages["/roo.xml"] = Page("<html>Storing</html>")
    run = crawl(*given)
    assert run.returncode == 0
    assert visited(run) == {found.host for found in sites}
    (finding,) = run.about("register.onbereikbaar")
    assert finding["severity"] == "warning"
    assert finding["url"] == site.url("/roo.xml")


def test_a_run_over_some_hosts_reports_no_mistake_in_the_register_of_other_organisations(
    crawl: Crawl, tmp_path: Path, sites: list[Site]
) -> None:
    bodies = {"Haven": [sites[0].url("/woo"), "geen"], "Dal": [sites[1].url("/woo"), "n.v.t."]}
    given = ("-a", f"register={write_register(tmp_path / 'ander.xml', bodies)}", *NONE)
    assert mistakes(crawl(*given, "-a", f"domains={sites[0].host}")) == ["geen"]
    assert mistakes(crawl(*given, "-a", "organisation=Dal")) == ["n.v.t."]
    assert mistakes(crawl(*given)) == ["geen", "n.v.t."]


def mistakes(run: Run) -> list[str]:
    """What was seen of locations in the register that are not usable."""
    return [finding["seen"] for finding in run.about("register.url-ongeldig")]


def test_documents_are_asked_for_by_head_unless_something_uses_their_content(
    crawl: Crawl, register: Path, sites: list[Site], tmp_path: Path
) -> None:
    given = ("-a", f"register={register}", "-a", f"domains={sites[0].host}", "-a", "deltafetch_reset=1")
    sites[0].requests.clear()
    crawl(*given)
    assert sites[0].requested("/besluit.pdf")[0].method == "HEAD"
    sites[0].requests.clear()
    crawl(*given, settings={"FILES_STORE": tmp_path / "bestanden"})
    assert sites[0].requested("/besluit.pdf")[0].method == "GET"
