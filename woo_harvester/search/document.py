"""From a record to what the index holds of it.

A document in the index is the record as it is, with keys more at the top: ``status``, ``tekst`` and, where
the record tells it, ``geldigheid`` as a range that can be searched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any

from woo_harvester.dates import parse_datetime
from woo_harvester.record import Oorzaak

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


class Status(StrEnum):
    """Whether a document is still published."""

    GEPUBLICEERD = "gepubliceerd"
    INGETROKKEN = "ingetrokken"


class Withdrawn(StrEnum):
    """What becomes of a document that was withdrawn (``WOO_ELASTICSEARCH_WITHDRAWN``)."""

    MARK = "mark"
    DELETE = "delete"


@dataclass(slots=True)
class Action:
    """One document on its way to the index, as lines of a bulk request."""

    id: str
    lines: bytes
    """The action and, unless it deletes, the document; each line ends with a line end."""
    deletes: bool = False


def action_of(record: Mapping[str, Any], withdrawn: Withdrawn) -> Action:
    """What is sent for *record*, in the shape of the output.

    Its version is the moment of its harvest, so that an older record never overwrites a newer one, and the
    same one may come again. Raises ValueError for what is no record.
    """
    if not isinstance(record.get("id"), str) or not record.get("versies"):
        raise ValueError("expected a record, with an id and a version")
    where = {"_id": record["id"], "version": version_of(record), "version_type": "external_gte"}
    if withdrawn is Withdrawn.DELETE and _status(record) is Status.INGETROKKEN:
        return Action(record["id"], _line({"delete": where}), deletes=True)
    return Action(record["id"], _line({"index": where}) + _line(document_of(record)))


def document_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The document of the index; its ``tekst`` is that of all files, which do not keep theirs."""
    status = _status(record)
    versions, texts = _without_text(record["versies"])
    document = {**record, "versies": versions, "status": status.value}
    if texts and status is Status.GEPUBLICEERD:
        document["tekst"] = texts[0] if len(texts) == 1 else texts
    if period := _period((record.get("document") or {}).get("geldigheid")):
        document["geldigheid"] = period
    return document


def version_of(record: Mapping[str, Any]) -> int:
    """Milliseconds since 1970 of ``herkomst.opgehaald``, by which the latest version is told; 0 without it.

    The lastmod would not do: a document that is published again may bear a lastmod from before the moment at
    which its withdrawal was noticed.
    """
    moment = (record.get("herkomst") or {}).get("opgehaald")
    return _milliseconds(moment) if isinstance(moment, str) else 0


@lru_cache(maxsize=256)  # many records are of the same moment
def _milliseconds(moment: str) -> int:
    try:
        return max(0, (parse_datetime(moment) - EPOCH) // MILLISECOND)
    except ValueError:
        return 0


def _status(record: Mapping[str, Any]) -> Status:
    gone = record["versies"][-1].get("oorzaak") == Oorzaak.INTREKKING
    return Status.INGETROKKEN if gone else Status.GEPUBLICEERD


def _without_text(versions: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """The versions without the text of their files, and the texts."""
    texts = [
        file["tekst"] for version in versions for file in version.get("bestanden", ()) if "tekst" in file
    ]
    if not texts:
        return versions, texts
    return [
        {
            **version,
            "bestanden": [
                {key: value for key, value in file.items() if key != "tekst"}
                for file in version.get("bestanden", ())
            ],
        }
        for version in versions
    ], texts


def _period(validity: Mapping[str, str] | None) -> dict[str, str] | None:
    """A range of dates; None where it has no end at all, or ends before it begins, which no index takes."""
    begin, end = (validity or {}).get("begindatum"), (validity or {}).get("einddatum")
    if begin and end and parse_datetime(begin) > parse_datetime(end):
        return None
    return {key: day for key, day in (("gte", begin), ("lte", end)) if day} or None


def _line(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
