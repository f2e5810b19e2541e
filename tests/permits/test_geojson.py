from __future__ import annotations

from typing import Any

from woo_harvester.permits.geojson import feature


def record(*places: dict[str, Any]) -> dict[str, Any]:
    case = {"identifier": "https://www.voorbeeldstad.nl/zaken/1", "object": {"coordinaten": list(places)}}
    return {"id": "1-2-3", "vergunning": case, "versies": [{"oorzaak": "aanlevering"}]}


PLACE = {"x-waarde": 155000.0, "wgs84": {"lat": 52.1, "lon": 5.3}}
OTHER = {"wgs84": {"lat": 53.1, "lon": 6.3}}


def test_a_case_with_one_place_is_a_point_with_the_longitude_first() -> None:
    given = record(PLACE)
    assert feature(given) == {
        "type": "Feature",
        "id": "1-2-3",
        "geometry": {"type": "Point", "coordinates": [5.3, 52.1]},
        "properties": {"vergunning": given["vergunning"], "versies": [{"oorzaak": "aanlevering"}]},
    }


def test_a_case_with_several_places_is_a_multipoint() -> None:
    geometry = feature(record(PLACE, {"x-waarde": 0.0}, OTHER))["geometry"]
    assert geometry == {"type": "MultiPoint", "coordinates": [[5.3, 52.1], [6.3, 53.1]]}


def test_a_case_without_a_place_has_no_geometry() -> None:
    assert feature(record())["geometry"] is None
    assert feature({"id": "1", "vergunning": {"identifier": "x"}})["geometry"] is None
