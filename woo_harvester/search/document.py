"""From a record to what the index holds of it.

A document in the index is the record as it is, with keys more at the top: ``status``, and those of its kind.
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
from woo_harvester.search.record_kind import RecordKind, Status

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Withdrawn(StrEnum):
    """What becomes of a document that was withdrawn (``WOO_ELASTICSEARCH_WITHDRAWN``)."""

    MARK = "mark"
    DELETE = "delete"

    @classmethod
    def _missing_(cls, value: object) -> Withdrawn:
        raise ValueError(f"WOO_ELASTICSEARCH_WITHDRAWN: expected mark or delete, got {value}")


@dataclass(slots=True)
class BulkAction:
    """One document on its way to the index, as lines of a bulk request."""

    id: str
    lines: bytes
    """The action and, unless it deletes, the document; each line ends with a line end."""


def bulk_action(kind: RecordKind, record: Mapping[str, Any], withdrawn: Withdrawn) -> BulkAction:
    """What is sent for *record*, in the shape of the output.

    Its version is the moment of its harvest, so that an older record never overwrites a newer one, and the
    same one may come again. Raises ValueError for what is no record of *kind*.
    """
    about = record.get(kind.key)
    if not isinstance(record.get("id"), str) or not record.get("versies") or not isinstance(about, Mapping):
        raise ValueError(f"expected a record, with an id, a version and {kind.key}")
    where = {"_id": record["id"], "version": version_of(record), "version_type": "external_gte"}
    if withdrawn is Withdrawn.DELETE and _status(record) is Status.INGETROKKEN:
        return BulkAction(record["id"], _line({"delete": where}))
    return BulkAction(record["id"], _line({"index": where}) + _line(document_of(kind, record)))


def document_of(kind: RecordKind, record: Mapping[str, Any]) -> dict[str, Any]:
    """The document of the index."""
    status = _status(record)
    return {**record, "status": status.value, **kind.fields(record, status)}


def version_of(record: Mapping[str, Any]) -> int:
    """Milliseconds since 1970 of ``herkomst.opgehaald``, by which the latest version is told; 0 without it.

    Records of one document or case are made one after another, by one run at a time, each of all that was
    known by then, and of a later moment than the one before, whatever the clock did. What publishers give has
    not that order. A document that is published again may bear a lastmod from before the moment at which its
    withdrawal was noticed. The messages of a case have an order
    (:class:`~woo_harvester.permits.mutations.Order`), but a transactieID of any length fits into no number,
    and an older message about a document makes a new record of its case.
    """
    moment = (record.get("herkomst") or {}).get("opgehaald")
    return _milliseconds(moment) if isinstance(moment, str) else 0


@lru_cache(maxsize=256)  # many records are of the same moment
def _milliseconds(moment: str) -> int:
    try:
        return max(0, (parse_datetime(moment) - _EPOCH) // _MILLISECOND)
    except ValueError:
        return 0


def _status(record: Mapping[str, Any]) -> Status:
    gone = record["versies"][-1].get("oorzaak") == Oorzaak.INTREKKING
    return Status.INGETROKKEN if gone else Status.GEPUBLICEERD


def _line(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
