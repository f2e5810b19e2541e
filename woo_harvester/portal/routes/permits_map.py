"""The map of permits."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.portal.details import Json
from woo_harvester.portal.headers import policy
from woo_harvester.portal.map_page import (
    HEIGHT,
    MAP_PATH,
    WIDTH,
    MapAddress,
    marks_of,
    picture,
    points_of,
)
from woo_harvester.portal.mercator import MAX_ZOOM, MIN_ZOOM, Location, View, view, view_of
from woo_harvester.portal.pages import page
from woo_harvester.portal.paths import search_path
from woo_harvester.portal.permit_details import PERMITS_PATH
from woo_harvester.search.engine import Engine
from woo_harvester.search.parse import number_of, pairs_of, place_of, question_of_pairs
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.question import Box, Question, QuestionError, Sort

#: The most permits on a map; the newest count.
MOST = 2000
#: The parameters that say which part of the world is shown.
_MIDDLE, _ZOOM = "midden", "zoom"
#: What a list has and a map has not.
_OF_LISTS = ("start", "aantal", "sorteer")

#: The ways to move the map: text, and the parts of its width and height.
_MOVES = (
    ("Naar links", -0.5, 0.0),
    ("Naar boven", 0.0, -0.5),
    ("Naar onder", 0.0, 0.5),
    ("Naar rechts", 0.5, 0.0),
)


@dataclass(frozen=True, slots=True)
class _Found:
    """The permits of a part of the world."""

    documents: list[Json]
    total: int


async def permits_map(request: Request) -> Response:
    """Answer with the map of the permits of a search."""
    state = request.app.state
    given = request.query_params.multi_items()
    narrowing = [each for each in given if each[0] not in (_MIDDLE, _ZOOM, *_OF_LISTS)]
    asked = replace(
        question_of_pairs(PERMITS, narrowing), sort=Sort.NEWEST, with_counts=False, with_highlights=False
    )
    shown = _asked_view(given) or await _first_view(request, asked)
    found = await state.asking(request, _found, state.engine, replace(asked, box=shown.box))
    address = MapAddress([each for each in pairs_of(replace(asked, box=None)) if each[0] not in _OF_LISTS])
    marks = marks_of(points_of(found.documents, shown), shown, address)
    middle = f"{shown.middle.lat},{shown.middle.lon}"
    return page(
        request,
        "permits_map.html",
        headers={"content-security-policy": policy(images=state.options.tiles)},
        map=picture(shown, marks, state.options.tiles),
        total=found.total,
        number_shown=len(found.documents),
        nearer=address.map(shown.zoomed(1)) if shown.zoom < MAX_ZOOM else "",
        wider=address.map(shown.zoomed(-1)) if shown.zoom > MIN_ZOOM else "",
        moves=[(text, address.map(shown.moved(right, down))) for text, right, down in _MOVES],
        list=address.list(shown.box),
        all=search_path(address.parameters, PERMITS_PATH),
        near=search_path([("plaats", middle), ("sorteer", "afstand")], PERMITS_PATH),
        is_narrowed=bool(address.parameters),
    )


def _found(engine: Engine, question: Question) -> _Found:
    """Return the newest permits of a question, and how many there are."""
    documents = _newest(engine, question)
    total = len(documents)
    if total == MOST:
        total = engine.search(replace(question, size=1)).total
    return _Found(documents, total)


def _newest(engine: Engine, question: Question) -> list[Json]:
    documents = engine.all_documents(question)
    try:
        return list(islice(documents, MOST))
    finally:
        if isinstance(documents, Generator):
            documents.close()


def _asked_view(given: list[tuple[str, str]]) -> View | None:
    """Return the part of the world in the parameters, or None. Raises QuestionError."""
    where = {name: value for name, value in given if value.strip()}
    if _MIDDLE not in where and _ZOOM not in where:
        return None
    if _MIDDLE not in where or _ZOOM not in where:
        raise QuestionError(f"Een kaart heeft een {_MIDDLE} en een {_ZOOM}.")
    middle = Location(*place_of(_MIDDLE, where[_MIDDLE]))
    return view(middle, number_of(_ZOOM, where[_ZOOM]), WIDTH, HEIGHT)


async def _first_view(request: Request, question: Question) -> View:
    """Return the map that has all permits of a question, or the part of the world that it asks for."""
    if question.box:
        return view_of(_corners(question.box), WIDTH, HEIGHT)
    state = request.app.state
    documents: list[Json] = await state.asking(request, _newest, state.engine, question)
    places = [Location(each["lat"], each["lon"]) for one in documents for each in one.get("locatie") or ()]
    return view_of(places, WIDTH, HEIGHT)


def _corners(box: Box) -> list[Location]:
    return [Location(box.south, box.west), Location(box.north, box.east)]


ROUTES = [Route(MAP_PATH, permits_map)]
