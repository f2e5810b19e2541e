"""What the beginning of a file shows: documents of the Woo, or sitemaps that may have them."""

from __future__ import annotations

import gzip

from woo_harvester.demo.mistaken import GOOD
from woo_harvester.demo.sitemaps import Entry, sitemap, sitemapindex
from woo_harvester.sitemaps.glance import GLANCE_MAXSIZE, Glance, glance, likely_sitemap

DOCUMENTS = sitemap(Entry(loc="https://www.a.nl/1.pdf", diwoo=GOOD))
PAGES = sitemap(Entry(loc="https://www.a.nl/"))
SITEMAPS = ["https://www.a.nl/1.xml", "https://www.a.nl/2.xml"]
INDEX = sitemapindex(SITEMAPS).encode()


def shown(body: bytes) -> Glance:
    return glance(lambda: [body])


#: What the beginning of a file shows.
SHOWN = {
    Glance(has_documents=True): (
        DOCUMENTS,
        gzip.compress(DOCUMENTS),
        DOCUMENTS[: DOCUMENTS.index(b"</url>") + 6],
        DOCUMENTS + b" " * GLANCE_MAXSIZE,
        DOCUMENTS.replace(b"urlset", b"sitemapindex"),
    ),
    Glance(): (PAGES, b"", b"<html></html>", b"%PDF-1.7", gzip.compress(b" " * 9 * GLANCE_MAXSIZE)),
    Glance(sitemaps=tuple(SITEMAPS)): (
        INDEX,
        INDEX.replace(b"sitemapindex", b"urlset"),
        INDEX[: -len("</sitemapindex>")],
    ),
}


def test_a_file_shows_documents_or_sitemaps() -> None:
    for expected, bodies in SHOWN.items():
        for number, body in enumerate(bodies):
            assert shown(body) == expected, number


def test_the_sitemap_that_is_likely_for_the_woo_is_the_one_of_which_the_name_says_so() -> None:
    named = "https://www.a.nl/sitemap-Woo.xml"
    assert likely_sitemap(SITEMAPS) == SITEMAPS[0]
    assert likely_sitemap([*SITEMAPS, named]) == named
    assert likely_sitemap([*SITEMAPS, "https://www.woo.nl/3.xml"]) == SITEMAPS[0], "all are on that host"
