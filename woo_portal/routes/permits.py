"""The pages of permits: a search with its filters, and one permit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import partial
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.kinds import PERMITS
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.templates import is_web
from woo_portal import permit_details as details
from woo_portal import results
from woo_portal.details import Json, first
from woo_portal.downloads import document_by_id, withdrawal_of
from woo_portal.pages import page, policy
from woo_portal.parse import pairs_of, question_of_pairs
from woo_portal.permit_details import PERMITS_PATH
from woo_portal.question import Question, Sort
from woo_portal.results import Address, Choice
from woo_portal.routes.document import withdrawn
from woo_portal.wording import explanations_of, search_path

#: The path of the map, and what a list has and a map has not.
MAP_PATH = f"{PERMITS_PATH}/kaart"
_OF_LISTS = ("start", "aantal", "sorteer")
#: The distances to choose from, in metres.
_DISTANCES = (250, 500, 1000, 2000, 5000, 10_000, 25_000)
#: The distance in which "near here" searches, in metres.
_NEAR = 1000
_RUNNING = {"ja": "Geldt nu", "nee": "Afgelopen"}
#: The parameters that the form with filters sets.
_FORM = ("plaats", "afstand", "lopend", "sorteer")


async def permits(request: Request) -> Response:
    """Answer with the permits of a search."""
    state, question = request.app.state, question_of_pairs(PERMITS, request.query_params.multi_items())
    address = Address(pairs_of(question), PERMITS_PATH)
    answer = await state.asking(state.engine.search, question)
    shown = results.page_of(question, answer, address)
    shown["chosen"] += _chosen(question, address)
    return await page(
        request,
        "permits.html",
        **shown,
        facts=partial(details.permit_facts, today=today()),
        permit_path=details.permit_path,
        permit_title=details.permit_title,
        distances=_distances(question),
        runnings=[(value, label, address.first("lopend") == value) for value, label in _RUNNING.items()],
        kept=results.kept(address, shown["filters"], *_FORM),
        near=address.first("plaats"),
        all=search_path([("zoektekst", shown["text"])] if shown["text"] else [], PERMITS_PATH),
        map=search_path(address.others("sorteer", "aantal"), MAP_PATH),
    )


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
    if withdrawal_of(PERMITS, found):
        return await withdrawn(request, PERMITS, found)
    return await page(
        request,
        "permit.html",
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
        ways=[*_ways(found)],
    )


def _ways(document: Json) -> Iterator[tuple[str, str]]:
    """Yield the paths from a permit that has a place, each with its text."""
    for each in (document.get("locatie") or ())[:1]:
        yield search_path([("id", document["id"])], MAP_PATH), "Toon deze vergunning op de kaart"
        near = [("plaats", f"{each['lat']},{each['lon']}"), ("sorteer", "afstand")]
        yield search_path(near, PERMITS_PATH), "Zoek vergunningen in de buurt"


def today() -> date:
    """Return the day in Dutch time."""
    return day_of(datetime.now(UTC))


async def permits_map(request: Request) -> Response:
    """Answer with the map of the permits of a search, which a script draws."""
    question = question_of_pairs(PERMITS, request.query_params.multi_items())
    given = [each for each in pairs_of(question) if each[0] not in _OF_LISTS]
    tiles = request.app.state.options.tiles
    return await page(
        request,
        "permits_map.html",
        headers={"content-security-policy": policy(scripts=True, images=tiles)},
        permits=search_path([*given, ("sorteer", Sort.NEWEST.value)], f"{PERMITS_PATH}.geojson"),
        list=search_path(given, PERMITS_PATH),
        list_of_part=search_path([each for each in given if each[0] != "kader"], PERMITS_PATH),
        tiles=tiles,
        credit=(urlsplit(tiles).hostname or "").replace("service.pdok.nl", "Kaartgegevens © Kadaster"),
    )


ROUTES = [
    Route(PERMITS_PATH, permits),
    Route("/vergunning/{id:uuid}", permit),
    Route(MAP_PATH, permits_map),
]
