"""The token filters of ``analysis.json``, with the meaning that they have in Elasticsearch (Lucene).

A filter gets the tokens of one word and returns those in their place. Each filter works word by word; none
of them needs the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Any, NamedTuple

import snowballstemmer

from woo_harvester.search.words import tables


class Token(NamedTuple):
    """A token on its way through the filters."""

    text: str
    is_final: bool = False
    """Whether a stemmer leaves it as it is."""


Filter = Callable[[Sequence[Token]], Sequence[Token]]

#: Elasticsearch names the old Dutch stemmer of Snowball so; in the library it is the one of Porter.
_STEMMERS = {"dutch": "dutch_porter"}
_CACHED_STEMS = 50_000


def make_filter(name: str, defined: Mapping[str, Mapping[str, Any]]) -> Filter:
    """Return the filter with this name: one that *defined* has, or one of Elasticsearch's own.

    Raises ValueError for a type or parameter that this module does not know.
    """
    given = {"type": name, **defined.get(name, {})}
    kind = given.pop("type")
    if (make := _TYPES.get(kind)) is None:
        raise ValueError(f"analysis.json: expected a filter of a known type, got {kind} ({name})")
    try:
        return make(**given)
    except TypeError as error:
        raise ValueError(f"analysis.json: the filter {name} is not understood: {error}") from None


def fold(text: str) -> str:
    """Return *text* in ASCII where Lucene's ASCII folding does so."""
    return text if text.isascii() else text.translate(_folding())


def lower(text: str) -> str:
    """Return *text* in lower case, each character on its own, as Java does."""
    if text.isascii():
        return text.lower()
    return text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


_FOLDING: dict[int, str] = {}


def _folding() -> dict[int, str]:
    if not _FOLDING:
        made = {ord(char): target for target, source in tables()["folding"].items() for char in source}
        _FOLDING.update(made)
    return _FOLDING


def _each(change: Callable[[str], str]) -> Filter:
    return lambda tokens: [Token(change(token.text), token.is_final) for token in tokens]


def _stop(stopwords: str | Sequence[str]) -> Filter:
    words = _word_list(
        tables()["stopwords"].get(stopwords, stopwords) if isinstance(stopwords, str) else stopwords
    )
    return lambda tokens: [token for token in tokens if token.text not in words]


def _word_list(given: str | Sequence[str]) -> frozenset[str]:
    """Return the words of a list, which may be one text with commas."""
    return frozenset(given.split(",") if isinstance(given, str) else given)


def _pattern_replace(pattern: str, replacement: str, *, all: bool = True) -> Filter:
    compiled = re.compile(pattern)
    template = re.sub(r"\$(\d)", r"\\g<\1>", replacement)
    count = 0 if all else 1
    return _each(lambda text: compiled.sub(template, text, count=count))


def _stemmer_override(rules: Sequence[str]) -> Filter:
    pairs = [rule.partition("=>") for rule in rules]
    stems = {word.strip(): stem.strip() for words, _, stem in pairs for word in words.split(",")}

    def override(tokens: Sequence[Token]) -> Sequence[Token]:
        return [
            token if token.is_final or token.text not in stems else Token(stems[token.text], is_final=True)
            for token in tokens
        ]

    return override


def _stemmer(language: str) -> Filter:
    """Return the stemmer, with a cache that both analyzers with this filter share."""
    stem = _stem(_STEMMERS[language])
    return lambda tokens: [token if token.is_final else Token(stem(token.text)) for token in tokens]


@cache
def _stem(language: str) -> Callable[[str], str]:
    stemmer, lock = snowballstemmer.stemmer(language), Lock()  # it works on one word at a time

    def stem(word: str) -> str:
        with lock:
            found: str = stemmer.stemWord(word)
        return found

    return lru_cache(_CACHED_STEMS)(stem)


def _decompounder(
    word_list: str | Sequence[str],
    min_word_size: int = 5,
    min_subword_size: int = 2,
    max_subword_size: int = 15,
    only_longest_match: bool = False,  # as in the definition
) -> Filter:
    known = _word_list(word_list)
    first = frozenset(word[0] for word in known)

    def parts(text: str) -> list[str]:
        found: list[str] = []
        for start in range(len(text) - min_subword_size + 1):
            if text[start] not in first:
                continue
            ends = range(start + min_subword_size, min(start + max_subword_size, len(text)) + 1)
            here = [text[start:end] for end in ends if text[start:end] in known]
            found += here[-1:] if only_longest_match else here
        return found

    def decompound(tokens: Sequence[Token]) -> Sequence[Token]:
        made: list[Token] = []
        for token in tokens:
            made.append(token)
            if len(token.text) >= min_word_size:
                made += [Token(part, token.is_final) for part in parts(token.text)]
        return made

    return decompound


def _without_duplicates(tokens: Sequence[Token]) -> Sequence[Token]:
    return list({token.text: token for token in reversed(tokens)}.values())[::-1]


_TYPES: Mapping[str, Callable[..., Filter]] = {
    "asciifolding": lambda: _each(fold),
    "dictionary_decompounder": _decompounder,
    "lowercase": lambda: _each(lower),
    "pattern_replace": _pattern_replace,
    "remove_duplicates": lambda: _without_duplicates,
    "reverse": lambda: _each(lambda text: text[::-1]),
    "stemmer": _stemmer,
    "stemmer_override": _stemmer_override,
    "stop": _stop,
}
