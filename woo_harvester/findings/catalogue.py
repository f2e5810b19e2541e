"""Reads ``catalogue.toml``: what each code means, why it matters and how to mend it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType


class Severity(StrEnum):
    """How much a finding costs the publisher."""

    ERROR = "error"
    """One document or more is not harvested."""
    WARNING = "warning"
    """Harvested with less than was meant, or something to look at."""
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the catalogue says of one code, in Dutch."""

    code: str
    severity: Severity
    what: str
    """What was found, one sentence."""
    why: str
    """What it costs: the consequence for finding the document."""
    mend: str
    """What to change."""
    source: str
    """The rule's place: page and section of the guide, or the RFC."""


@cache
def explanations() -> Mapping[str, Explanation]:
    """All codes, in the order of the catalogue."""
    text = files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            code: Explanation(code=code, severity=Severity(entry.pop("severity")), **entry)
            for code, entry in tomllib.loads(text).items()
        }
    )


def explain(code: str) -> Explanation:
    """The explanation of a code; raises ValueError for one that the catalogue does not have."""
    try:
        return explanations()[code]
    except KeyError:
        raise ValueError(f"No finding {code!r} in findings/catalogue.toml") from None
