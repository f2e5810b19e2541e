"""The pages of organisations and categories, and the lists of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.outputs.definition import MAX_COUNTS, WOO
from woo_harvester.tooi import article_of_category, informatiecategorieen, organisaties
from woo_harvester.tooi.values import ValueList
from woo_portal.engine import Answer, Count
from woo_portal.harvest import HarvestOfHost
from woo_portal.pages import page
from woo_portal.question import MAX_TEXT, Question, Sort
from woo_portal.wording import capitalised, search_path, value_of

#: The number of documents on the page of a value.
_NEWEST = 10


@dataclass(frozen=True, slots=True)
class _Subject:
    """A facet whose values have pages of their own."""

    facet: str
    heading: str
    beside: tuple[str, str]
    """The facet of which the page of a value has the counts, and their heading."""
    known: Callable[[], ValueList]
    """The value list that has the name of a value."""
    others: tuple[str, ...] = ()
    """Other facets with the same values: one organisation may publish the documents of another."""


_ORGANISATIONS = _Subject(
    "organisatie",
    "Organisaties",
    ("informatiecategorie", "Informatiecategorieën"),
    organisaties,
    ("publisher", "organisatie_aangevuld"),
)
_CATEGORIES = _Subject(
    "informatiecategorie", "Informatiecategorieën", ("organisatie", "Organisaties"), informatiecategorieen
)


async def organisation(request: Request) -> Response:
    """Answer with the page of an organisation."""
    return await _value_page(request, _ORGANISATIONS)


async def category(request: Request) -> Response:
    """Answer with the page of an informatiecategorie."""
    return await _value_page(request, _CATEGORIES)


async def organisations(request: Request) -> Response:
    """Answer with the list of all organisations."""
    return await _list_page(request, _ORGANISATIONS)


async def categories(request: Request) -> Response:
    """Answer with the list of all informatiecategorieën."""
    return await _list_page(request, _CATEGORIES)


async def _list_page(request: Request, subject: _Subject) -> Response:
    state = request.app.state
    question = Question(WOO, size=1, with_highlights=False)
    answer: Answer = await state.asking(request, state.engine.search, question)
    counts = sorted(answer.counts.get(subject.facet, ()), key=lambda each: each.value.label.casefold())
    return page(
        request,
        "subjects.html",
        heading=subject.heading,
        facet=subject.facet,
        counts=counts,
        is_cut=len(counts) >= MAX_COUNTS,
    )


async def _value_page(request: Request, subject: _Subject) -> Response:
    code = request.path_params.get("code")
    value = value_of(subject.facet, code) if code else request.query_params.get("waarde", "")
    if not value or len(value) > MAX_TEXT:
        raise HTTPException(404)
    names = (subject.facet, *subject.others)
    answers = {name: await _newest(request, name, value) for name in names}
    harvest = await _harvest(request, value) if subject is _ORGANISATIONS else ()
    filled = [answer for answer in answers.values() if answer.total]
    if not filled and not harvest:
        raise HTTPException(404, "Hierbij zijn geen documenten.")
    name, heading = subject.beside
    return page(
        request,
        "subject.html",
        heading=_label(subject, value, answers),
        article=article_of_category(value) if subject is _CATEGORIES else None,
        totals={name: answer.total for name, answer in answers.items()},
        total=answers[subject.facet].total,
        hits=filled[0].hits if filled else (),
        all={name: search_path([(name, value), ("sorteer", Sort.NEWEST.value)]) for name in names},
        facet=subject.facet,
        harvest=harvest,
        beside=heading,
        choices=_narrowed(subject, value, answers[subject.facet].counts.get(name, ())),
    )


async def _newest(request: Request, facet: str, value: str) -> Answer:
    """Return the newest documents with a value."""
    question = Question(WOO, chosen={facet: (value,)}, sort=Sort.NEWEST, size=_NEWEST, with_highlights=False)
    state = request.app.state
    answer: Answer = await state.asking(request, state.engine.search, question)
    return answer


async def _harvest(request: Request, organisation: str) -> Sequence[HarvestOfHost]:
    """Return what the last run says of the hosts of an organisation."""
    state = request.app.state
    found: Sequence[HarvestOfHost] = await state.asking(request, state.harvest.of, organisation)
    return found


def _narrowed(subject: _Subject, value: str, counts: Sequence[Count]) -> list[tuple[Count, str]]:
    """Return counts of another facet, each with the path of the search for both values."""
    other = subject.beside[0]
    return [(each, search_path([(subject.facet, value), (other, each.value.value)])) for each in counts]


def _label(subject: _Subject, value: str, answers: Mapping[str, Answer]) -> str:
    """Return the name of a value: as the documents have it, else as the value list has it."""
    for name, answer in answers.items():
        for count in answer.counts.get(name, ()):
            if count.value.value == value:
                return capitalised(count.value.label)
    concept = subject.known().by_uri(value)
    return capitalised(concept.label) if concept else value


ROUTES = [
    Route("/organisaties", organisations),
    Route("/organisatie", organisation),
    Route("/organisatie/{code:path}", organisation),
    Route("/categorieen", categories),
    Route("/categorie", category),
    Route("/categorie/{code}", category),
]
