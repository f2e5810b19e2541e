"""The pages of permits: a search with its filters, and one permit."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import islice
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.kinds import PERMITS
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.templates import is_web
from woo_portal import permit_details as details
from woo_portal import results
from woo_portal.details import Json
from woo_portal.downloads import document_by_id, first, withdrawal_of
from woo_portal.engine import Engine
from woo_portal.map import (
    HEIGHT,
    MAP_PATH,
    MAX_ZOOM,
    MIN_ZOOM,
    WIDTH,
    Location,
    MapAddress,
    View,
    marks_of,
    picture,
    points_of,
    small_map,
    view,
    view_of,
)
from woo_portal.pages import page, policy
from woo_portal.parse import number_of, pairs_of, place_of, question_of_pairs
from woo_portal.permit_details import PERMITS_PATH
from woo_portal.question import Box, Question, QuestionError, Sort
from woo_portal.results import Address, Choice
from woo_portal.wording import explanations_of, search_path

#: The distances to choose from, in metres.
_DISTANCES = (250, 500, 1000, 2000, 5000, 10_000, 25_000)
#: The distance in which "near here" searches, in metres.
_NEAR = 1000
_RUNNING = {"ja": "Geldt nu", "nee": "Afgelopen"}
#: The parameters that the form with filters sets.
_FORM = ("plaats", "afstand", "lopend", "sorteer")


async def permits(request: Request) -> Response:
    """Answer with the permits of a search."""
    state, question = request.app.state, question_of_pairs(PERMITS, _given(request))
    address = Address(pairs_of(question), PERMITS_PATH)
    answer = await state.asking(request, state.engine.search, question)
    text = address.first("zoektekst")
    return await page(
        request,
        "permits.html",
        text=text,
        total=answer.total,
        hits=answer.hits,
        facts=partial(details.permit_facts, today=today()),
        permit_path=details.permit_path,
        permit_title=details.permit_title,
        place=results.paging(question, answer, address),
        filters=results.filters(question, answer, address),
        chosen=results.chosen(question, answer, address) + _chosen(question, address),
        sorts=results.sorts(question),
        distances=_distances(question),
        runnings=[(value, label, address.first("lopend") == value) for value, label in _RUNNING.items()],
        hidden=address.others("zoektekst"),
        kept=address.others(*_FORM),
        near=address.first("plaats"),
        all=search_path([("zoektekst", text)] if text else [], PERMITS_PATH),
        beginning=address.at(0),
        map=search_path(address.others("sorteer", "aantal"), f"{PERMITS_PATH}/kaart"),
        download=lambda suffix: search_path(address.others("aantal"), f"{PERMITS_PATH}.{suffix}"),
    )


def _given(request: Request) -> list[tuple[str, str]]:
    """Return the parameters; a form without a place still has a distance, and perhaps an order by it."""
    given = request.query_params.multi_items()
    if any(value.strip() for name, value in given if name == "plaats"):
        return given
    return [each for each in given if each[0] != "afstand" and each != ("sorteer", "afstand")]


def _chosen(question: Question, address: Address) -> list[Choice]:
    """Return what narrows a search of permits besides filters and periods, each with the path without it."""
    found = []
    if question.near:
        label = f"Binnen {metres(question.near.metres)} van {address.first('plaats')}"
        others = [each for each in address.others("plaats", "afstand") if each != ("sorteer", "afstand")]
        found.append(Choice(label, search_path(others, PERMITS_PATH)))
    if question.box:
        found.append(Choice("Op een deel van de kaart", search_path(address.others("kader"), PERMITS_PATH)))
    if value := address.first("lopend"):
        found.append(Choice(_RUNNING[value], search_path(address.others("lopend"), PERMITS_PATH)))
    return found


def _distances(question: Question) -> list[tuple[int, str, bool]]:
    """Return the distances to choose from: number, text, and whether it is the distance of the page."""
    actual = question.near.metres if question.near else _NEAR
    return [(each, metres(each), each == actual) for each in sorted({*_DISTANCES, actual})]


def metres(number: int) -> str:
    """Return a distance in words: ``500 meter``, ``1,5 kilometer``."""
    if number < 1000:
        return f"{number} meter"
    return f"{number / 1000:.1f}".removesuffix(".0").replace(".", ",") + " kilometer"


async def permit(request: Request) -> Response:
    """Answer with the page of a permit: 410 for a withdrawn one."""
    found = await document_by_id(request, PERMITS)
    location = first(found, "vergunning.identifier")
    if withdrawal := withdrawal_of(PERMITS, found):
        return await page(
            request, "permit_withdrawn.html", status=410, text=withdrawal.text, location=location
        )
    tiles = request.app.state.options.tiles
    return await page(
        request,
        "permit.html",
        headers={"content-security-policy": policy(images=tiles)},
        id=found["id"],
        title=details.permit_title(found),
        kind=first(found, "vergunning.product.producttype.label") or "Vergunning",
        text=first(found, "vergunning.description"),
        location=location,
        host=urlsplit(location).netloc if is_web(location) else "",
        about=details.about(found),
        dates=details.dates(found, today()),
        where=details.place(found),
        documents=details.documents(found),
        findings=explanations_of(found),
        origin=details.origin(found),
        map=small_map(found, tiles),
        near=[
            search_path([("plaats", f"{each['lat']},{each['lon']}"), ("sorteer", "afstand")], PERMITS_PATH)
            for each in (found.get("locatie") or ())[:1]
        ],
    )


def today() -> date:
    """Return the day in Dutch time."""
    return day_of(datetime.now(UTC))


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
    return await page(
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


ROUTES = [
    Route(PERMITS_PATH, permits),
    Route("/vergunning/{id:uuid}", permit),
    Route(MAP_PATH, permits_map),
]
