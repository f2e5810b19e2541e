"""The query to the embedded index for a question. The same records are hits as in Elasticsearch."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from heapq import merge
from itertools import islice, product

from tantivy import FieldType, Occur, Query, Schema

from woo_harvester.outputs.definition import KINDS, RecordKind, Status
from woo_portal.dutch import CACHED_WORDS, analyzer, piece_cache, spans
from woo_portal.embedded.layout import POINT, POSITIONS
from woo_portal.engine import ITSELF, PARTS_SHARE, Piece, text_fields, title_field
from woo_portal.question import Clause, Question, ids_of_part, spellings

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
        spelled = [analyzer(name).tokens(text) for text in spellings(clause)]
        if not spelled[0]:
            return None
        found: list[Query] = []
        for tokens, (number, field) in product(filter(None, spelled), enumerate(text_fields(kind))):
            if clause.is_phrase:
                found.append(Query.boost_query(self._phrase(f"exact{number}", tokens), field.boost))
                continue
            found.append(Query.boost_query(self._words(f"stam{number}", "freq", tokens), field.boost))
            parts = self._words(f"delen{number}", "basic", tokens)
            found.append(Query.boost_query(parts, field.boost * PARTS_SHARE))
        if not clause.is_phrase:
            itself = self._words("exact0", "freq", analyzer("exact").tokens(clause.text))
            found.append(Query.boost_query(itself, title_field(kind).boost * ITSELF))
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
        if question.part:
            first, last = ids_of_part(*question.part)
            yield Query.range_query(self._schema, "key", FieldType.Unsigned, first, last)
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


#: The first characters of a text that are searched for fragments; a match further on is a hit, but not shown.
_SEARCHED = 200_000
#: Matches of a text among which the fragments are chosen.
_MATCHES = 60
#: The most fragments, their length in characters, and what stands before the first match.
FRAGMENTS = 3
_LENGTH, _BEFORE = 200, 60

#: The most characters between the words of a phrase, for all of them together.
_AROUND = 100

#: White space as ``str.split`` has it, but for the space.
_SPACE = re.compile(r"[^\S ]")

_Span = tuple[int, int]


class Highlighter:
    """Finds the words and phrases of one question in texts."""

    def __init__(self, question: Question) -> None:
        wanted = [clause for clause in question.clauses if not clause.is_excluded]
        stems, exact = analyzer("stam"), analyzer("exact")
        words = (text for each in wanted if not each.is_phrase for text in spellings(each))
        self._stems = {token for text in words for token in stems.tokens(text)}
        self._phrases = [tokens for each in wanted if each.is_phrase and (tokens := exact.tokens(each.text))]

    def __bool__(self) -> bool:
        return bool(self._stems or self._phrases)

    def marked(self, text: str) -> list[Piece]:
        """Return a whole text with its matches."""
        return _pieces(text, self._matches(text[:_SEARCHED]), 0, len(text))

    def fragments(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the best fragments of texts, best first."""
        found = [fragment for text in texts for fragment in self._fragments_of(text)]
        found.sort(key=lambda each: -each[0])
        return [pieces for _, pieces in found[:FRAGMENTS]]

    def _fragments_of(self, text: str) -> Iterator[tuple[int, list[Piece]]]:
        """Yield fragments that do not overlap, each with the number of different words that match."""
        matches = self._matches(text[:_SEARCHED], _MATCHES)
        words = [text[begin:end].casefold() for begin, end in matches]
        scored: list[tuple[int, int, int]] = []
        for first, (start, _) in enumerate(matches):
            begin, end = _window(text, start)
            # Matches before the first one may stand in the window too, and the last may stick out of it.
            low = bisect_left(matches, (begin, 0), 0, first)
            high = bisect_left(matches, (end, 0), first)
            inside = {
                word
                for word, (_, stop) in zip(words[low:high], matches[low:high], strict=True)
                if stop <= end
            }
            scored.append((len(inside), begin, end))
        chosen: list[_Span] = []
        for score, begin, end in sorted(scored, key=lambda each: (-each[0], each[1])):
            if len(chosen) < FRAGMENTS and all(end <= low or begin >= high for low, high in chosen):
                chosen.append((begin, end))
                yield score, _pieces(text, matches, begin, end)

    def _matches(self, text: str, most: int | None = None) -> list[_Span]:
        """Return the places of the words that match, in order; with *most* the first of them."""
        pieces = set(text.split())
        ways = [self._words_in(text, pieces), *(_places(phrase, text, pieces) for phrase in self._phrases)]
        return sorted({span for way in ways for span in islice(way, most)})[:most]

    def _words_in(self, text: str, pieces: Iterable[str]) -> Iterator[_Span]:
        """Yield the places of single words, in order. Only pieces with a match are split into words."""
        if not self._stems:
            return
        has_none = self._stems.isdisjoint
        matching = {piece for piece in pieces if not has_none(_TOKENS[piece])}
        known: dict[str, list[_Span]] = {}
        for at, piece in _found(matching, text):
            if (inside := known.get(piece)) is None:
                inside = known[piece] = self._words_of(piece)
            yield from ((at + start, at + end) for start, end in inside)

    def _words_of(self, piece: str) -> list[_Span]:
        """Return the places of the words in a piece that match."""
        has_none = self._stems.isdisjoint
        return [(start, end) for start, end in spans(piece) if not has_none(_TOKENS[piece[start:end]])]


class _TokensOfPieces(dict[str, frozenset[str]]):
    """The stems and the parts of words of pieces of text; made when they are first asked for.

    All questions share it. It is emptied when it is full.
    """

    def __missing__(self, piece: str) -> frozenset[str]:
        tokens = [token for name in ("stam", "delen") for token in piece_cache(name)[piece].split(" ")]
        if len(self) >= CACHED_WORDS:
            self.clear()
        found = self[piece] = frozenset(tokens)
        return found


_TOKENS = _TokensOfPieces()


def _found(pieces: Collection[str], text: str) -> Iterator[tuple[int, str]]:
    """Yield the places at which one of these pieces stands between white space, in order."""
    if not pieces:
        return
    plain = f" {_SPACE.sub(' ', text)} "  # as long as the text, but for its ends
    yield from merge(*(_occurrences(piece, plain) for piece in pieces))


def _occurrences(piece: str, plain: str) -> Iterator[tuple[int, str]]:
    wanted = f" {piece} "
    at = plain.find(wanted)
    while at >= 0:
        yield at, piece
        at = plain.find(wanted, at + len(wanted) - 1)


def _places(phrase: Sequence[str], text: str, pieces: Iterable[str]) -> Iterator[_Span]:
    """Yield the places of the words of a phrase, where they stand one after another."""
    exact, first = piece_cache("exact"), phrase[0]
    begins = {
        piece: len(list(spans(piece)))
        for piece in pieces
        if first in exact[piece] and first in exact[piece].split(" ")
    }
    length = sum(map(len, phrase)) * 2 + _AROUND
    word = analyzer("exact").word
    for place, piece in _found(begins, text):
        part, starts = text[place : place + length], begins[piece]
        found = list(islice(spans(part), starts + len(phrase) - 1))
        tokens = ["".join(word(part[start:end])) for start, end in found]
        for at in range(starts):
            if tokens[at : at + len(phrase)] == list(phrase):
                yield from ((place + a, place + b) for a, b in found[at : at + len(phrase)])


def _window(text: str, match: int) -> _Span:
    """Return begin and end of a fragment around the place of a match, between words."""
    begin = max(0, match - _BEFORE)
    if begin:
        space = text.find(" ", begin, match)
        begin = match if space < 0 else space + 1
    end = min(len(text), begin + _LENGTH)
    if end < len(text):
        space = text.rfind(" ", begin, end)
        end = space if space > match else end
    return begin, end


def _pieces(text: str, matches: Sequence[_Span], begin: int, end: int) -> list[Piece]:
    """Return a part of a text with the matches in it; white space becomes one space."""
    made: list[Piece] = []
    position = begin
    for start, stop in matches:
        if start < begin or stop > end:
            continue
        made += [Piece(_plain(text[position:start])), Piece(_plain(text[start:stop]), is_match=True)]
        position = stop
    made.append(Piece(_plain(text[position:end])))
    return [piece for piece in made if piece.text]


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)
