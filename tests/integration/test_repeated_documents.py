"""A document that its host lists more than once: the newest entry counts, and what only another has stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import Line, Run
from tests.utils.daily import FIRST, INDEX, NEWER, XML, causes, reported
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import PDF, DiWoo, Entry, categorie, robots_txt, sitemap, sitemapindex

BY_CATEGORY = "/sitemapindex-diwoo-infocat014.xml"
SITEMAPS = {"general": "/general.xml", "category": "/category.xml"}
TITLE = "Besluit op verzoek"
TITLED = DiWoo(titel=TITLE, format=PDF)
BARE = DiWoo(format=PDF)


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
    is_newer = newest not in (first, "neither")
    cause = "wijziging" if is_newer else "aanlevering"
    assert [causes(day) for day in days] == [{"x": "aanlevering"}, {"x": cause}, {}, {}, {}]
    (record,) = days[1].records
    assert record["versies"][0]["nummer"] == (2 if is_newer else 1)
    assert record["herkomst"].get("aangevuld") == (None if is_newer else ["metadata"])
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
