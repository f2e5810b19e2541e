"""What is no longer listed is withdrawn, but only when that is sure."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from tests.integration.same_days import days
from tests.utils import hostile
from tests.utils.calendar import Story
from tests.utils.command import DATA, run_scrapy
from tests.utils.daily import (
    FIRST,
    METADATA,
    NEWER,
    XML,
    Harvester,
    causes,
    numbered,
    publish,
    reported,
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
def test_what_a_second_sitemap_lists_for_a_day_is_not_gone_from_the_first(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST}, {"c": FIRST}, headers={"ETag": '"same"'})
    yield
    site.pages["/s1.xml"] = Page(xml(site, {"a": FIRST, "c": FIRST}), content_type=XML)
    assert causes((yield)) == {}
    site.pages["/s1.xml"] = Page(xml(site, {"c": FIRST}), content_type=XML)
    for _ in range(2):
        assert causes((yield)) == {}
    site.pages["/s0.xml"] = Page(xml(site, {"b": FIRST}), content_type=XML)
    assert causes((yield)) == {"a": "intrekking"}


@days.story
def test_a_sitemap_that_an_index_no_longer_lists_withdraws_its_documents(site: Site) -> Story:
    publish(site, {"a": FIRST}, {"b": FIRST})
    yield
    publish(site, {"a": FIRST})
    assert causes((yield)) == {"b": "intrekking"}


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


@days.story
def test_an_index_left_out_of_robots_withdraws_its_documents_in_the_end_but_no_index_at_all_does_not(
    site: Site,
) -> Story:
    publish(site, {"a": FIRST})
    second_index = "/sitemapindex-diwoo-infocat002.xml"
    site.pages[second_index] = Page(sitemapindex([site.url("/t.xml")]), content_type=XML)
    site.pages["/t.xml"] = Page(xml(site, {"b": FIRST}), content_type=XML)
    both = robots_txt(site.url("/sitemapindex-diwoo.xml"), site.url(second_index))
    site.pages["/robots.txt"] = Page(both)
    yield
    site.pages["/robots.txt"] = Page(b"User-agent: *\n")
    for _ in range(3):
        assert causes((yield)) == {}
    site.pages["/robots.txt"] = Page(robots_txt(site.url("/sitemapindex-diwoo.xml")))
    for _ in range(2):
        assert causes((yield)) == {}
    assert causes((yield)) == {"b": "intrekking"}


@days.story
def test_a_withdrawn_document_that_is_listed_again_is_reported_in_each_run_and_the_sums_close(
    site: Site,
) -> Story:
    given = {"ETag": '"altijd"'}
    publish(site, numbered(9), headers=given)
    yield
    publish(site, numbered(5))
    assert len((yield).records) == 4
    publish(site, numbered(9), headers=given)
    for _ in range(4):
        run = yield
        assert run.records == []
        assert len(run.about("lastmod.heraanbod")) == 4
        host = reported(run, site)
        assert (host["listed"], host["harvested"]) == (9, 5)
        assert host["score"] < 100


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
def test_what_is_gone_while_an_entry_has_no_address_that_can_be_used_waits(site: Site) -> Story:
    publish(site, numbered(6))
    yield
    wrong = {1: "", 2: "https://elders.example/doc2.pdf", 3: "/d/doc3.pdf", 4: "https://[/doc4.pdf"}
    list_wrongly(site, 6, wrong)
    for number in (1, 2):
        run = yield
        assert causes(run) == {}
        (finding,) = run.about("intrekking.massaal")
        assert finding["seen"] == "4 van 6 documenten; vermeldingen zonder bruikbaar adres: 4"
        assert f"{number} van 3" in finding["action"]
    publish(site, numbered(4))
    assert set(causes((yield))) == {"doc4", "doc5"}, "three complete reads lacked it, or no entry is wrong"


@days.story
def test_what_was_withdrawn_by_mistake_can_be_restored(site: Site, harvester: Harvester) -> Story:
    publish(site, numbered(3), headers={"ETag": '"altijd"'})
    yield
    publish(site, {"doc0": FIRST})
    assert set(causes((yield)).values()) == {"intrekking"}
    publish(site, {"doc0": FIRST, "doc1": FIRST}, headers={"ETag": '"altijd"'})
    assert (yield).records == []
    restored = run_scrapy(["state", "restore", f"localhost:{site.port}"], harvester.folder)
    assert (restored.returncode, "2 documents" in restored.stderr) == (0, True)
    back = yield
    assert causes(back) == {"doc1": "herpublicatie"}
    assert back.records[0]["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"
    assert (yield).records == []
    # What was not listed in that run stays withdrawn, by the rule of the guide.
    publish(site, numbered(3))
    later = yield
    assert later.records == []
    assert len(later.about("lastmod.heraanbod")) == 1


@days.story
def test_restoring_where_nothing_is_withdrawn_says_so(site: Site, harvester: Harvester) -> Story:
    publish(site, numbered(1))
    yield
    run = run_scrapy(["state", "restore", f"localhost:{site.port}"], harvester.folder)
    assert run.returncode == 1
    assert run.stderr.endswith(f"no document is withdrawn of localhost:{site.port}\n")


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
def test_a_listed_document_whose_host_left_the_register_is_not_withdrawn(
    one: Site, two: Site, harvester: Harvester
) -> Story:
    publish(one, {"a": FIRST})
    elsewhere = Entry(loc=two.url("/d/b.pdf"), lastmod=FIRST, diwoo=METADATA)
    one.pages["/s0.xml"] = Page(sitemap(elsewhere), content_type=XML)
    assert causes((yield)) == {"b": "aanlevering"}
    harvester.sites.remove(two)
    # One more line end: the sitemap is read, not passed over.
    one.pages["/s0.xml"] = Page(sitemap(elsewhere) + b"\n", content_type=XML)
    second = yield
    assert causes(second) == {}
    assert len(second.about("loc.niet-geregistreerd")) == 1


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
def test_two_sitemaps_with_the_same_document_are_read_each_time(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST}, {"b": FIRST, "c": FIRST}, headers={"ETag": '"eerste"'})
    yield
    # The second one drops it, the first one answers 304 if it is asked: the document is still listed.
    site.pages["/s1.xml"] = Page(xml(site, {"c": FIRST}), content_type=XML, headers={"ETag": '"tweede"'})
    assert causes((yield)) == {}


@days.story
def test_a_clock_that_jumped_back_reads_everything_whole(site: Site, harvester: Harvester) -> Story:
    publish(site, {"a": FIRST}, headers={"ETag": '"altijd"'})
    yield
    with closing(sqlite3.connect(harvester.folder / DATA / "woo-state.sqlite")) as connection, connection:
        connection.execute(
            "UPDATE resources SET read_at = read_at + 864000"
            " WHERE host_id = (SELECT id FROM hosts WHERE host = ?)",
            [site.host],
        )
    publish(site, {"a": NEWER}, headers={"ETag": '"altijd"'})
    assert causes((yield)) == {"a": "wijziging"}


@days.story
def test_a_busy_host_is_no_reason_to_withdraw(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    publish(site, {"a": FIRST})
    site.pages["/s0.xml"] = hostile.busy(Page(xml(site, {"a": FIRST}), content_type=XML), times=9, status=503)
    assert causes((yield)) == {}
