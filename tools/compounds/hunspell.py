"""Read the words of OpenTaal from its Hunspell dictionary."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_WORD = re.compile(r"[a-zà-ÿ]+").fullmatch
FORBIDDEN, ONLY_IN_COMPOUND = "Fw", "Cx"
BEGINS, ENDS = {"Ca", "Cb"}, "Cc"
#: First characters of the flags for plurals and diminutives.
_NOUN = ("Z", "Y")
DIMINUTIVES = ("je", "jes")


class _Suffix(NamedTuple):
    """One rule of an affix flag."""

    strip: str
    add: str
    flags: frozenset[str]
    condition: re.Pattern[str] | None


@dataclass(slots=True)
class Lexicon:
    """Words in lower case, with the ligature of i and j written as two letters."""

    words: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    """Words with an entry in the dictionary."""
    begins: set[str] = field(default_factory=set)
    """Forms that may begin a compound, with linking letters."""
    ends: set[str] = field(default_factory=set)
    """Forms that may end a compound."""
    inflected: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Plurals and diminutives, by their word."""


def read(dictionary: Path, affixes: Path, words: Path) -> Lexicon:
    """Read ``nl.dic``, ``nl.aff`` and the plain list of words."""
    rules = _rules(affixes)
    lexicon = Lexicon()
    for line in dictionary.read_text(encoding="utf-8").splitlines()[1:]:
        word, _, given = line.split("\t")[0].strip().partition("/")
        flags = _flags(given.split(" ")[0])
        if FORBIDDEN in flags:
            continue
        if _WORD(_plain(word)):
            lexicon.bases.add(_plain(word))
        for form, own, flag in _forms(word, flags, rules):
            if _WORD(plain := _plain(form)):
                _add(lexicon, plain, own)
                if flag.startswith(_NOUN):
                    lexicon.inflected[_plain(word)].add(plain)
    plain_list = map(_plain, map(str.strip, words.read_text(encoding="utf-8").splitlines()))
    lexicon.words |= {word for word in plain_list if _WORD(word)}
    for base in list(lexicon.ends):
        lexicon.ends |= lexicon.inflected.get(base, set())
    return lexicon


def _add(lexicon: Lexicon, word: str, flags: frozenset[str]) -> None:
    if ONLY_IN_COMPOUND not in flags:
        lexicon.words.add(word)
    if flags & BEGINS:
        lexicon.begins.add(word)
    if ENDS in flags:
        lexicon.ends.add(word)


def _rules(path: Path) -> dict[str, list[_Suffix]]:
    found: dict[str, list[_Suffix]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = line.split("#")[0].split()
        if len(parts) < 5 or parts[0] != "SFX":
            continue
        add, _, flags = parts[3].partition("/")
        condition = None if parts[4] == "." else re.compile(f"{parts[4]}$")
        strip = "" if parts[2] == "0" else parts[2]
        found[parts[1]].append(_Suffix(strip, "" if add == "0" else add, _flags(flags), condition))
    return found


def _forms(
    word: str, flags: frozenset[str], rules: dict[str, list[_Suffix]]
) -> Iterator[tuple[str, frozenset[str], str]]:
    """Yield the word and its forms, each with its flags and the flag that made it."""
    yield word, flags, ""
    for flag in flags:
        for rule in rules.get(flag, ()):
            fits = rule.condition is None or rule.condition.search(word)
            if fits and word.endswith(rule.strip):
                yield word[: len(word) - len(rule.strip)] + rule.add, rule.flags, flag


def _flags(text: str) -> frozenset[str]:
    """Return the flags in a text; each has two characters."""
    return frozenset(text[i : i + 2] for i in range(0, len(text), 2))


def _plain(word: str) -> str:
    return word.replace("ĳ", "ij").replace("Ĳ", "IJ")
