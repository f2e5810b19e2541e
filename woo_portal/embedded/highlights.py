"""The words and phrases of a question in the texts of its hits, and what stands around them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock

from woo_portal.dutch import CACHED_WORDS, analyzer, cleaned, spans, tokens_of_piece
from woo_portal.engine import Piece
from woo_portal.question import Question, spellings

#: The first characters of a text that are searched for fragments; a match further on is a hit, but not shown.
_SEARCHED = 200_000
#: Matches of a text among which the fragments are chosen.
_MATCHES = 60
#: The most fragments, their length in characters, and what stands before the first match.
FRAGMENTS = 3
_LENGTH, _BEFORE = 200, 60

#: The most characters between the words of a phrase, for all of them together.
_AROUND = 100

_Span = tuple[int, int]


class Highlighter:
    """Finds the words and phrases of one question in texts."""

    def __init__(self, question: Question) -> None:
        wanted = [clause for clause in question.clauses if not clause.is_excluded]
        stems, exact = analyzer("stam"), analyzer("exact")
        words = (text for each in wanted if not each.is_phrase for text in spellings(each))
        self._stems = {token for text in words for token in stems.tokens(text)}
        self._known: dict[str, Sequence[_Span]] = {}
        self._phrases = [tokens for each in wanted if each.is_phrase and (tokens := exact.tokens(each.text))]

    def __bool__(self) -> bool:
        return bool(self._stems or self._phrases)

    def marked(self, text: str) -> list[Piece]:
        """Return a whole text with its matches."""
        pieces = cleaned(text).split()
        text = " ".join(pieces)
        return _pieces(text, self._matches(pieces, text), 0, len(text))

    def fragments(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the best fragments of texts, best first."""
        found = [fragment for text in texts for fragment in self._fragments_of(text)]
        found.sort(key=lambda each: -each[0])
        return [pieces for _, pieces in found[:FRAGMENTS]]

    def _fragments_of(self, text: str) -> Iterator[tuple[int, list[Piece]]]:
        """Yield fragments that do not overlap, each with the number of different words that match."""
        pieces = cleaned(text[:_SEARCHED]).split()
        text = " ".join(pieces)
        matches = self._matches(pieces, text, _MATCHES)
        scored: list[tuple[int, int, int]] = []
        for first, (start, _) in enumerate(matches):
            begin, end = _window(text, start)
            # Matches before the first one may stand in the window too, and the last may stick out of it.
            low = bisect_left(matches, (begin, 0), 0, first)
            high = bisect_left(matches, (end, 0), first)
            inside = {text[at:stop].casefold() for at, stop in matches[low:high] if stop <= end}
            scored.append((len(inside), begin, end))
        chosen: list[_Span] = []
        for score, begin, end in sorted(scored, key=lambda each: (-each[0], each[1])):
            if len(chosen) < FRAGMENTS and all(end <= low or begin >= high for low, high in chosen):
                chosen.append((begin, end))
                yield score, _pieces(text, matches, begin, end)

    def _matches(self, pieces: Sequence[str], text: str, most: int | None = None) -> list[_Span]:
        """Return the places of the words that match, in order; with *most* the first of them."""
        different = frozenset(pieces)
        ways = [self._words_in(_found(_vocabulary.having(self._stems, different), pieces))]
        for phrase in self._phrases:
            begins = _vocabulary.having([f"={phrase[0]}"], different)
            ways.append(_places(phrase, text, _found(begins, pieces)))
        return sorted({span for way in ways for span in islice(way, most)})[:most]

    def _words_in(self, found: Iterable[tuple[int, str]]) -> Iterator[_Span]:
        """Yield the places of the words in pieces that match. A piece is split once."""
        for at, piece in found:
            if (inside := self._known.get(piece)) is None:
                inside = [span for span in spans(piece) if self._has(piece[slice(*span)])]
                self._known[piece] = inside
            yield from ((at + start, at + end) for start, end in inside)

    def _has(self, word: str) -> bool:
        _, stems, parts = tokens_of_piece(word)
        return not self._stems.isdisjoint(f"{stems} {parts}".split())


class _Vocabulary:
    """The pieces of texts by the stems, parts and words in them (``=word``); all questions share it."""

    def __init__(self) -> None:
        self._lock, self._seen = Lock(), set[str]()
        self._having = defaultdict[str, set[str]](set)

    def having(self, tokens: Iterable[str], pieces: frozenset[str]) -> frozenset[str]:
        """Return those of *pieces* that have one of *tokens*."""
        with self._lock:
            if len(self._seen) > CACHED_WORDS:
                self._seen.clear()
                self._having.clear()
            for piece in pieces - self._seen:
                exact, stems, parts = tokens_of_piece(piece)
                for token in f"{stems} {parts} ={exact.replace(' ', ' =')}".split():
                    self._having[token].add(piece)
            self._seen |= pieces
            return frozenset().union(*(pieces.intersection(self._having.get(each, ())) for each in tokens))


_vocabulary = _Vocabulary()


def _found(wanted: frozenset[str], pieces: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield those of *pieces* that are wanted, and their places in a text with one space between pieces."""
    at = before = 0
    for number, piece in enumerate(pieces) if wanted else ():
        if piece in wanted:
            at += sum(map(len, pieces[before:number])) + number - before
            before = number
            yield at, piece


def _places(phrase: Sequence[str], text: str, begins: Iterable[tuple[int, str]]) -> Iterator[_Span]:
    """Yield the places of the words of a phrase, where they stand together; *begins* have the first one."""
    word, length = analyzer("exact").word, sum(map(len, phrase)) * 2 + _AROUND
    for place, piece in begins:
        part, starts = text[place : place + length], len(list(spans(piece)))
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
    """Return a part of a text with the matches in it."""
    made: list[Piece] = []
    position = begin
    for start, stop in matches:
        if start < begin or stop > end:
            continue
        made += [Piece(text[position:start]), Piece(text[start:stop], is_match=True)]
        position = stop
    made.append(Piece(text[position:end]))
    return [piece for piece in made if piece.text]
