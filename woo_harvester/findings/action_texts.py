"""What the harvester did with what it found, in English, by ``actions.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from woo_harvester.findings.catalogue import Language

#: The parts that are words of the harvester; others may be a publisher's own.
_OWN_WORDS = frozenset({"where", "expected", "counted"})

_PART = re.compile(r"\\\{(\w+)\\\}")


class _ActionText(NamedTuple):
    pattern: re.Pattern[str]
    english: str


def action_in_words(action: str, lang: Language) -> str:
    """Return the ``action`` of a finding in *lang*; a text that is not in the table as it is."""
    return action if lang == "nl" else _translate(action, _texts("text"))


def _translate(text: str, texts: Sequence[_ActionText]) -> str:
    for pattern, english in texts:
        if match := pattern.fullmatch(text):
            return english.format(**{name: _part(name, part) for name, part in match.groupdict().items()})
    return text


def _part(name: str, part: str) -> str:
    return _translate(part, _texts("part")) if name in _OWN_WORDS else part


@cache
def _texts(section: str) -> list[_ActionText]:
    """Return the texts of a section in the order of the table."""
    table = tomllib.loads(files(__package__).joinpath("actions.toml").read_text(encoding="utf-8"))
    return [_ActionText(_pattern(dutch), english) for dutch, english in table[section].items()]


def _pattern(dutch: str) -> re.Pattern[str]:
    """Return the pattern of a text, in which each {name} is any text."""
    return re.compile(_PART.sub(r"(?P<\1>.+?)", re.escape(dutch)), re.DOTALL)
