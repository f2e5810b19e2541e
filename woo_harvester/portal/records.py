"""A record by its id, for its page and for the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from woo_harvester.dates import iso_datetime
from woo_harvester.portal.dutch import day
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
    engine, record_id = request.app.state.engine, str(request.path_params["id"])
    found: Mapping[str, Any] | None = await request.app.state.asking(request, engine.get, kind, record_id)
    if found is None:
        raise HTTPException(404, f"{_NOUNS[kind.name]} is hier niet bekend.")
    return found


def withdrawal_of(kind: RecordKind, document: Mapping[str, Any]) -> Withdrawal | None:
    """Return the withdrawal of a record, or None if the record is published."""
    if document.get("status") != Status.INGETROKKEN:
        return None
    moment = changed_at(document)
    since = iso_datetime(moment) if moment else ""
    when = f" sinds {day(since)}" if since else ""
    return Withdrawal(since, f"{_NOUNS[kind.name]} is{when} ingetrokken.")
