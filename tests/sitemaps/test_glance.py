"""What the beginning of a file shows: documents of the Woo, or sitemaps that may have them."""

from __future__ import annotations

import gzip

import pytest

from woo_harvester.demo.mistaken import GOOD
from woo_harvester.demo.sitemaps import Entry, sitemap, sitemapindex
from woo_harvester.sitemaps.glance import GLANCE_MAXSIZE, Glance, glance, likely_sitemap

DOCUMENTS = sitemap(Entry(loc="https://www.a.nl/1.pdf", diwoo=GOOD))
PAGES = sitemap(Entry(loc="https://www.a.nl/"))
SITEMAPS = ["https://www.a.nl/1.xml", "https://www.a.nl/2.xml"]
INDEX = sitemapindex(SITEMAPS).encode()


def shown(body: bytes) -> Glance:
    return glance(lambda: [body])


@pytest.mark.parametrize(
    "body",
    [
        DOCUMENTS,
        gzip.compress(DOCUMENTS),
        DOCUMENTS[: DOCUMENTS.index(b"</url>") + 6],
        DOCUMENTS + b" " * GLANCE_MAXSIZE,
        DOCUMENTS.replace(b"urlset", b"sitemapindex"),
    ],
    ids=["a sitemap", "packed", "its beginning", "a large one", "under another root"],
)
def test_a_file_with_metadata_of_documents_is_for_the_woo(body: bytes) -> None:
    assert shown(body) == Glance(has_documents=True)


@pytest.mark.parametrize(
    "body", [PAGES, b"", b"<html></html>", b"%PDF-1.7", gzip.compress(b" " * 9 * GLANCE_MAXSIZE)]
)
def test_any_other_file_shows_nothing(body: bytes) -> None:
    assert shown(body) == Glance()


@pytest.mark.parametrize(
    "body", [INDEX, INDEX.replace(b"sitemapindex", b"urlset"), INDEX[: -len("</sitemapindex>")]]
)
def test_an_index_shows_its_sitemaps(body: bytes) -> None:
    assert shown(body) == Glance(sitemaps=tuple(SITEMAPS))


def test_the_sitemap_that_is_likely_for_the_woo_is_the_one_of_which_the_name_says_so() -> None:
    assert likely_sitemap(SITEMAPS) == SITEMAPS[0]
    assert (
        likely_sitemap([*SITEMAPS, "https://www.a.nl/sitemap-Woo.xml"]) == "https://www.a.nl/sitemap-Woo.xml"
    )
    assert likely_sitemap([*SITEMAPS, "https://www.woo.nl/3.xml"]) == SITEMAPS[0], "all are on that host"
