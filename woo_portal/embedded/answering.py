"""Records near a place, or in a rectangle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import groupby
from math import asin, cos, degrees, inf, radians, sin, sqrt
from operator import itemgetter
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from tantivy import DocAddress, Index, Occur, Order, Query, Schema, Searcher

from woo_harvester.outputs.definition import MAX_COUNTS, FacetValue, RecordKind, Status
from woo_portal.embedded.layout import (
    POINT,
    POSITIONS,
    Marks,
    addresses_of,
    count_of,
    key_of,
    stored_json,
    stored_texts,
    texts_at,
    total_of,
)
from woo_portal.embedded.queries import Highlighter, QueryMaker
from woo_portal.engine import (
    METADATA_FIELD,
    Answer,
    Changes,
    Contents,
    Count,
    Followed,
    Hit,
    SlowQuestionError,
    counted_facets,
    most_similar,
    page_of_changes,
    text_fields,
    title_field,
)
from woo_portal.question import MAX_VALUES, Place, Question, Sort

#: The radius of the earth in metres, as Elasticsearch has it.
_EARTH = 6_371_008.7714


def metres_between(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the distance of two points over the earth."""
    phi, other_phi = radians(lat), radians(other_lat)
    height, width = sin((other_phi - phi) / 2), sin(radians(other_lon - lon) / 2)
    share = height**2 + cos(phi) * cos(other_phi) * width**2
    return 2 * _EARTH * asin(min(1.0, sqrt(share)))


def places_of(
    searcher: Searcher, make: QueryMaker, question: Question
) -> tuple[Query | None, Mapping[int, float]]:
    """Return the query of the records at the place of a question, and the distance of each by its key.

    The query is None if the question has no place; without ``near`` there are no distances.
    """
    parts: list[Query] = []
    if (box := question.box) is not None:
        parts.append(
            _in_box(searcher, make, question.kind.name, make.box(box.south, box.west, box.north, box.east))
        )
    metres: Mapping[int, float] = {}
    if question.near is not None:
        metres = _distances(searcher, make, question.kind.name, question.near)
        parts.append(make.terms("key", list(metres)) if metres else Query.empty_query())
    if not parts:
        return None, metres
    return Query.boolean_query([(Occur.Must, part) for part in parts]), metres


def _in_box(searcher: Searcher, make: QueryMaker, kind: str, box: Query) -> Query:
    """Return the query of records with one point in the box, or one of several."""
    several = Query.boolean_query([(Occur.Must, make.kind(f"{POINT} {kind}")), (Occur.Must, box)])
    addresses = addresses_of(searcher, several)
    keys = {int(key) for key in searcher.fast_field_values("key", addresses) if key is not None}
    if not keys:
        return box
    return Query.boolean_query([(Occur.Should, box), (Occur.Should, make.terms("key", list(keys)))])


def _distances(searcher: Searcher, make: QueryMaker, kind: str, near: Place) -> dict[int, float]:
    """Return the distance of each record within the circle, by its key."""
    height = degrees(near.metres / _EARTH) * 1.001 + 1e-6
    narrowest = cos(radians(min(89.9, abs(near.lat) + height)))
    width = min(360.0, height / narrowest)
    box = make.box(near.lat - height, near.lon - width, near.lat + height, near.lon + width)
    kinds = make.terms("kind", [kind, f"{POINT} {kind}"])
    query = Query.boolean_query([(Occur.Must, kinds), (Occur.Must, box)])
    addresses = [
        address for _, address in searcher.search(query, max(1, searcher.num_docs), count=False).hits
    ]
    columns = (searcher.fast_field_values(name, addresses) for name in ("key", "lat", "lon"))
    found: dict[int, float] = {}
    for key, lat, lon in zip(*columns, strict=True):
        if key is None or lat is None or lon is None:
            continue
        metres = metres_between(near.lat, near.lon, lat, lon)
        if metres <= near.metres:
            found[int(key)] = min(metres, found.get(int(key), inf))
    return found


#: The words of a field among which similar ones are looked for: the most frequent with the same first letter.
_MOST_TERMS = 5_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The values of a facet that the index is asked for.
_MOST_VALUES = 2000
#: Hits that are read at a time when all are wanted, and among which equal ones are put in order.
_BATCH, _MOST_EQUAL = 2000, 20_000
#: Questions whose counts are kept until the next commit.
_KEPT_COUNTS = 64
#: Orders whose numbers differ for nearly all hits.
_IN_PARTS = ("newest", "oldest", "changed", "key")


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The index at one moment."""

    searcher: Searcher
    seen: bytes
    """The file by which a commit becomes visible."""
    version: str
    marks: Marks | None
    """What the index keeps beside its records; None before its first commit."""
    counts: dict[str, dict[str, list[Count]]] = field(default_factory=dict)
    """The counts of questions that were asked, by the question without what does not change them."""


class Answering:
    """Answers from the last commit, which may be of another process; safe to use from several threads."""

    def __init__(self, index: Index, fields: Schema, folder: Path, seconds: float) -> None:
        self._index, self._make, self._seconds = index, QueryMaker(fields), seconds
        self._meta = folder / "meta.json"
        self._lock = Lock()
        self._snapshot = self._fresh(self._meta.read_bytes())

    @property
    def version(self) -> str:
        """A text that differs after each commit, and is the same in each process."""
        return self._now().version

    def search(self, question: Question) -> Answer:
        """Return a page of hits. Raises SlowQuestionError."""
        snapshot = self._now()
        asked = _Asked(snapshot.searcher, self._make, question, monotonic() + self._seconds)
        found, total = asked.page()
        counts = _counts_once(snapshot, question, asked) if question.with_counts else {}
        return Answer(total, asked.hits(found), counts)

    def get(self, kind: RecordKind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, or None."""
        searcher = self._now().searcher
        parts = [(Occur.Must, self._make.kind(kind.name)), (Occur.Must, self._make.term("id", record_id))]
        found = searcher.search(Query.boolean_query(parts), 1, count=False).hits
        return stored_json(searcher, found[0][1]) if found else None

    def all_documents(self, question: Question) -> Iterator[Mapping[str, Any]]:
        """Yield the documents of all hits, as they are now."""
        searcher = self._now().searcher
        asked = _Asked(searcher, self._make, question, inf)
        for address in asked.all_addresses():
            yield stored_json(searcher, address)

    def changes(self, kind: RecordKind, followed: Followed, size: int) -> Changes:
        """Return the first changes that a copy does not have."""
        snapshot = self._now()
        if snapshot.marks is None:
            return Changes([], followed)
        where = followed.within(snapshot.marks.numbers)
        parts = [self._make.kind(kind.name), self._make.from_order("number", where.number + 1)]
        if where.until:
            later = self._make.from_order("number", where.until + 1)
            newer = self._make.from_order("version", where.since)
            parts.append(Query.boolean_query([(Occur.Should, later), (Occur.Should, newer)]))
        query = Query.boolean_query([(Occur.Must, part) for part in parts])
        found = snapshot.searcher.search(
            query, size + 1, count=False, order_by_field="number", order=Order.Asc
        ).hits
        numbered = [(int(number), stored_json(snapshot.searcher, address)) for number, address in found]
        return page_of_changes(where, numbered, size)

    def similar_words(self, kind: RecordKind, word: str) -> list[str]:
        """Return words of titles and metadata that look like *word*, the most similar first."""
        searcher, fields = self._now().searcher, text_fields(kind)
        known: set[str] = set()
        for each in (title_field(kind), METADATA_FIELD):
            name = f"exact{fields.index(each)}"
            known |= {term for term, _ in searcher.terms_with_prefix(name, word[:1], limit=_MOST_TERMS)}
        return most_similar(word, known)

    def contents(self, kind: RecordKind) -> Contents:
        """Return what the index has of *kind*."""
        searcher, is_kind = self._now().searcher, (Occur.Must, self._make.kind(kind.name))
        status = (Occur.Must, self._make.term("status", Status.GEPUBLICEERD))
        published = Query.boolean_query([is_kind, status])
        terms = {"terms": {"field": "pair_organisatie", "size": MAX_VALUES}}
        found = searcher.aggregate(published, {"organisations": terms})["organisations"]["buckets"]
        query = Query.boolean_query([is_kind])
        newest = searcher.aggregate(query, {"newest": {"max": {"field": "version"}}})["newest"]["value"]
        count, total = (count_of(searcher, each) for each in (published, query))
        return Contents(
            published=count,
            withdrawn=total - count,
            organisations=len({FacetValue.of_pair(bucket["key"]).value for bucket in found}),
            newest=_EPOCH + timedelta(milliseconds=newest) if newest else None,
        )

    def _now(self) -> _Snapshot:
        """Return the index as of the last commit."""
        with self._lock:
            if (seen := self._meta.read_bytes()) != self._snapshot.seen:
                self._snapshot = self._fresh(seen)
            return self._snapshot

    def _fresh(self, seen: bytes) -> _Snapshot:
        self._index.reload()
        searcher = self._index.searcher()
        marks = Marks.read(searcher, self._make.term("id", POSITIONS))
        return _Snapshot(searcher, seen, sha256(seen).hexdigest()[:16], marks)


def _counts_once(snapshot: _Snapshot, question: Question, asked: _Asked) -> dict[str, list[Count]]:
    """Return the counts of a question. Another page or order of the same hits has the same."""
    same = replace(question, start=0, size=0, sort=Sort.RELEVANCE, with_highlights=False)
    if (found := snapshot.counts.get(key := repr(same))) is None:
        found = asked.counts()
        if len(snapshot.counts) >= _KEPT_COUNTS:
            snapshot.counts.clear()
        snapshot.counts[key] = found
    return dict(found)


class _Asked:
    """A question to one snapshot."""

    def __init__(self, searcher: Searcher, make: QueryMaker, question: Question, deadline: float) -> None:
        self._searcher, self._make, self._question, self._deadline = searcher, make, question, deadline
        self._near, self._metres = places_of(searcher, make, question)
        self._query = make.query(question, self._near)
        self._highlighter = Highlighter(question)

    def page(self) -> tuple[Sequence[DocAddress], int]:
        """Return the hits of the page, and the number of all hits."""
        self._check()
        start, size = self._question.start, self._question.size
        match self._order():
            case None:
                found, total = self._by_score(start + size)
            case "metres":
                found = self._by_distance()
                total = len(found)
            case order:
                answer = self._searcher.search(
                    self._query, max(1, size), order_by_field=order, order=Order.Asc, offset=start
                )
                return [address for _, address in answer.hits[:size]], total_of(answer)
        return found[start : start + size], total

    def all_addresses(self) -> Iterator[DocAddress]:
        """Yield all hits in order; by a date in parts, else in one go."""
        order = self._order()
        if order in _IN_PARTS:
            yield from self._in_parts(order)
            return
        total = count_of(self._searcher, self._query)
        if order is None:
            yield from self._by_score(max(1, total))[0]
        elif order == "metres":
            yield from self._by_distance()
        else:
            found = self._searcher.search(self._query, max(1, total), order_by_field=order, order=Order.Asc)
            yield from (address for _, address in found.hits)

    def counts(self) -> dict[str, list[Count]]:
        """Return the counts of each facet; what is chosen in a facet does not narrow its own."""
        names = [facet.name for facet in counted_facets(self._question)]
        chosen = [name for name in names if self._question.chosen.get(name)]
        made = self._counts_of(self._query, [name for name in names if name not in chosen])
        for name in chosen:
            made |= self._counts_of(self._make.query(self._question, self._near, without=name), [name])
        return {name: made[name] for name in names}

    def hits(self, addresses: Sequence[DocAddress]) -> list[Hit]:
        """Return hits with their documents and highlights."""
        self._check()
        return [self._hit(address) for address in addresses]

    def _hit(self, address: DocAddress) -> Hit:
        document, text = stored_texts(self._searcher, address)
        metres = self._metres.get(key_of(document["id"]))
        if not (self._question.with_highlights and self._highlighter):
            return Hit(document, metres=metres)
        self._check()
        title, *others = text_fields(self._question.kind)
        texts = [text for field in others if field.is_quoted for text in texts_at(document, field.path)]
        titles = texts_at(document, title.path)
        return Hit(
            document,
            title=self._highlighter.marked(titles[0]) if titles else (),
            fragments=self._highlighter.fragments([*texts, *text]),
            metres=metres,
        )

    def _order(self) -> str | None:
        """Return the index field to order by, ``metres``, or None for the score."""
        question = self._question
        match question.sort:
            case Sort.DISTANCE if question.near is not None:
                return "metres"
            case Sort.TITLE:
                return "title"
            case Sort.OLDEST:
                return "oldest"
            case Sort.CHANGED:
                return "changed"
            case Sort.RELEVANCE if question.clauses:
                return None if self._highlighter else "key"  # without a word to search for, all are equal
            case _:
                return "newest"

    def _by_score(self, wanted: int) -> tuple[Sequence[DocAddress], int]:
        """Return at least the first *wanted* hits, best first; equal ones in the order of their ids."""
        limit = wanted + _BATCH // 20
        while True:
            answer = self._searcher.search(self._query, limit)
            hits = answer.hits
            if (
                len(hits) < limit
                or hits[-1][0] < hits[min(wanted, limit) - 1][0]
                or limit >= wanted + _MOST_EQUAL
            ):
                break
            limit = wanted + (limit - wanted) * 8
        made: list[DocAddress] = []
        for _, group in groupby(hits, key=itemgetter(0)):
            equal = [address for _, address in group]
            made += self._by_key(equal) if len(equal) > 1 else equal
            if len(made) >= wanted:
                break
        return made, total_of(answer)

    def _by_key(self, addresses: list[DocAddress]) -> list[DocAddress]:
        keys = self._searcher.fast_field_values("key", addresses)
        return [address for _, address in sorted(zip(keys, addresses, strict=True), key=itemgetter(0))]

    def _by_distance(self) -> list[DocAddress]:
        found = addresses_of(self._searcher, self._query)
        keys = self._searcher.fast_field_values("key", found)
        placed = [
            (self._metres.get(int(key or 0), inf), key, each) for key, each in zip(keys, found, strict=True)
        ]
        return [each for *_, each in sorted(placed, key=itemgetter(0, 1))]

    def _in_parts(self, order: str) -> Iterator[DocAddress]:
        """Yield all hits in the order of a number that hardly any two hits share."""
        least, seen = 0, 0
        while True:
            parts = [(Occur.Must, self._query), (Occur.Must, self._make.from_order(order, least))]
            found = self._searcher.search(
                Query.boolean_query(parts),
                _BATCH,
                count=False,
                order_by_field=order,
                order=Order.Asc,
                offset=seen,
            ).hits
            yield from (address for _, address in found)
            if len(found) < _BATCH:
                return
            last = found[-1][0]
            equal = sum(1 for number, _ in found if number == last)
            seen = seen + equal if last == least else equal
            least = last

    def _counts_of(self, query: Query, names: Sequence[str]) -> dict[str, list[Count]]:
        self._check()
        if not names:
            return {}
        asked, most = (MAX_VALUES, MAX_VALUES) if self._question.all_of else (_MOST_VALUES, MAX_COUNTS)
        terms = {name: {"terms": {"field": f"pair_{name}", "size": asked}} for name in names}
        found = self._searcher.aggregate(query, terms)
        return {name: _counts(found[name]["buckets"])[:most] for name in names}

    def _check(self) -> None:
        if monotonic() > self._deadline:
            raise SlowQuestionError("the index needs too long for this question")


def _counts(buckets: Sequence[Mapping[str, Any]]) -> list[Count]:
    """Return the counts of values, the most frequent first; equal ones by their labels."""
    found = sorted(buckets, key=lambda bucket: (-bucket["doc_count"], bucket["key"]))
    return [Count(FacetValue.of_pair(bucket["key"]), int(bucket["doc_count"])) for bucket in found]
