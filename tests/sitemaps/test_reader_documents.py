"""The reader on files with the root ``diwoo:Documents``, which some software writes for ``urlset``."""

from __future__ import annotations

import pytest

from tests.sitemaps.reading import DECLARATION, DIWOO, MAXSIZE, NAMESPACE, read, split, url, urlset
from tests.utils.hostile import ODD_BYTES
from woo_harvester.diwoo.given import GivenMetadata, Value, read_metadata
from woo_harvester.sitemaps.reader import Entry, SitemapReader

LASTMOD = "2024-01-01 10:00:00"
IN_DOCUMENT = (
    "<diwoo:Document><loc>{loc}</loc><lastmod>2024-01-01 10:00:00</lastmod><priority>1</priority>"
    "<diwoo:DiWoo><diwoo:creatiedatum>2024</diwoo:creatiedatum></diwoo:DiWoo></diwoo:Document>"
)
IN_DIWOO = (
    "<diwoo:Document><diwoo:DiWoo><loc>{loc}</loc><lastmod>2024-01-01 10:00:00</lastmod>"
    "<changefreq>daily</changefreq><diwoo:creatiedatum>2024</diwoo:creatiedatum></diwoo:DiWoo></diwoo:Document>"
)


def documents(*inside: str) -> str:
    return f'<diwoo:Documents xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}">{"".join(inside)}</diwoo:Documents>'


def entries(body: str) -> list[tuple[Entry, GivenMetadata]]:
    reader = SitemapReader(split(body.encode(), 50), "urlset", MAXSIZE)
    return [(entry, read_metadata(entry.document, entry.outside)) for batch in reader for entry in batch]


#: What is wrong with the file, and how many of its two entries are read.
OUTCOMES: dict[str, tuple[str | None, int]] = {
    "byte order mark": (None, 2),
    "white space first": ("ongeldig", 0),
    "UTF-16": (None, 2),
    "declared UTF-16, is UTF-8": (None, 2),
    "declared UTF-8, is Latin-1": ("ongeldig", 0),
    "unknown encoding": (None, 2),
    "NUL bytes": ("ongeldig", 0),
    "control characters": ("ongeldig", 0),
    "gzip": (None, 2),
    "gzip twice": (None, 2),
    "gzip cut short": ("afgebroken", 0),
    "rubbish after the end": ("ongeldig", 2),
    "only zeros": ("ongeldig", 0),
    "nothing": ("ongeldig", 0),
}


@pytest.mark.parametrize("document", [IN_DOCUMENT, IN_DIWOO])
def test_each_document_is_an_entry_with_its_own_loc_and_lastmod(document: str) -> None:
    body = documents(*(document.format(loc=f"https://a.nl/{number}") for number in range(3)))
    for size in (1, 100_000):
        outcome = read(body, size=size)
        assert outcome.entries == [(f"https://a.nl/{number}", LASTMOD) for number in range(3)]
        assert outcome.complete
    metadata = [given for _, given in entries(body)]
    assert metadata == [GivenMetadata(has_diwoo=True, creatiedatum="2024")] * 3, "and nothing of a sitemap"


def test_a_uri_in_an_element_is_read_there_too() -> None:
    publisher = "<diwoo:publisher>gemeente A<resource>urn:a</resource></diwoo:publisher>"
    diwoo = f"<diwoo:DiWoo><loc>https://a.nl/1</loc>{publisher}</diwoo:DiWoo>"
    ((_, given),) = entries(documents(f"<diwoo:Document>{diwoo}</diwoo:Document>"))
    assert given.publisher == Value("gemeente A", "urn:a")


def test_the_first_loc_and_lastmod_that_are_not_empty_count() -> None:
    diwoo = "<diwoo:DiWoo><loc>b</loc><lastmod>2025</lastmod></diwoo:DiWoo>"
    document = f"<diwoo:Document>{diwoo}<loc> </loc><loc> a </loc><lastmod/><loc>c</loc></diwoo:Document>"
    assert read(documents(document)).entries == [("a", "2025")]


def test_an_empty_document_is_no_entry_and_one_without_a_loc_is_one() -> None:
    outcome = read(documents("<diwoo:Document/>", "<diwoo:Document>\n</diwoo:Document>"))
    assert (outcome.entries, outcome.complete) == ([], True)
    assert read(documents("<diwoo:Document><diwoo:DiWoo/></diwoo:Document>")).entries == [("", None)]


def test_a_url_below_this_root_is_an_entry_with_a_document_in_it() -> None:
    inside = url("https://a.nl/1").replace("</url>", f"{IN_DIWOO.format(loc='https://a.nl/no')}</url>")
    body = documents("\n\n", inside, "\n", IN_DIWOO.format(loc="https://a.nl/2"))
    outcome = read(body)
    assert (outcome.locs, outcome.lines) == (["https://a.nl/1", "https://a.nl/2"], [3, 4])


def test_documents_in_an_index_are_entries_of_the_other_kind_and_below_another_root_they_are_none() -> None:
    sitemap = "<sitemap><loc>https://a.nl/1.xml</loc></sitemap>"
    reader = SitemapReader([documents(IN_DIWOO, sitemap).encode()], "sitemapindex", MAXSIZE)
    assert (sum(map(len, reader)), reader.others) == (1, 1)
    assert read(documents(IN_DIWOO).replace("diwoo:Documents", "urlset")).entries == []


def test_a_sitemap_in_odd_bytes_is_read_or_its_fault_is_named() -> None:
    body = urlset("https://a.nl/1", "https://a.nl/2", head=DECLARATION).encode()
    found = {name: read(made(body)) for name, made in ODD_BYTES.items()}
    assert {name: (outcome.reason, len(outcome.locs)) for name, outcome in found.items()} == OUTCOMES
