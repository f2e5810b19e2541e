"""The permits in the search index: its fields, facets and metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import Facet, Metadata, Status, metadata_texts, period
from woo_harvester.permits.mapping import organisation_by_name
from woo_harvester.permits.record import places
from woo_harvester.tooi.lists import organisaties
from woo_harvester.tooi.values import normal_label, organisation_type

FACETS = (
    Facet("gemeente", "Gemeente", "gemeente"),
    Facet("product", "Soort vergunning", "vergunning.product.producttype"),
    Facet("fase", "Fase", "vergunning.termijn.fase", is_term=False),
    Facet("organisatie", "Organisatie", "vergunning.creator"),
)

_CASE = "vergunning"

METADATA = (
    Metadata(f"{_CASE}.product.producttype"),
    Metadata(f"{_CASE}.product.activiteit"),
    Metadata(f"{_CASE}.termijn.fase"),
    Metadata(f"{_CASE}.creator"),
    Metadata("gemeente"),
    Metadata(f"{_CASE}.spatial"),
    Metadata(f"{_CASE}.subject"),
    Metadata(f"{_CASE}.alternative"),
    Metadata(f"{_CASE}.actor.bedrijfsnaam"),
    Metadata(f"{_CASE}.object.referentienummer", is_code=True),
)

_GEMEENTE = "gemeente"


def fields(record: Mapping[str, Any], status: Status) -> dict[str, Any]:
    """Return municipalities as a facet, ``metadata``, places as points, and ``temporal`` as a range."""
    case = record["vergunning"]
    about = case.get("temporal", {})
    found = {
        "gemeente": gemeenten(case),
        "locatie": places(record),
        "temporal": period(about.get("start"), about.get("end")),
    }
    if status is Status.GEPUBLICEERD:
        found["metadata"] = metadata_texts(Kind.vergunningen, {**record, **found})
    return {key: value for key, value in found.items() if value}


def gemeenten(case: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the municipalities of a case, each once, with TOOI URI and label from the lists.

    They are those of its places (``spatial``) and addresses, or else the municipality that made the case. One
    that is not in the lists has its label, and the URI that the run found in the register, if there is one.
    """
    terms = list(_named(case)) or filter(None, [_gemeente(case.get("creator", {}))])
    found: dict[str, dict[str, str]] = {}
    for facet in map(_facet, terms):
        found.setdefault(facet.get("id") or normal_label(facet["label"]), facet)
    return list(found.values())


def _named(case: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield name and URI of each municipality that a case names; the URI is None if the record has none."""
    yield from filter(None, map(_gemeente, case.get("spatial", ())))
    for address in case.get("object", {}).get("adres", ()):
        if name := address.get("gemeente"):
            yield name, None


def _gemeente(term: Mapping[str, Any]) -> tuple[str, str | None] | None:
    """Return name and URI in a term if it is a municipality, or None."""
    is_one = term.get("scheme", "").casefold() == "overheid:gemeente" and term.get("label")
    return (term["label"], term.get("id")) if is_one else None


def _facet(term: tuple[str, str | None]) -> dict[str, str]:
    name, uri = term
    found = organisation_by_name(organisaties(), _GEMEENTE, name)
    if found is None or organisation_type(found.uri) != _GEMEENTE:  # some messages mislabel a province
        is_registered = organisation_type(uri or "") == _GEMEENTE
        return {"type": _GEMEENTE, "id": uri, "label": name} if uri and is_registered else {"label": name}
    return {"type": _GEMEENTE, "id": found.uri, "label": found.label}
