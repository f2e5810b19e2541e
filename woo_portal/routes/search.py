"""The search page, which is the start page for who does not ask anything yet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from woo_harvester.outputs.definition import PERMITS, WOO
from woo_portal import results
from woo_portal.pages import address_of, page, style, style_name
from woo_portal.parse import pairs_of, question_of_pairs
from woo_portal.question import Question, Sort
from woo_portal.results import Address, Parameters
from woo_portal.wording import search_path

#: The number of documents on the start page.
_NEWEST = 5

#: The parameter with the text of a question.
_TEXT = "q"
#: Its name in the API, and in what reads parameters.
_API_TEXT = "zoektekst"


async def search(request: Request) -> Response:
    """Answer with the hits of a search; without parameters, with the start page."""
    given = request.query_params.multi_items()
    if not given:
        return await start(request)
    state, question = request.app.state, question_of_pairs(WOO, _renamed(given, _TEXT, _API_TEXT))
    address = Address(_renamed(pairs_of(question), _API_TEXT, _TEXT))
    answer = await state.asking(request, state.engine.search, question)
    text = address.first(_TEXT)
    alone: Parameters = [(_TEXT, text)] if text else [("sorteer", Sort.NEWEST.value)]
    return page(
        request,
        "search.html",
        text=text,
        total=answer.total,
        hits=answer.hits,
        place=results.paging(question, answer, address),
        filters=results.filters(question, answer, address),
        chosen=results.chosen(question, answer, address),
        sorts=results.sorts(question),
        hidden=address.others(_TEXT),
        kept=address.others("sorteer", "openbaarmakingsdatum_van", "openbaarmakingsdatum_tot"),
        begin=address.first("openbaarmakingsdatum_van"),
        end=address.first("openbaarmakingsdatum_tot"),
        all=search_path(alone),
        beginning=search_path(address.others()),
        download=partial(_download, address),
    )


async def start(request: Request) -> Response:
    """Answer with what there is to search in."""
    state = request.app.state
    contents = await state.asking(request, state.engine.contents, WOO)
    permits = await state.asking(request, state.engine.contents, PERMITS)
    question = Question(WOO, sort=Sort.NEWEST, size=_NEWEST, with_highlights=False)
    answer = await state.asking(request, state.engine.search, question)
    return page(
        request,
        "start.html",
        contents=contents,
        permits=permits.published,
        hits=answer.hits,
        categories=answer.counts.get("informatiecategorie", ()),
        organisations=answer.counts.get("organisatie", ()),
    )


def _download(address: Address, extension: str) -> str:
    """Return the path of all hits in another form."""
    return search_path(_renamed(address.others("aantal"), _TEXT, _API_TEXT), f"/zoek.{extension}")


def _renamed(pairs: Iterable[tuple[str, str]], name: str, other: str) -> Parameters:
    """Return parameters, of which one has another name."""
    return [(other if given == name else given, value) for given, value in pairs]


#: A file whose name changes with its content.
_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


async def health(request: Request) -> PlainTextResponse:
    """Answer that the portal runs (``/gezond``)."""
    return PlainTextResponse("gezond\n", headers={"cache-control": "no-store"})


async def style_sheet(request: Request) -> Response:
    """Answer with the style sheet."""
    return Response(style(), media_type="text/css", headers=_FOR_EVER)


async def robots(request: Request) -> PlainTextResponse:
    """Keep crawlers from following each combination of filters; they may have pages and documents."""
    root = address_of(request, "/")
    return PlainTextResponse(f"User-agent: *\nDisallow: {root}*?\nDisallow: {root}api/\n")


ROUTES = [
    Route("/", search),
    Route("/gezond", health),
    Route(style_name(), style_sheet),
    Route("/robots.txt", robots),
]
