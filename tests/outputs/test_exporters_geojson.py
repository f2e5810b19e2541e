from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from woo_harvester.outputs.exporters import GeoJsonItemExporter

RECORD = {
    "id": "1",
    "vergunning": {"title": "Eén eik", "object": {"coordinaten": [{"wgs84": {"lat": 52.1, "lon": 5.3}}]}},
}


def exported(*items: dict[str, Any]) -> str:
    file = BytesIO()
    exporter = GeoJsonItemExporter(file)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_feed_is_a_feature_collection(count: int) -> None:
    collection = json.loads(exported(*[RECORD] * count))
    assert collection["type"] == "FeatureCollection"
    assert [each["geometry"]["coordinates"] for each in collection["features"]] == [[5.3, 52.1]] * count


def test_each_feature_stands_on_a_line_of_its_own_in_utf_8() -> None:
    lines = exported(RECORD, RECORD).splitlines()
    assert len(lines) == 4
    assert "Eén eik" in lines[1]
