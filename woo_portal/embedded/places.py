"""Records near a place, or in a rectangle."""

from __future__ import annotations

from collections.abc import Mapping
from math import asin, cos, degrees, inf, radians, sin, sqrt

from tantivy import Occur, Query, Searcher

from woo_portal.embedded.layout import POINT, addresses_of
from woo_portal.embedded.queries import QueryMaker
from woo_portal.question import Place, Question

#: The radius of the earth in metres, as Elasticsearch has it.
_EARTH = 6_371_008.7714


def metres_between(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the distance of two points over the earth."""
    phi, other_phi = radians(lat), radians(other_lat)
    height, width = sin((other_phi - phi) / 2), sin(radians(other_lon - lon) / 2)
    share = height**2 + cos(phi) * cos(other_phi) * width**2
    return 2 * _EARTH * asin(min(1.0, sqrt(share)))


def places_of(
    searcher: Searcher, make: QueryMaker, question: Question
) -> tuple[Query | None, Mapping[int, float]]:
    """Return the query of the records at the place of a question, and the distance of each by its key.

    The query is None if the question has no place; without ``near`` there are no distances.
    """
    parts: list[Query] = []
    if (box := question.box) is not None:
        sides = make.box(box.south, box.west, box.north, box.east)
        parts.append(_in_box(searcher, make, question.kind.name, sides))
    metres: Mapping[int, float] = {}
    if question.near is not None:
        metres = _distances(searcher, make, question.kind.name, question.near)
        parts.append(make.terms("key", list(metres)) if metres else Query.empty_query())
    if not parts:
        return None, metres
    return Query.boolean_query([(Occur.Must, part) for part in parts]), metres


def _in_box(searcher: Searcher, make: QueryMaker, kind: str, box: Query) -> Query:
    """Return the query of records with one point in the box, or one of several."""
    several = Query.boolean_query([(Occur.Must, make.kind(f"{POINT} {kind}")), (Occur.Must, box)])
    addresses = addresses_of(searcher, several)
    keys = {int(key) for key in searcher.fast_field_values("key", addresses) if key is not None}
    if not keys:
        return box
    return Query.boolean_query([(Occur.Should, box), (Occur.Should, make.terms("key", list(keys)))])


def _distances(searcher: Searcher, make: QueryMaker, kind: str, near: Place) -> dict[int, float]:
    """Return the distance of each record within the circle, by its key."""
    height = degrees(near.metres / _EARTH) * 1.001 + 1e-6
    narrowest = cos(radians(min(89.9, abs(near.lat) + height)))
    width = min(360.0, height / narrowest)
    box = make.box(near.lat - height, near.lon - width, near.lat + height, near.lon + width)
    kinds = make.terms("kind", [kind, f"{POINT} {kind}"])
    query = Query.boolean_query([(Occur.Must, kinds), (Occur.Must, box)])
    addresses = addresses_of(searcher, query)
    columns = (searcher.fast_field_values(name, addresses) for name in ("key", "lat", "lon"))
    found: dict[int, float] = {}
    for key, lat, lon in zip(*columns, strict=True):
        if key is None or lat is None or lon is None:
            continue
        metres = metres_between(near.lat, near.lon, lat, lon)
        if metres <= near.metres:
            found[int(key)] = min(metres, found.get(int(key), inf))
    return found
