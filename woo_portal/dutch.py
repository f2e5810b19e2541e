"""The words of Dutch texts, and the forms by which they find each other: the filters of ``analysis.json``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple
from unicodedata import category, normalize

import snowballstemmer

from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import definition

#: A number with points or commas, or letters and digits with apostrophes; a longer one is cut.
_WORD = re.compile(r"\d{1,99}(?:[.,]\d{1,99}){1,9}|[^\W_]{1,255}(?:['’][^\W_]{1,255}){0,2}")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each word in *text*."""
    return (match.span() for match in _WORD.finditer(text))


def words(text: str) -> list[str]:
    """Return the words of *text*."""
    return _WORD.findall(text)


#: What the character filter of the analysis removes, such as a soft hyphen at a line end.
_SIGNS = "".join(sign for sign in map(chr, range(2**16)) if category(sign) == "Cf")
_UNSEEN = re.compile(f"[{_SIGNS}](?:(?<=\u00ad)\n)?")


def cleaned(text: str) -> str:
    """Return a text in composed form (NFC) without signs that nobody sees, as all analyzers read it."""
    return text if text.isascii() else _UNSEEN.sub("", normalize("NFC", text))


Filter = Callable[[Sequence[str]], Sequence[str]]

#: Elasticsearch names the old Dutch stemmer of Snowball so; in the library it is the one of Porter.
_STEMMERS = {"dutch": "dutch_porter"}
_CACHED_STEMS = 50_000


def make_filter(name: str, defined: Mapping[str, Mapping[str, Any]]) -> Filter:
    """Return the filter with this name: one that *defined* has, or one of Elasticsearch's own."""
    given = {"type": name, **defined.get(name, {})}
    return _TYPES[given.pop("type")](**given)


#: Letters that have no accent to leave out.
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th",
                          "’": "'", "‘": "'"})  # fmt: skip
_MARKS = re.compile("[\u0300-\u036f]")


def fold(text: str) -> str:
    """Return a text in lower case without accents and ligatures."""
    return text if text.isascii() else _MARKS.sub("", normalize("NFKD", text)).translate(_LETTERS)


def _each(change: Callable[[str], str]) -> Filter:
    return lambda tokens: [change(token) for token in tokens]


def _stop(stopwords: str | Sequence[str]) -> Filter:
    known = _dutch_stopwords() if stopwords == "_dutch_" else _word_list(stopwords)
    return lambda tokens: [token for token in tokens if token not in known]


@cache
def _dutch_stopwords() -> frozenset[str]:
    text = files(__package__).joinpath("stopwords.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def _word_list(given: str | Sequence[str]) -> frozenset[str]:
    """Return the words of a list, which may be one text with commas."""
    return frozenset(given.split(",") if isinstance(given, str) else given)


def _pattern_replace(pattern: str, replacement: str, *, all: bool = True) -> Filter:
    compiled = re.compile(pattern)
    template = re.sub(r"\$(\d)", r"\\g<\1>", replacement)
    count = 0 if all else 1
    return _each(lambda text: compiled.sub(template, text, count=count))


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

    def decompound(tokens: Sequence[str]) -> Sequence[str]:
        made: list[str] = []
        for token in tokens:
            made.append(token)
            if len(token) >= min_word_size:
                made += parts(token)
        return made

    return decompound


_TYPES: Mapping[str, Callable[..., Filter]] = {
    "asciifolding": lambda: _each(fold),
    "dictionary_decompounder": _decompounder,
    "lowercase": lambda: _each(str.lower),
    "pattern_replace": _pattern_replace,
    "remove_duplicates": lambda: lambda tokens: list(dict.fromkeys(tokens)),
    "reverse": lambda: _each(lambda text: text[::-1]),
    "stemmer": lambda language: _each(_stem(_STEMMERS[language])),
    "stop": _stop,
}


#: Words whose tokens are kept, for each analyzer and together: more than a large text has.
CACHED_WORDS = 100_000
_DIGIT, _AS_ZERO = re.compile("[0-9]"), str.maketrans("123456789", "000000000")


class Analyzer:
    """An analyzer: the words of a text, and the tokens of each word."""

    def __init__(self, filters: Sequence[Filter]) -> None:
        self._filters = filters
        self.word = lru_cache(CACHED_WORDS)(self._word)
        """Returns the tokens of one word of the tokenizer."""

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, in order."""
        return [token for word in words(cleaned(text)) for token in self.word(word)]

    def _word(self, word: str) -> tuple[str, ...]:
        tokens: Sequence[str] = (word,)
        for change in self._filters:
            tokens = change(tokens)
        return tuple(filter(None, tokens))


@cache
def analyzer(name: str) -> Analyzer:
    """Return the analyzer with this name: ``stam``, ``exact`` or ``delen``."""
    return Analyzer(_filters(_analysis()["analyzer"][name]["filter"]))


def normalized(text: str) -> str:
    """Return *text* as the normalizer ``volgorde`` makes it, for sorting."""
    return fold(cleaned(text).lower())


@cache
def _analysis() -> Mapping[str, Any]:
    found: Mapping[str, Any] = definition(WOO)["settings"]["analysis"]
    return found


def _filters(names: Iterable[str]) -> Sequence[Filter]:
    return [make_filter(name, _analysis()["filter"]) for name in names]


class Tokens(NamedTuple):
    """The tokens of a text, with spaces between them."""

    exact: str
    """Those of the analyzer ``exact``."""
    stems: str
    """Those of the analyzer ``stam``."""
    parts: str
    """Those that the analyzer ``delen`` adds to the stems: the stems of the parts of compounds."""


@lru_cache(CACHED_WORDS)
def tokens_of_piece(piece: str) -> Tokens:
    """Return the tokens of what stands between white space. No word goes across two pieces."""
    zeros = piece.translate(_AS_ZERO)
    if zeros != piece:  # each record has numbers of its own, and filters treat all digits alike
        digits, tokens = tuple(_DIGIT.findall(piece)), tokens_of_piece(zeros)
        if all(text.count("0") in (0, len(digits)) for text in tokens):
            return Tokens(*(text.replace("0", "%s") % digits if "0" in text else text for text in tokens))
    found = words(piece)
    exact, stems, parts = (
        [analyzer(name).word(word) for word in found] for name in ("exact", "stam", "delen")
    )
    added = [set(every) - set(own) for every, own in zip(parts, stems, strict=True)]
    return Tokens(*(" ".join(chain.from_iterable(each)) for each in (exact, stems, added)))


def tokens_of(text: str) -> Tokens:
    """Return the tokens of a text; of the parts each piece's once."""
    found = [*map(tokens_of_piece, cleaned(text).split())] or [Tokens("", "", "")]
    exact, stems, parts = zip(*found, strict=True)
    return Tokens(" ".join(exact), " ".join(stems), " ".join(filter(None, set(parts))))
