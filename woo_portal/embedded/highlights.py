"""The words and phrases of a question in the texts of its hits, and what stands around them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

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

#: What stands between white space.
_PIECE = re.compile(r"\S+")

_Span = tuple[int, int]


class Highlighter:
    """Finds the words and phrases of one question in texts."""

    def __init__(self, question: Question) -> None:
        wanted = [clause for clause in question.clauses if not clause.is_excluded]
        stems, exact = analyzer("stam"), analyzer("exact")
        words = (text for each in wanted if not each.is_phrase for text in spellings(each))
        self._stems = {token for text in words for token in stems.tokens(text)}
        self._phrases = [tokens for each in wanted if each.is_phrase and (tokens := exact.tokens(each.text))]
        self._known: dict[str, Sequence[_Span]] = {}

    def __bool__(self) -> bool:
        return bool(self._stems or self._phrases)

    def marked(self, text: str) -> list[Piece]:
        """Return a whole text with its matches."""
        text = cleaned(text)
        return _pieces(text, self._matches(text[:_SEARCHED]), 0, len(text))

    def fragments(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the best fragments of texts, best first."""
        found = [fragment for text in texts for fragment in self._fragments_of(text)]
        found.sort(key=lambda each: -each[0])
        return [pieces for _, pieces in found[:FRAGMENTS]]

    def _fragments_of(self, text: str) -> Iterator[tuple[int, list[Piece]]]:
        """Yield fragments that do not overlap, each with the number of different words that match."""
        text = cleaned(text[:_SEARCHED])
        matches = self._matches(text, _MATCHES)
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
        found = {span for way in self._ways(text) for span in islice(way, most)}
        return sorted(found)[:most]

    def _ways(self, text: str) -> Iterator[Iterator[_Span]]:
        yield self._words_in(text)
        yield from (_places(phrase, text) for phrase in self._phrases)

    def _words_in(self, text: str) -> Iterator[_Span]:
        """Yield the places of single words, in order. What stands between white space is split once."""
        known = self._known
        for match in _PIECE.finditer(text) if self._stems else ():
            piece = match[0]
            if (inside := known.get(piece)) is None:
                inside = known[piece] = self._words_of(piece)
            if inside:
                at = match.start()
                yield from ((at + start, at + end) for start, end in inside)

    def _words_of(self, piece: str) -> Sequence[_Span]:
        """Return the places of the words in a piece that match."""
        has_none = self._stems.isdisjoint
        if has_none(_forms(piece)):
            return ()
        return [(start, end) for start, end in spans(piece) if not has_none(_forms(piece[start:end]))]


@lru_cache(CACHED_WORDS)
def _forms(piece: str) -> frozenset[str]:
    """Return the stems and the parts of the words of a piece of text."""
    _, stems, parts = tokens_of_piece(piece)
    return frozenset([*stems.split(" "), *parts.split(" ")])


def _places(phrase: Sequence[str], text: str) -> Iterator[_Span]:
    """Yield the places of the words of a phrase, where they stand one after another."""
    word, length = analyzer("exact").word, sum(map(len, phrase)) * 2 + _AROUND
    for match in _PIECE.finditer(text):
        if phrase[0] not in tokens_of_piece(match[0]).exact:
            continue
        place, starts = match.start(), len(list(spans(match[0])))
        part = text[place : place + length]
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
