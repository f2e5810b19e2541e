"""Sitemaps in the form of other software from day to day: what is read is known, whatever its form."""

from __future__ import annotations

from tests.integration.same_days import days
from tests.utils.calendar import Story
from tests.utils.command import Run
from tests.utils.daily import FIRST, NEWER, XML, Documents, causes, publish, xml
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import DIWOO_NAMESPACE

SITEMAP = "/s0.xml"
DECLARATION = f' xmlns:diwoo="{DIWOO_NAMESPACE}"'.encode()


def page(body: bytes) -> Page:
    return Page(body, content_type=XML)


def of_documents(site: Site, documents: Documents) -> Page:
    """Return a sitemap with the root ``diwoo:Documents``."""
    body = xml(site, documents).replace(b"urlset", b"diwoo:Documents")
    entries = body.replace(b"<diwoo:Document>", b"").replace(b"</diwoo:Document>", b"")
    return page(entries.replace(b"<url>", b"<diwoo:Document>").replace(b"</url>", b"</diwoo:Document>"))


def not_well_formed(site: Site, documents: Documents, amp: bytes = b"&") -> Page:
    """Return a sitemap with a bare ampersand in each loc, in which no prefix is declared."""
    return page(xml(site, documents).replace(b".pdf<", b".pdf?x=1%by=2<" % amp).replace(DECLARATION, b""))


def well_formed(site: Site, documents: Documents) -> Page:
    """Return the same sitemap as it should be."""
    return page(xml(site, documents).replace(b".pdf<", b".pdf?x=1&amp;y=2<"))


def codes(run: Run) -> set[str]:
    return {found["code"] for found in run.findings if found["severity"] != "info"}


def changes(run: Run) -> dict[str, str]:
    """Return the cause of each record, by the name of its document."""
    return {name.partition(".pdf")[0]: cause for name, cause in causes(run).items()}


@days.story
def test_documents_under_another_root_are_followed_like_any_others(site: Site) -> Story:
    publish(site, {})
    site.pages[SITEMAP] = of_documents(site, {"a": FIRST, "b": FIRST, "c": FIRST})
    first = yield
    assert changes(first) == {"a": "aanlevering", "b": "aanlevering", "c": "aanlevering"}
    assert "sitemap.andere-wortel" in codes(first)
    assert changes((yield)) == {}
    site.pages[SITEMAP] = of_documents(site, {"a": NEWER, "b": FIRST})
    assert changes((yield)) == {"a": "wijziging", "c": "intrekking"}
    publish(site, {"a": NEWER, "b": FIRST})
    assert changes((yield)) == {}
    publish(site, {"b": FIRST})
    assert changes((yield)) == {"a": "intrekking"}


@days.story
def test_a_sitemap_that_is_no_longer_repaired_gives_no_change(site: Site) -> Story:
    publish(site, {})
    site.pages[SITEMAP] = not_well_formed(site, {"a": FIRST, "b": FIRST})
    first = yield
    assert changes(first) == {"a": "aanlevering", "b": "aanlevering"}
    assert codes(first) >= {"sitemap.ampersand", "sitemap.voorvoegsel"}
    site.pages[SITEMAP] = not_well_formed(site, {"a": FIRST, "b": FIRST, "c": FIRST})
    assert changes((yield)) == {"c": "aanlevering"}
    site.pages[SITEMAP] = well_formed(site, {"a": FIRST, "b": FIRST, "c": FIRST})
    third = yield
    assert changes(third) == {}
    assert not codes(third) & {"sitemap.ampersand", "sitemap.voorvoegsel"}
    site.pages[SITEMAP] = not_well_formed(site, {"b": NEWER, "c": FIRST})
    assert changes((yield)) == {"a": "intrekking", "b": "wijziging"}
    site.pages[SITEMAP] = not_well_formed(site, {"c": FIRST}, b"&amp;")
    assert changes((yield)) == {"b": "intrekking"}


@days.story
def test_a_sitemap_that_cannot_be_repaired_withdraws_nothing(site: Site) -> Story:
    publish(site, {})
    site.pages[SITEMAP] = well_formed(site, {"a": FIRST, "b": FIRST, "c": FIRST})
    yield
    broken = b"".join(not_well_formed(site, {"a": FIRST, "d": FIRST}).chunks())
    site.pages[SITEMAP] = page(broken.replace(b"</urlset>", b"</urlsets>"))
    for _ in range(2):
        run = yield
        assert changes(run) == {}
        assert [found["action"] for found in run.findings if found["code"] == "sitemap.ongeldig"] == [
            "ongeveer 2 documenten niet gelezen"
        ]
    site.pages[SITEMAP] = not_well_formed(site, {"a": FIRST, "d": FIRST})
    assert changes((yield)) == {"b": "intrekking", "c": "intrekking", "d": "aanlevering"}


@days.story
def test_entries_before_a_new_fault_are_the_same_as_the_day_before(site: Site) -> Story:
    good = {f"goed{number}": FIRST for number in range(1500)}
    publish(site, good)
    assert len(changes((yield))) == 1500
    body = xml(site, {**good, "nieuw": FIRST, "laatste": FIRST})
    site.pages[SITEMAP] = page(body.replace(b"nieuw.pdf<", b"nieuw.pdf?a&b<"))
    second = yield
    assert changes(second) == {"nieuw": "aanlevering", "laatste": "aanlevering"}
    assert "sitemap.ampersand" in codes(second)
    site.pages[SITEMAP] = page(body.replace(b"nieuw.pdf<", b"nieuw.pdf?a&amp;b<"))
    assert changes((yield)) == {}
