"""The index of permits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from woo_harvester.permits.geojson import places
from woo_harvester.permits.values import public_body
from woo_harvester.search.periods import period
from woo_harvester.search.record_kind import RecordKind, Status
from woo_harvester.tooi.organisations import organisation_type
from woo_harvester.tooi.values import normal_label

_GEMEENTE = "gemeente"


def _fields(record: Mapping[str, Any], status: Status) -> dict[str, Any]:
    """Municipalities as a facet, places as points, and ``temporal`` as a range, as far as there are any."""
    case = record["vergunning"]
    about = case.get("temporal", {})
    found = {
        "gemeente": gemeenten(case),
        "locatie": places(record),
        "temporal": period(about.get("start"), about.get("end")),
    }
    return {key: value for key, value in found.items() if value}


def gemeenten(case: Mapping[str, Any]) -> list[dict[str, str]]:
    """The municipalities that a case is in, each once, with the TOOI URI and label that the lists have.

    By its places (``spatial``) and addresses; where those do not tell, the municipality that made it. One
    that the lists do not have bears its name alone.
    """
    names = list(_named(case)) or filter(None, [_gemeente(case.get("creator", {}))])
    found: dict[str, dict[str, str]] = {}
    for facet in map(_facet, names):
        found.setdefault(facet.get("id") or normal_label(facet["label"]), facet)
    return list(found.values())


def _named(case: Mapping[str, Any]) -> Iterator[str]:
    for term in case.get("spatial", ()):
        if label := _gemeente(term):
            yield label
    for address in case.get("object", {}).get("adres", ()):
        if name := address.get("gemeente"):
            yield name


def _gemeente(term: Mapping[str, Any]) -> str | None:
    """The name of the municipality that a term is, if it is one."""
    is_one = term.get("scheme", "").casefold() == "overheid:gemeente"
    return term.get("label") if is_one else None


def _facet(name: str) -> dict[str, str]:
    body = public_body(_GEMEENTE, name)
    if body is None or organisation_type(body.uri) != _GEMEENTE:  # a province that is called a municipality
        return {"label": name}
    return {"type": _GEMEENTE, "id": body.uri, "label": body.label}


PERMITS = RecordKind(
    "vergunningen", key="vergunning", setting="WOO_ELASTICSEARCH_PERMITS_INDEX", mapping=1, fields=_fields
)
