"""GeoJSON of permits (RFC 7946): a case is a Feature, at the coordinates of its object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

#: What stands before and after the Features of a FeatureCollection.
BEGIN, END = '{"type": "FeatureCollection", "features": [', "\n]}\n"


def feature_line(record: Mapping[str, Any], today: date, *, is_first: bool) -> str:
    """Return the Feature of a permit record as a line of a FeatureCollection, after the line before it."""
    separator = "\n" if is_first else ",\n"
    return separator + json.dumps(feature(record, today), ensure_ascii=False)


def feature(record: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return the Feature of a permit *record* (plain Python, absent values left out).

    The geometry is a Point or MultiPoint in WGS84, longitude first. It is null for a withdrawn case and for
    a case without coordinates. The properties are the rest of the record. Beside it ``lopend`` says whether
    the permit runs *today*, and ``einddatum`` is the last day of its period, for maps that read no deeper.
    """
    points = [[place["lon"], place["lat"]] for place in places(record)]
    properties = {key: value for key, value in record.items() if key != "id"} | _period(record, today)
    return {
        "type": "Feature",
        "id": record["id"],
        "geometry": _geometry(points),
        "properties": properties,
    }


def places(record: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return the coordinates of a case's object in WGS84: dicts of ``lat`` and ``lon`` in degrees."""
    given = record.get("vergunning", {}).get("object", {}).get("coordinaten", [])
    return [place["wgs84"] for place in given if "wgs84" in place]


def _period(record: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return whether a permit runs, and its last day; nothing if it has no period."""
    given = record.get("vergunning", {}).get("temporal", {})
    start, end = given.get("start"), given.get("end")
    if not start and not end:
        return {}
    day = today.isoformat()  # days of the record, as it is written, sort as text
    found: dict[str, Any] = {"lopend": (start or day) <= day <= (end or day)}
    return found | {"einddatum": end} if end else found


def _geometry(points: list[list[float]]) -> dict[str, Any] | None:
    if not points:
        return None
    if len(points) == 1:
        return {"type": "Point", "coordinates": points[0]}
    return {"type": "MultiPoint", "coordinates": points}
