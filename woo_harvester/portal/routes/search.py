"""The search page, which is the start page for who does not ask anything yet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.portal import result_page
from woo_harvester.portal.pages import page
from woo_harvester.portal.paths import search_path
from woo_harvester.portal.result_page import Address, Parameters
from woo_harvester.search.parse import pairs_of, question_of_pairs
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.question import Question, Sort
from woo_harvester.search.woo import WOO

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
        place=result_page.paging(question, answer, address),
        filters=result_page.filters(question, answer, address),
        chosen=result_page.chosen(question, answer, address),
        sorts=result_page.sorts(question),
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


ROUTES = [Route("/", search)]
