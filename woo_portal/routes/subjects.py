"""The pages of organisations and categories, and the lists of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.kinds import WOO
from woo_harvester.tooi.lists import article_of_category
from woo_portal.dutch import normalized
from woo_portal.engine import Answer, Count
from woo_portal.harvest import HarvestOfHost
from woo_portal.pages import page
from woo_portal.question import MAX_TEXT, Question, Sort, readable
from woo_portal.results import label_of
from woo_portal.wording import search_path, value_of

#: The number of documents on the page of a value.
_NEWEST = 10


@dataclass(frozen=True, slots=True)
class _Subject:
    """A facet whose values have pages of their own."""

    facet: str
    heading: str
    beside: tuple[str, str]
    """The facet of which the page of a value has the counts, and their heading."""
    others: tuple[str, ...] = ()
    """Other facets with the same values: one organisation may publish the documents of another."""
    supplied: str = ""
    """The facet with the values that were added, because the publisher did not give them."""


_ORGANISATIONS = _Subject(
    "organisatie",
    "Organisaties",
    ("informatiecategorie", "Informatiecategorieën"),
    ("publisher", "organisatie_aangevuld"),
    "organisatie_aangevuld",
)
_CATEGORIES = _Subject("informatiecategorie", "Informatiecategorieën", ("organisatie", "Organisaties"))


async def _list_page(request: Request, *, subject: _Subject) -> Response:
    """Answer with the list of all values of a facet."""
    given = request.query_params
    name = readable(given.get("naam", "")[:MAX_TEXT], "de naam").strip()
    lines = await _lines(request, subject)
    letters = list(dict.fromkeys(line.letter for line in lines)) if len(lines) > _ONE_PAGE else []
    letter = given.get("letter", "")
    if name:
        shown, letter = [line for line in lines if normalized(name) in normalized(line.label)], ""
    elif letters:
        letter = letter if letter in letters else letters[0]
        shown = [line for line in lines if line.letter == letter]
    else:
        shown, letter = lines, ""
    return await page(
        request,
        "subjects.html",
        heading=subject.heading,
        facet=subject.facet,
        lines=shown,
        total=len(lines),
        name=name,
        letter=letter,
        letters=letters,
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """A value in the list of all values of a facet."""

    value: str
    label: str
    number: int
    """The number of documents whose publisher gave the value."""
    supplied: int
    """The number of documents to which it was added."""

    @property
    def letter(self) -> str:
        """The letter in the list; ``~`` for a name that begins with something else, which comes after Z."""
        return _place(self.label)[0]


@lru_cache(100_000)
def _place(label: str) -> tuple[str, str]:
    """Return the letter of a name and its order, without its kind: ``gemeente Ede`` is with the E."""
    order = _KIND.sub("", normalized(label)).lstrip("'\"‘’ -") or label
    return (order[0] if "a" <= order[:1] <= "z" else _OTHERS), order


#: The place of names that begin with no letter, after all others.
_OTHERS = "~"
_KIND = re.compile("^(?:gemeente|provincie|waterschap|ministerie)(?: van| voor)? ")
#: A list of at most this many values is not split by letter.
_ONE_PAGE = 100


async def _lines(request: Request, subject: _Subject) -> list[_Line]:
    """Return all values of a facet, each once, in the order of their names."""
    given = await _all_counts(request, subject.facet)
    supplied = await _all_counts(request, subject.supplied) if subject.supplied else {}
    labels = {value: label for value, (label, _) in (supplied | given).items()}
    none = ("", 0)
    lines = [
        _Line(value, label, given.get(value, none)[1], supplied.get(value, none)[1])
        for value, label in labels.items()
    ]
    return sorted(lines, key=lambda line: (*_place(line.label), line.label, line.value))


async def _all_counts(request: Request, facet: str) -> dict[str, tuple[str, int]]:
    """Return the most frequent label of each value of a facet, and its number of documents."""
    state = request.app.state
    question = Question(WOO, size=1, all_of=facet, with_highlights=False)
    answer: Answer = await state.asking(state.engine.search, question)
    found: dict[str, tuple[str, int]] = {}
    for count in answer.counts.get(facet, ()):
        label, number = found.get(count.value.value, (count.value.label, 0))
        found[count.value.value] = (label, number + count.number)
    return found


async def _value_page(request: Request, *, subject: _Subject) -> Response:
    """Answer with the page of one value of a facet."""
    code = request.path_params.get("code")
    value = value_of(subject.facet, code) if code else request.query_params.get("waarde", "")
    if not value or len(value) > MAX_TEXT:
        raise HTTPException(404)
    names = (subject.facet, *subject.others)
    answers = {name: await _newest(request, name, value) for name in names}
    harvest = await _harvest(request, value) if subject is _ORGANISATIONS else ()
    filled = [name for name in names if answers[name].total]
    if not filled and not harvest:
        raise HTTPException(404, "Hierbij zijn geen documenten.")
    first = filled[0] if filled else subject.facet
    beside, heading = subject.beside
    return await page(
        request,
        "subject.html",
        heading=label_of(WOO, answers[first], first, value),
        article=article_of_category(value) if subject is _CATEGORIES else None,
        totals={name: answer.total for name, answer in answers.items()},
        total=answers[subject.facet].total,
        hits=answers[first].hits,
        all={name: search_path([(name, value), ("sorteer", Sort.NEWEST.value)]) for name in names},
        facet=subject.facet,
        harvest=harvest,
        beside=heading,
        choices=_narrowed(subject, value, answers[subject.facet].counts.get(beside, ())),
    )


async def _newest(request: Request, facet: str, value: str) -> Answer:
    """Return the newest documents with a value."""
    question = Question(WOO, chosen={facet: (value,)}, sort=Sort.NEWEST, size=_NEWEST, with_highlights=False)
    state = request.app.state
    answer: Answer = await state.asking(state.engine.search, question)
    return answer


async def _harvest(request: Request, organisation: str) -> Sequence[HarvestOfHost]:
    """Return what the last run says of the hosts of an organisation."""
    state = request.app.state
    found: Sequence[HarvestOfHost] = await state.asking(state.harvest.of, organisation)
    return found


def _narrowed(subject: _Subject, value: str, counts: Sequence[Count]) -> list[tuple[Count, str]]:
    """Return counts of another facet, each with the path of the search for both values."""
    other = subject.beside[0]
    return [(each, search_path([(subject.facet, value), (other, each.value.value)])) for each in counts]


_ORGANISATION = partial(_value_page, subject=_ORGANISATIONS)
_CATEGORY = partial(_value_page, subject=_CATEGORIES)

ROUTES = [
    Route("/organisaties", partial(_list_page, subject=_ORGANISATIONS)),
    Route("/organisatie", _ORGANISATION),
    Route("/organisatie/{code:path}", _ORGANISATION),
    Route("/categorieen", partial(_list_page, subject=_CATEGORIES)),
    Route("/categorie", _CATEGORY),
    Route("/categorie/{code}", _CATEGORY),
]
