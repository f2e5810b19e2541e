"""Answers questions from the embedded index."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from tantivy import DocAddress, Index, Occur, Order, Query, Schema, Searcher

from woo_harvester.kinds import Kind
from woo_portal.embedded.damage import META
from woo_portal.embedded.highlights import Highlighter
from woo_portal.embedded.layout import (
    POSITIONS,
    Marks,
    count_of,
    key_of,
    stored_json,
    stored_texts,
    texts_at,
)
from woo_portal.embedded.places import places_of
from woo_portal.embedded.queries import QueryMaker
from woo_portal.embedded.ranking import Ranking
from woo_portal.embedded.snapshot import Snapshot, counts_of, tally_of
from woo_portal.engine import (
    METADATA_FIELD,
    Answer,
    Changes,
    Contents,
    Documents,
    Followed,
    Hit,
    SlowQuestionError,
    most_similar,
    page_of_changes,
    text_fields,
    title_field,
)
from woo_portal.question import Question

#: The words of a field among which similar ones are looked for: the most frequent with the same first letter.
_MOST_TERMS = 5_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ORGANISATION = "organisatie"


class Answering:
    """Answers from the last commit, which may be of another process; safe to use from several threads."""

    def __init__(self, fields: Schema, folder: Path, seconds: float) -> None:
        self._make, self._seconds, self._folder = QueryMaker(fields), seconds, folder
        self._lock = Lock()
        self._index: Index | None = None
        self._snapshot: Snapshot | None = None

    def forget(self) -> None:
        """Open the files anew for the next question."""
        with self._lock:
            self._index = self._snapshot = None

    @property
    def version(self) -> str:
        """A text that differs after each commit, and is the same in each process."""
        return self._now().version

    def search(self, question: Question) -> Answer:
        """Return a page of hits. Raises SlowQuestionError."""
        snapshot, deadline = self._now(), monotonic() + self._seconds
        near, metres = places_of(snapshot.searcher, self._make, question)
        tally = tally_of(snapshot, self._make, question, near) if question.with_counts else None
        _check(deadline)
        ranking = Ranking(snapshot, self._make, question, near, metres)
        found, total = ranking.page(tally.total if tally else None)
        _check(deadline)
        showing = _Showing(snapshot.searcher, question, metres)
        hits = []
        for address in found:
            hits.append(showing.hit(address))
            _check(deadline)
        return Answer(total, hits, counts_of(snapshot, question, tally) if tally else {})

    def get(self, kind: Kind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, or None."""
        searcher = self._now().searcher
        parts = [(Occur.Must, self._make.kind(kind.name)), (Occur.Must, self._make.term("id", record_id))]
        found = searcher.search(Query.boolean_query(parts), 1, count=False).hits
        return stored_json(searcher, found[0][1]) if found else None

    def all_documents(self, question: Question) -> Documents:
        """Yield the documents of all hits, as they are now."""
        snapshot = self._now()
        near, metres = places_of(snapshot.searcher, self._make, question)
        for address in Ranking(snapshot, self._make, question, near, metres).all():
            yield stored_json(snapshot.searcher, address)

    def changes(self, kind: Kind, followed: Followed, size: int) -> Changes:
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

    def similar_words(self, kind: Kind, word: str) -> list[str]:
        """Return words of titles and metadata that look like *word*, the most similar first."""
        searcher, fields = self._now().searcher, text_fields(kind)
        known: set[str] = set()
        for each in (title_field(kind), METADATA_FIELD):
            name = f"exact{fields.index(each)}"
            known |= {term for term, _ in searcher.terms_with_prefix(name, word[:1], limit=_MOST_TERMS)}
        return most_similar(word, known)

    def contents(self, kind: Kind) -> Contents:
        """Return what the index has of *kind*."""
        snapshot, is_kind = self._now(), self._make.kind(kind.name)
        found = snapshot.searcher.aggregate(is_kind, {"newest": {"max": {"field": "version"}}})
        newest, count = found["newest"]["value"], count_of(snapshot.searcher, is_kind)
        tally = tally_of(snapshot, self._make, Question(kind, all_of=_ORGANISATION), None)
        organisations = counts_of(snapshot, Question(kind, all_of=_ORGANISATION), tally)[_ORGANISATION]
        return Contents(
            published=tally.total,
            withdrawn=count - tally.total,
            organisations=len({each.value.value for each in organisations}),
            newest=_EPOCH + timedelta(milliseconds=newest) if newest else None,
        )

    def _now(self) -> Snapshot:
        """Return the index as of the last commit."""
        with self._lock:
            seen = (self._folder / META).read_bytes()
            if self._snapshot is None or seen != self._snapshot.seen:
                self._snapshot = self._fresh(seen)
            return self._snapshot

    def _fresh(self, seen: bytes) -> Snapshot:
        if self._index is None:
            self._index = Index.open(str(self._folder))
            self._index.config_reader("manual", 0)
        self._index.reload()
        searcher = self._index.searcher()
        marks = Marks.read(searcher, self._make.term("id", POSITIONS))
        return Snapshot(searcher, seen, sha256(seen).hexdigest()[:16], marks)


def _check(deadline: float) -> None:
    if monotonic() > deadline:
        raise SlowQuestionError("the index needs too long for this question")


class _Showing:
    """Makes the hits of one question as they are shown."""

    def __init__(self, searcher: Searcher, question: Question, metres: Mapping[int, float]) -> None:
        self._searcher, self._question, self._metres = searcher, question, metres
        self._highlighter = Highlighter(question)

    def hit(self, address: DocAddress) -> Hit:
        """Return a hit with its document and highlights."""
        document, text = stored_texts(self._searcher, address)
        metres = self._metres.get(key_of(document["id"]))
        if not (self._question.with_highlights and self._highlighter):
            return Hit(document, metres=metres)
        title, *others = text_fields(self._question.kind)
        texts = [text for field in others if field.is_quoted for text in texts_at(document, field.path)]
        titles = texts_at(document, title.path)
        return Hit(
            document,
            title=self._highlighter.marked(titles[0]) if titles else (),
            fragments=self._highlighter.fragments([*texts, *text]),
            metres=metres,
        )
