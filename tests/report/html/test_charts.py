from __future__ import annotations

from lxml import etree

from woo_harvester.report.html.charts import bar, lines, ring
from woo_harvester.report.model import Point


def points(*values: tuple[int, int]) -> list[Point]:
    return [Point(at="2026-01-01T00:00:00+01:00", listed=listed, harvested=done) for listed, done in values]


def test_a_bar_is_filled_by_its_share() -> None:
    assert etree.fromstring(bar(1, 4)).findall("rect")[1].get("width") == "25.0"
    assert etree.fromstring(bar(0, 4)).findall("rect")[1].get("width") == "0"
    assert etree.fromstring(bar(0, 0)).findall("rect")[1].get("width") == "0"


def test_little_of_much_can_still_be_seen() -> None:
    assert float(etree.fromstring(bar(1, 1_000_000)).findall("rect")[1].get("width", "")) > 0.5


def test_a_ring_contains_its_score() -> None:
    assert etree.fromstring(ring(42)).findtext("text") == "42"
    assert etree.fromstring(ring(None)).findtext("text") == "–"


def test_lines_have_a_text_and_stay_within_the_picture() -> None:
    made = etree.fromstring(lines(points((10, 5), (20, 20)), 'van "a" <b>'))
    assert made.get("aria-label") == 'van "a" <b>'
    for line in made.findall("polyline"):
        for pair in line.get("points", "").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= 640
            assert 0 <= y <= 160


def test_a_history_of_nothing_is_a_flat_line() -> None:
    made = etree.fromstring(lines(points((0, 0)), "x"))
    assert made.find("polyline") is not None
