"""The search page, which is the start page for who does not ask anything yet."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.portal import result_page
from woo_harvester.portal.pages import page
from woo_harvester.portal.paths import search_path
from woo_harvester.portal.result_page import Address, Parameters
from woo_harvester.search.parse import question_of_pairs
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.question import Question, Sort
from woo_harvester.search.woo import WOO

#: The number of documents on the start page.
_NEWEST = 5

_TEXT = "zoektekst"


async def search(request: Request) -> Response:
    """Answer with the hits of a search; without parameters, with the start page."""
    given = [(_TEXT if name == "q" else name, value) for name, value in request.query_params.multi_items()]
    if not given:
        return await start(request)
    question = question_of_pairs(WOO, given)
    state, address = request.app.state, Address(given)
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
    return search_path(address.others("aantal"), f"/zoek.{extension}")


ROUTES = [Route("/", search)]
