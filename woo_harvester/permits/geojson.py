"""GeoJSON of permits (RFC 7946): a case as a Feature, at the places of its object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def feature(record: Mapping[str, Any]) -> dict[str, Any]:
    """A Feature of a permit record as it is written (plain Python, absent values left out).

    Its geometry is a Point or MultiPoint in WGS84, longitude first, or null for a case without coordinates
    and a withdrawn one. Its properties are the rest of the record.
    """
    points = [[place["lon"], place["lat"]] for place in places(record)]
    properties = {key: value for key, value in record.items() if key != "id"}
    return {
        "type": "Feature",
        "id": record["id"],
        "geometry": _geometry(points),
        "properties": properties,
    }


def places(record: Mapping[str, Any]) -> list[dict[str, float]]:
    """Where the object of a case is, in WGS84, as ``lat`` and ``lon`` in degrees."""
    given = record.get("vergunning", {}).get("object", {}).get("coordinaten", [])
    return [place["wgs84"] for place in given if "wgs84" in place]


def _geometry(points: list[list[float]]) -> dict[str, Any] | None:
    if not points:
        return None
    if len(points) == 1:
        return {"type": "Point", "coordinates": points[0]}
    return {"type": "MultiPoint", "coordinates": points}
