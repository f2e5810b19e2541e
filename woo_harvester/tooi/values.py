"""Concepts and waardelijsten: from URI to label and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: Characters that publishers write for an apostrophe: word processors make it a quotation mark.
_APOSTROPHES = dict.fromkeys(
    map(ord, "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\u00b4`"), "'"
)


@dataclass(frozen=True, slots=True)
class Concept:
    """A value of a list. The label is empty if only the URI is known."""

    uri: str
    label: str


def normal_label(text: str) -> str:
    """Return a label in the form for comparison.

    Letter case, white space and the kind of apostrophe make no difference.
    """
    composed = unicodedata.normalize("NFC", text.translate(_APOSTROPHES).casefold())
    return " ".join(composed.split())


class ValueList:
    """A TOOI waardelijst: its concepts in the order of the list, found by URI or label.

    ``unknown`` is the concept for a value that the list does not have; some lists have no such concept.
    """

    def __init__(self, name: str, concepts: Iterable[Concept], unknown: Concept | None = None) -> None:
        self.name = name
        self.unknown = unknown
        self._by_uri = {concept.uri: concept for concept in concepts}
        self._by_label: dict[str, Concept | None] = {}
        for concept in self:
            label = normal_label(concept.label)
            # A label of two concepts identifies neither: there were two ministries of Economische Zaken.
            self._by_label[label] = None if label in self._by_label else concept

    def __iter__(self) -> Iterator[Concept]:
        return iter(self._by_uri.values())

    def __len__(self) -> int:
        return len(self._by_uri)

    def __repr__(self) -> str:
        return f"<ValueList {self.name}: {len(self)} values>"

    def __getitem__(self, uri: str) -> Concept:
        """Return the concept with exactly this URI. Raises KeyError if the list does not have it."""
        return self._by_uri[uri]

    def by_uri(self, uri: str) -> Concept | None:
        """Return the concept with this URI, or None. The EU's http URIs are also found with https."""
        if uri.startswith("https://publications.europa.eu/"):
            uri = uri.replace("https", "http", 1)
        return self._by_uri.get(uri)

    def by_label(self, label: str) -> Concept | None:
        """Return the only concept with this label, or None. Labels are compared by ``normal_label``."""
        return self._by_label.get(normal_label(label))
