from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from woo_harvester.permits.record import feature


def record(*places: dict[str, Any]) -> dict[str, Any]:
    case = {"identifier": "https://www.voorbeeldstad.nl/zaken/1", "object": {"coordinaten": list(places)}}
    return {"id": "1-2-3", "vergunning": case, "versies": [{"oorzaak": "aanlevering"}]}


TODAY = date(2026, 11, 22)

PLACE = {"x-waarde": 155000.0, "wgs84": {"lat": 52.1, "lon": 5.3}}
OTHER = {"wgs84": {"lat": 53.1, "lon": 6.3}}


def test_a_case_with_one_place_is_a_point_with_the_longitude_first() -> None:
    given = record(PLACE)
    assert feature(given, TODAY) == {
        "type": "Feature",
        "id": "1-2-3",
        "geometry": {"type": "Point", "coordinates": [5.3, 52.1]},
        "properties": {"vergunning": given["vergunning"], "versies": [{"oorzaak": "aanlevering"}]},
    }


def test_a_case_with_several_places_is_a_multipoint() -> None:
    geometry = feature(record(PLACE, {"x-waarde": 0.0}, OTHER), TODAY)["geometry"]
    assert geometry == {"type": "MultiPoint", "coordinates": [[5.3, 52.1], [6.3, 53.1]]}


def test_a_case_without_a_place_has_no_geometry() -> None:
    assert feature(record(), TODAY)["geometry"] is None
    assert feature({"id": "1", "vergunning": {"identifier": "x"}}, TODAY)["geometry"] is None


@pytest.mark.parametrize(
    ("temporal", "added"),
    [
        ({"start": "2026-11-22", "end": "2026-11-22"}, {"lopend": True, "einddatum": "2026-11-22"}),
        ({"start": "2026-11-23", "end": "2027-01-01"}, {"lopend": False, "einddatum": "2027-01-01"}),
        ({"start": "2025-11-23", "end": "2026-11-21"}, {"lopend": False, "einddatum": "2026-11-21"}),
        ({"start": "2026-11-22"}, {"lopend": True}),
        ({"start": "2026-11-23"}, {"lopend": False}),
        ({"end": "2026-11-22"}, {"lopend": True, "einddatum": "2026-11-22"}),
        ({}, {}),
    ],
)
def test_whether_a_permit_runs_is_seen_from_its_period(
    temporal: dict[str, str], added: dict[str, Any]
) -> None:
    properties = feature({"id": "1", "vergunning": {"temporal": temporal}}, TODAY)["properties"]
    assert {key: value for key, value in properties.items() if key != "vergunning"} == added


def test_a_withdrawn_case_does_not_say_whether_it_runs() -> None:
    withdrawn = {"id": "1", "vergunning": {"identifier": "x"}, "versies": []}
    assert set(feature(withdrawn, TODAY)["properties"]) == {"vergunning", "versies"}
