"""The Dutch analysis of ``analysis.json`` in Python: the tokens that Elasticsearch makes of a text.

``analysis.json`` is the one source. Its tables are made once; the tokens of words are cached, within a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from woo_harvester.search.definition import definition
from woo_harvester.search.filters import Filter, Token, make_filter
from woo_harvester.search.woo import WOO
from woo_harvester.search.words import words

#: Words whose tokens are kept, for each analyzer: more than a large text has, some 15 MB.
CACHED_WORDS = 50_000
#: Pieces between white space that are kept; a longer piece is seldom seen twice.
_CACHED_PIECES, _LONGEST_PIECE = 100_000, 60


class Analyzer:
    """An analyzer: the words of a text, and the tokens of each word."""

    def __init__(self, filters: Sequence[Filter]) -> None:
        self._filters = filters
        self.word: Callable[[str], tuple[str, ...]] = lru_cache(CACHED_WORDS)(self._word)
        """Return the tokens of one word of the tokenizer."""

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, in order."""
        return [token for word in words(text) for token in self.word(word)]

    def _word(self, word: str) -> tuple[str, ...]:
        tokens: Sequence[Token] = (Token(word),)
        for change in self._filters:
            tokens = change(tokens)
        return tuple(token.text for token in tokens if token.text)


@cache
def analyzer(name: str) -> Analyzer:
    """Return the analyzer with this name: ``stam``, ``exact`` or ``delen``."""
    given = _analysis()["analyzer"][name]
    if given["tokenizer"] != "standard":
        raise ValueError(f"analysis.json: expected the standard tokenizer, got {given['tokenizer']}")
    return Analyzer(_filters(given["filter"]))


def normalized(text: str) -> str:
    """Return *text* as the normalizer ``volgorde`` makes it, for sorting."""
    tokens: Sequence[Token] = (Token(text),)
    for change in _order():
        tokens = change(tokens)
    return tokens[0].text


@cache
def _order() -> Sequence[Filter]:
    return _filters(_analysis()["normalizer"]["volgorde"]["filter"])


@cache
def _analysis() -> Mapping[str, Any]:
    found: Mapping[str, Any] = definition(WOO)["settings"]["analysis"]
    return found


def _filters(names: Iterable[str]) -> Sequence[Filter]:
    return [make_filter(name, _analysis()["filter"]) for name in names]


class PieceCache(dict[str, str]):
    """The tokens of pieces of text, with spaces between; made when they are first asked for.

    A piece is what stands between white space. The cache is emptied when it is full.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._word = analyzer(name).word

    def __missing__(self, piece: str) -> str:
        found = " ".join([token for word in words(piece) for token in self._word(word)])
        if len(piece) <= _LONGEST_PIECE:
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = found
        return found


@cache
def piece_cache(name: str) -> PieceCache:
    """Return the cache of pieces that the whole process shares for an analyzer."""
    return PieceCache(name)


def pieces(text: str) -> list[str]:
    """Return *text* in pieces between white space; no word goes across two of them."""
    if "\u202f" in text:  # white space to Python, and the middle of a number to the tokenizer
        return [part.replace("\ue000", "\u202f") for part in text.replace("\u202f", "\ue000").split()]
    return text.split()
