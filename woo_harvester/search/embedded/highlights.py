"""Marks in a hit what was searched for: in the whole title, and in fragments of its other texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from woo_harvester.search.dutch import analyzer, piece_cache
from woo_harvester.search.engine import Piece
from woo_harvester.search.question import Question
from woo_harvester.search.words import spans

#: The first characters of a text that are searched for fragments; a match further on is a hit, but not shown.
_SEARCHED = 200_000
#: Matches of a text among which the fragments are chosen.
_MATCHES = 60
#: The most fragments, their length in characters, and what stands before the first match.
FRAGMENTS = 3
_LENGTH, _BEFORE = 200, 60

#: The most characters between the words of a phrase, for all of them together.
_AROUND = 100
_PIECE = re.compile(r"\S+")

_Span = tuple[int, int]


class Highlighter:
    """Finds the words and phrases of one question in texts."""

    def __init__(self, question: Question) -> None:
        wanted = [clause for clause in question.clauses if not clause.is_excluded]
        stems, exact = analyzer("stam"), analyzer("exact")
        self._stems = {token for each in wanted if not each.is_phrase for token in stems.tokens(each.text)}
        self._phrases = [tokens for each in wanted if each.is_phrase and (tokens := exact.tokens(each.text))]
        self._known: dict[str, bool] = {}

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
        matches = self._matches(text[:_SEARCHED])[:_MATCHES]
        chosen: list[_Span] = []
        windows = [_window(text, start) for start, _ in matches]
        scored = [
            (len({text[a:b].casefold() for a, b in matches if begin <= a and b <= end}), begin, end)
            for begin, end in windows
        ]
        for score, begin, end in sorted(scored, key=lambda each: (-each[0], each[1])):
            if len(chosen) < FRAGMENTS and all(end <= low or begin >= high for low, high in chosen):
                chosen.append((begin, end))
                yield score, _pieces(text, matches, begin, end)

    def _matches(self, text: str) -> list[_Span]:
        """Return the places of words that match, in order."""
        found = {*self._words_in(text), *(span for phrase in self._phrases for span in _places(phrase, text))}
        return sorted(found)

    def _words_in(self, text: str) -> Iterator[_Span]:
        """Yield the places of single words. Only pieces of text with a match are split into words."""
        if not self._stems:
            return
        matching = {piece for piece in set(text.split()) if self._has_match(piece)}
        if not matching:
            return
        for piece in _PIECE.finditer(text):
            if piece[0] in matching:
                for start, end in spans(piece[0]):
                    if self._has_match(piece[0][start:end]):
                        yield piece.start() + start, piece.start() + end

    def _has_match(self, piece: str) -> bool:
        known = self._known.get(piece)
        if known is None:
            tokens = (piece_cache(name)[piece].split(" ") for name in ("stam", "delen"))
            known = self._known[piece] = not all(map(self._stems.isdisjoint, tokens))
        return known


def _places(phrase: Sequence[str], text: str) -> Iterator[_Span]:
    """Yield the places of the words of a phrase, where they stand one after another."""
    exact, first = piece_cache("exact"), phrase[0]
    begins = {piece for piece in set(text.split()) if first in exact[piece].split(" ")}
    length = sum(map(len, phrase)) * 2 + _AROUND
    for piece in _PIECE.finditer(text) if begins else ():
        if piece[0] not in begins:
            continue
        part = text[piece.start() : piece.start() + length]
        found = list(spans(part))
        tokens = ["".join(analyzer("exact").word(part[start:end])) for start, end in found]
        for at in range(len(list(spans(piece[0])))):
            if tokens[at : at + len(phrase)] == list(phrase):
                yield from ((piece.start() + a, piece.start() + b) for a, b in found[at : at + len(phrase)])


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
