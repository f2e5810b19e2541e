"""The map of permits, drawn by the server: tiles of a background, and a mark for permits near each other.

It needs no script. Each mark is a link: to the permit, to the same map from nearer, or to the list of the
permits that are at one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from woo_harvester.portal.clusters import APART, Cluster, Point, clusters
from woo_harvester.portal.dutch import number
from woo_harvester.portal.mercator import MAX_ZOOM, Location, Tile, View
from woo_harvester.portal.summaries import summary_of
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.question import Box

#: The size of a map in pixels. On a small screen it is drawn smaller.
WIDTH, HEIGHT = 840, 600


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the map."""

    x: int
    y: int
    number: int
    """The number of permits."""
    label: str
    """What the link says."""
    path: str = ""
    """The path of the page of the permit, if there is one permit."""
    nearer: View | None = None
    """The map that takes the permits apart."""
    box: Box | None = None
    """The part of the world around permits that no map takes apart."""


def points_of(documents: Iterable[Mapping[str, Any]], shown: View) -> Iterator[Point]:
    """Yield the points on the map of the search documents of permits."""
    for document in documents:
        for place in document.get("locatie", ()):
            pixel = shown.pixel(Location(place["lat"], place["lon"]))
            if shown.has(pixel):
                yield Point(document["id"], summary_of(PERMITS, document).title, pixel)


def marks(points: Iterable[Point], shown: View) -> list[Mark]:
    """Return the marks on a map."""
    return [_mark(cluster, shown) for cluster in clusters(points)]


def image(tile: Tile, template: str) -> str:
    """Return the address of the image of a tile."""
    found = template
    for name, value in (("{z}", tile.zoom), ("{x}", tile.x), ("{y}", tile.y)):
        found = found.replace(name, str(value))
    return found


def _mark(cluster: Cluster, shown: View) -> Mark:
    records = cluster.records
    x, y = round(cluster.pixel.x), round(cluster.pixel.y)
    if len(records) == 1:
        ((record_id, label),) = records.items()
        return Mark(x, y, 1, label, path=f"/vergunning/{record_id}")
    count = f"{number(len(records))} vergunningen"
    if cluster.is_one_place or shown.zoom == MAX_ZOOM:
        return Mark(x, y, len(records), f"{count} bij elkaar: toon de lijst", box=_around(cluster, shown))
    nearer = shown.zoomed(2, shown.location(cluster.pixel))
    return Mark(x, y, len(records), f"{count}: zoom in", nearer=nearer)


def _around(cluster: Cluster, shown: View) -> Box:
    """Return the part of the world around the points of a cluster."""
    xs = [point.pixel.x for point in cluster.points]
    ys = [point.pixel.y for point in cluster.points]
    part = View(
        shown.location(cluster.pixel),
        shown.zoom,
        round(max(xs) - min(xs)) + APART // 4,
        round(max(ys) - min(ys)) + APART // 4,
    )
    return part.box
