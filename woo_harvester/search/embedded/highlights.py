"""Marks in a hit what was searched for: in the whole title, and in fragments of its other texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from woo_harvester.search.dutch import analyzer
from woo_harvester.search.engine import Piece
from woo_harvester.search.question import Question
from woo_harvester.search.words import parts, spans

#: The first characters of a text that are searched for fragments; a match further on is a hit, but not shown.
_SEARCHED = 200_000
#: Matches of a text among which the fragments are chosen.
_MATCHES = 60
#: The most fragments, their length in characters, and what stands before the first match.
FRAGMENTS = 3
_LENGTH, _BEFORE = 200, 60

_Span = tuple[int, int]


class Highlighter:
    """Finds the words and phrases of one question in texts."""

    def __init__(self, question: Question) -> None:
        wanted = [clause for clause in question.clauses if not clause.is_excluded]
        stems, exact = analyzer("stam"), analyzer("exact")
        self._stems = {token for each in wanted if not each.is_phrase for token in stems.tokens(each.text)}
        self._phrases = [tokens for each in wanted if each.is_phrase and (tokens := exact.tokens(each.text))]
        self._known: dict[str, bool] = {}
        self._parts: dict[str, tuple[_Span, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._stems or self._phrases)

    def marked(self, text: str) -> list[Piece]:
        """Return a whole text with its matches."""
        return _pieces(text, list(self._matches(text[:_SEARCHED])), 0, len(text))

    def fragments(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the best fragments of texts, best first."""
        found = [fragment for text in texts for fragment in self._fragments_of(text)]
        found.sort(key=lambda each: -each[0])
        return [pieces for _, pieces in found[:FRAGMENTS]]

    def _fragments_of(self, text: str) -> Iterator[tuple[int, list[Piece]]]:
        """Yield fragments that do not overlap, each with the number of different words that match."""
        matches = list(islice(self._matches(text[:_SEARCHED]), _MATCHES))
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

    def _matches(self, text: str) -> Iterator[_Span]:
        """Yield the places of words that match, in order."""
        if not self._phrases:
            for start, part in parts(text):
                for begin, end in self._matches_of(part):
                    yield start + begin, start + end
            return
        found = list(spans(text))
        exact = ["".join(analyzer("exact").word(text[start:end])) for start, end in found]
        matching = {number for number, (start, end) in enumerate(found) if self._is_match(text[start:end])}
        for phrase in self._phrases:
            for number in range(len(found) - len(phrase) + 1):
                if exact[number] == phrase[0] and exact[number : number + len(phrase)] == phrase:
                    matching.update(range(number, number + len(phrase)))
        yield from (found[number] for number in sorted(matching))

    def _matches_of(self, part: str) -> tuple[_Span, ...]:
        """Return the places of words that match in a part without white space. Most parts come often."""
        known = self._parts.get(part)
        if known is None:
            found = (span for span in spans(part) if self._is_match(part[span[0] : span[1]]))
            known = self._parts[part] = tuple(found)
        return known

    def _is_match(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            tokens = {*analyzer("stam").word(word), *analyzer("delen").word(word)}
            known = self._known[word] = not self._stems.isdisjoint(tokens)
        return known


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
