"""The arithmetic of a map of tiles: the projection Web Mercator (EPSG:3857), in pixels.

At zoom 0 the world is one tile of 256 by 256 pixels; each further zoom doubles its sides. Source:
https://www.ogc.org/standard/wmts/, well-known scale set GoogleMapsCompatible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import asinh, atan, degrees, floor, pi, radians, sinh, tan
from typing import NamedTuple
from urllib.parse import urlsplit

from woo_portal.details import Json
from woo_portal.permit_details import PERMITS_PATH, permit_path, permit_title
from woo_portal.question import Box
from woo_portal.results import Parameters
from woo_portal.wording import number, search_path

TILE = 256
#: The zooms of a map: from the whole country to a street.
MIN_ZOOM, MAX_ZOOM = 6, 18
#: Where the middle of a map can be: in the Netherlands, since the coordinates of a case are.
BOUNDS = Box(south=50.6, west=3.2, north=53.7, east=7.3)


class Location(NamedTuple):
    """A place on earth, in degrees."""

    lat: float
    lon: float


class Pixel(NamedTuple):
    """A place on a picture, from its left and its top."""

    x: float
    y: float


class Tile(NamedTuple):
    """A tile, and where its left upper corner is on the map."""

    zoom: int
    x: int
    y: int
    left: int
    top: int


def to_world(place: Location, zoom: int) -> Pixel:
    """Return a place on the picture of the whole world at a zoom."""
    size = TILE * 2**zoom
    return Pixel((place.lon + 180) / 360 * size, (1 - asinh(tan(radians(place.lat))) / pi) / 2 * size)


def from_world(pixel: Pixel, zoom: int) -> Location:
    """Return the place on earth of a pixel on the picture of the whole world at a zoom."""
    size = TILE * 2**zoom
    return Location(degrees(atan(sinh(pi * (1 - 2 * pixel.y / size)))), pixel.x / size * 360 - 180)


@dataclass(frozen=True, slots=True)
class View:
    """A part of the world as a map shows it."""

    middle: Location
    zoom: int
    width: int
    height: int

    @property
    def _corner(self) -> Pixel:
        """The left upper corner in whole pixels of the world, so that tiles join."""
        x, y = to_world(self.middle, self.zoom)
        return Pixel(round(x - self.width / 2), round(y - self.height / 2))

    @property
    def box(self) -> Box:
        """The part of the world, with six decimals."""
        left, top = self._corner
        north, west = from_world(Pixel(left, top), self.zoom)
        south, east = from_world(Pixel(left + self.width, top + self.height), self.zoom)
        return Box(*(round(each, 6) for each in (south, west, north, east)))

    def tiles(self) -> Iterator[Tile]:
        """Yield the tiles that cover the map, row by row."""
        left, top = map(int, self._corner)
        for y in range(floor(top / TILE), floor((top + self.height - 1) / TILE) + 1):
            for x in range(floor(left / TILE), floor((left + self.width - 1) / TILE) + 1):
                yield Tile(self.zoom, x, y, x * TILE - left, y * TILE - top)

    def pixel(self, place: Location) -> Pixel:
        """Return where a place is on the map; it may be beside it."""
        x, y = to_world(place, self.zoom)
        left, top = self._corner
        return Pixel(x - left, y - top)

    def location(self, pixel: Pixel) -> Location:
        """Return the place on earth of a pixel of the map."""
        left, top = self._corner
        return from_world(Pixel(left + pixel.x, top + pixel.y), self.zoom)

    def has(self, pixel: Pixel) -> bool:
        """Return whether a pixel is on the map."""
        return 0 <= pixel.x < self.width and 0 <= pixel.y < self.height

    def moved(self, right: float, down: float) -> View:
        """Return the map moved by parts of its width and height."""
        to = self.location(Pixel(self.width * (0.5 + right), self.height * (0.5 + down)))
        return view(to, self.zoom, self.width, self.height)

    def zoomed(self, by: int, middle: Location | None = None) -> View:
        """Return the map at another zoom, with the same middle or another."""
        return view(middle or self.middle, self.zoom + by, self.width, self.height)


def view(middle: Location, zoom: int, width: int, height: int) -> View:
    """Return a map with this middle and zoom, or the nearest that a map can have."""
    lat = min(max(middle.lat, BOUNDS.south), BOUNDS.north)
    lon = min(max(middle.lon, BOUNDS.west), BOUNDS.east)
    zoom = min(max(zoom, MIN_ZOOM), MAX_ZOOM)
    return View(Location(round(lat, 6), round(lon, 6)), zoom, width, height)


def view_of(places: Sequence[Location], width: int, height: int, nearest: int = MAX_ZOOM - 2) -> View:
    """Return the map that shows all places, as near as can be up to *nearest*; without places the country."""
    if not places:
        return view_of(
            [Location(BOUNDS.south, BOUNDS.west), Location(BOUNDS.north, BOUNDS.east)], width, height
        )
    lats, lons = zip(*places, strict=True)
    corners = [Location(max(lats), min(lons)), Location(min(lats), max(lons))]
    first, last = (to_world(corner, 0) for corner in corners)
    middle = from_world(Pixel((first.x + last.x) / 2, (first.y + last.y) / 2), 0)
    found = view(middle, nearest, width, height)
    while found.zoom > MIN_ZOOM and not all(_well_inside(found, corner) for corner in corners):
        found = replace(found, zoom=found.zoom - 1)
    return found


def _well_inside(shown: View, place: Location) -> bool:
    """Return whether a place is on the map, and not at its very edge."""
    x, y = shown.pixel(place)
    margin = 0.05
    return (
        margin * shown.width <= x <= (1 - margin) * shown.width
        and margin * shown.height <= y <= (1 - margin) * shown.height
    )


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
    for place, one in enumerate(marks):
        for other in marks[place + 1 :]:
            if abs(one.pixel.x - other.pixel.x) < APART and abs(one.pixel.y - other.pixel.y) < APART:
                return one, other
    return None


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
