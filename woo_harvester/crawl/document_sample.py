"""The documents of a large host that an audit requests, chosen while its sitemaps are read.

Most of them are drawn at random: the documents whose locations have the lowest hashes. So the same site has
the same sample in each audit, and no list of all documents is kept. The others are there so that each
sitemap, category and file type, and the oldest and newest documents, are seen: a rare kind may not be drawn.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha1
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from woo_harvester.documents import from_extension
from woo_harvester.items import WooItem

#: The share of a sample that is not drawn at random, at most.
_SPREAD_SHARE = 4

#: The number of groups of which documents are kept, by what their documents have in common.
_GROUPS = {"sitemap": 40, "category": 20, "kind": 20}

#: The number of documents that are kept of each group, and of the oldest and of the newest ones.
_OF_GROUP = 3
_OF_ENDS = 10

_Rank = tuple[float, bytes]


@dataclass(slots=True, eq=False)
class _Candidate:
    """A document that may be in the sample."""

    item: WooItem
    key: bytes
    """The hash of its location."""
    places: int = 0
    """The number of groups that keep it."""


class _Lowest:
    """The candidates with the lowest ranks, at most *size* of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ranked: list[tuple[_Rank, _Candidate]] = []

    def __iter__(self) -> Iterator[_Candidate]:
        """Yield the candidates, the one with the lowest rank first."""
        return (candidate for _, candidate in self._ranked)

    def add(self, candidate: _Candidate, first: float = 0.0) -> list[_Candidate]:
        """Add a candidate, ranked by *first* and then by its key; return those that lose their place."""
        rank = (first, candidate.key)
        if len(self._ranked) == self._size and rank > self._ranked[-1][0]:
            return []
        candidate.places += 1
        insort(self._ranked, (rank, candidate), key=itemgetter(0))
        return [self._ranked.pop()[1]] if len(self._ranked) > self._size else []


class _Groups:
    """The groups of documents that have something in common; of too many, those with the lowest hashes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._groups: dict[str, tuple[bytes, _Lowest]] = {}

    def __iter__(self) -> Iterator[_Lowest]:
        """Yield the groups in the order of their hashes."""
        return (group for _, group in sorted(self._groups.values(), key=itemgetter(0)))

    def add(self, candidate: _Candidate, name: str) -> list[_Candidate]:
        """Add a candidate to the group of this name; return those that lose their place."""
        if name not in self._groups:
            self._groups[name] = _hash(name), _Lowest(_OF_GROUP)
        out = self._groups[name][1].add(candidate)
        if len(self._groups) > self._limit:
            out += self._groups.pop(max(self._groups, key=lambda other: self._groups[other][0]))[1]
        return out


class Chosen(NamedTuple):
    """The documents of a host, once all its sitemaps have been read."""

    requested: list[WooItem]
    left_out: list[WooItem]
    """Documents that were kept until now, and are not in the sample."""
    drawn: frozenset[str]
    """The locations of those in the sample that were drawn at random."""


class DocumentSample:
    """The sample of the documents of one host: at most *size* of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._all = _Lowest(size)
        self._groups = {name: _Groups(limit) for name, limit in _GROUPS.items()}
        self._oldest, self._newest = _Lowest(_OF_ENDS), _Lowest(_OF_ENDS)

    def offer(self, item: WooItem) -> list[WooItem]:
        """Add a document; return those that are certainly not in the sample, which may be this one."""
        loc = item.record.document.weblocatie
        candidate = _Candidate(item, _hash(loc))
        out = [candidate, *self._all.add(candidate)]
        for name, group in (
            ("sitemap", item.record.herkomst.sitemap or ""),
            ("category", _category_of(item)),
            ("kind", _kind_of(loc)),
        ):
            out += self._groups[name].add(candidate, group)
        if (moment := item.record.versies[-1].mutatiedatumtijd) is not None:
            out += self._oldest.add(candidate, moment.timestamp())
            out += self._newest.add(candidate, -moment.timestamp())
        for displaced in out[1:]:
            displaced.places -= 1
        return [each.item for each in dict.fromkeys(out) if not each.places]

    def choose(self) -> Chosen:
        """Return the documents to request: some of each group, and for the rest those drawn at random."""
        chosen = dict.fromkeys(islice(self._spread(), self._size // _SPREAD_SHARE))
        drawn: list[_Candidate] = []
        for candidate in self._all:
            if len(chosen) == self._size and candidate not in chosen:
                break
            chosen[candidate] = None
            drawn.append(candidate)
        requested = sorted(chosen, key=lambda candidate: candidate.key)
        kept = dict.fromkeys([*self._all, *self._spread()])
        return Chosen(
            [candidate.item for candidate in requested],
            [candidate.item for candidate in kept if candidate not in chosen],
            frozenset(candidate.item.record.document.weblocatie for candidate in drawn),
        )

    def _spread(self) -> Iterator[_Candidate]:
        """Yield each candidate of the groups once: the first one of each group, then the second ones."""
        groups = [[*each] for groups in self._groups.values() for each in groups]
        groups += [[*self._oldest], [*self._newest]]
        ordered = (each[place] for place in range(_OF_ENDS) for each in groups if place < len(each))
        return iter(dict.fromkeys(ordered))


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
