"""A publisher with thousands of entries, which are quick to serve."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from woo_harvester.demo import values
from woo_harvester.demo.documents import pdf_page
from woo_harvester.demo.register import Location, RooEntry
from woo_harvester.demo.server import LoopbackServer, Page, Pages
from woo_harvester.demo.sitemaps import DiWoo, Entry, Handeling, robots_txt, sitemapindex, urlset

_NAAM = values.WATERSCHAP.label
#: Entries in one sitemap.
SITEMAP_SIZE = 1000
_INDEX = values.naam_van_index(16)
_MARK = "NUMMER"

_ENTRY = DiWoo(
    publisher=values.WATERSCHAP,
    verantwoordelijke=values.WATERSCHAP,
    titel=f"Watervergunning {_MARK}",
    informatiecategorieen=[values.categorie(16)],
    documentsoorten=[values.BESLUIT],
    creatiedatum="2024-01-08",
    language=values.NEDERLANDS,
    format=values.PDF,
    handelingen=[Handeling(values.ONDERTEKENING, "2024-01-08T09:00:00", values.WATERSCHAP)],
)


def pages(site: LoopbackServer, documents: int) -> Pages:
    """Return the pages of the site; every document is the same small PDF."""
    numbers = range(1, documents + 1)
    sitemaps: Pages = {
        f"/sitemaps/{start}.xml": Page(
            partial(_sitemap, site, numbers[start : start + SITEMAP_SIZE]), content_type="application/xml"
        )
        for start in range(0, documents, SITEMAP_SIZE)
    }
    return sitemaps | {
        "/robots.txt": Page(robots_txt(site.url(f"/{_INDEX}"))),
        f"/{_INDEX}": Page(sitemapindex(map(site.url, sitemaps)), content_type="application/xml"),
        "/vergunningen/*": pdf_page("Watervergunning"),
    }


def registered(site: LoopbackServer) -> RooEntry:
    """Return the publisher as the register has it."""
    location = Location(site.url("/vergunningen"), "Beschikkingen")
    return RooEntry(
        naam=_NAAM, systeem_id="90000003", tooi=values.WATERSCHAP.uri, type="Waterschap", locations=[location]
    )


def _sitemap(site: LoopbackServer, numbers: range) -> Iterator[bytes]:
    """Return one sitemap, made from a template: its entries differ only by a number."""
    loc = site.url(f"/vergunningen/watervergunning-{_MARK}.pdf")
    template = Entry(loc=loc, lastmod="2024-01-09T08:00:00+01:00", diwoo=_ENTRY).xml()
    return urlset(template.replace(_MARK, str(number)) for number in numbers)
