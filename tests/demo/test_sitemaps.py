"""What the demo publishes: valid metadata, sitemaps of any size and readable files."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterator

from lxml import etree

from tests.diwoo.schema import DiwooSchema
from tests.samples import DIWOO
from woo_harvester.demo import mistaken, publishers
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    SITEMAP_NAMESPACE,
    Entry,
    pdf,
    sitemap,
    urlset,
)

NAMES = {"s": SITEMAP_NAMESPACE, "d": DIWOO_NAMESPACE}


def errors(body: bytes) -> list[str]:
    """Return the errors of the official schema in the documents of a sitemap."""
    schema = DiwooSchema(DIWOO)
    return [
        fault
        for found in etree.fromstring(body).findall(".//d:Document", NAMES)
        for fault in schema.faults(found)
    ]


def test_the_complete_entry_is_valid_by_the_official_schema(site: Site) -> None:
    assert errors(sitemap(publishers.complete(site))) == []


def test_the_complete_entry_uses_each_element_of_the_schema(site: Site) -> None:
    root = etree.fromstring(
        publishers.complete(site).xml().replace("<url>", f'<url xmlns:diwoo="{DIWOO_NAMESPACE}">', 1)
    )
    diwoo = root.find(".//d:DiWoo", NAMES)
    assert diwoo is not None
    assert len(diwoo) == 19  # the elements of DiWooType in diwoo-metadata.xsd 0.9.8
    assert len(root.findall(".//d:extraMetadata", NAMES)) == 1


def test_the_starting_point_of_each_mistake_is_right() -> None:
    assert errors(sitemap(Entry(loc="https://a.nl/", diwoo=mistaken.GOOD))) == []


def test_fifty_thousand_entries_are_never_in_memory_together() -> None:
    def entries() -> Iterator[Entry]:
        for number in range(50_000):
            yield Entry(loc=f"https://a.nl/{number}.pdf", lastmod="2024-01-01")

    tracemalloc.start()
    size = sum(map(len, urlset(entries())))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 3_000_000
    assert peak < 1_000_000


def test_the_table_of_a_pdf_points_at_its_objects() -> None:
    body = pdf("Besluit (met haakjes)\nen een tweede regel", 2)
    start = int(re.findall(rb"startxref\n(\d+)", body)[0])
    assert body[start:].startswith(b"xref\n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n", body[start:])]
    assert [body[offset:].split(b" ")[0] for offset in offsets] == [
        b"%d" % n for n in range(1, len(offsets) + 1)
    ]
