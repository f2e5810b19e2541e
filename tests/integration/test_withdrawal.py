"""What is no longer listed is withdrawn, but only when that is sure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.utils import hostile
from tests.utils.command import read_lines, run_scrapy
from tests.utils.daily import FIRST, METADATA, NEWER, XML, Harvester, causes, numbered, publish, xml
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, robots_txt, sitemap, sitemapindex


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def test_what_is_gone_from_a_fully_read_host_is_withdrawn_once(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    publish(site, {"a": FIRST})
    second = harvester.day()
    assert causes(second) == {"b": "intrekking"}
    (record,) = second.records
    assert record["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"
    assert record["document"] == {"weblocatie": site.url("/d/b.pdf")}
    assert causes(harvester.day()) == {}


def test_a_document_that_moves_to_another_sitemap_is_not_withdrawn(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST}, {"c": FIRST})
    harvester.day()
    publish(site, {"a": FIRST}, {"b": FIRST, "c": FIRST})
    assert causes(harvester.day()) == {}


def test_what_a_second_sitemap_lists_for_a_day_is_not_gone_from_the_first(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST, "b": FIRST}, {"c": FIRST}, headers={"ETag": '"same"'})
    harvester.day()
    site.pages["/s1.xml"] = Page(xml(site, {"a": FIRST, "c": FIRST}), content_type=XML)
    assert causes(harvester.day()) == {}
    site.pages["/s1.xml"] = Page(xml(site, {"c": FIRST}), content_type=XML)
    for _ in range(2):
        assert causes(harvester.day()) == {}
    site.pages["/s0.xml"] = Page(xml(site, {"b": FIRST}), content_type=XML)
    assert causes(harvester.day()) == {"a": "intrekking"}


def test_a_sitemap_that_an_index_no_longer_lists_withdraws_its_documents(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST}, {"b": FIRST})
    harvester.day()
    publish(site, {"a": FIRST})
    assert causes(harvester.day()) == {"b": "intrekking"}


def test_a_withdrawn_document_comes_back_only_with_a_newer_lastmod(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    publish(site, {"a": FIRST})
    harvester.day()
    publish(site, {"a": FIRST, "b": FIRST})
    again = harvester.day()
    assert causes(again) == {}
    assert len(again.about("lastmod.heraanbod")) == 1
    publish(site, {"a": FIRST, "b": NEWER})
    back = harvester.day()
    assert causes(back) == {"b": "herpublicatie"}
    assert back.records[0]["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"


@pytest.mark.parametrize(
    "broken", ["sitemap-500", "sitemap-truncated", "index-404", "robots-404", "robots-500"]
)
def test_a_host_that_was_not_read_completely_withdraws_nothing(
    site: Site, harvester: Harvester, broken: str
) -> None:
    publish(site, {"a": FIRST, "b": FIRST}, {"c": FIRST})
    harvester.day()
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
    second = harvester.day(RETRY_TIMES=0)
    assert causes(second) == {}
    assert len(second.about("intrekking.onvolledig")) == 1


def test_an_index_left_out_of_robots_withdraws_its_documents_but_no_index_at_all_does_not(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST})
    second_index = "/sitemapindex-diwoo-infocat002.xml"
    site.pages[second_index] = Page(sitemapindex([site.url("/t.xml")]), content_type=XML)
    site.pages["/t.xml"] = Page(xml(site, {"b": FIRST}), content_type=XML)
    both = robots_txt(site.url("/sitemapindex-diwoo.xml"), site.url(second_index))
    site.pages["/robots.txt"] = Page(both)
    harvester.day()
    site.pages["/robots.txt"] = Page(b"User-agent: *\n")
    assert causes(harvester.day()) == {}
    site.pages["/robots.txt"] = Page(robots_txt(site.url("/sitemapindex-diwoo.xml")))
    assert causes(harvester.day()) == {"b": "intrekking"}


def test_much_gone_at_once_is_held_back_until_the_third_complete_run(
    site: Site, harvester: Harvester
) -> None:
    publish(site, numbered(100))
    harvester.day()
    publish(site, numbered(40))
    for number in (1, 2):
        run = harvester.day()
        assert causes(run) == {}
        (finding,) = run.about("intrekking.massaal")
        assert finding["seen"] == "60 van 100 documenten"
        assert f"{number} van 3" in finding["action"]
        assert run.report is not None
        assert len(read_lines(run.report / "held.jsonl")) == 60
    third = harvester.day()
    assert len(third.records) == 60
    assert set(causes(third).values()) == {"intrekking"}
    assert causes(harvester.day()) == {}


def test_each_document_waits_for_itself_and_a_second_glitch_starts_its_own_count(
    site: Site, harvester: Harvester
) -> None:
    publish(site, numbered(100))
    harvester.day()
    publish(site, numbered(40))
    harvester.day()
    harvester.day()
    publish(site)
    third = harvester.day()
    assert set(causes(third)) == {f"doc{number}" for number in range(40, 100)}
    (finding,) = third.about("intrekking.massaal")
    assert finding["seen"] == "40 van 100 documenten"
    assert "1 van 3" in finding["action"]
    assert harvester.day().records == []
    assert set(causes(harvester.day())) == set(numbered(40))


def test_a_sitemap_that_is_empty_on_each_day_another_one_withdraws_nothing(
    site: Site, harvester: Harvester
) -> None:
    parts = [{f"doc{part}-{number}": FIRST for number in range(60)} for part in range(4)]
    publish(site, *parts)
    assert len(harvester.day().records) == 240
    for day in range(9):
        publish(site, *({} if part == day % 4 else documents for part, documents in enumerate(parts)))
        run = harvester.day()
        assert run.records == []
        assert run.about("intrekking.massaal")[0]["seen"] == "60 van 240 documenten"
    publish(site, *parts)
    run = harvester.day()
    assert run.records == []
    assert run.codes == set()


def test_being_listed_once_starts_the_count_over_also_in_a_read_that_is_not_complete(
    site: Site, harvester: Harvester
) -> None:
    publish(site, numbered(100), {"other": FIRST})
    harvester.day()
    publish(site, numbered(40), {"other": FIRST})
    for _ in range(2):
        assert harvester.day().records == []
    publish(site, numbered(100), {"other": FIRST})
    site.pages["/s1.xml"] = Page(b"", status=500)
    assert harvester.day(RETRY_TIMES=0).records == []
    publish(site, numbered(40), {"other": FIRST})
    for number in (1, 2):
        run = harvester.day()
        assert run.records == []
        assert f"{number} van 3" in run.about("intrekking.massaal")[0]["action"]
    assert len(harvester.day().records) == 60


def test_a_read_that_is_not_complete_counts_for_nothing(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(100), {"other": FIRST})
    harvester.day()
    publish(site, numbered(40), {"other": FIRST})
    for number in (1, 2):
        site.pages["/s1.xml"] = Page(b"", status=500)
        assert harvester.day(RETRY_TIMES=0).records == []
        publish(site, numbered(40), {"other": FIRST})
        assert f"{number} van 3" in harvester.day().about("intrekking.massaal")[0]["action"]


def test_confirming_confirms_the_documents_that_are_listed_and_the_rest_goes_on_waiting(
    site: Site, harvester: Harvester
) -> None:
    publish(site, numbered(100))
    harvester.day()
    publish(site, numbered(40))
    run = harvester.day()
    assert run.report is not None
    pending = {line["url"] for line in read_lines(run.report / "held.jsonl")}
    assert len(pending) == 60
    confirmed = run_scrapy(["state", "confirm", f"localhost:{site.port}"], harvester.folder)
    assert (confirmed.returncode, "60 documents" in confirmed.stderr) == (0, True)
    # One of them is listed again, and others are gone: these were not confirmed.
    publish(site, {"doc99": FIRST})
    next_day = harvester.day()
    assert {site.url(f"/d/{name}.pdf") for name in causes(next_day)} == pending - {site.url("/d/doc99.pdf")}
    assert next_day.report is not None
    waiting = {line["url"] for line in read_lines(next_day.report / "held.jsonl")}
    assert waiting == {site.url(f"/d/doc{number}.pdf") for number in range(40)}


def test_a_withdrawn_document_that_is_listed_again_is_reported_in_each_run_and_the_sums_close(
    site: Site, harvester: Harvester
) -> None:
    given = {"ETag": '"altijd"'}
    publish(site, numbered(9), headers=given)
    harvester.day()
    publish(site, numbered(5))
    assert len(harvester.day().records) == 4
    publish(site, numbered(9), headers=given)
    for _ in range(4):
        run = harvester.day()
        assert run.records == []
        assert len(run.about("lastmod.heraanbod")) == 4
        assert run.report is not None
        (host,) = json.loads((run.report / "report.json").read_text())["hosts"]
        assert (host["listed"], host["harvested"]) == (9, 5)
        assert host["score"] < 100


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (Entry(loc="http://localhost/a.pdf", lastmod=FIRST, diwoo=METADATA), "loc.geen-https"),
        (Entry(loc="https://elders.example/a.pdf", lastmod=FIRST, diwoo=METADATA), "loc.niet-geregistreerd"),
    ],
)
def test_an_entry_that_is_wrong_is_reported_in_each_run(
    site: Site, harvester: Harvester, wrong: Entry, code: str
) -> None:
    publish(site, {}, headers={"ETag": '"altijd"'})
    right = Entry(loc=site.url("/d/b.pdf"), lastmod=FIRST, diwoo=METADATA)
    both = Page(sitemap(wrong, right), content_type=XML, headers={"ETag": '"altijd"'})
    site.pages["/s0.xml"] = both
    for _ in range(3):
        run = harvester.day()
        assert len(run.about(code)) == 1
        assert run.report is not None
        (host,) = json.loads((run.report / "report.json").read_text())["hosts"]
        assert (host["listed"], host["harvested"]) == (2, 1)


def test_what_was_withdrawn_by_mistake_can_be_restored(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(3), headers={"ETag": '"altijd"'})
    harvester.day()
    publish(site, {"doc0": FIRST})
    assert set(causes(harvester.day()).values()) == {"intrekking"}
    publish(site, {"doc0": FIRST, "doc1": FIRST}, headers={"ETag": '"altijd"'})
    assert harvester.day().records == []
    restored = run_scrapy(["state", "restore", f"localhost:{site.port}"], harvester.folder)
    assert (restored.returncode, "2 documents" in restored.stderr) == (0, True)
    back = harvester.day()
    assert causes(back) == {"doc1": "herpublicatie"}
    assert back.records[0]["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"
    assert harvester.day().records == []
    # What was not listed in that run stays withdrawn, by the rule of the guide.
    publish(site, numbered(3))
    later = harvester.day()
    assert later.records == []
    assert len(later.about("lastmod.heraanbod")) == 1


def test_restoring_where_nothing_is_withdrawn_says_so(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(1))
    harvester.day()
    run = run_scrapy(["state", "restore", f"localhost:{site.port}"], harvester.folder)
    assert run.returncode == 1
    assert run.stderr.endswith(f"no document is withdrawn of localhost:{site.port}\n")


def test_a_withdrawal_whose_record_could_not_be_stored_comes_with_the_next_run(
    site: Site, harvester: Harvester
) -> None:
    publish(site, numbered(3))
    harvester.day()
    publish(site, numbered(1))
    feeds = json.dumps({"broken://now": {"format": "jsonlines"}})
    storages = json.dumps({"broken": "tests.utils.feeds.BrokenStorage"})
    broken = {"FEEDS": feeds, "FEED_STORAGES": storages}
    failed = run_scrapy(harvester.arguments(), harvester.folder, harvester.ca_bundle, settings=broken)
    assert failed.returncode == 1
    assert set(causes(harvester.day())) == {"doc1", "doc2"}
    assert harvester.day().records == []


def test_what_was_held_back_and_returns_was_never_withdrawn(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(100))
    harvester.day()
    publish(site, numbered(40))
    harvester.day()
    publish(site, numbered(100))
    assert harvester.day().codes == set()
    publish(site, numbered(40))
    assert "1 van 3" in harvester.day().about("intrekking.massaal")[0]["action"]


def test_an_empty_index_on_a_bad_day_holds_all_of_ten_documents(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(10))
    harvester.day()
    publish(site)
    run = harvester.day()
    assert causes(run) == {}
    assert run.about("intrekking.massaal")[0]["seen"] == "10 van 10 documenten"


def test_all_of_nine_documents_are_withdrawn(site: Site, harvester: Harvester) -> None:
    publish(site, numbered(9))
    harvester.day()
    publish(site, {})
    assert len(harvester.day().records) == 9


def test_a_listed_document_whose_host_left_the_register_is_not_withdrawn(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    one, two = make_site(), make_site()
    harvester = Harvester(tmp_path, ca_bundle, [one, two])
    publish(one, {"a": FIRST})
    elsewhere = Entry(loc=two.url("/d/b.pdf"), lastmod=FIRST, diwoo=METADATA)
    one.pages["/s0.xml"] = Page(sitemap(elsewhere), content_type=XML)
    assert causes(harvester.day()) == {"b": "aanlevering"}
    harvester.sites.remove(two)
    # One more line end: the sitemap is read, not passed over.
    one.pages["/s0.xml"] = Page(sitemap(elsewhere) + b"\n", content_type=XML)
    second = harvester.day()
    assert causes(second) == {}
    assert len(second.about("loc.niet-geregistreerd")) == 1


def test_a_run_that_is_closed_early_withdraws_nothing(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    publish(site, {"a": FIRST, **numbered(300)})
    early = harvester.day(CLOSESPIDER_ITEMCOUNT=5)
    assert early.stats["finish_reason"] == "closespider_itemcount"
    assert "intrekking" not in causes(early).values()
    late = harvester.day()
    assert causes(late)["b"] == "intrekking"
    delivered = {**causes(early), **causes(late)}
    assert set(delivered) == {"b", *numbered(300)}


def test_two_sitemaps_with_the_same_document_are_read_each_time(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST}, {"b": FIRST, "c": FIRST}, headers={"ETag": '"eerste"'})
    harvester.day()
    # The second one drops it, the first one answers 304 if it is asked: the document is still listed.
    site.pages["/s1.xml"] = Page(xml(site, {"c": FIRST}), content_type=XML, headers={"ETag": '"tweede"'})
    assert causes(harvester.day()) == {}


def test_a_clock_that_jumped_back_reads_everything_whole(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST}, headers={"ETag": '"altijd"'})
    harvester.day()
    state = harvester.folder / ".scrapy" / "woo-state.sqlite"
    import sqlite3

    with sqlite3.connect(state) as connection:
        connection.execute("UPDATE resources SET read_at = read_at + 864000")
    connection.close()
    publish(site, {"a": NEWER}, headers={"ETag": '"altijd"'})
    assert causes(harvester.day()) == {"a": "wijziging"}


def test_a_busy_host_is_no_reason_to_withdraw(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    publish(site, {"a": FIRST})
    site.pages["/s0.xml"] = hostile.busy(Page(xml(site, {"a": FIRST}), content_type=XML), times=9, status=503)
    assert causes(harvester.day(WOO_RETRY_BACKOFF=0.01)) == {}
