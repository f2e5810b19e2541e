"""Answers questions from the embedded index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from tantivy import DocAddress, Index, Occur, Order, Query, Searcher

from woo_harvester.kinds import Kind
from woo_portal.embedded.damage import META, may_be_damage, reading
from woo_portal.embedded.highlights import Highlighter
from woo_portal.embedded.layout import (
    POSITIONS,
    Marks,
    count_of,
    digest,
    key_of,
    schema,
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
    ORGANISATION,
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
#: The file that says that a question could not be answered from the index: its content is looked at.
SUSPECTED = "suspected"


class EmbeddedReader:
    """An engine over the index in a folder that another process fills. It sees each commit."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._fields, self._path = schema(), folder / f"index-{digest()}"
        self._make, self._seconds = QueryMaker(self._fields), seconds
        self._suspected = folder / SUSPECTED
        self._lock = Lock()
        self._index: Index | None = None
        self._snapshot: Snapshot | None = None

    def version(self) -> str:
        """Return a text that changes with each commit of a fill, and is the same in each process."""
        with self._asked() as snapshot:
            return snapshot.version

    def search(self, question: Question) -> Answer:
        """Return the page of hits that the question asks for. Raises SlowQuestionError."""
        with self._asked() as snapshot:
            deadline = monotonic() + self._seconds
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
        """Return the search document of a record, also of a withdrawn one, or None."""
        with self._asked() as snapshot:
            parts = [(Occur.Must, self._make.kind(kind.name)), (Occur.Must, self._make.term("id", record_id))]
            found = snapshot.searcher.search(Query.boolean_query(parts), 1, count=False).hits
            return stored_json(snapshot.searcher, found[0][1]) if found else None

    def all_documents(self, question: Question) -> Documents:
        """Yield the search documents of all hits in the question's order, as they are now."""
        with self._asked() as snapshot:
            near, metres = places_of(snapshot.searcher, self._make, question)
            for address in Ranking(snapshot, self._make, question, near, metres).all():
                yield stored_json(snapshot.searcher, address)

    def changes(self, kind: Kind, followed: Followed, size: int) -> Changes:
        """Return the first changes that a copy does not have."""
        with self._asked() as snapshot:
            if snapshot.marks is None:
                return Changes([], followed)
            where = followed.within(snapshot.marks.numbers)
            parts = [self._make.kind(kind.name), self._make.in_order("number", where.number + 1)]
            if where.until:
                later = self._make.in_order("number", where.until + 1)
                newer = self._make.in_order("version", where.since)
                parts.append(Query.boolean_query([(Occur.Should, later), (Occur.Should, newer)]))
            query = Query.boolean_query([(Occur.Must, part) for part in parts])
            found = snapshot.searcher.search(
                query, size + 1, count=False, order_by_field="number", order=Order.Asc
            ).hits
            numbered = [(int(number), stored_json(snapshot.searcher, address)) for number, address in found]
            return page_of_changes(where, numbered, size)

    def similar_words(self, kind: Kind, word: str) -> list[str]:
        """Return words of titles and metadata that look like *word*, the most similar first."""
        fields, known = text_fields(kind), set[str]()
        with self._asked() as snapshot:
            for each in (title_field(kind), METADATA_FIELD):
                name = f"exact{fields.index(each)}"
                found = snapshot.searcher.terms_with_prefix(name, word[:1], limit=_MOST_TERMS)
                known |= {term for term, _ in found}
        return most_similar(word, known)

    def contents(self, kind: Kind) -> Contents:
        """Return what the index has of *kind*."""
        is_kind, question = self._make.kind(kind.name), Question(kind, all_of=ORGANISATION)
        with self._asked() as snapshot:
            found = snapshot.searcher.aggregate(is_kind, {"newest": {"max": {"field": "version"}}})
            newest, count = found["newest"]["value"], count_of(snapshot.searcher, is_kind)
            tally = tally_of(snapshot, self._make, question, None)
            organisations = counts_of(snapshot, question, tally)[ORGANISATION]
        return Contents(
            published=tally.total,
            withdrawn=count - tally.total,
            organisations=len({each.value.value for each in organisations}),
            newest=_EPOCH + timedelta(milliseconds=newest) if newest else None,
        )

    def close(self) -> None:
        """Do nothing: the files are closed with the process."""

    @contextmanager
    def _asked(self) -> Iterator[Snapshot]:
        """Give the index as of the last commit. If it may be damaged, the process that fills it looks."""
        try:
            with reading():
                yield self._now()
        except Exception as error:
            if may_be_damage(error):
                with self._lock:
                    self._index = self._snapshot = None
                with suppress(OSError):  # the folder is gone, which is seen without this
                    self._suspected.touch()
            raise

    def _now(self) -> Snapshot:
        with self._lock:
            seen = (self._path / META).read_bytes()
            if self._snapshot is None or seen != self._snapshot.seen:
                self._snapshot = self._fresh(seen)
            return self._snapshot

    def _fresh(self, seen: bytes) -> Snapshot:
        if self._index is None:
            self._index = Index.open(str(self._path))
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
