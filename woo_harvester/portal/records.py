"""A record by its id, for its page and for the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from woo_harvester.dates import iso_datetime
from woo_harvester.portal.pages import DUTCH
from woo_harvester.portal.summaries import changed_at
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind, Status
from woo_harvester.search.woo import WOO

#: What a record is called, by the name of its kind.
_NOUNS = {WOO.name: "Dit document", PERMITS.name: "Deze vergunning"}


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """When a record was withdrawn, and a sentence about it."""

    since: str
    """The moment, as the record has it; empty if it has none."""
    text: str


async def document_by_id(request: Request, kind: RecordKind) -> Mapping[str, Any]:
    """Return the search document whose id is in the path. Raises HTTPException 404 if there is none."""
    engine, record_id = request.app.state.engine, request.path_params["id"]
    found: Mapping[str, Any] | None = await request.app.state.asking(request, engine.get, kind, record_id)
    if found is None:
        noun = "het document" if kind == WOO else "de vergunning"
        raise HTTPException(404, f"Er is hier niets met dit kenmerk. Kijk of het adres van {noun} klopt.")
    return found


def withdrawal_of(kind: RecordKind, document: Mapping[str, Any]) -> Withdrawal | None:
    """Return the withdrawal of a record, or None if the record is published."""
    if document.get("status") != Status.INGETROKKEN:
        return None
    moment = changed_at(document)
    since = iso_datetime(moment) if moment else ""
    day = f" sinds {DUTCH.day(since)}" if since else ""
    return Withdrawal(since, f"{_NOUNS[kind.name]} is{day} ingetrokken.")
