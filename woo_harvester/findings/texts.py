"""Texts about findings in the words of a language: what the harvester did and saw (``actions.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from woo_harvester.findings.catalogue import Language
from woo_harvester.kinds import others

#: The parts that are words of the harvester; others may be a publisher's own.
_OWN_WORDS = frozenset({"where", "expected", "counted"})

_PART = re.compile(r"\\\{(\w+)\\\}")


class _ActionText(NamedTuple):
    pattern: re.Pattern[str]
    english: str


def action_in_words(action: str, lang: Language) -> str:
    """Return the ``action`` of a finding in *lang*; a text that is not in the table as it is."""
    return action if lang == "nl" else _translate(action, _action_texts("text"))


def _translate(text: str, texts: Sequence[_ActionText]) -> str:
    for pattern, english in texts:
        if match := pattern.fullmatch(text):
            return english.format(**{name: _part(name, part) for name, part in match.groupdict().items()})
    return text


def _part(name: str, part: str) -> str:
    return _translate(part, _action_texts("part")) if name in _OWN_WORDS else part


@cache
def _action_texts(section: str) -> list[_ActionText]:
    """Return the texts of a section in the order of the table."""
    table = tomllib.loads(files(__package__).joinpath("actions.toml").read_text(encoding="utf-8"))
    return [_ActionText(_pattern(dutch), english) for dutch, english in table[section].items()]


def _pattern(dutch: str) -> re.Pattern[str]:
    """Return the pattern of a text, in which each {name} is any text."""
    return re.compile(_PART.sub(r"(?P<\1>.+?)", re.escape(dutch)), re.DOTALL)


#: The areas of findings about files and connections. Of others, what was seen is a publisher's own text.
_AREAS = frozenset({"document", "host", "index", "oogst", "register", "robots", "sitemap", "tls"})


class _SeenText(NamedTuple):
    pattern: re.Pattern[str]
    words: Mapping[str, str]
    """The words in each language; a language that is not there has the text itself."""


def is_about_message(code: str) -> bool:
    """Return whether a finding is about the files of another kind than documents: messages."""
    return code.startswith(tuple(others("prefix")))


def in_words(code: str, seen: str, lang: Language) -> str:
    """Return what a finding saw in the words of *lang*; a text that is not in the table as it is."""
    if code.partition(".")[0] not in _AREAS and not is_about_message(code):
        return seen
    return _words(seen, lang)


def certificate_fault(code: int | None) -> str | None:
    """Return what is wrong with a certificate by OpenSSL's number, in Dutch; None for another number."""
    fault = _table()["certificate"].get(str(code))
    return None if fault is None else str(fault["nl"])


#: OpenSSL's numbers for a certificate whose issuer is not trusted.
_UNKNOWN_ISSUER = ("18", "19", "20", "21")


def is_unknown_issuer(seen: str) -> bool:
    """Return whether a finding saw a certificate whose issuer is not trusted, in whatever language."""
    faults = (_table()["certificate"][number] for number in _UNKNOWN_ISSUER)
    return any(seen.startswith(text) for fault in faults for text in fault.values())


def _words(text: str, lang: Language) -> str:
    for pattern, words in _seen_texts():
        if match := pattern.fullmatch(text):
            return words[lang].format(**match.groupdict()) if lang in words else text
    return text


@cache
def _seen_texts() -> list[_SeenText]:
    """Return the texts in the order of the table, those about certificates last."""
    table = _table()
    texts = [_SeenText(re.compile(each["pattern"], re.DOTALL), each) for each in table["text"]]
    for fault in table["certificate"].values():
        pattern = re.compile(re.escape(fault["nl"]) + r"(?P<own> \(.*\))?", re.DOTALL)
        texts.append(_SeenText(pattern, {"en": fault["en"]}))
    return texts


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("seen.toml").read_text(encoding="utf-8"))
