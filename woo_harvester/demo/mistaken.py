"""A publisher that makes every common mistake in robots.txt, indexes, sitemaps and certificates."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from woo_harvester.demo import mistakes
from woo_harvester.demo.documents import html_page, pdf_page
from woo_harvester.demo.register import Location, RooEntry
from woo_harvester.demo.server import LoopbackServer, Page, Pages, redirect
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    SITEMAP_NAMESPACE,
    Entry,
    robots_txt,
    sitemap,
    sitemapindex,
)

_NAAM = mistakes.PUBLISHER.label
_XML = "application/xml"
#: Documents that are harvested although their sitemap is wrong.
BEFORE_THE_BREAK, OTHER_NAMESPACE = "/documenten/voor-de-breuk.pdf", "/documenten/naamruimte.pdf"
IN_A_MIXED_SITEMAP = "/documenten/gemengd.pdf"
_MIXED = "/sitemaps/gemengd.xml"
OTHER_ROOT, REPAIRED = "/documenten/ander-hoofdelement.pdf", "/documenten/los-teken.pdf"

#: Findings of the pages of the main site, besides those of the mistakes in single entries.
_SITE_CODES = frozenset(
    {
        "robots.sitemap-relatief",
        "robots.andere-sitemap",
        "index.naam",
        "index.infocat-onbekend",
        "index.hoofdletters",
        "index.onbereikbaar",
        "index.ongeldig",
        "index.is-urlset",
        "index.gemengd",
        "index.andere-wortel",
        "index.strijdig",
        "sitemap.gemengd",
        "index.genest",
        "index.geen-https",
        "sitemap.onbereikbaar",
        "sitemap.ongeldig",
        "sitemap.afgebroken",
        "sitemap.wortelelement",
        "sitemap.doctype",
        "sitemap.leeg",
        "sitemap.naamruimte",
        "sitemap.andere-wortel",
        "sitemap.voorvoegsel",
        "sitemap.ampersand",
        "host.niet-geregistreerd",
    }
)


def pages(site: LoopbackServer) -> Pages:
    """Return all pages of the main site."""
    sitemaps = _sitemaps(site)
    documents: Pages = {
        urlsplit(mistake.entry.loc).path: mistake.page
        for mistake in _all_mistakes(site)
        if mistake.page is not None and mistake.entry.loc is not None
    }
    robots = Page(_robots(site), content_type="text/plain")
    return {
        "/robots.txt": robots,
        **_right_indexes(site, sitemaps),
        **_wrong_indexes(site),
        **sitemaps,
        **documents,
        BEFORE_THE_BREAK: pdf_page("Voor de breuk"),
        OTHER_NAMESPACE: pdf_page("Andere naamruimte"),
        IN_A_MIXED_SITEMAP: pdf_page("Tussen de sitemaps"),
        OTHER_ROOT: pdf_page("Ander hoofdelement"),
        REPAIRED: pdf_page("Los teken"),
    }


def pages_without_index() -> Pages:
    """Return a site whose robots.txt is larger than 500 KiB (RFC 9309, 2.5) and names no index."""
    comments = "# Deze regel staat er voor de vorm.\n" * 20_000
    return {"/robots.txt": Page(robots_txt("/sitemap.xml") + comments)}


def pages_refused() -> Pages:
    """Return the pages of a site that refuses every request, also for robots.txt."""
    return {"*": html_page("Geen toegang", "U mag deze pagina niet zien.", status=403)}


def registered(main: LoopbackServer, others: Iterable[LoopbackServer]) -> list[RooEntry]:
    """Return the organisations of the register.

    They are the publisher, an organisation that shares one of its locations, and one that no longer exists.
    """
    shared = Location(main.url("/gezamenlijk"))
    unreadable = Location("zie onze website")
    locations = [
        Location(main.url("/")),
        shared,
        unreadable,
        *(Location(other.url("/woo")) for other in others),
    ]
    partner = "Omgevingsdienst Kladderstreek"
    return [
        RooEntry(naam=_NAAM, systeem_id="90000002", tooi=mistakes.PUBLISHER.uri, locations=locations),
        RooEntry(
            naam=partner, systeem_id="90000004", type="Regionaal samenwerkingsorgaan", locations=[shared]
        ),
        RooEntry(
            naam="gemeente Opgeheven",
            systeem_id="90000005",
            einddatum="2020-01-01",
            locations=[Location("https://www.opgeheven.example/woo")],
        ),
    ]


def expected_codes(site: LoopbackServer) -> frozenset[str]:
    """Return the codes of all findings that a harvest of the main site must give."""
    return _SITE_CODES | {mistake.code for mistake in _all_mistakes(site) if mistake.code is not None}


def _all_mistakes(site: LoopbackServer) -> Iterable[mistakes.Mistake]:
    return (*mistakes.in_any_category(site), *mistakes.in_category(site), *mistakes.odd_but_right(site))


def _robots(site: LoopbackServer) -> bytes:
    """Return a robots.txt with a byte order mark and CRLF, as some editors write them."""
    lines = robots_txt(
        site.url("/sitemapindex-diwoo.xml"),
        "/sitemapindex-diwoo-infocat014.xml",
        site.url("/SitemapIndex-DiWoo-Infocat002.XML"),
        site.url("/sitemap-diwoo.xml"),
        site.url("/sitemapindex-diwoo-infocat018.xml"),
        site.url("/sitemap.xml"),
        *(site.url(path) for path in _wrong_indexes(site) if path.startswith("/sitemapindex")),
        site.url("/sitemapindex-diwoo-infocat005.xml"),
        site.url("/sitemapindex-diwoo-infocat013.xml").replace("https:", "http:"),
        f"{mistakes.ELSEWHERE}/sitemapindex-diwoo-infocat011.xml",
        disallow=["/besloten/"],
        newline="\r\n",
    )
    return b"\xef\xbb\xbf" + lines.encode()


def _right_indexes(site: LoopbackServer, sitemaps: Iterable[str]) -> Mapping[str, Page]:
    """Return indexes without mistakes in their content."""
    other_category, empty = "/sitemaps/woo-besluiten.xml", "/sitemaps/2024-02.xml"
    others = [path for path in sitemaps if path not in (other_category, empty, _MIXED)]
    return {
        "/sitemapindex-diwoo.xml": _index(site, *others, "/sitemaps/vergeten.xml"),
        "/sitemapindex-diwoo-infocat014.xml": _index(site, other_category),
        "/SitemapIndex-DiWoo-Infocat002.XML": _index(site, empty),
    }


def _wrong_indexes(site: LoopbackServer) -> Mapping[str, Page]:
    """Return indexes with a right name and wrong content. robots.txt also names 005, which does not exist."""
    itself = "/sitemapindex-diwoo-infocat010.xml"
    return {
        "/sitemapindex-diwoo-infocat008.xml": html_page("Storing", "Probeer het later nog eens."),
        "/sitemapindex-diwoo-infocat004.xml": Page(_mixed_index(site), content_type=_XML),
        "/sitemapindex-diwoo-infocat006.xml": Page(_index_under_urlset(site), content_type=_XML),
        "/sitemapindex-diwoo-infocat009.xml": Page(sitemap(_loose_entry(site)), content_type=_XML),
        itself: _index(site, itself, "/per-jaar/index.xml"),
        "/per-jaar/index.xml": _index(site, "/sitemaps/2024-02.xml"),
        "/sitemapindex-diwoo-infocat012.xml": redirect(f"{mistakes.ELSEWHERE}/sitemapindex.xml"),
    }


def _index(site: LoopbackServer, *sitemaps: str) -> Page:
    return Page(sitemapindex(map(site.url, sitemaps)), content_type=_XML)


def _sitemaps(site: LoopbackServer) -> Mapping[str, Page]:
    odd = gzip.compress(_sitemap_of(mistakes.odd_but_right(site)), mtime=0)
    return {
        "/sitemaps/fouten.xml": Page(_sitemap_of(mistakes.in_any_category(site)), content_type=_XML),
        "/sitemaps/woo-besluiten.xml": Page(_sitemap_of(mistakes.in_category(site)), content_type=_XML),
        "/sitemaps/vreemd.xml": Page(odd, content_type="text/html"),
        "/sitemaps/afgebroken.xml": Page(_cut_off(site), content_type=_XML),
        "/sitemaps/storing.xml": html_page("Storing", "Probeer het later nog eens."),
        "/sitemaps/diwoo-documents.xml": Page(_documents_root(site), content_type=_XML),
        "/sitemaps/doctype.xml": Page(_with_doctype(site), content_type=_XML),
        "/sitemaps/nieuws.xml": Page('<rss version="2.0"><channel/></rss>', content_type=_XML),
        "/sitemaps/los-teken.xml": Page(_not_well_formed(site), content_type=_XML),
        "/sitemaps/naamruimte.xml": Page(_other_namespace(site), content_type=_XML),
        "/sitemaps/2024-02.xml": Page(sitemap(), content_type=_XML),
        _MIXED: Page(_mixed_sitemap(site), content_type=_XML),
    }


def _sitemap_of(found: Iterable[mistakes.Mistake]) -> bytes:
    return sitemap(*(mistake.entry for mistake in found))


def _cut_off(site: LoopbackServer) -> bytes:
    """Return a sitemap without its second half."""
    first = f"<url><loc>{site.url(BEFORE_THE_BREAK)}</loc></url>\n"
    complete = sitemap(first, first.replace("voor", "na"))
    return complete[: complete.index(b"na-de-breuk")]


def _loose_entry(site: LoopbackServer) -> str:
    """Return an entry that is not read, because it is in an index."""
    return f"<url><loc>{site.url('/documenten/in-de-index.pdf')}</loc></url>\n"


def _mixed_index(site: LoopbackServer) -> str:
    """Return an index with a document beside its sitemap."""
    return sitemapindex([site.url(_MIXED)]).replace("</sitemapindex>", f"{_loose_entry(site)}</sitemapindex>")


def _index_under_urlset(site: LoopbackServer) -> str:
    """Return an index as a widely used product writes it. Another index lists its sitemap too."""
    return sitemapindex([site.url("/sitemaps/2024-02.xml")]).replace("sitemapindex", "urlset")


def _mixed_sitemap(site: LoopbackServer) -> bytes:
    """Return a sitemap with another sitemap beside its document."""
    listed = f"<sitemap><loc>{site.url('/sitemaps/los.xml')}</loc></sitemap>\n</urlset>"
    entry = Entry(loc=site.url(IN_A_MIXED_SITEMAP), lastmod=mistakes.LASTMOD, diwoo=mistakes.GOOD)
    return sitemap(entry).replace(b"</urlset>", listed.encode())


def _other_namespace(site: LoopbackServer) -> bytes:
    """Return a sitemap whose namespace has one letter too many; it is read all the same."""
    entry = Entry(loc=site.url(OTHER_NAMESPACE), lastmod=mistakes.LASTMOD, diwoo=mistakes.GOOD)
    return sitemap(entry).replace(
        SITEMAP_NAMESPACE.encode(), SITEMAP_NAMESPACE.replace("http:", "https:").encode()
    )


def _documents_root(site: LoopbackServer) -> bytes:
    """Return metadata with the loc in them, without a sitemap around them; they are read all the same."""
    entry = Entry(loc=site.url(OTHER_ROOT), lastmod=mistakes.LASTMOD, diwoo=mistakes.GOOD).xml()
    begin, document, rest = entry.partition("<diwoo:Document>")
    document, loc = document + rest.replace("</url>", ""), begin.replace("<url>", "")
    document = document.replace("<diwoo:DiWoo>", f"<diwoo:DiWoo>{loc}")
    return sitemap(document).replace(b"urlset", b"diwoo:Documents")


def _not_well_formed(site: LoopbackServer) -> bytes:
    """Return a sitemap with a bare ampersand that does not declare its prefix; it is read all the same."""
    entry = Entry(loc=site.url(f"{REPAIRED}?a=1&b=2"), lastmod=mistakes.LASTMOD, diwoo=mistakes.GOOD)
    declared = f' xmlns:diwoo="{DIWOO_NAMESPACE}"'.encode()
    return sitemap(entry).replace(declared, b"").replace(b"&amp;", b"&")


def _with_doctype(site: LoopbackServer) -> bytes:
    entry = f"<url><loc>{site.url('/documenten/met-doctype.pdf')}</loc></url>\n"
    doctype = b'?>\n<!DOCTYPE urlset [<!ENTITY naam "waarde">]>\n'
    return sitemap(entry).replace(b"?>\n", doctype, 1)
