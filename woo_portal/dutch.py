"""Splits a text into words as Lucene's standard tokenizer does (Unicode text segmentation, UAX #29).

The classes of characters are in ``lucene.json``, which ``python -m tools.lucene`` takes from Lucene itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

import snowballstemmer

from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import definition

#: A longer word is cut into pieces of this length.
MAX_LENGTH = 255
_ASCII = 128
#: How often a joiner may stand in a row; without a bound a line of joiners takes quadratic time.
_FEW = "{0,3}"
_ZWJ, _EMOJI_STYLE, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"


@cache
def tables() -> Mapping[str, Any]:
    """Return the content of ``lucene.json``: ``stopwords``, ``folding`` and ``classes``."""
    text = files(__package__).joinpath("lucene.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each word in *text*."""
    pattern = _ascii_words() if text.isascii() else _all_words()
    for match in pattern.finditer(text):
        start, end = match.span()
        if end - start <= MAX_LENGTH:
            yield start, end
        else:
            yield from _cut(pattern, text, start, end)


def _cut(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the words that a word makes which is too long."""
    while start < end:
        # A slice, so that what was cut off before does not count as the character before.
        match = pattern.search(text[start : min(end, start + MAX_LENGTH)])
        if match is None:  # only underscores
            start += MAX_LENGTH
        elif match.start():
            start += match.start()
        else:
            yield start, start + match.end()
            start += match.end()


def words(text: str) -> list[str]:
    """Return the words of *text*."""
    found = (_ascii_words() if text.isascii() else _all_words()).findall(text)
    if len(text) > MAX_LENGTH and any(len(word) > MAX_LENGTH for word in found):
        return [text[start:end] for start, end in spans(text)]
    return found


@cache
def _ascii_words() -> re.Pattern[str]:
    return re.compile(_word({name: _set(points, _ASCII) for name, points in tables()["classes"].items()}))


@cache
def _all_words() -> re.Pattern[str]:
    sets = {name: _set(points) for name, points in tables()["classes"].items()}
    after = f"[{sets['Extend']}]*+"
    parts = [
        _word(sets),
        _emoji(sets),
        f"[{sets['Regional']}]{after}[{sets['Regional']}]{after}",
        f"(?:[{sets['Southeast_asian']}]{after})++",
        f"[{sets['Ideographic']}{sets['Hiragana']}]{after}",
    ]
    return re.compile("|".join(parts))


def _set(points: list[int], end: int = 0x110000) -> str:
    """Return ranges (first, last, first, last, …) as the inside of a character class, up to *end*."""
    pairs = zip(points[::2], points[1::2], strict=True)
    return "".join(rf"\U{low:08x}-\U{high:08x}" for low, high in pairs if low < end)


def _word(sets: Mapping[str, str]) -> str:
    """Return the pattern of words and numbers. No part can go back, so that a long line takes linear time."""
    after = f"[{sets['Extend']}]*+" if sets["Extend"] else ""

    def one_of(*names: str, extra: str = "") -> str:
        return f"[{''.join(sets[name] for name in names)}{extra}]{after}"

    joins = f"(?:{one_of('ExtendNumLet')})"
    number, letter = one_of("Numeric"), one_of("ALetter", "Hebrew")
    numbers = f"{number}(?:(?:{joins}*+|{one_of('MidNum', 'MidNumLet')}){number})*+"
    letters = f"{letter}(?:(?:{joins}*+|{one_of('MidLetter', 'MidNumLet')}){letter})*+"
    runs = [numbers, letters]
    if sets["Hebrew"]:
        quoted = rf"{one_of('Hebrew')}(?:'{after}|\"{after}{one_of('Hebrew')})"
        runs = [quoted, numbers, letters.replace(f"){letter})", f")(?!{quoted}){letter})")]
    run = f"(?:{'|'.join(runs)})++"
    if sets["Katakana"]:
        katakana = one_of("Katakana")
        run = f"(?:{katakana}(?:{joins}*+{katakana})*+|{run})"
    begin = f"(?:(?<![{sets['ExtendNumLet']}{sets['Extend']}]){joins}++)?+"
    return f"{begin}{run}(?:{joins}++{run})*+{joins}*+"


def _emoji(sets: Mapping[str, str]) -> str:
    """Return the pattern of an emoji with its variants, and of a sign in a key cap."""
    joined = f"{_ZWJ}(?!{_ZWJ}{_FEW}[{sets['Emoji']}])"
    after = f"(?:(?![{_ZWJ}\ufe0e{_EMOJI_STYLE}])[{sets['Extend']}]|{joined})*+"
    emoji = f"{_ZWJ}{_FEW}[{sets['Emoji']}]{after}{_EMOJI_STYLE}?"
    return f"{emoji}(?:{_ZWJ}{emoji})*+|[0-9#*]{_EMOJI_STYLE}?{_KEYCAP}{after}"


class CharFilter:
    """A filter of the type ``mapping``: at each place it replaces the longest text that it knows."""

    def __init__(self, mappings: Sequence[str]) -> None:
        parts = [rule.replace(r"\n", "\n").partition("=>") for rule in mappings]
        self._known = {before: after for before, _, after in parts}
        # Few texts have a sign by which these differ from others; all but one letter before it are such.
        signs = {re.sub(r"[\0-\x7f]", "", before)[-1:] for before in self._known}
        inside = "".join(map(re.escape, sorted(signs)))
        self._sign = re.compile(f"[{inside}]")
        self._places = re.compile(f"[^{inside}]?[{inside}]+\n?")
        self._longest = max(map(len, self._known))

    def __call__(self, text: str) -> str:
        """Return *text* with what it knows replaced."""
        return self._places.sub(self._replaced, text) if self._sign.search(text) else text

    def _replaced(self, match: re.Match[str]) -> str:
        text, made, at = match[0], "", 0
        while at < len(text):
            sizes = range(min(self._longest, len(text) - at), 0, -1)
            size = next((size for size in sizes if text[at : at + size] in self._known), 0)
            made += self._known[text[at : at + size]] if size else text[at]
            at += size or 1
        return made


def cleaned(text: str) -> str:
    """Return a text in composed form without signs that nobody sees, as all analyzers read it."""
    return text if text.isascii() else _cleaner()(text)


@cache
def _cleaner() -> CharFilter:
    (given,) = _analysis()["char_filter"].values()
    return CharFilter(given["mappings"])


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


#: Words whose tokens are kept, for each analyzer: more than a large text has, some 15 MB.
CACHED_WORDS = 50_000
#: Pieces between white space that are kept. A longer one, or a longer number, is seldom seen twice.
_CACHED_PIECES, _LONGEST_PIECE, _LONGEST_NUMBER = 100_000, 60, 8
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
    tokens: Sequence[Token] = (Token(cleaned(text)),)
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


class Tokens(NamedTuple):
    """The tokens of a text, with spaces between them."""

    exact: str
    """Those of the analyzer ``exact``."""
    stems: str
    """Those of the analyzer ``stam``."""
    parts: str
    """Those that the analyzer ``delen`` adds to the stems: the stems of the parts of compounds."""


class TokensOfPieces(dict[str, Tokens]):
    """The tokens of pieces of text; made when they are first asked for.

    A piece is what stands between white space. The cache is emptied when it is full.
    """

    def __missing__(self, piece: str) -> Tokens:
        # All digits are alike to the filters, and each record has numbers of its own: a piece is looked up
        # with zeros in their place.
        zeros = piece.translate(_AS_ZERO)
        found = _tokens_of_piece(piece) if zeros == piece else _with_digits_of(piece, self[zeros])
        if len(piece) <= (_LONGEST_PIECE if zeros == piece else _LONGEST_NUMBER):
            if len(self) >= _CACHED_PIECES:
                self.clear()
            self[piece] = found
        return found


def _tokens_of_piece(piece: str) -> Tokens:
    found = words(piece)
    exact, stems, parts = (
        [analyzer(name).word(word) for word in found] for name in ("exact", "stam", "delen")
    )
    added = [set(every) - set(own) for every, own in zip(parts, stems, strict=True)]
    return Tokens(*(" ".join(chain.from_iterable(each)) for each in (exact, stems, added)))


def _with_digits_of(piece: str, tokens: Tokens) -> Tokens:
    """Return the tokens of a piece from those of the same one with zeros in the place of its digits."""
    digits = tuple(_DIGIT.findall(piece))
    if not all(text.count("0") in (0, len(digits)) for text in tokens):
        return _tokens_of_piece(piece)
    # No token has a percent sign.
    return Tokens(*[text.replace("0", "%s") % digits if "0" in text else text for text in tokens])


#: The cache that the whole process shares.
TOKENS = TokensOfPieces()


def tokens_of(text: str) -> Tokens:
    """Return the tokens of a text; of the parts each piece's once."""
    found = [*map(TOKENS.__getitem__, pieces(cleaned(text)))] or [Tokens("", "", "")]
    exact, stems, parts = zip(*found, strict=True)
    return Tokens(" ".join(exact), " ".join(stems), " ".join(filter(None, set(parts))))


#: What has no white space but the narrow one that may stand in the middle of a number.
_PIECE = re.compile(r"[\S\u202f]+")


def pieces(text: str) -> list[str]:
    """Return *text* in pieces between white space; no word goes across two of them."""
    return _PIECE.findall(text) if "\u202f" in text else text.split()
