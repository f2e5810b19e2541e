"""The value of a facet that a person names by its label, and the label of a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from woo_harvester.permits.values import organisation_by_name
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO
from woo_harvester.tooi.lists import documentsoorten, filetypes, informatiecategorieen, organisaties, themas
from woo_harvester.tooi.values import ValueList


def chosen_value(kind: RecordKind, name: str, text: str) -> str:
    """Return the value that a question chooses of a facet: the URI for a label of the value lists.

    A text that the lists do not have is a value itself: a URI, or the label of a value that has none.
    """
    if (kind, name) == (PERMITS, _MUNICIPALITY):
        found = organisation_by_name(organisaties(), _MUNICIPALITY, text)
    else:
        values = _LISTS.get((kind.name, name))
        found = values().by_label(text) if values else None
    return found.uri if found else text


def chosen_label(kind: RecordKind, name: str, value: str) -> str:
    """Return the label of a value of a facet in the value lists; the value itself if they do not have it."""
    values = _LISTS.get((kind.name, name))
    found = values().by_uri(value) if values else None
    return found.label if found else value


_MUNICIPALITY = "gemeente"

_LISTS: Mapping[tuple[str, str], Callable[[], ValueList]] = {
    (WOO.name, "informatiecategorie"): informatiecategorieen,
    (WOO.name, "documentsoort"): documentsoorten,
    (WOO.name, "thema"): themas,
    (WOO.name, "organisatie"): organisaties,
    (WOO.name, "publisher"): organisaties,
    (WOO.name, "bestandstype"): filetypes,
    (PERMITS.name, _MUNICIPALITY): organisaties,
}
