"""Marks on a map for points that are near each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers, lists, tuples

from woo_portal.map import (
    APART,
    BOUNDS,
    MAX_ZOOM,
    MIN_ZOOM,
    Location,
    Pixel,
    Point,
    clusters,
    from_world,
    to_world,
    view,
    view_of,
)


def point(name: str, x: float, y: float) -> Point:
    return Point(name, f"zaak {name}", Pixel(x, y))


DAM = Location(52.373056, 4.892778)
DOM = Location(52.090737, 5.121420)
LATS, LONS = floats(BOUNDS.south, BOUNDS.north), floats(BOUNDS.west, BOUNDS.east)
ZOOMS = integers(MIN_ZOOM, MAX_ZOOM)


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


def test_a_record_with_two_points_in_a_mark_counts_once_and_points_at_one_place_are_one() -> None:
    (mark,) = clusters([point("a", 1, 5), point("a", 3, 5)])
    assert (mark.records, mark.is_one_place) == ({"a": "zaak a"}, False)
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


def test_a_known_place_is_at_its_known_place_in_the_world() -> None:
    assert to_world(Location(0, 0), 0) == (128, 128)
    assert to_world(Location(0, 180), 3) == (2048, 1024)
    # The numbers of https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames for the Dam in Amsterdam.
    x, y = to_world(DAM, 12)
    assert (int(x // 256), int(y // 256)) == (2103, 1346)


@given(LATS, LONS, ZOOMS)
def test_a_place_comes_back_from_the_picture_of_the_world(lat: float, lon: float, zoom: int) -> None:
    back = from_world(to_world(Location(lat, lon), zoom), zoom)
    assert back == pytest.approx((lat, lon), abs=1e-9)


@given(LATS, LONS, ZOOMS)
def test_tiles_cover_each_map_without_gap_or_surplus(lat: float, lon: float, zoom: int) -> None:
    shown = view(Location(lat, lon), zoom, 840, 600)
    tiles = list(shown.tiles())
    lefts, tops = {tile.left for tile in tiles}, {tile.top for tile in tiles}
    assert len(tiles) == len(lefts) * len(tops) == len(set(tiles))
    assert -256 < min(lefts) <= 0
    assert 840 <= max(lefts) + 256 < 840 + 256
    assert -256 < min(tops) <= 0
    assert 600 <= max(tops) + 256 < 600 + 256
    assert sorted(lefts) == list(range(min(lefts), max(lefts) + 1, 256))
    assert all(0 <= tile.x < 2**zoom and 0 <= tile.y < 2**zoom for tile in tiles)


def test_the_middle_of_a_map_is_in_its_middle() -> None:
    assert view(DOM, 14, 840, 600).pixel(DOM) == pytest.approx((420, 300), abs=1)


def test_a_box_is_what_the_map_shows() -> None:
    shown = view(DOM, 14, 840, 600)
    box = shown.box
    assert shown.pixel(Location(box.north, box.west)) == pytest.approx((0, 0), abs=0.2)
    assert shown.pixel(Location(box.south, box.east)) == pytest.approx((840, 600), abs=0.2)
    assert box.south < DOM.lat < box.north
    assert box.west < DOM.lon < box.east


def test_a_map_moves_by_half_and_back() -> None:
    shown = view(DOM, 14, 840, 600)
    right = shown.moved(0.5, 0)
    assert shown.pixel(right.middle) == pytest.approx((840, 300), abs=1)
    assert right.moved(-0.5, 0).middle == pytest.approx(DOM, abs=1e-4)


def test_a_map_stays_in_the_netherlands() -> None:
    for far in [Location(0, 0), Location(89, 179), Location(-89, -179)]:
        shown = view(far, 12, 840, 600)
        assert BOUNDS.south <= shown.middle.lat <= BOUNDS.north, far
        assert BOUNDS.west <= shown.middle.lon <= BOUNDS.east, far


def test_a_zoom_beyond_the_bounds_is_the_nearest() -> None:
    for zoom, expected in [(-5, MIN_ZOOM), (10**6, MAX_ZOOM)]:
        assert view(DOM, zoom, 840, 600).zoom == expected, zoom


def test_zooming_in_shows_half_as_much_around_the_same_middle() -> None:
    shown = view(DOM, 14, 840, 600)
    nearer = shown.zoomed(1)
    assert (nearer.zoom, nearer.middle) == (15, shown.middle)
    assert shown.pixel(nearer.location(Pixel(0, 0))) == pytest.approx((210, 150), abs=1.5)


def test_the_map_of_places_has_all_of_them_as_large_as_can_be() -> None:
    shown = view_of([DAM, DOM], 840, 600)
    assert all(shown.has(shown.pixel(place)) for place in (DAM, DOM))
    nearer = shown.zoomed(1)
    assert not (nearer.has(nearer.pixel(DAM)) and nearer.has(nearer.pixel(DOM)))
    assert view_of([DAM], 840, 600).zoom == MAX_ZOOM - 2, "not the nearest of all"
    country = view_of([], 840, 600)
    for corner in (Location(BOUNDS.south, BOUNDS.west), Location(BOUNDS.north, BOUNDS.east)):
        assert country.has(country.pixel(corner))
