"""Deviating indexes, sitemaps and robots.txt files from day to day."""

from __future__ import annotations

from collections.abc import Mapping

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import Run
from tests.utils.daily import (
    FIRST,
    INDEX,
    METADATA,
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

INFOCAT_2 = "/sitemapindex-diwoo-infocat002.xml"
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


def mixed(site: Site, documents: Documents) -> bytes:
    """Return a sitemap of documents with another sitemap among them."""
    listed = f"<sitemap><loc>{site.url('/diep.xml')}</loc></sitemap></urlset>"
    return xml(site, documents).replace(b"</urlset>", listed.encode())


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


@days.story
def test_an_index_whose_root_changes_loses_nothing(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    right = site.pages[INDEX]
    site.pages[INDEX] = page(sitemapindex([site.url("/s0.xml")]).replace("sitemapindex", "urlset"))
    assert causes((yield)) == {}
    site.pages["/s0.xml"] = page(xml(site, {"a": FIRST, "b": FIRST}).replace(b"urlset", b"sitemapindex"))
    third = yield
    assert causes(third) == {}
    assert codes(third) >= {"index.andere-wortel", "sitemap.andere-wortel"}
    publish(site, {"a": FIRST, "b": NEWER})
    site.pages[INDEX] = right
    assert causes((yield)) == {"b": "wijziging"}


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
def test_names_in_capitals_are_read_as_if_they_were_in_small_letters(site: Site) -> Story:
    publish(site, {"a": FIRST, "b": FIRST})
    yield
    site.pages["/s0.xml"] = renamed(xml(site, {"a": FIRST, "b": NEWER}), "url", "URL")
    site.pages[INDEX] = renamed(sitemapindex([site.url("/s0.xml")]), "sitemap", "SITEMAP")
    second = yield
    assert (causes(second), errors(second)) == ({"b": "wijziging"}, set())
    assert sum(found["code"] == "sitemap.hoofdletters" for found in second.findings) == 2
    site.pages["/s0.xml"] = renamed(xml(site, {"b": NEWER}), "loc", "Loc")
    third = yield
    assert (causes(third), errors(third)) == ({"a": "intrekking"}, set())
    assert "sitemap.hoofdletters" in codes(third)


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
def test_sitemaps_in_a_sitemap_are_reported_each_day_and_nothing_is_withdrawn_meanwhile(site: Site) -> Story:
    publish(site, {"a": FIRST}, {"b": FIRST}, headers={"ETag": '"1"'})
    site.pages["/s0.xml"] = page(mixed(site, {"a": FIRST}), "1")
    assert causes((yield)) == {"a": "aanlevering", "b": "aanlevering"}
    # The mixed sitemap has the same bytes and answers 304 where it is asked to.
    site.pages["/s1.xml"] = page(xml(site, {}))
    second = yield
    assert causes(second) == {}
    assert "sitemap.gemengd" in codes(second)
    site.pages["/s0.xml"] = page(xml(site, {"a": FIRST}))
    assert causes((yield)) == {"b": "intrekking"}


@days.story
def test_an_index_that_lists_only_itself_says_so_each_day(site: Site) -> Story:
    site.pages |= {"/robots.txt": Page(robots_txt(site.url(INDEX)), headers={"ETag": '"1"'})}
    site.pages[INDEX] = page(sitemapindex([site.url(INDEX)]), "1")
    for _ in range(3):
        run = yield
        assert [found["url"] for found in run.findings if found["code"] == "index.genest"] == [
            site.url(INDEX)
        ]
        assert causes(run) == {}
    assert len(site.requested(INDEX)) == 3


@days.story
def test_a_file_that_is_named_as_an_index_and_listed_as_a_sitemap_is_read_each_day(site: Site) -> Story:
    def put(documents: Documents, version: str) -> None:
        site.pages[INFOCAT_10] = page(xml(site, documents), version)

    robots(site, INDEX, INFOCAT_10, version="1")
    site.pages[INDEX] = page(sitemapindex([site.url(INFOCAT_10)]), "1")
    put({"a": FIRST}, "1")
    assert causes((yield)) == {"a": "aanlevering"}
    second = yield
    assert causes(second) == {}
    assert "index.onbereikbaar" not in codes(second)
    put({"a": FIRST, "b": NEWER}, "2")
    assert causes((yield)) == {"b": "aanlevering"}


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
def test_lines_that_are_joined_one_day_and_apart_the_next_are_the_same_indexes(site: Site) -> Story:
    publish(site, {"a": FIRST})
    site.pages[INFOCAT_10] = page(sitemapindex([site.url("/s1.xml")]))
    site.pages["/s1.xml"] = page(xml(site, {"b": FIRST}))
    joined = Page(r"\n".join(f"Sitemap: {site.url(index)}" for index in (INDEX, INFOCAT_10)))
    robots(site, INDEX, INFOCAT_10)
    yield
    site.pages["/robots.txt"] = joined
    second = yield
    assert causes(second) == {}
    assert "robots.samengevoegd" in codes(second)
    robots(site, INFOCAT_10, INDEX)
    assert causes((yield)) == {}


@days.story
def test_the_category_of_a_shared_sitemap_does_not_change_with_the_order_of_its_indexes(site: Site) -> Story:
    share(site, {"a": FIRST}, INDEX, INFOCAT_10, version="1")
    assert categories((yield)) == {"a": [categorie(10).uri]}
    # Both indexes answer 304, in the other order.
    share(site, {"a": FIRST, "b": FIRST}, INFOCAT_10, INDEX, version="1")
    assert categories((yield)) == {"b": [categorie(10).uri]}
    share(site, {"a": NEWER, "b": FIRST}, INFOCAT_10, INDEX, version="2")
    assert categories((yield)) == {"a": [categorie(10).uri]}


@days.story
def test_an_index_that_cannot_be_read_for_some_days_keeps_the_category_of_its_sitemaps(site: Site) -> Story:
    share(site, {"a": FIRST}, INFOCAT_2, INFOCAT_10, INDEX)
    assert categories((yield)) == {"a": [categorie(2).uri]}
    for names in ("ab", "abc"):
        share(site, dict.fromkeys(names, FIRST), INFOCAT_2, INFOCAT_10, INDEX)
        site.pages[INFOCAT_2] = Page("storing", status=500)
        assert categories((yield)) == {names[-1]: [categorie(2).uri]}
    # An index that robots.txt no longer names decides nothing any more.
    share(site, dict.fromkeys("abcd", FIRST), INFOCAT_10, INDEX)
    assert categories((yield)) == {"d": [categorie(10).uri]}


@days.story
def test_a_category_of_the_document_itself_stays_whatever_its_indexes_say(site: Site) -> Story:
    def list_it(lastmod: str, *indexes: str) -> None:
        share(site, {}, *indexes)
        site.pages[SHARED] = page(sitemap(Entry(loc=site.url("/d/a.pdf"), lastmod=lastmod, diwoo=METADATA)))

    list_it(FIRST, INDEX, INFOCAT_2)
    assert categories((yield)) == {"a": [categorie(14).uri]}
    list_it(NEWER, INFOCAT_2, INFOCAT_10)
    assert categories((yield)) == {"a": [categorie(14).uri]}
