"""The documents of a large host that an audit requests, chosen while its sitemaps are read.

Most of them are drawn at random: the documents whose locations have the lowest hashes. So the same site has
the same sample in each audit, and no list of all documents is kept. The others are the first documents of
each sitemap, category and file type: a rare kind may not be drawn.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from hashlib import sha1
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from woo_harvester.documents.formats import from_extension
from woo_harvester.items import WooItem

#: The share of a sample that is not drawn at random, at most.
_SPREAD_SHARE = 4

#: The number of sitemaps, categories and file types of which the first document is kept.
_GROUPS = {"sitemap": 40, "category": 20, "kind": 20}


class Chosen(NamedTuple):
    """The documents of a host, once all its sitemaps have been read."""

    requested: list[WooItem]
    left_out: list[WooItem]
    """Documents that were kept until now, and are not in the sample."""


class DocumentSample:
    """The sample of the documents of one host: at most *size* of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lowest: list[tuple[bytes, str, WooItem]] = []
        """The documents with the lowest hashes, each with its hash and location."""
        self._groups = {name: set[str]() for name in _GROUPS}
        self._first: dict[str, WooItem] = {}
        """The first document of each group, by location."""

    def offer(self, item: WooItem) -> list[WooItem]:
        """Add a document; return those that are certainly not in the sample, which may be this one."""
        loc = item.record.document.weblocatie
        for name, group in (
            ("sitemap", item.record.herkomst.sitemap or ""),
            ("category", _category_of(item)),
            ("kind", _kind_of(loc)),
        ):
            known = self._groups[name]
            if group not in known and len(known) < _GROUPS[name]:
                known.add(group)
                self._first[loc] = item
        insort(self._lowest, (_hash(loc), loc, item), key=itemgetter(0))
        if len(self._lowest) <= self._size:
            return []
        _, highest, left_out = self._lowest.pop()
        return [] if highest in self._first else [left_out]

    def choose(self) -> Chosen:
        """Return the documents to request: the first of each group, and those drawn at random."""
        chosen = dict(islice(self._first.items(), self._size // _SPREAD_SHARE))
        for _, loc, item in self._lowest:
            if len(chosen) == self._size and loc not in chosen:
                break
            chosen[loc] = item
        kept = self._first | {loc: item for _, loc, item in self._lowest}
        return Chosen(
            [chosen[loc] for loc in sorted(chosen, key=_hash)],
            [item for loc, item in kept.items() if loc not in chosen],
        )


def _hash(text: str) -> bytes:
    return sha1(text.encode(errors="surrogatepass"), usedforsecurity=False).digest()


def _category_of(item: WooItem) -> str:
    """Return the informatiecategorie of a document as it was given, or that of its index."""
    source = item.source
    if source is None:
        return ""
    given: Iterable[str | None] = (each.uri or each.label for each in source.given.informatiecategorieen)
    return next(filter(None, given), source.category.uri if source.category else "")


def _kind_of(loc: str) -> str:
    """Return the file type of a document by the extension of its location."""
    claim = from_extension(loc)
    return claim.filetype.code if claim.filetype else claim.unlisted or ""
