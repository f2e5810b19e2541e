"""The fields of a search document that a text is searched in, and how much each of them counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO


@dataclass(frozen=True, slots=True)
class TextField:
    """A field whose words are searched. Its analyzers are those of ``analysis.json``."""

    path: str
    """The path in the search document, without ``[]``."""
    stems: str
    """The path in the index of the words without endings (analyzer ``stam``)."""
    exact: str
    """The path of the words as they stand (``exact``), for phrases."""
    parts: str
    """The path of the parts of compounds (``delen``)."""
    boost: float
    """How much a word in this field counts. A part of a compound counts for a third."""


def _text(path: str, boost: float) -> TextField:
    return TextField(path, path, f"{path}.exact", f"{path}.delen", boost)


def _keyword(path: str, boost: float) -> TextField:
    """Return a field that the index has as a keyword too."""
    return TextField(path, f"{path}.stam", f"{path}.exact", f"{path}.delen", boost)


_TITLES = "document.titelcollectie"
_PRODUCT = "vergunning.product"

_FIELDS: Mapping[str, Sequence[TextField]] = {
    WOO.name: (
        _text(f"{_TITLES}.officieleTitel", 6),
        _text(f"{_TITLES}.verkorteTitels", 4),
        _text(f"{_TITLES}.alternatieveTitels", 4),
        _text("document.omschrijvingen", 3),
        _keyword("document.classificatiecollectie.trefwoorden", 3),
        _text("tekst", 2),
    ),
    PERMITS.name: (
        _text("vergunning.title", 6),
        _text("vergunning.description", 3),
        _keyword(f"{_PRODUCT}.producttype.label", 3),
        _keyword(f"{_PRODUCT}.activiteit.label", 3),
        _text("documenten.title", 2),
        _text("documenten.description", 1),
        _keyword("vergunning.actor.bedrijfsnaam", 2),
    ),
}
#: The share of a field's boost that a part of a compound counts for.
PARTS_SHARE = 1 / 3


def text_fields(kind: RecordKind) -> Sequence[TextField]:
    """Return the searched fields of records of *kind*, the title first.

    A word is found in a field if all its stems are there, or all among its parts of compounds. A phrase is
    found if its words stand there one after another, as they are.
    """
    return _FIELDS[kind.name]


def title_field(kind: RecordKind) -> TextField:
    """Return the field of the title that is shown."""
    return text_fields(kind)[0]


#: The date by which hits are sorted, by the name of the kind, and the fields of the periods of a question.
SORT_DATES: Mapping[str, str] = {
    WOO.name: "versies.openbaarmakingsdatum",
    PERMITS.name: "versies.mutatiedatumtijd",
}
PERIOD_FIELDS: Mapping[str, str] = {
    "openbaarmakingsdatum": "versies.openbaarmakingsdatum",
    "mutatiedatumtijd": "versies.mutatiedatumtijd",
    "creatiedatum": "document.creatiedatum",
}
