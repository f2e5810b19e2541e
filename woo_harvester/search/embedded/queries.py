"""The query to the embedded index for a question. The same records are hits as in Elasticsearch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from tantivy import FieldType, Occur, Query, Schema

from woo_harvester.search.dutch import analyzer
from woo_harvester.search.embedded.layout import POINT, POSITIONS
from woo_harvester.search.fields import PARTS_SHARE, text_fields
from woo_harvester.search.question import Clause, Question
from woo_harvester.search.record_kind import RecordKind, Status
from woo_harvester.search.record_kinds import KINDS

#: How much the other fields that have a word count, beside the best one.
_TIE_BREAKER = 0.2


class QueryMaker:
    """Makes queries for one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def query(self, question: Question, near: Query | None, without: str | None = None) -> Query:
        """Return the query of a question; *near* is that of its place, and *without* a facet left out."""
        filters = [*self._filters(question), *self._chosen(question, without)]
        if near is not None:
            filters.append(near)
        parts = [
            (Occur.MustNot if clause.is_excluded else Occur.Must, found)
            for clause in question.clauses
            if (found := self._clause(clause, question.kind)) is not None
        ]
        if not filters and all(occur == Occur.MustNot for occur, _ in parts):
            filters.append(self.kind(question.kind.name))
        parts += [(Occur.Must, Query.const_score_query(query, 0.0)) for query in filters]
        parts += [(Occur.MustNot, query) for query in self._others(question)]
        return Query.boolean_query(parts)

    def kind(self, name: str) -> Query:
        """Return the query of all index documents of a kind."""
        return self.term("kind", name)

    def term(self, field: str, value: str) -> Query:
        """Return the query of a value."""
        return Query.term_query(self._schema, field, value, index_option="basic")

    def terms(self, field: str, values: Sequence[str | int]) -> Query:
        """Return the query of one of several values."""
        return Query.term_set_query(self._schema, field, values)

    def box(self, south: float, west: float, north: float, east: float) -> Query:
        """Return the query of index documents whose point is in a rectangle."""
        sides = (("lat", south, north), ("lon", west, east))
        return _all(
            Query.range_query(self._schema, name, FieldType.Float, low, high) for name, low, high in sides
        )

    def from_order(self, field: str, least: int) -> Query:
        """Return the query of documents from a place in an order on."""
        return Query.range_query(self._schema, field, FieldType.Unsigned, lower_bound=least)

    def _clause(self, clause: Clause, kind: RecordKind) -> Query | None:
        """Return the query of a word or phrase in any field, or None if it has no word to search for."""
        name = "exact" if clause.is_phrase else "stam"
        if not (tokens := analyzer(name).tokens(clause.text)):
            return None
        found: list[Query] = []
        for number, field in enumerate(text_fields(kind)):
            if clause.is_phrase:
                found.append(Query.boost_query(self._phrase(f"exact{number}", tokens), field.boost))
                continue
            found.append(Query.boost_query(self._words(f"stam{number}", "freq", tokens), field.boost))
            parts = self._words(f"delen{number}", "basic", tokens)
            found.append(Query.boost_query(parts, field.boost * PARTS_SHARE))
        return Query.disjunction_max_query(found, _TIE_BREAKER)

    def _phrase(self, field: str, tokens: list[str]) -> Query:
        if len(tokens) == 1:
            return Query.term_query(self._schema, field, tokens[0], index_option="freq")
        return Query.phrase_query(self._schema, field, list(tokens))

    def _words(self, field: str, option: str, tokens: Sequence[str]) -> Query:
        return _all(
            Query.term_query(self._schema, field, token, index_option=option)
            for token in dict.fromkeys(tokens)
        )

    def _others(self, question: Question) -> Iterator[Query]:
        """Yield what is left out: other kinds, and the other status.

        These are few: it takes less time to skip them than to look up each hit among all of its kind.
        """
        points = (f"{POINT} {kind.name}" for kind in KINDS)
        for name in {*(kind.name for kind in KINDS), *points, POSITIONS} - {question.kind.name}:
            yield self.kind(name)
        if question.status is not None:
            for status in Status:
                if status != question.status:
                    yield self.term("status", status.value)

    def _filters(self, question: Question) -> Iterator[Query]:
        if question.ids:
            yield self.terms("id", question.ids)
        for name, period in question.periods.items():
            if period.begin is not None or period.end is not None:
                yield self._days(name, period.begin, period.end)
        if (day := question.running_on) is not None:
            yield self._days("begin", None, day)
            yield self._days("end", day, None)
        if (day := question.ended_before) is not None:
            yield self._days("end", None, date.fromordinal(max(1, day.toordinal() - 1)))

    def _days(self, field: str, begin: date | None, end: date | None) -> Query:
        low, high = (day.toordinal() if day is not None else None for day in (begin, end))
        return Query.range_query(self._schema, field, FieldType.Integer, lower_bound=low, upper_bound=high)

    def _chosen(self, question: Question, without: str | None) -> Iterator[Query]:
        for name, values in question.chosen.items():
            if values and name != without:
                yield self.terms(f"value_{name}", values)


def _all(queries: Iterable[Query]) -> Query:
    given = list(queries)
    return given[0] if len(given) == 1 else Query.boolean_query([(Occur.Must, query) for query in given])
