"""A publisher for each finding, which makes that mistake; and the same publisher without it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from random import Random

from tests.utils.publishers import INDEX, entries_of, index_of, publish, robots_of
from woo_harvester.demo import mistaken
from woo_harvester.demo.mistaken import ELSEWHERE, GOOD, LASTMOD
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    SITEMAP_NAMESPACE,
    Entry,
    html_page,
    pdf_page,
    sitemapindex,
)

SITEMAP = f"{INDEX}/sitemap.xml"
DOCUMENT = "/documenten/besluit.pdf"
INFOCAT = "/sitemapindex-diwoo-infocat002.xml"
MEGABYTE = 1024 * 1024

#: Bounds that a test's files pass without weighing much.
BOUNDS = {
    "WOO_INDEX_MAXSIZE": 8 * MEGABYTE,
    "WOO_SITEMAP_MAXSIZE": 60 * MEGABYTE,
    "WOO_DOCUMENT_MAXSIZE": 100_000,
}

Build = Callable[[Site], object]


def well(site: Site) -> None:
    """One document, and nothing to be said of it."""
    site.pages.clear()
    publish(site, Entry(loc=site.url(DOCUMENT), lastmod=LASTMOD, diwoo=GOOD))
    site.pages[DOCUMENT] = pdf_page("Besluit")


def _entry(code: str) -> Build:
    """The publisher of one entry with a mistake of the demo's."""

    def build(site: Site) -> None:
        well(site)
        made = mistaken.mistakes(site)
        found = [mistake for mistake in made if mistake.code == code]
        publish(site, *(mistake.entry for mistake in found))
        for mistake in found:
            if mistake.entry.loc:
                path = mistake.entry.loc.removeprefix(site.url("")).replace(" ", "%20")
                site.pages[path] = mistake.page

    return build


def _pages(pages: Callable[[Site], dict[str, Page | str | bytes]]) -> Build:
    """The publisher of whom some files are other ones."""

    def build(site: Site) -> None:
        well(site)
        for path, made in pages(site).items():
            site.pages[path] = made if isinstance(made, Page) else Page(made, content_type="application/xml")

    return build


def _page(path: str, page: Callable[[Site], Page | str | bytes]) -> Build:
    """The publisher of whom one file is another one."""
    return _pages(lambda site: {path: page(site)})


def _robots(*more: str) -> Build:
    """The publisher whose robots.txt has more lines of sitemaps."""
    return _page("/robots.txt", lambda site: robots_of(site, INDEX, *more))


def _gone(path: str) -> Build:
    def build(site: Site) -> None:
        well(site)
        del site.pages[path]

    return build


def _whole(site: Site) -> bytes:
    """The sitemap of a publisher without mistakes."""
    well(site)
    page = site.pages[SITEMAP]
    assert isinstance(page, Page)
    return b"".join(page.chunks())


def _index(site: Site) -> str:
    """The index of a publisher without mistakes."""
    return sitemapindex([site.url(SITEMAP)])


def _two_indexes(*indexes: str) -> Build:
    """The publisher of whom several indexes list the one sitemap."""
    return _pages(
        lambda site: {
            "/robots.txt": robots_of(site, *indexes),
            **{index: index_of(site, SITEMAP) for index in indexes},
        }
    )


def _heavy(megabytes: int) -> Callable[[Site], Page]:
    """A sitemap that says the same again and again, with much between, of which a hundredth is noise.

    More than 200 times its size beyond 50 MB would be a bomb.
    """
    noise = Random(1).randbytes(MEGABYTE // 100).hex()
    between = f"<!--{noise}{'x' * (MEGABYTE - len(noise))}-->"

    def page(site: Site) -> Page:
        entry = Entry(loc=site.url(DOCUMENT), lastmod=LASTMOD, diwoo=GOOD).xml()
        body = b"".join(entries_of(site, *([entry + between] * megabytes)).chunks())
        return Page(gzip.compress(body, 1), content_type="application/gzip")

    return page


def _two_categories(site: Site) -> None:
    well(site)
    publish(site, Entry(loc=site.url(DOCUMENT), lastmod=LASTMOD, diwoo=GOOD), index=INFOCAT)


ENTRIES = (
    "loc.ontbreekt",
    "loc.ongeldig",
    "loc.geen-https",
    "loc.niet-geregistreerd",
    "loc.inloggegevens",
    "loc.tekens",
    "loc.dubbel",
    "lastmod.ontbreekt",
    "lastmod.ongeldig",
    "lastmod.onwaarschijnlijk",
    "lastmod.toekomst",
    "sitemap.tekens",
    "metadata.ontbreekt",
    "metadata.mdto",
    "metadata.naamruimte",
    "metadata.plaats",
    "metadata.dubbel",
    "metadata.resource-element",
    "metadata.element-onbekend",
    "metadata.tekst",
    "publisher.ontbreekt",
    "verantwoordelijke.ontbreekt",
    "titel.ontbreekt",
    "titel.onbekend",
    "titel.entiteiten",
    "informatiecategorie.ontbreekt",
    "informatiecategorie.onbekend",
    "creatiedatum.ontbreekt",
    "creatiedatum.toekomst",
    "datum.onwaarschijnlijk",
    "datum.ongeldig",
    "geldigheid.omgekeerd",
    "verwijzing.geen-https",
    "documenthandeling.ontbreekt",
    "documenthandeling.onbekend",
    "waarde.uri-onbekend",
    "waarde.label-onbekend",
    "waarde.strijdig",
    "format.onbekend",
    "format.niet-ondersteund",
    "document.html-pagina",
    "document.landingspagina",
    "document.onbereikbaar",
    "document.doorverwijzing",
)

#: What an audit can provoke with one publisher, on a host of its own.
AUDITED: dict[str, Build] = {
    **{code: _entry(code) for code in ENTRIES},
    "informatiecategorie.strijdig": _two_categories,
    "document.te-groot": _page(
        DOCUMENT, lambda site: Page(b"%PDF-1.7\n" * 20_000, content_type="application/pdf")
    ),
    "robots.ontbreekt": _gone("/robots.txt"),
    "robots.onbereikbaar": _page("/robots.txt", lambda site: html_page("Verboden", status=403)),
    "robots.geen-diwoo-index": _page("/robots.txt", lambda site: robots_of(site, "/sitemap.xml")),
    "robots.verboden": _page("/robots.txt", lambda site: robots_of(site, INDEX, disallow=["/documenten/"])),
    "robots.te-groot": _page(
        "/robots.txt", lambda site: b"".join(robots_of(site, INDEX).chunks()) + b"# zomaar\n" * 60_000
    ),
    "robots.andere-sitemap": _robots("/sitemap.xml"),
    "robots.sitemap-relatief": _page("/robots.txt", lambda site: f"Sitemap: {INDEX}\n"),
    "robots.samengevoegd": _page("/robots.txt", lambda site: rf"Sitemap: {site.url(INDEX)}\n"),
    "robots.regel-afwijkend": _page("/robots.txt", lambda site: f"Sitemap {site.url(INDEX)}"),
    "robots.regel-genegeerd": _page(
        "/robots.txt", lambda site: b"".join(robots_of(site, INDEX).chunks()) + f"Allow: {INFOCAT}\n".encode()
    ),
    "host.niet-geregistreerd": _robots(f"{ELSEWHERE}{INDEX}"),
    "index.naam": _robots("/sitemap-diwoo.xml"),
    "index.infocat-onbekend": _robots("/sitemapindex-diwoo-infocat018.xml"),
    "index.geen-https": _robots("http://localhost/sitemapindex-diwoo-infocat003.xml"),
    "index.hoofdletters": _page("/robots.txt", lambda site: robots_of(site, "/SitemapIndex-DiWoo.xml")),
    "index.onbereikbaar": _gone(INDEX),
    "index.ongeldig": _page(INDEX, lambda site: html_page("Storing")),
    "index.is-urlset": _page(INDEX, _whole),
    "index.gemengd": _page(
        INDEX, lambda site: _index(site).replace("</sitemapindex>", "<url/></sitemapindex>")
    ),
    "index.andere-wortel": _page(INDEX, lambda site: _index(site).replace("sitemapindex", "urlset")),
    "index.dubbel": _two_indexes(INDEX, INFOCAT),
    "index.strijdig": _two_indexes(INFOCAT, "/sitemapindex-diwoo-infocat014.xml"),
    "index.adres-relatief": _page(INDEX, lambda site: _index(site).replace(site.url(SITEMAP), SITEMAP)),
    "index.genest": _page(INDEX, lambda site: index_of(site, INDEX, SITEMAP)),
    "index.te-groot": _pages(
        lambda site: {
            "/robots.txt": robots_of(site, INDEX, INFOCAT),
            INFOCAT: sitemapindex([]) + " " * 9 * MEGABYTE,
        }
    ),
    "index.boven-norm": _page(INDEX, lambda site: index_of(site, *([SITEMAP] * 50_001))),
    "sitemap.onbereikbaar": _gone(SITEMAP),
    "sitemap.ongeldig": _page(SITEMAP, lambda site: html_page("Storing")),
    "sitemap.afgebroken": _page(SITEMAP, lambda site: _whole(site)[:-20]),
    "sitemap.wortelelement": _page(SITEMAP, lambda site: "<rss version='2.0'/>"),
    "sitemap.element-onbekend": _page(
        SITEMAP, lambda site: _whole(site).replace(b"<url>", b"<item>").replace(b"</url>", b"</item>")
    ),
    "sitemap.hoofdletters": _page(
        SITEMAP, lambda site: _whole(site).replace(b"<url>", b"<URL>").replace(b"</url>", b"</URL>")
    ),
    "sitemap.gemengd": _page(
        SITEMAP,
        lambda site: _whole(site).replace(
            b"</urlset>", f"<sitemap><loc>{site.url('/2.xml')}</loc></sitemap></urlset>".encode()
        ),
    ),
    "sitemap.andere-wortel": _page(SITEMAP, lambda site: _whole(site).replace(b"urlset", b"sitemapindex")),
    "sitemap.te-groot": _page(SITEMAP, _heavy(61)),
    "sitemap.boven-norm": _page(SITEMAP, _heavy(51)),
    "sitemap.doctype": _page(SITEMAP, lambda site: _whole(site).replace(b"?>", b"?>\n<!DOCTYPE urlset>", 1)),
    "sitemap.naamruimte": _page(
        SITEMAP,
        lambda site: _whole(site).replace(
            SITEMAP_NAMESPACE.encode(), SITEMAP_NAMESPACE.replace("http:", "https:").encode()
        ),
    ),
    "sitemap.voorvoegsel": _page(
        SITEMAP, lambda site: _whole(site).replace(f' xmlns:diwoo="{DIWOO_NAMESPACE}"'.encode(), b"")
    ),
    "sitemap.kop": _page(SITEMAP, lambda site: _whole(site).replace(b"UTF-8", b"UTF-16", 1)),
    "sitemap.ampersand": _page(SITEMAP, lambda site: _whole(site).replace(b"</loc>", b"?a=1&b=2</loc>")),
    "sitemap.leeg": _page(SITEMAP, entries_of),
    "sitemap.codering": _page(
        SITEMAP,
        lambda site: Page(_whole(site), headers={"Content-Encoding": "gzip"}, content_type="application/xml"),
    ),
}
