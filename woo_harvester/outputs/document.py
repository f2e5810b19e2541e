"""The documents of a search index, made from records.

A document is the record itself, with more keys at the top level: ``status``, and those of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any

from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import Status, facet_values, facets, fields_of
from woo_harvester.record import Oorzaak, json_keys, record_type
from woo_harvester.utils.dates import parse_datetime

#: The bytes after which documents are written: far below the 100 MB that a server accepts.
BATCH_BYTES = 8 * 1024 * 1024

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_RECORD_KEYS = frozenset(key for kind in Kind for _, key in json_keys(record_type(kind)))


class Withdrawn(StrEnum):
    """The two ways to handle a withdrawn document: mark or delete it (``WOO_ELASTICSEARCH_WITHDRAWN``)."""

    MARK = "mark"
    DELETE = "delete"

    @classmethod
    def _missing_(cls, value: object) -> Withdrawn:
        raise ValueError(f"WOO_ELASTICSEARCH_WITHDRAWN: expected mark or delete, got {value}")


@dataclass(slots=True)
class BulkAction:
    """The change of one document in the index, as lines of a bulk request."""

    id: str
    lines: bytes
    """The action and, unless it is a delete, the document, each with a line end."""


def bulk_action(kind: Kind, record: Mapping[str, Any], withdrawn: Withdrawn) -> BulkAction:
    """Return the bulk action for *record*, a dict as in the output.

    Its version is the time of its harvest. So an older record never overwrites a newer one, and the same
    record may be written again. Raises ValueError if it is not a record of *kind*.
    """
    about = record.get(kind.key)
    if not isinstance(record.get("id"), str) or not record.get("versies") or not isinstance(about, Mapping):
        raise ValueError(f"expected a record, with an id, a version and {kind.key}")
    where = {"_id": record["id"], "version": version_number(record), "version_type": "external_gte"}
    if withdrawn is Withdrawn.DELETE and _status(record) is Status.INGETROKKEN:
        return BulkAction(record["id"], _line({"delete": where}))
    document = document_of(kind, record)
    if values := _facet_values(kind, document):
        document["facetten"] = values
    return BulkAction(record["id"], _line({"index": where}) + _line(document))


def document_of(kind: Kind, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document in the index for a record."""
    status = _status(record)
    return {**record, "status": status.value, **fields_of(kind, record, status)}


def record_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a search document: without the keys that the index adds, and without texts."""
    return {key: value for key, value in document.items() if key in _RECORD_KEYS}


def _facet_values(kind: Kind, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of each facet to filter on, and each with its label before it to count."""
    return {
        facet.name: {
            "waarde": [each.value for each in values],
            "paar": [each.pair for each in values],
        }
        for facet in facets(kind)
        if (values := facet_values(facet, document))
    }


def version_number(record: Mapping[str, Any]) -> int:
    """Return ``herkomst.opgehaald`` in milliseconds since 1970, or 0 if the record has none.

    The highest number is the latest version. Records of one document or case are made one after another, by
    one run at a time. Each includes all that was known then, and has a later time than the one before, even
    if the clock was set back.

    Dates of publishers have no such order. A document that is published again may have a lastmod from before
    its withdrawal was noticed. Messages do have an order, but that may be too long for a number, and an older
    message about a part makes a new record of the whole.
    """
    moment = (record.get("herkomst") or {}).get("opgehaald")
    return milliseconds_of(moment) if isinstance(moment, str) else 0


@lru_cache(maxsize=256)  # many records have the same time
def milliseconds_of(moment: str) -> int:
    """Return a date-time in milliseconds since 1970; 0 for an earlier one, or for what is no date-time."""
    try:
        return max(0, (parse_datetime(moment) - _EPOCH) // _MILLISECOND)
    except ValueError:
        return 0


def _status(record: Mapping[str, Any]) -> Status:
    gone = record["versies"][-1].get("oorzaak") == Oorzaak.INTREKKING
    return Status.INGETROKKEN if gone else Status.GEPUBLICEERD


def _line(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
