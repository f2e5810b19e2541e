"""Find the value of a waardelijst that a misspelt label stands for."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache

from woo_harvester.tooi.organisations import organisation_type
from woo_harvester.tooi.values import Concept, ValueList, normal_label

#: How alike two labels must be, 0 to 1.
_CUTOFF = 0.8

#: Longest label that is compared, in characters.
_MAXLENGTH = 120

#: Fewest characters of a label that may be only the beginning of another one.
_LEAST_BEGINNING = 5

_NO_WORD = re.compile(r"[\W_]+")


@lru_cache(maxsize=1024)
def nearest_value(values: ValueList, label: str) -> Concept | None:
    """Return the value that *label* begins, if that is one only, else the one with the most similar label.

    None if no label is like it, or if the list has exactly this label.
    """
    plain = _plain(label)
    if not plain or len(plain) > _MAXLENGTH or values.by_label(label) is not None:
        return None
    labels = _labels(values)
    begun = {concept for text, concept in labels.items() if text.startswith(plain)}
    if len(begun) == 1 and len(plain) >= _LEAST_BEGINNING:
        return begun.pop()
    close = get_close_matches(plain, labels, n=1, cutoff=_CUTOFF)
    return labels[close[0]] if close else None


@lru_cache(maxsize=32)
def _labels(values: ValueList) -> dict[str, Concept]:
    """Return the values by their plain label; an organisation also by its label without its kind."""
    labels: dict[str, Concept] = {}
    short: dict[str, list[Concept]] = {}
    for concept in values:
        if values.unknown is None or concept.uri != values.unknown.uri:
            plain, kind = _plain(concept.label), organisation_type(concept.uri)
            labels[plain] = concept
            if kind and plain.startswith(f"{kind} "):
                short.setdefault(plain.removeprefix(f"{kind} "), []).append(concept)
    return {name: found[0] for name, found in short.items() if len(found) == 1} | labels


def _plain(label: str) -> str:
    """Return a label in the form for comparison, with one space for all that is no letter or digit."""
    return _NO_WORD.sub(" ", normal_label(label)).strip()
