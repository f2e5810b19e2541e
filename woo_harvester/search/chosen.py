"""The value of a facet that a person names by its label."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from woo_harvester.permits.values import organisation_by_name
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO
from woo_harvester.tooi.lists import documentsoorten, filetypes, informatiecategorieen, organisaties, themas
from woo_harvester.tooi.values import Concept

_Lookup = Callable[[str], Concept | None]


def chosen_value(kind: RecordKind, name: str, text: str) -> str:
    """Return the value that a question chooses of a facet: the URI for a label of the value lists.

    A text that the lists do not have is a value itself: a URI, or the label of a value that has none.
    """
    lookup = _LOOKUPS.get((kind.name, name))
    found = lookup(text) if lookup else None
    return found.uri if found else text


def _municipality(text: str) -> Concept | None:
    return organisation_by_name(organisaties(), "gemeente", text)


_LOOKUPS: Mapping[tuple[str, str], _Lookup] = {
    (WOO.name, "informatiecategorie"): lambda text: informatiecategorieen().by_label(text),
    (WOO.name, "documentsoort"): lambda text: documentsoorten().by_label(text),
    (WOO.name, "thema"): lambda text: themas().by_label(text),
    (WOO.name, "organisatie"): lambda text: organisaties().by_label(text),
    (WOO.name, "publisher"): lambda text: organisaties().by_label(text),
    (WOO.name, "bestandstype"): lambda text: filetypes().by_label(text),
    (PERMITS.name, "gemeente"): _municipality,
}
