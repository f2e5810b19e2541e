"""The search page, and the start page for a visitor who does not ask anything yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import values_at
from woo_harvester.utils.dates import day_of
from woo_portal import results
from woo_portal.asking import BusyError
from woo_portal.dutch import analyzer, normalized
from woo_portal.engine import Answer, Engine, SlowQuestionError, title_field
from woo_portal.pages import page
from woo_portal.parse import pairs_of, question_of_pairs
from woo_portal.question import MAX_TEXT, Clause, Question, Sort, readable, text_of
from woo_portal.results import Address, Narrowed, Parameters, offered_facets
from woo_portal.ways_on import FEW, WaysOn, ways_on
from woo_portal.wording import search_path

#: The number of documents on the start page.
_NEWEST = 5

#: What the names of a filter in its list have: the beginning of the parameter, before the name of the filter.
_NAMED = "bevat-"
#: The parameters of the days between which a document was made public, and the quick periods before today.
_BEGIN, _END = "openbaarmakingsdatumVan", "openbaarmakingsdatumTot"
_PERIODS = (("Afgelopen week", 7), ("Afgelopen maand", 31), ("Afgelopen jaar", 366))


async def home(request: Request) -> Response:
    """Answer with the hits of a search; without parameters, with the start page."""
    return await (search(request) if request.query_params else start(request))


async def search(request: Request) -> Response:
    """Answer with the hits of a search. Its links lead to ``/``, so that a search has one address."""
    given = request.query_params.multi_items()
    asked = [each for each in given if not each[0].startswith(_NAMED)]
    state, question = request.app.state, question_of_pairs(WOO, asked)
    address = Address(pairs_of(question))
    answer = await state.asking(state.engine.search, question)
    narrowed = await _narrowed(request, question)
    further = await _ways_on(request, question, answer)
    shown = results.page_of(question, answer, address, narrowed)
    values = {each.name: {(one.value, one.number) for one in each.choices} for each in shown["filters"]}
    if values.get("publisher", set()) <= values.get("organisatie", set()):  # it would say the same again
        shown["filters"] = [each for each in shown["filters"] if each.name != "publisher"]
    alone: Parameters = [("zoektekst", shown["text"])] if shown["text"] else [("sorteer", Sort.NEWEST.value)]
    return await page(
        request,
        "search.html",
        **shown,
        path="/",
        further=further,
        path_of_question=lambda each: search_path(pairs_of(each)),
        text_of_question=lambda each: text_of(each.clauses),
        kept=results.kept(address, shown["filters"], "sorteer", _BEGIN, _END),
        begin=address.first(_BEGIN),
        end=address.first(_END),
        periods=list(_periods(address)),
        all=search_path(alone),
    )


def _periods(address: Address) -> Iterator[tuple[str, str, bool]]:
    """Yield the quick periods: text, path, and whether it is that of the page."""
    for label, days in _PERIODS:
        begin = (day_of(datetime.now(UTC)) - timedelta(days)).isoformat()
        path = search_path([*address.others(_BEGIN, _END), (_BEGIN, begin)])
        yield label, path, address.first(_BEGIN) == begin and not address.first(_END)


async def _narrowed(request: Request, question: Question) -> Narrowed | None:
    """Return the values of the filter in whose box something was typed, or None."""
    typed = {facet.name: request.query_params.get(_NAMED + facet.name, "") for facet in offered_facets(WOO)}
    texts = ((name, readable(each[:MAX_TEXT], "de naam").strip()) for name, each in typed.items())
    name, text = next((pair for pair in texts if pair[1]), ("", ""))
    if not text:
        return None
    state, every = request.app.state, replace(question, start=0, size=1, all_of=name, with_highlights=False)
    answer: Answer = await state.asking(state.engine.search, every)
    counts = answer.counts.get(name, ())
    return Narrowed(name, text, [each for each in counts if normalized(text) in normalized(each.value.label)])


async def _ways_on(request: Request, question: Question, answer: Answer) -> WaysOn | None:
    """Return the ways on from a question with few hits, or None."""
    state = request.app.state
    if answer.total >= FEW or not question.clauses:
        return None
    with suppress(BusyError, SlowQuestionError):  # the hits that there are go without
        found: WaysOn = await state.asking(ways_on, state.engine, question, answer.hits)
        return found
    return None


async def start(request: Request) -> Response:
    """Answer with what there is to search in."""
    state = request.app.state
    contents = await state.asking(state.engine.contents, WOO)
    permits = await state.asking(state.engine.contents, PERMITS)
    question = Question(WOO, sort=Sort.NEWEST, size=_NEWEST, with_highlights=False)
    answer = await state.asking(state.engine.search, question)
    return await page(
        request,
        "start.html",
        contents=contents,
        permits=permits.published,
        hits=answer.hits,
        categories=answer.counts.get("informatiecategorie", ()),
        organisations=answer.counts.get("organisatie", ()),
    )


async def health(request: Request) -> PlainTextResponse:
    """Answer whether questions are answered (``/gezond``). A portal that is busy answers those of others."""
    state = request.app.state
    with suppress(BusyError):
        await state.asking(_probe, state.engine)
    return PlainTextResponse("gezond\n", headers={"cache-control": "no-store"})


def _probe(engine: Engine) -> None:
    """Ask for the newest record of each kind, and for a word of its title."""
    for kind in Kind:
        for hit in engine.search(Question(kind, sort=Sort.NEWEST, size=1)).hits:
            title = " ".join(map(str, values_at(hit.document, title_field(kind).path)))
            words = analyzer("exact").tokens(title)
            engine.search(Question(kind, tuple(map(Clause, words[:1])), size=1))


ROUTES = [
    Route("/", home),
    Route("/zoek", search),
    Route("/gezond", health),
]
