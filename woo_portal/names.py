"""Names that mean the same, and the organisations that have a name."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from woo_harvester.tooi.lists import organisaties
from woo_portal.dutch import normalized

#: What people leave out of the name of an organisation.
_KIND = re.compile("^(?:gemeente|provincie|waterschap|ministerie)(?: van| voor)? ")
_PLACE = re.compile(r" \([^)]*\)$")
#: The registered abbreviations, as names: each with the URI and the name of the organisations that have it.
_abbreviations: dict[str, dict[str, str]] = {}


def learn(registered: Iterable[tuple[str | None, str, str | None]]) -> None:
    """Take over URI, name and abbreviation of each organisation of the register."""
    _abbreviations.clear()
    for uri, name, abbreviation in registered:
        if uri and abbreviation:
            listed = organisaties().by_uri(uri)
            _abbreviations.setdefault(normalized(abbreviation), {})[uri] = listed.label if listed else name


def other_names(name: str) -> tuple[str, ...]:
    """Return the other names of what has a *name*."""
    asked = normalized(name)
    found = dict.fromkeys([*_same().get(asked, ()), *_abbreviations.get(asked, {}).values()])
    return tuple(each for each in found if normalized(each) != asked)


def organisations_named(text: str) -> tuple[str, ...]:
    """Return the URIs of the organisations that *text* names: with or without their kind, or abbreviated."""
    asked = " ".join(normalized(text).split())
    known = [
        uri for each in (asked, *other_names(asked)) for uri in _organisations().get(normalized(each), ())
    ]
    return tuple(dict.fromkeys([*known, *_abbreviations.get(asked, ())]))


@cache
def with_spaces() -> str:
    """Return the pattern of the names of the table that have spaces."""
    return "|".join(re.escape(name) for name in sorted(_same(), key=len, reverse=True) if " " in name)


@cache
def _same() -> dict[str, list[str]]:
    """Return the names of the table, each with all names of the same."""
    with files(__package__).joinpath("names.csv").open(encoding="utf-8") as file:
        return {normalized(name): names for names in csv.reader(file) for name in names}


@cache
def _organisations() -> dict[str, list[str]]:
    """Return the URIs of the value lists by each name that people use."""
    found: dict[str, list[str]] = {}
    for each in organisaties():
        whole = normalized(each.label)
        short = _PLACE.sub("", whole)
        for name in {whole, short, _KIND.sub("", whole), _KIND.sub("", short)}:
            found.setdefault(name, []).append(each.uri)
    return found
