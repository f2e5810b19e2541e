"""Splits a text into words as Lucene's standard tokenizer does (Unicode text segmentation, UAX #29).

The classes of characters are in ``lucene.json``, which ``python -m tools.lucene`` takes from Lucene itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

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
