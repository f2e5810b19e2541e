"""What feeds, lists and maps show of a record, whichever kind it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from woo_harvester.dates import parse_datetime
from woo_harvester.search.facets import values_at
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO


@dataclass(frozen=True, slots=True)
class Summary:
    """A record in a few values. A text that the record does not have is empty."""

    title: str
    description: str
    source: str
    """The URL at the publisher."""
    path: str
    """The path of its page in the portal."""
    organisation: str
    changed: datetime | None
    """The moment of its version."""
    published: str
    """The day on which it was made public, as YYYY-MM-DD."""
    terms: tuple[tuple[str, str], ...]
    """What it is about: URI, or label of a value that has none, and label."""


def summary_of(kind: RecordKind, record: Mapping[str, Any]) -> Summary:
    """Return the summary of a record or of its search document."""
    return _SUMMARIES[kind.name](record)


def changed_at(record: Mapping[str, Any]) -> datetime | None:
    """Return the moment of the version of a record; of a withdrawn one, of its withdrawal."""
    given = [*values_at(record, "versies.mutatiedatumtijd"), *values_at(record, "herkomst.opgehaald")]
    for text in given:
        try:
            return parse_datetime(text)
        except (TypeError, ValueError):  # a file that the operator gave may be of other software
            continue
    return None


def first(record: Mapping[str, Any], path: str) -> str:
    """Return the first value at a dotted path as a text, or an empty text."""
    return str(next(values_at(record, path), ""))


def _document(record: Mapping[str, Any]) -> Summary:
    source = first(record, "document.weblocatie")
    return Summary(
        title=first(record, "document.titelcollectie.officieleTitel") or "Onbekend",
        description=first(record, "document.omschrijvingen"),
        source=source,
        path=f"/document/{record['id']}",
        organisation=first(record, "document.verantwoordelijke.label")
        or first(record, "document.publisher.label"),
        changed=changed_at(record),
        published=first(record, "versies.openbaarmakingsdatum"),
        terms=_terms(values_at(record, "document.classificatiecollectie.informatiecategorieen")),
    )


def _permit(record: Mapping[str, Any]) -> Summary:
    source = first(record, "vergunning.identifier")
    return Summary(
        title=first(record, "vergunning.title") or source,
        description=first(record, "vergunning.description"),
        source=source,
        path=f"/vergunning/{record['id']}",
        organisation=first(record, "vergunning.creator.label"),
        changed=changed_at(record),
        published="",
        terms=_terms(values_at(record, "vergunning.product.producttype")),
    )


def _terms(values: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    found = ((value.get("id") or value.get("label"), value.get("label")) for value in values)
    return tuple((str(term or label), str(label or term)) for term, label in found if term or label)


_SUMMARIES: Mapping[str, Callable[[Mapping[str, Any]], Summary]] = {
    WOO.name: _document,
    PERMITS.name: _permit,
}
