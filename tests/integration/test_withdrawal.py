"""What is no longer listed is withdrawn, but only when that is sure."""

from __future__ import annotations

import json

import pytest

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import run_scrapy
from tests.utils.daily import (
    FIRST,
    INDEX,
    METADATA,
    NEWER,
    XML,
    Harvester,
    causes,
    numbered,
    publish,
    reported,
    waiting,
    xml,
)
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, robots_txt, sitemap, sitemapindex


@days.story
def test_what_is_gone_from_a_fully_read_host_is_withdrawn_once(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    publish(site, {"a": FIRST})
    second = yield
    assert causes(second) == {"b": "intrekking"}
    (record,) = second.records
    assert record["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"
    assert record["document"] == {"weblocatie": site.url("/d/b.pdf")}
    assert causes((yield)) == {}


@days.story
def test_a_document_that_moves_to_another_sitemap_is_not_withdrawn(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST}, {"c": FIRST})
    yield
    publish(site, {"a": FIRST}, {"b": FIRST, "c": FIRST})
    assert causes((yield)) == {}


@days.story
def test_a_withdrawn_document_comes_back_only_with_a_newer_lastmod(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    publish(site, {"a": FIRST})
    yield
    publish(site, {"a": FIRST, "b": FIRST})
    again = yield
    assert causes(again) == {}
    assert len(again.about("lastmod.heraanbod")) == 1
    publish(site, {"a": FIRST, "b": NEWER})
    back = yield
    assert causes(back) == {"b": "herpublicatie"}
    assert back.records[0]["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"


@pytest.mark.parametrize(
    "broken", ["sitemap-500", "sitemap-truncated", "index-404", "robots-404", "robots-500"]
)
@days.story
def test_a_host_that_was_not_read_completely_withdraws_nothing(site: Site, broken: str) -> Story:
    publish(site, {"a": FIRST, "b": FIRST}, {"c": FIRST})
    yield
    publish(site, {"a": FIRST}, {"c": FIRST})
    match broken:
        case "sitemap-500":
            site.pages["/s1.xml"] = Page(b"", status=500)
        case "sitemap-truncated":
            site.pages["/s1.xml"] = Page(xml(site, {"c": FIRST})[:-40], content_type=XML)
        case "index-404":
            del site.pages["/sitemapindex-diwoo.xml"]
        case "robots-404":
            del site.pages["/robots.txt"]
        case "robots-500":
            site.pages["/robots.txt"] = Page(b"", status=500)
    second = yield
    assert causes(second) == {}
    assert len(second.about("intrekking.onvolledig")) == 1


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (Entry(loc="http://localhost/a.pdf", lastmod=FIRST, diwoo=METADATA), "loc.geen-https"),
        (Entry(loc="https://elders.example/a.pdf", lastmod=FIRST, diwoo=METADATA), "loc.niet-geregistreerd"),
    ],
)
@days.story
def test_an_entry_that_is_wrong_is_reported_in_each_run(site: Site, wrong: Entry, code: str) -> Story:
    publish(site, {}, headers={"ETag": '"altijd"'})
    right = Entry(loc=site.url("/d/b.pdf"), lastmod=FIRST, diwoo=METADATA)
    both = Page(sitemap(wrong, right), content_type=XML, headers={"ETag": '"altijd"'})
    site.pages["/s0.xml"] = both
    for _ in range(3):
        run = yield
        assert len(run.about(code)) == 1
        host = reported(run, site)
        assert (host["listed"], host["harvested"]) == (2, 1)


def list_wrongly(site: Site, count: int, wrong: dict[int, str]) -> None:
    """Have a sitemap list numbered documents, and give some entries another loc."""
    locs = [wrong.get(number, site.url(f"/d/doc{number}.pdf")) for number in range(count)]
    entries = [Entry(loc=loc, lastmod=FIRST, diwoo=METADATA) for loc in locs]
    site.pages["/s0.xml"] = Page(sitemap(*entries), content_type=XML)


@days.story
def test_an_entry_whose_address_is_right_but_for_its_beginning_keeps_its_document(site: Site) -> Story:
    publish(site, numbered(8))
    yield
    of = f"localhost:{site.port}/d"
    wrong = {
        1: f"http://{of}/doc1.pdf",
        2: f"HTTP://LOCALHOST:{site.port}/d/doc2.pdf",
        3: f"https://user:pw@{of}/doc3.pdf",
    }
    list_wrongly(site, 7, wrong)
    run = yield
    assert causes(run) == {"doc7": "intrekking"}, "each of the entries is known to be of another document"
    for _ in range(4):
        run = yield
        assert causes(run) == {}
        assert (len(run.about("loc.geen-https")), len(run.about("loc.inloggegevens"))) == (2, 1)
    publish(site, numbered(7))
    run = yield
    assert (causes(run), run.codes) == ({}, set())


@days.story
def test_a_withdrawal_whose_record_could_not_be_stored_comes_with_the_next_run(
    site: Site, harvester: Harvester
) -> Story:
    publish(site, numbered(3))
    yield
    publish(site, numbered(1))
    feeds = json.dumps({"broken://now": {"format": "jsonlines"}})
    storages = json.dumps({"broken": "tests.utils.feeds.BrokenStorage"})
    broken = {"FEEDS": feeds, "FEED_STORAGES": storages}
    arguments = harvester.only(site).arguments()
    failed = run_scrapy(arguments, harvester.folder, harvester.ca_bundle, settings=broken)
    assert failed.returncode == 1
    assert set(causes((yield))) == {"doc1", "doc2"}
    assert (yield).records == []


@days.story
def test_a_run_that_is_closed_early_withdraws_nothing(site: Site, harvester: Harvester) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    publish(site, {"a": FIRST, **numbered(300)})
    early = harvester.only(site).day(CLOSESPIDER_ITEMCOUNT=5)
    assert early.stats["finish_reason"] == "closespider_itemcount"
    assert "intrekking" not in causes(early).values()
    late = yield
    assert causes(late)["b"] == "intrekking"
    delivered = {**causes(early), **causes(late)}
    assert set(delivered) == {"b", *numbered(300)}


@days.story
def test_much_gone_at_once_is_held_back_until_the_third_complete_run(site: Site) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    for number in (1, 2):
        run = yield
        assert causes(run) == {}
        (finding,) = run.about("intrekking.massaal")
        assert finding["seen"] == "60 van 100 documenten"
        assert f"{number} van 3" in finding["action"]
        assert len(waiting(run, site)) == 60
    third = yield
    assert len(third.records) == 60
    assert set(causes(third).values()) == {"intrekking"}
    assert causes((yield)) == {}


@days.story
def test_each_document_waits_for_itself_and_a_second_glitch_starts_its_own_count(site: Site) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    yield
    yield
    publish(site)
    third = yield
    assert set(causes(third)) == {f"doc{number}" for number in range(40, 100)}
    (finding,) = third.about("intrekking.massaal")
    assert finding["seen"] == "40 van 100 documenten"
    assert "1 van 3" in finding["action"]
    assert (yield).records == []
    assert set(causes((yield))) == set(numbered(40))


@days.story
def test_confirming_confirms_the_documents_that_are_listed_and_the_rest_goes_on_waiting(
    site: Site, harvester: Harvester
) -> Story:
    publish(site, numbered(100))
    yield
    publish(site, numbered(40))
    run = yield
    pending = waiting(run, site)
    assert len(pending) == 60
    confirmed = run_scrapy(["state", "confirm", f"localhost:{site.port}"], harvester.folder)
    assert (confirmed.returncode, "60 documents" in confirmed.stderr) == (0, True)
    # One of them is listed again, and others are gone: these were not confirmed.
    publish(site, {"doc99": FIRST})
    next_day = yield
    assert {site.url(f"/d/{name}.pdf") for name in causes(next_day)} == pending - {site.url("/d/doc99.pdf")}
    assert waiting(next_day, site) == {site.url(f"/d/doc{number}.pdf") for number in range(40)}


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
def test_all_that_is_gone_together_with_an_index_waits_for_three_reads(site: Site, mistake: str) -> Story:
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
        assert causes(run) == {}
        (finding,) = run.about("index.verdwenen")
        assert (finding["url"], finding["seen"]) == (site.url(SECOND), "2 documenten")
        assert finding["action"] == (
            f"nog niet ingetrokken: volledige ronde {number} van 3; zie pending.jsonl"
        )
        assert waiting(run, site) == {site.url(f"/d/{name}.pdf") for name in "cxy"}
    third = yield
    assert causes(third) == dict.fromkeys("cxy", "intrekking")
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
