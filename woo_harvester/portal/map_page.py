"""The map of permits, drawn by the server: tiles of a background, and a mark for permits near each other.

It needs no script. Each mark is a link: to the permit, to the same map from nearer, or to the list of the
permits that are at one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from woo_harvester.portal.clusters import APART, Cluster, Point, clusters
from woo_harvester.portal.details import Json
from woo_harvester.portal.dutch import number
from woo_harvester.portal.mercator import MAX_ZOOM, Location, Pixel, Tile, View, view_of
from woo_harvester.portal.paths import search_path
from woo_harvester.portal.permit_details import PERMITS_PATH, permit_path, permit_title
from woo_harvester.portal.result_page import Parameters
from woo_harvester.search.question import Box

MAP_PATH = f"{PERMITS_PATH}/kaart"
#: The size of a map in pixels, and that of the map on the page of one permit. On a small screen they shrink.
WIDTH, HEIGHT = 840, 600
_SMALL_WIDTH, _SMALL_HEIGHT = 600, 300

#: Who made the background, by the end of the name of its host.
_CREDITS = {"pdok.nl": "BRT-Achtergrondkaart van het Kadaster, via PDOK (CC BY 4.0)"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a map."""

    x: int
    y: int
    number: int
    """The number of permits."""
    label: str
    path: str = ""
    """The path to which it leads, if it is a link."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A map as it is drawn."""

    width: int
    height: int
    images: Sequence[tuple[str, int, int]]
    """The address of each tile, and where its left upper corner is; none for a plain ground."""
    marks: Sequence[Mark]
    credit: str
    """Who made the background; empty for a plain ground."""


@dataclass(frozen=True, slots=True)
class MapAddress:
    """The parameters of a search on the map, without the part of the world."""

    parameters: Parameters

    def map(self, shown: View) -> str:
        """Return the path of a map."""
        where = [("midden", f"{shown.middle.lat},{shown.middle.lon}"), ("zoom", str(shown.zoom))]
        return search_path([*self.parameters, *where], MAP_PATH)

    def list(self, box: Box) -> str:
        """Return the path of the list of permits in a part of the world."""
        return search_path([*self.parameters, ("kader", _text(box))], PERMITS_PATH)


def picture(shown: View, marks: Sequence[Mark], tiles: str) -> Picture:
    """Return a map with these marks; *tiles* is the address of the background, empty for a plain ground."""
    images = [(_image(tile, tiles), tile.left, tile.top) for tile in shown.tiles()] if tiles else []
    return Picture(shown.width, shown.height, images, marks, _credit(tiles))


def small_map(document: Json, tiles: str) -> Picture | None:
    """Return the map of the places of one permit, or None if it has none."""
    places = [Location(each["lat"], each["lon"]) for each in document.get("locatie") or ()]
    if not places:
        return None
    shown = view_of(places, _SMALL_WIDTH, _SMALL_HEIGHT)
    spots = [shown.pixel(place) for place in places]
    return picture(shown, [Mark(round(x), round(y), 1, "") for x, y in spots], tiles)


def points_of(documents: Iterable[Json], shown: View) -> Iterator[Point]:
    """Yield the points on the map of the search documents of permits."""
    for document in documents:
        for place in document.get("locatie") or ():
            pixel = shown.pixel(Location(place["lat"], place["lon"]))
            if shown.has(pixel):
                yield Point(document["id"], permit_title(document), pixel)


def marks_of(points: Iterable[Point], shown: View, address: MapAddress) -> list[Mark]:
    """Return the marks on a map."""
    return [_mark(cluster, shown, address) for cluster in clusters(points)]


def _mark(cluster: Cluster, shown: View, address: MapAddress) -> Mark:
    records, x, y = cluster.records, round(cluster.pixel.x), round(cluster.pixel.y)
    if len(records) == 1:
        ((record_id, label),) = records.items()
        return Mark(x, y, 1, label, permit_path(record_id))
    count = f"{number(len(records))} vergunningen"
    if cluster.is_one_place or shown.zoom == MAX_ZOOM:
        box = _around(cluster, shown)
        return Mark(x, y, len(records), f"{count} bij elkaar: naar de lijst", address.list(box))
    nearer = shown.zoomed(2, shown.location(cluster.pixel))
    return Mark(x, y, len(records), f"{count}: zoom in", address.map(nearer))


def _around(cluster: Cluster, shown: View) -> Box:
    """Return the part of the world around the points of a cluster."""
    xs = [point.pixel.x for point in cluster.points]
    ys = [point.pixel.y for point in cluster.points]
    margin = APART // 4
    width, height = round(max(xs) - min(xs)) + margin, round(max(ys) - min(ys)) + margin
    middle = shown.location(Pixel((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2))
    return View(middle, shown.zoom, width, height).box


def _image(tile: Tile, template: str) -> str:
    found = template
    for name, value in (("{z}", tile.zoom), ("{x}", tile.x), ("{y}", tile.y)):
        found = found.replace(name, str(value))
    return found


def _credit(tiles: str) -> str:
    host = urlsplit(tiles).hostname or ""
    known = (credit for end, credit in _CREDITS.items() if host == end or host.endswith(f".{end}"))
    return next(known, f"Kaart van {host}" if host else "")


def _text(box: Box) -> str:
    return ",".join(f"{each:.6f}" for each in (box.south, box.west, box.north, box.east))
