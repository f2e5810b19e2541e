"""What is told of an index or a sitemap as a whole: the same for a file that is fetched and one on disk.

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
    Fault,
    SitemapError,
    SitemapReader,
)

Area = Literal["index", "sitemap"]

_INDEX_CODES: dict[Fault, str] = {
    "ongeldig": "index.ongeldig",
    "afgebroken": "index.ongeldig",
    "te-groot": "index.te-groot",
    "doctype": "sitemap.doctype",
}


def fault_code(area: Area, fault: Fault) -> str:
    """The code of the finding that tells why a file cannot be read, or not to its end."""
    return _INDEX_CODES[fault] if area == "index" else f"sitemap.{fault}"


def remarks(area: Area, entries: int, size: int, namespace: str | None) -> Iterator[tuple[str, str]]:
    """Code and ``seen`` of what is to be said of a file, whether or not it could be read to its end.

    *size* is in bytes of XML; *namespace* that of the root element, None where that is not known.
    """
    if entries > GUIDE_MAXENTRIES or size > GUIDE_MAXSIZE:
        yield f"{area}.boven-norm", f"{entries} verwijzingen, {size} bytes"
    if namespace not in (SITEMAP_NAMESPACE, None):
        yield "sitemap.naamruimte", namespace or "geen naamruimte"


def other_root(root: str, chunks: Iterable[bytes], maxsize: int) -> str:
    """A root element that is not a sitemap's; of ``Documents``, how many documents are lost by it as well."""
    if root != "Documents":
        return f"<{root}>"
    reader = SitemapReader(chunks, "Documents", maxsize)
    with suppress(SitemapError):  # the count goes as far as the file can be read
        for _ in reader:
            pass
    return f"<Documents> met {reader.entries} documenten"
