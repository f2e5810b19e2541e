"""A document that its host lists more than once: the newest entry counts, from the second day on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import Line, Run
from tests.utils.daily import FIRST, INDEX, NEWER, XML, causes, reported
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import PDF, DiWoo, Entry, robots_txt, sitemap, sitemapindex

BY_CATEGORY = "/sitemapindex-diwoo-infocat014.xml"
SITEMAPS = {"general": "/general.xml", "category": "/category.xml"}
TITLES = {"general": "Uit de algemene index", "category": "Uit die van de categorie"}


def x(site: Site, lastmod: str, title: str) -> Entry:
    """Return an entry for the document that is listed twice."""
    return Entry(loc=site.url("/d/x.pdf"), lastmod=lastmod, diwoo=DiWoo(titel=title, format=PDF))


def serve(site: Site, path: str, *entries: Entry) -> None:
    """Have a sitemap list these entries."""
    site.pages[path] = Page(sitemap(*entries), content_type=XML)


def publish_in(site: Site, indexes: Mapping[str, list[str]]) -> None:
    """Have robots.txt name these indexes, each with its sitemaps, in this order."""
    site.pages["/robots.txt"] = Page(robots_txt(*map(site.url, indexes)))
    for index, paths in indexes.items():
        site.pages[index] = Page(sitemapindex(map(site.url, paths)), content_type=XML)


def publish_both(site: Site, general: str, category: str, *, first: str = "general") -> None:
    """Have a general index and one of a category list the document, each in a sitemap of its own."""
    indexes = {INDEX: [SITEMAPS["general"]], BY_CATEGORY: [SITEMAPS["category"]]}
    publish_in(site, indexes if first == "general" else dict(reversed(indexes.items())))
    for name, lastmod in (("general", general), ("category", category)):
        serve(site, SITEMAPS[name], x(site, lastmod, TITLES[name]))


def title_of(record: Line) -> str:
    return str(record["document"]["titelcollectie"]["officieleTitel"])


def assert_reported(run: Run, site: Site, *, is_reported: bool = True) -> None:
    """One of two entries counts, and the other is reported; both count on the day that it takes over."""
    changed = causes(run) == {"x": "wijziging"}
    report = reported(run, site)
    assert report["listed"] == report["harvested"] == 1 + changed
    assert len(run.about("loc.dubbel")) == (is_reported and not changed)


@pytest.mark.parametrize("newest", ["general", "category", "neither"])
@pytest.mark.parametrize("first", ["general", "category"])
@days.story
def test_in_two_sitemaps_the_newest_counts_from_the_second_day(site: Site, first: str, newest: str) -> Story:
    lastmods = {"general": (NEWER, FIRST), "category": (FIRST, NEWER), "neither": (FIRST, FIRST)}[newest]
    publish_both(site, *lastmods, first=first)
    days = []
    for _ in range(4):
        run = yield
        days.append(run)
        assert_reported(run, site)
    is_newer = newest not in (first, "neither")
    assert [causes(day) for day in days] == [
        {"x": "aanlevering"},
        {"x": "wijziging"} if is_newer else {},
        {},
        {},
    ]
    record = days[is_newer].records[0]
    assert title_of(record) == TITLES[first if newest == "neither" else newest]
    assert record["herkomst"]["lastmod"] == max(lastmods)


@days.story
def test_an_entry_that_is_the_only_one_left_is_passed_over_no_longer(site: Site) -> Story:
    publish_both(site, FIRST, NEWER)
    yield
    yield
    serve(site, SITEMAPS["category"])
    for passed_over in (True, False, False):  # the sitemap with the other entry is read again after the first
        run = yield
        assert causes(run) == {}
        assert len(run.about("loc.dubbel")) == passed_over
    assert reported(run, site)["listed"] == 1


@days.story
def test_what_did_not_change_is_reported_when_another_sitemap_takes_its_version_over(site: Site) -> Story:
    publish_both(site, FIRST, FIRST)
    serve(site, SITEMAPS["general"])
    yield
    publish_both(site, FIRST, FIRST)
    assert causes((yield)) == {}
    for _ in range(2):
        assert_reported((yield), site)


@pytest.mark.parametrize("older_first", [True, False])
@days.story
def test_in_one_sitemap_the_newest_counts_from_the_second_day(site: Site, older_first: bool) -> Story:
    entries = [x(site, FIRST, "Ouder"), x(site, NEWER, "Nieuwer")]
    publish_in(site, {INDEX: ["/s.xml"]})
    serve(site, "/s.xml", *(entries if older_first else reversed(entries)))
    days = []
    for _ in range(4):
        run = yield
        days.append(run)
        # The sitemap has not changed: it is read again until the other entry was reported.
        assert_reported(run, site, is_reported=len(days) <= 2 + older_first)
    changed = {"x": "wijziging"} if older_first else {}
    assert [causes(day) for day in days] == [{"x": "aanlevering"}, changed, {}, {}]
    assert title_of(days[older_first].records[0]) == "Nieuwer"


@days.story
def test_a_withdrawn_document_that_two_sitemaps_list_again_is_reported_until_one_is_newer(
    site: Site,
) -> Story:
    publish_both(site, FIRST, FIRST)
    yield
    serve(site, SITEMAPS["general"])
    serve(site, SITEMAPS["category"])
    assert causes((yield)) == {"x": "intrekking"}
    publish_both(site, FIRST, FIRST)
    for _ in range(2):
        run = yield
        assert causes(run) == {}
        assert len(run.about("lastmod.heraanbod")) == len(run.about("loc.dubbel")) == 1
    publish_both(site, FIRST, NEWER)
    run = yield
    assert causes(run) == {"x": "herpublicatie"}
    assert title_of(run.records[0]) == TITLES["category"]
    assert causes((yield)) == {}
