"""The arithmetic of a map of tiles: the projection Web Mercator (EPSG:3857), in pixels.

At zoom 0 the world is one tile of 256 by 256 pixels; each further zoom doubles its sides. Source:
https://www.ogc.org/standard/wmts/, well-known scale set GoogleMapsCompatible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import asinh, atan, degrees, floor, pi, radians, sinh, tan
from typing import NamedTuple

from woo_harvester.search.question import Box

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
