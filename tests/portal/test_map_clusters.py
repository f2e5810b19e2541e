"""Marks on a map for points that are near each other."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis.strategies import floats, lists, tuples

from woo_portal.map import APART, Pixel, Point, clusters


def point(name: str, x: float, y: float) -> Point:
    return Point(name, f"zaak {name}", Pixel(x, y))


def test_points_far_apart_have_marks_of_their_own() -> None:
    found = clusters([point("a", 300, 200), point("b", 10, 10)])
    assert [(mark.pixel, mark.records) for mark in found] == [
        ((10, 10), {"b": "zaak b"}),
        ((300, 200), {"a": "zaak a"}),
    ]


def test_points_on_both_sides_of_a_square_have_one_mark_between_them() -> None:
    (mark,) = clusters([point("a", APART - 1, 5), point("b", APART + 1, 5)])
    assert mark.pixel == (APART, 5)
    assert set(mark.records) == {"a", "b"}
    assert not mark.is_one_place


def test_a_record_with_two_points_in_a_mark_counts_once() -> None:
    (mark,) = clusters([point("a", 1, 5), point("a", 3, 5)])
    assert mark.records == {"a": "zaak a"}


def test_points_at_the_same_place_are_one_place() -> None:
    (mark,) = clusters([point("a", 7, 5), point("b", 7, 5)])
    assert mark.is_one_place


@given(lists(tuples(floats(0, 839), floats(0, 599)), max_size=60))
def test_marks_are_apart_and_every_point_is_in_one(places: list[tuple[float, float]]) -> None:
    points = [point(str(number), x, y) for number, (x, y) in enumerate(places)]
    found = clusters(points)
    assert sorted(one.record_id for mark in found for one in mark.points) == sorted(
        one.record_id for one in points
    )
    for one, other in combinations(found, 2):
        assert max(abs(one.pixel.x - other.pixel.x), abs(one.pixel.y - other.pixel.y)) >= APART


def test_five_thousand_points_have_few_marks() -> None:
    points = [point(str(n), (n * 37) % 840, (n * 91) % 600) for n in range(5000)]
    assert len(clusters(points)) < 120
