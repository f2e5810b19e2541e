"""The facets of a search: the fields to filter on, whose values come with their counts.

Source: seed 003, section "Weergave en filtering op portaal": a portal filters only on what the publisher
gave. A default value (``herkomst.standaardwaarden``) is shown, and is neither filtered on nor counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO

#: The most values of a facet that an answer counts: those with the most hits.
MAX_COUNTS = 200

#: What the index puts between the label and the value of a facet; no label has it.
_LABEL_END = "\x1f"


@dataclass(frozen=True, slots=True)
class Facet:
    """A field to filter on."""

    name: str
    """The name in addresses and in the API."""
    label: str
    """The heading on a page, in Dutch."""
    path: str
    """The path of the field in the search document, without ``[]``."""
    is_term: bool = True
    """Whether its values are terms with ``id`` and ``label``; else they are texts."""
    may_be_default: bool = False
    """Whether ``herkomst.standaardwaarden`` can name the path, so that the value is not the publisher's."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a facet: what a filter chooses, and what is shown."""

    value: str
    """The URI, or the label of a value that has none."""
    label: str

    @property
    def pair(self) -> str:
        """Label and value as one text, by which an index counts."""
        return f"{self.label}{_LABEL_END}{self.value}"

    @classmethod
    def of_pair(cls, pair: str) -> Self:
        """Return the value that was made into this text."""
        label, _, value = pair.partition(_LABEL_END)
        return cls(value, label)


_CLASSIFICATION = "document.classificatiecollectie"

FACETS: Mapping[str, Sequence[Facet]] = {
    WOO.name: (
        Facet("informatiecategorie", "Informatiecategorie", f"{_CLASSIFICATION}.informatiecategorieen",
              may_be_default=True),
        Facet("documentsoort", "Documentsoort", f"{_CLASSIFICATION}.documentsoorten"),
        Facet("thema", "Thema", f"{_CLASSIFICATION}.themas"),
        Facet("organisatie", "Organisatie", "document.verantwoordelijke", may_be_default=True),
        Facet("publisher", "Gepubliceerd door", "document.publisher", may_be_default=True),
        Facet("bestandstype", "Bestandstype", "document.format", may_be_default=True),
    ),
    PERMITS.name: (
        Facet("gemeente", "Gemeente", "gemeente"),
        Facet("product", "Soort vergunning", "vergunning.product.producttype"),
        Facet("fase", "Fase", "vergunning.termijn.fase", is_term=False),
        Facet("organisatie", "Organisatie", "vergunning.creator"),
    ),
}  # fmt: skip


def facets(kind: RecordKind) -> Sequence[Facet]:
    """Return the facets of records of *kind*, in the order in which they are shown."""
    return FACETS[kind.name]


def facet_values(facet: Facet, document: Mapping[str, Any]) -> list[FacetValue]:
    """Return the values of *facet* in a search document, each once; none for a default value."""
    defaults = (document.get("herkomst") or {}).get("standaardwaarden") or {}
    if facet.may_be_default and facet.path in defaults and facet.name != "bestandstype":
        return []
    found: dict[str, FacetValue] = {}
    for given in values_at(document, facet.path):
        if facet.is_term:
            label = given.get("label") or given.get("id")
            value = given.get("id") or label
        else:
            label = value = given
        if value:
            found.setdefault(value, FacetValue(value, label))
    return list(found.values())


def values_at(document: Mapping[str, Any], path: str) -> Iterator[Any]:
    """Yield the values at a dotted path; a list on the way gives those of each of its members."""
    level: list[Any] = [document]
    for name in path.split("."):
        below: list[Any] = []
        for part in level:
            value = part.get(name) if isinstance(part, (dict, Mapping)) else None  # dict first: it is quick
            if isinstance(value, list):
                below += value
            elif value is not None:
                below.append(value)
        level = below
    yield from level
