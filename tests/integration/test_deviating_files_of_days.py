"""Deviating indexes, sitemaps and robots.txt files from day to day."""

from __future__ import annotations

from collections.abc import Mapping

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import Run
from tests.utils.daily import (
    FIRST,
    INDEX,
    NEWER,
    XML,
    Documents,
    causes,
    publish,
    reported,
    xml,
)
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, categorie, robots_txt, sitemap, sitemapindex

INFOCAT_10 = "/sitemapindex-diwoo-infocat010.xml"
SHARED = "/gedeeld.xml"


def page(body: str | bytes, version: str | None = None) -> Page:
    """Return an XML file; a server that is asked for the same version again answers 304."""
    headers = {"ETag": f'"{version}"'} if version else {}
    return Page(body, content_type=XML, headers=headers)


def robots(site: Site, *indexes: str, version: str | None = None) -> None:
    site.pages["/robots.txt"] = Page(
        robots_txt(*map(site.url, indexes)), headers={"ETag": f'"{version}"'} if version else {}
    )


def share(site: Site, lastmods: Mapping[str, str], *indexes: str, version: str | None = None) -> None:
    """Have these indexes list one sitemap, whose documents have no category of their own."""
    robots(site, *indexes)
    for index in indexes:
        site.pages[index] = page(sitemapindex([site.url(SHARED)]), version)
    site.pages[SHARED] = page(
        sitemap(*(Entry(loc=site.url(f"/d/{name}.pdf"), lastmod=day) for name, day in lastmods.items()))
    )


def categories(run: Run) -> dict[str, list[str]]:
    """Return the categories of each record, by the name of its document."""
    return {
        record["document"]["weblocatie"].rpartition("/")[2].removesuffix(".pdf"): [
            found["id"] for found in record["document"]["classificatiecollectie"]["informatiecategorieen"]
        ]
        for record in run.records
    }


def codes(run: Run) -> set[str]:
    return {found["code"] for found in run.findings if found["severity"] != "info"}


def errors(run: Run) -> set[str]:
    return {found["code"] for found in run.findings if found["severity"] == "error"}


@days.story
def test_an_index_under_urlset_is_reported_each_day_also_while_it_has_not_changed(site: Site) -> Story:
    publish(site, {"a": FIRST}, headers={"ETag": '"1"'})
    index = sitemapindex([site.url("/s0.xml")]).replace("sitemapindex", "urlset")
    site.pages[INDEX] = page(index, "1")
    first = yield
    assert causes(first) == {"a": "aanlevering"}
    second = yield
    assert causes(second) == {}
    assert codes(first) >= {"index.andere-wortel"}
    assert codes(second) >= {"index.andere-wortel"}
    assert [request.headers.get("if-none-match") for request in site.requested(INDEX)] == [None, '"1"']
    publish(site, {"b": NEWER}, headers={"ETag": '"2"'})
    site.pages[INDEX] = page(index, "1")
    assert causes((yield)) == {"a": "intrekking", "b": "aanlevering"}


def renamed(body: str | bytes, name: str, other: str) -> Page:
    """Return a file whose elements of one name have another one."""
    text = body if isinstance(body, bytes) else body.encode()
    for begin in (b"<", b"</"):
        text = text.replace(begin + name.encode() + b">", begin + other.encode() + b">")
    return page(text)


@days.story
def test_entries_of_another_name_withdraw_nothing_and_mending_them_changes_nothing(site: Site) -> Story:
    documents: Documents = {"a": FIRST, "b": FIRST, "c": FIRST}
    publish(site, documents)
    yield
    body = xml(site, documents)
    for page_of_day in (
        renamed(body, "url", "item"),
        page(body.replace(b"<url>", b"<urls><url>").replace(b"</url>", b"</url></urls>")),
        page(xml(site, {"a": FIRST}).replace(b"</urlset>", b"<item/></urlset>")),
    ):
        site.pages["/s0.xml"] = page_of_day
        wrong = yield
        assert causes(wrong) == {}
        assert errors(wrong) == {"sitemap.element-onbekend"}
        assert not reported(wrong, site)["complete"]
    publish(site, documents)
    mended = yield
    assert (causes(mended), errors(mended)) == ({}, set())


@days.story
def test_an_index_with_entries_of_another_name_withdraws_nothing(site: Site) -> Story:
    publish(site, {"a": FIRST}, {"b": FIRST}, {"c": FIRST})
    yield
    right = site.pages[INDEX]
    index = sitemapindex([site.url("/s0.xml")])
    mixed_index = index.replace("</sitemapindex>", "<map/></sitemapindex>")
    for wrong in (renamed(index, "sitemap", "map"), page(mixed_index)):
        site.pages[INDEX] = wrong
        run = yield
        assert causes(run) == {}
        assert errors(run) == {"sitemap.element-onbekend"}
        assert not reported(run, site)["complete"]
    site.pages[INDEX] = right
    mended = yield
    assert (causes(mended), errors(mended)) == ({}, set())


@days.story
def test_an_index_that_lists_documents_from_one_day_on_withdraws_none_that_it_listed(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    site.pages[INDEX] = page(xml(site, {"a": FIRST}))
    second = yield
    assert causes(second) == {}
    assert "index.is-urlset" in codes(second)
    publish(site, {"a": FIRST})
    assert causes((yield)) == {"b": "intrekking"}


@days.story
def test_a_sitemap_that_becomes_an_index_is_not_taken_for_what_it_was(site: Site) -> Story:
    """Its ETag stays the same, so that its server says that it has not changed."""
    robots(site, INDEX)
    site.pages[INDEX] = page(sitemapindex([site.url(INFOCAT_10)]))
    site.pages[INFOCAT_10] = page(xml(site, {"a": FIRST}), "1")
    yield
    robots(site, INFOCAT_10)
    site.pages[INFOCAT_10] = page(sitemapindex([site.url("/s0.xml")]), "1")
    site.pages["/s0.xml"] = page(xml(site, {"a": FIRST, "b": FIRST}))
    second = yield
    assert causes(second) == {"b": "aanlevering"}
    robots(site, INDEX)
    site.pages[INFOCAT_10] = page(xml(site, {"a": FIRST, "b": FIRST, "c": FIRST}), "1")
    assert causes((yield)) == {"c": "aanlevering"}


@days.story
def test_the_category_of_a_shared_sitemap_does_not_change_with_the_order_of_its_indexes(site: Site) -> Story:
    share(site, {"a": FIRST}, INDEX, INFOCAT_10, version="1")
    assert categories((yield)) == {"a": [categorie(10).uri]}
    # Both indexes answer 304, in the other order.
    share(site, {"a": FIRST, "b": FIRST}, INFOCAT_10, INDEX, version="1")
    assert categories((yield)) == {"b": [categorie(10).uri]}
    share(site, {"a": NEWER, "b": FIRST}, INFOCAT_10, INDEX, version="2")
    assert categories((yield)) == {"a": [categorie(10).uri]}
