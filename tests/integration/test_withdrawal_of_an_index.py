"""An index that robots.txt names no longer may be gone by a mistake: its documents wait, however few."""

from __future__ import annotations

import pytest

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, INDEX, XML, Harvester, causes, publish, waiting, xml
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import robots_txt, sitemapindex

SECOND = "/sitemapindex-diwoo-infocat002.xml"


def name_indexes(site: Site, *paths: str) -> None:
    """Have robots.txt name these indexes."""
    site.pages["/robots.txt"] = Page(robots_txt(*map(site.url, paths)))


def publish_two(site: Site, first: list[str], second: list[str]) -> None:
    """Have the site list documents in two indexes, each with a sitemap of its own."""
    publish(site, dict.fromkeys(first, FIRST))
    site.pages[SECOND] = Page(sitemapindex([site.url("/t.xml")]), content_type=XML)
    site.pages["/t.xml"] = Page(xml(site, dict.fromkeys(second, FIRST)), content_type=XML)
    name_indexes(site, INDEX, SECOND)


@pytest.mark.parametrize("mistake", ["left out", "a typo in the line", "a name that looks like it"])
@days.story
def test_the_documents_wait_for_three_reads_and_those_of_other_indexes_do_not(
    site: Site, mistake: str
) -> Story:
    publish_two(site, ["a", "b", "c"], ["x", "y"])
    assert len((yield).records) == 5
    named = f"Sitemap: {site.url(INDEX)}\n"
    mistaken = {
        "left out": "",
        "a typo in the line": f"Sitemp: {site.url(SECOND)}\n",
        "a name that looks like it": f"Sitemap: {site.url('/sitemapindex-diwoo-infocat2.xml')}\n",
    }
    site.pages["/robots.txt"] = Page((named + mistaken[mistake]).encode())
    site.pages["/s0.xml"] = Page(xml(site, {"a": FIRST, "b": FIRST}), content_type=XML)
    for number in (1, 2):
        run = yield
        # What an index that is still named lists no longer is withdrawn at once.
        assert causes(run) == ({"c": "intrekking"} if number == 1 else {})
        (finding,) = run.about("index.verdwenen")
        assert (finding["url"], finding["seen"]) == (site.url(SECOND), "2 documenten")
        assert finding["action"] == (f"nog niet ingetrokken: volledige ronde {number} van 3; zie held.jsonl")
        assert waiting(run, site) == {site.url("/d/x.pdf"), site.url("/d/y.pdf")}
        assert not run.about("intrekking.massaal")
    third = yield
    assert causes(third) == {"x": "intrekking", "y": "intrekking"}
    assert not third.about("index.verdwenen")
    fourth = yield
    assert causes(fourth) == {}
    assert not fourth.about("index.verdwenen")


@days.story
def test_an_index_that_moves_with_all_its_sitemaps_costs_nothing_and_is_reported_once(site: Site) -> Story:
    publish_two(site, ["a"], ["x"])
    yield
    moved = f"/nieuw{SECOND}"
    site.pages[moved] = site.pages.pop(SECOND)
    name_indexes(site, INDEX, moved)
    run = yield
    assert causes(run) == {}
    (finding,) = run.about("index.verdwenen")
    assert (finding["url"], finding["seen"]) == (site.url(SECOND), "0 documenten")
    assert finding["action"].startswith("niets ingetrokken")
    for _ in range(2):
        run = yield
        assert causes(run) == {}
        assert run.codes == set()


@days.story
def test_an_operator_sees_what_is_pending_and_can_confirm_it(site: Site, harvester: Harvester) -> Story:
    publish_two(site, ["a"], ["x", "y"])
    yield
    name_indexes(site, INDEX)
    yield
    host = f"localhost:{site.port}"
    table = run_scrapy(["state"], harvester.folder).stdout
    (line,) = [line for line in table.splitlines() if line.startswith(host)]
    assert line.split()[1:4] == ["3", "0", "2"]
    confirmed = run_scrapy(["state", "confirm", host], harvester.folder)
    assert (confirmed.returncode, "2 documents" in confirmed.stderr) == (0, True)
    assert causes((yield)) == {"x": "intrekking", "y": "intrekking"}


@days.story
def test_a_document_of_two_hosts_waits_for_the_index_of_either(one: Site, other: Site) -> Story:
    publish_two(one, ["a"], ["x"])
    publish(other, {"b": FIRST})
    shared = xml(one, {"x": FIRST})
    other.pages["/s0.xml"] = Page(shared, content_type=XML)
    yield
    name_indexes(one, INDEX)
    publish(other, {"b": FIRST})
    for number in (1, 2):
        run = yield
        assert causes(run) == ({"b": "aanlevering"} if number == 1 else {})
        assert [finding["host"] for finding in run.about("index.verdwenen")] == [one.host]
        (finding,) = run.about("intrekking.onvolledig")
        assert finding["host"] == other.host
        assert finding["seen"] == f"robots.txt van {one.host} noemt {one.url(SECOND)} niet meer"
    assert causes((yield)) == {"x": "intrekking"}
