"""The record kind of documents that are published under the Woo (spider ``woo``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.search.periods import period
from woo_harvester.search.record_kind import RecordKind, Status


def _fields(record: Mapping[str, Any], status: Status) -> dict[str, Any]:
    """Return ``tekst`` with the text of all files, ``versies`` without it, and ``geldigheid`` as a range."""
    versions, texts = _without_text(record["versies"])
    found: dict[str, Any] = {"versies": versions}
    if texts and status is Status.GEPUBLICEERD:
        found["tekst"] = texts[0] if len(texts) == 1 else texts
    validity = (record.get("document") or {}).get("geldigheid") or {}
    if valid := period(validity.get("begindatum"), validity.get("einddatum")):
        found["geldigheid"] = valid
    return found


def _without_text(versions: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the versions without the text of their files, and the texts."""
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


WOO = RecordKind("woo", key="document", setting="WOO_ELASTICSEARCH_INDEX", mapping=2, fields=_fields)
