"""A document that its host lists more than once: the newest entry counts, and what only another has stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import Line, Run
from tests.utils.daily import FIRST, INDEX, NEWER, OLDER, XML, causes, reported
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import PDF, DiWoo, Entry, categorie, robots_txt, sitemap, sitemapindex

BY_CATEGORY = "/sitemapindex-diwoo-infocat014.xml"
SITEMAPS = {"general": "/general.xml", "category": "/category.xml"}
TITLE = "Besluit op verzoek"
TITLED = DiWoo(titel=TITLE, format=PDF)
BARE = DiWoo(format=PDF)
FUTURE = "2042-05-02T10:00:00+02:00"


def x(site: Site, lastmod: str | None, diwoo: DiWoo | None = BARE) -> Entry:
    """Return an entry for the document that is listed twice."""
    return Entry(loc=site.url("/d/x.pdf"), lastmod=lastmod, diwoo=diwoo)


def serve(site: Site, path: str, *entries: Entry) -> None:
    """Have a sitemap list these entries."""
    site.pages[path] = Page(sitemap(*entries), content_type=XML)


def publish_in(site: Site, indexes: Mapping[str, list[str]]) -> None:
    """Have robots.txt name these indexes, each with its sitemaps, in this order."""
    site.pages["/robots.txt"] = Page(robots_txt(*map(site.url, indexes)))
    for index, paths in indexes.items():
        site.pages[index] = Page(sitemapindex(map(site.url, paths)), content_type=XML)


def publish_both(site: Site, general: Entry, by_category: Entry, *, first: str = "general") -> None:
    """Have a general index and one of a category list the document, each in a sitemap of its own."""
    indexes = {INDEX: [SITEMAPS["general"]], BY_CATEGORY: [SITEMAPS["category"]]}
    publish_in(site, indexes if first == "general" else dict(reversed(indexes.items())))
    serve(site, SITEMAPS["general"], general)
    serve(site, SITEMAPS["category"], by_category)


def title_of(record: Line) -> str:
    return str(record["document"]["titelcollectie"]["officieleTitel"])


def category_of(record: Line) -> str:
    (category,) = record["document"]["classificatiecollectie"]["informatiecategorieen"]
    return str(category["label"])


def assert_sums_close(run: Run, site: Site) -> None:
    """One document is listed, and it is harvested in this run or before."""
    report = reported(run, site)
    assert (report["listed"], report["harvested"]) == (1, 1)


@pytest.mark.parametrize("newest", ["general", "category", "neither"])
@pytest.mark.parametrize("first", ["general", "category"])
@days.story
def test_in_two_sitemaps_the_newest_counts_from_the_second_day_with_title_and_category(
    site: Site, first: str, newest: str
) -> Story:
    lastmods = {"general": (NEWER, FIRST), "category": (FIRST, NEWER), "neither": (FIRST, FIRST)}[newest]
    publish_both(site, x(site, lastmods[0], TITLED), x(site, lastmods[1], None), first=first)
    days = []
    for _ in range(5):
        run = yield
        days.append(run)
        (finding,) = run.about("loc.dubbel")
        assert finding["action"].startswith("overgeslagen: de ")
        assert_sums_close(run, site)
    assert [causes(day) for day in days] == [{"x": "aanlevering"}, {"x": "wijziging"}, {}, {}, {}]
    (record,) = days[1].records
    assert record["herkomst"]["lastmod"] == max(lastmods)
    assert title_of(record) == TITLE
    assert category_of(record) == "Woo-verzoeken en -besluiten"
    assert "titel.ontbreekt" not in record["herkomst"].get("bevindingen", [])
    # The finding says which of the two counts.
    counts = site.url(SITEMAPS[first if newest == "neither" else newest])
    (finding,) = days[-1].about("loc.dubbel")
    assert f"in {counts} telt" in finding["action"]
    assert finding["sitemap"] != counts


@pytest.mark.parametrize("older_first", [True, False])
@days.story
def test_in_one_sitemap_the_newest_counts_at_once_with_what_only_the_other_has(
    site: Site, older_first: bool
) -> Story:
    entries = [x(site, FIRST, TITLED), x(site, NEWER, replace(BARE, informatiecategorieen=[categorie(14)]))]
    publish_in(site, {INDEX: ["/s.xml"]})
    serve(site, "/s.xml", *(entries if older_first else reversed(entries)))
    days = []
    for _ in range(3):
        run = yield
        days.append(run)
        assert_sums_close(run, site)
        (finding,) = run.about("loc.dubbel")
        assert finding["seen"] == FIRST
        assert "de nieuwere vermelding op regel" in finding["action"]
    assert [causes(day) for day in days] == [{"x": "aanlevering"}, {}, {}]
    (record,) = days[0].records
    assert record["herkomst"]["lastmod"] == NEWER
    assert title_of(record) == TITLE
    assert category_of(record) == "Woo-verzoeken en -besluiten"


@pytest.mark.parametrize("older_first", [True, False])
@days.story
def test_far_apart_in_one_sitemap_the_newest_counts_from_the_second_day(
    site: Site, older_first: bool
) -> Story:
    others = [Entry(loc=site.url(f"/d/{number}.pdf"), lastmod=FIRST, diwoo=TITLED) for number in range(1100)]
    entries = [x(site, FIRST, TITLED), x(site, NEWER, BARE)]
    one, other = entries if older_first else reversed(entries)
    publish_in(site, {INDEX: ["/s.xml"]})
    serve(site, "/s.xml", one, *others, other)
    run = yield
    assert len(run.records) == 1101
    days = []
    for _ in range(4):
        run = yield
        days.append(run)
        assert len(run.about("loc.dubbel")) == 1
    assert [causes(day) for day in days] == [{"x": "wijziging"}, {}, {}, {}]
    (record,) = days[0].records
    assert (record["herkomst"]["lastmod"], title_of(record)) == (NEWER, TITLE)


@days.story
def test_entries_that_are_the_same_give_one_record_and_no_change(site: Site) -> Story:
    publish_in(site, {INDEX: ["/one.xml", "/other.xml"]})
    serve(site, "/one.xml", x(site, FIRST, TITLED))
    serve(site, "/other.xml", x(site, FIRST, TITLED))
    for day in range(4):
        run = yield
        assert causes(run) == ({} if day else {"x": "aanlevering"})
        assert len(run.about("loc.dubbel")) == 1
        assert_sums_close(run, site)


@days.story
def test_each_newer_entry_is_harvested_once_whichever_sitemap_it_is_in(site: Site) -> Story:
    publish_both(site, x(site, FIRST, TITLED), x(site, OLDER, None))
    yield
    yield
    for number, name in enumerate(["category", "general", "category", "category"], 1):
        lastmod = f"2024-06-0{number}T10:00:00+02:00"
        serve(site, SITEMAPS[name], x(site, lastmod, TITLED if name == "general" else None))
        run = yield
        assert causes(run) == {"x": "wijziging"}
        (record,) = run.records
        assert record["herkomst"]["lastmod"] == lastmod
        assert (title_of(record), category_of(record)) == (TITLE, "Woo-verzoeken en -besluiten")
        run = yield
        assert causes(run) == {}
        assert "lastmod.ouder" not in run.codes
        assert_sums_close(run, site)


@days.story
def test_what_another_entry_gives_later_is_added_once(site: Site) -> Story:
    publish_both(site, x(site, NEWER), x(site, FIRST))
    yield
    yield
    assert causes((yield)) == {}
    serve(site, SITEMAPS["category"], x(site, FIRST, TITLED))
    days = []
    for _ in range(4):
        run = yield
        days.append(run)
    assert [bool(causes(day)) for day in days].count(True) == 1
    (record,) = [record for day in days for record in day.records]
    assert (title_of(record), record["herkomst"]["lastmod"]) == (TITLE, NEWER)
    # Metadata that change without a newer lastmod are no change, here as elsewhere.
    serve(site, SITEMAPS["category"], x(site, FIRST, replace(TITLED, titel="Anders")))
    for _ in range(2):
        assert causes((yield)) == {}


@days.story
def test_when_the_newest_entry_goes_the_document_stays_as_it_is(site: Site) -> Story:
    publish_both(site, x(site, FIRST, TITLED), x(site, NEWER, None))
    yield
    yield
    serve(site, SITEMAPS["category"])
    yield  # the general sitemap is read first: it does not know yet that the other entry is gone
    for _ in range(3):
        run = yield
        assert causes(run) == {}
        assert not run.about("loc.dubbel")
        assert [finding["seen"] for finding in run.about("lastmod.ouder")] == [FIRST]
        assert_sums_close(run, site)
    serve(site, SITEMAPS["general"])
    assert causes((yield)) == {"x": "intrekking"}


@pytest.mark.parametrize("first", ["general", "category"])
@days.story
def test_a_lastmod_in_the_future_and_one_that_is_not_do_not_replace_each_other_each_day(
    site: Site, first: str
) -> Story:
    publish_both(site, x(site, FIRST, TITLED), x(site, FUTURE, None), first=first)
    yield
    yield
    # The typo is no longer newer than what was harvested since.
    for lastmod in (FIRST, NEWER, datetime.now(UTC).isoformat()):
        serve(site, SITEMAPS["general"], x(site, lastmod, TITLED))
        run = yield
        assert causes(run) == ({"x": "wijziging"} if lastmod > NEWER else {})
        for _ in range(2):
            run = yield
            assert causes(run) == {}
            assert_sums_close(run, site)


@days.story
def test_a_withdrawn_document_that_two_sitemaps_list_again_is_reported_until_one_is_newer(
    site: Site,
) -> Story:
    publish_both(site, x(site, FIRST, TITLED), x(site, FIRST, None))
    yield
    yield
    serve(site, SITEMAPS["general"])
    serve(site, SITEMAPS["category"])
    assert causes((yield)) == {"x": "intrekking"}
    publish_both(site, x(site, FIRST, TITLED), x(site, FIRST, None))
    for _ in range(2):
        run = yield
        assert causes(run) == {}
        assert len(run.about("lastmod.heraanbod")) == len(run.about("loc.dubbel")) == 1
    serve(site, SITEMAPS["category"], x(site, NEWER, None))
    run = yield
    assert causes(run) == {"x": "herpublicatie"}
    assert title_of(run.records[0]) == TITLE
    assert causes((yield)) == {}
