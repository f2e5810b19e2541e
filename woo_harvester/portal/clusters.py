"""Points on a map that lie so near each other that one mark stands for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from woo_harvester.portal.mercator import Pixel

#: The least distance between two marks, in pixels of the map. A mark can be touched on a small screen too.
APART = 72


@dataclass(frozen=True, slots=True)
class Point:
    """A place of a record on the map."""

    record_id: str
    label: str
    pixel: Pixel


@dataclass(frozen=True, slots=True)
class Cluster:
    """A mark on the map, in the middle of its points."""

    pixel: Pixel
    points: tuple[Point, ...]

    @property
    def records(self) -> dict[str, str]:
        """The records of the points, each once: id and label."""
        return {point.record_id: point.label for point in self.points}

    @property
    def is_one_place(self) -> bool:
        """Whether all points are at the same place, so that no zoom takes them apart."""
        return len({(round(point.pixel.x, 3), round(point.pixel.y, 3)) for point in self.points}) == 1


def clusters(points: Iterable[Point]) -> list[Cluster]:
    """Return the marks for points, from the top of the map to its bottom.

    Points in one square come together first. Then marks that are too near each other join, until none are.
    """
    squares: dict[tuple[int, int], list[Point]] = {}
    for point in points:
        square = (int(point.pixel.x // APART), int(point.pixel.y // APART))
        squares.setdefault(square, []).append(point)
    found = [_cluster(each) for each in squares.values()]
    while pair := _too_near(found):
        one, other = pair
        found = [each for each in found if each not in pair] + [_cluster([*one.points, *other.points])]
    return sorted(found, key=lambda cluster: (cluster.pixel.y, cluster.pixel.x))


def _cluster(points: list[Point]) -> Cluster:
    number = len(points)
    x = sum(point.pixel.x for point in points) / number
    y = sum(point.pixel.y for point in points) / number
    return Cluster(Pixel(x, y), tuple(points))


def _too_near(marks: list[Cluster]) -> tuple[Cluster, Cluster] | None:
    for number, one in enumerate(marks):
        for other in marks[number + 1 :]:
            if abs(one.pixel.x - other.pixel.x) < APART and abs(one.pixel.y - other.pixel.y) < APART:
                return one, other
    return None
