"""Concepts and value lists: URI to label and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: What stands for an apostrophe in labels: word processors make it a quotation mark, keyboards an accent.
_APOSTROPHES = dict.fromkeys(
    map(ord, "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\u00b4`"), "'"
)


@dataclass(frozen=True, slots=True)
class Concept:
    """A value of a list. The label is empty where only a URI is known of it."""

    uri: str
    label: str


def normal_label(text: str) -> str:
    """The text as labels are compared: letter case, white space and kind of apostrophe make no difference."""
    composed = unicodedata.normalize("NFC", text.translate(_APOSTROPHES).casefold())
    return " ".join(composed.split())


class ValueList:
    """A TOOI value list: its concepts in the order of the list, found by URI or label.

    ``unknown`` is the concept that stands for a value that the list does not have; not all lists have one.
    """

    def __init__(self, name: str, concepts: Iterable[Concept], unknown: Concept | None = None) -> None:
        self.name = name
        self.unknown = unknown
        self._by_uri = {concept.uri: concept for concept in concepts}
        self._by_label: dict[str, Concept | None] = {}
        for concept in self:
            label = normal_label(concept.label)
            # A label of two concepts tells neither: there were two ministries of Economische Zaken.
            self._by_label[label] = None if label in self._by_label else concept

    def __iter__(self) -> Iterator[Concept]:
        return iter(self._by_uri.values())

    def __len__(self) -> int:
        return len(self._by_uri)

    def __repr__(self) -> str:
        return f"<ValueList {self.name}: {len(self)} values>"

    def __getitem__(self, uri: str) -> Concept:
        """The concept with exactly this URI; raises KeyError where the list does not have it."""
        return self._by_uri[uri]

    def by_uri(self, uri: str) -> Concept | None:
        """The concept with exactly this URI, or None; https counts for the http of the EU's URIs."""
        if uri.startswith("https://publications.europa.eu/"):
            uri = uri.replace("https", "http", 1)
        return self._by_uri.get(uri)

    def by_label(self, label: str) -> Concept | None:
        """The only concept with this label, compared as ``normal_label`` does, or None."""
        return self._by_label.get(normal_label(label))
