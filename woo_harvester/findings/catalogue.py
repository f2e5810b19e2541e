"""Reads ``catalogue.toml``: what each code means, why it matters and how to fix it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

Language = Literal["nl", "en"]


class Severity(StrEnum):
    """The severity of a finding: what it costs the publisher."""

    ERROR = "error"
    """One document or more is not harvested."""
    WARNING = "warning"
    """Harvested with less than was meant, or something to look at."""
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The texts of one code in the catalogue, in one language."""

    code: str
    severity: Severity
    what: str
    """One sentence that says what was found."""
    why: str
    """The consequence for readers who look for the document."""
    mend: str
    """The change that the publisher must make."""
    source: str
    """The source of the rule: page and section of the guide, under its Dutch title, or the RFC."""


@cache
def explanations(lang: Language = "nl") -> Mapping[str, Explanation]:
    """Return all codes, in the order of the catalogue; raise ValueError if it lacks a text."""
    text = files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return MappingProxyType(read_catalogue(text, lang))


def read_catalogue(text: str, lang: Language) -> dict[str, Explanation]:
    """Return the explanations in a catalogue's TOML; raise ValueError for an incomplete entry."""
    return {code: _explanation(code, entry, lang) for code, entry in tomllib.loads(text).items()}


def explain(code: str, lang: Language = "nl") -> Explanation:
    """Return the explanation of a code; raise ValueError if the catalogue does not have it."""
    try:
        return explanations(lang)[code]
    except KeyError:
        raise ValueError(f"No finding {code!r} in findings/catalogue.toml") from None


def _explanation(code: str, entry: Mapping[str, Any], lang: Language) -> Explanation:
    # A source is the title of a Dutch page or an RFC: only what is neither has an English one.
    texts = entry if lang == "nl" else {"source": entry.get("source"), **entry.get(lang, {})}
    try:
        return Explanation(
            code=code,
            severity=Severity(entry["severity"]),
            **{name: _text(texts, name) for name in ("what", "why", "mend", "source")},
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"findings/catalogue.toml, {code} ({lang}): {error}") from error


def _text(texts: Mapping[str, Any], name: str) -> str:
    text = texts.get(name)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"expected a text for {name!r}, got {text!r}")
    return text
