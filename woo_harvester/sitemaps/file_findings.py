"""Findings on a whole index or sitemap, for a file that is fetched (crawl) or on disk (audit).

Source: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Literal

from woo_harvester.sitemaps.reader import (
    GUIDE_MAXENTRIES,
    GUIDE_MAXSIZE,
    SITEMAP_NAMESPACE,
    ErrorReason,
    SitemapError,
    SitemapReader,
)

Area = Literal["index", "sitemap"]
"""The first part of a finding's code."""

_INDEX_CODES: dict[ErrorReason, str] = {
    "ongeldig": "index.ongeldig",
    "afgebroken": "index.ongeldig",
    "te-groot": "index.te-groot",
    "doctype": "sitemap.doctype",
}


def read_error_code(area: Area, fault: ErrorReason) -> str:
    """Return the code of the finding for a file that cannot be read, or not to its end."""
    return _INDEX_CODES[fault] if area == "index" else f"sitemap.{fault}"


def file_findings(area: Area, entries: int, size: int, namespace: str | None) -> Iterator[tuple[str, str]]:
    """Yield code and ``seen`` of each finding on a file, whether or not it could be read to its end.

    *size* is in bytes of XML. *namespace* is that of the root element, None if it is unknown.
    """
    if entries > GUIDE_MAXENTRIES or size > GUIDE_MAXSIZE:
        yield f"{area}.boven-norm", f"{entries} verwijzingen, {size} bytes"
    if namespace not in (SITEMAP_NAMESPACE, None):
        yield "sitemap.naamruimte", namespace or "geen naamruimte"


def describe_root(root: str, chunks: Iterable[bytes], maxsize: int) -> str:
    """Return a wrong root element as a finding shows it; ``Documents`` with its number of documents."""
    if root != "Documents":
        return f"<{root}>"
    reader = SitemapReader(chunks, "Documents", maxsize)
    with suppress(SitemapError):  # the count goes as far as the file can be read
        for _ in reader:
            pass
    return f"<Documents> met {reader.entries} documenten"
