from __future__ import annotations

import pytest
from lxml import etree

from woo_harvester.report.html.charts import bar, lines, ring
from woo_harvester.report.model import Point


def points(*values: tuple[int, int]) -> list[Point]:
    return [Point(at="2026-01-01T00:00:00+01:00", listed=listed, harvested=done) for listed, done in values]


@pytest.mark.parametrize(("part", "total", "width"), [(1, 4, "25.0"), (0, 4, "0"), (0, 0, "0")])
def test_a_bar_is_filled_by_its_share_and_little_can_be_seen(part: int, total: int, width: str) -> None:
    assert etree.fromstring(bar(part, total)).findall("rect")[1].get("width") == width
    assert float(etree.fromstring(bar(1, 1_000_000)).findall("rect")[1].get("width", "")) > 0.5


def test_a_ring_contains_its_score() -> None:
    assert etree.fromstring(ring(42)).findtext("text") == "42"
    assert etree.fromstring(ring(None)).findtext("text") == "–"


@pytest.mark.parametrize("values", [[(10, 5), (20, 20)], [(0, 0)]])
def test_lines_have_a_text_and_stay_within_the_picture(values: list[tuple[int, int]]) -> None:
    made = etree.fromstring(lines(points(*values), 'van "a" <b>'))
    assert made.get("aria-label") == 'van "a" <b>'
    assert made.find("polyline") is not None
    for line in made.findall("polyline"):
        for pair in line.get("points", "").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= 640
            assert 0 <= y <= 160
