"""What the page of a search shows besides its hits: filters, what was chosen, and the ways to go on.

Each of these is an address: the parameters of the search with one change. So a page works without script,
and its address stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from woo_harvester.kinds import Kind
from woo_harvester.outputs.definition import Facet, FacetValue, facet_values, facets
from woo_harvester.outputs.document import record_of
from woo_portal.engine import Answer, Count
from woo_portal.openapi import FILES
from woo_portal.question import MAX_START, Question, Sort, chosen_label
from woo_portal.wording import capitalised, day, path_of, search_path

Parameters = list[tuple[str, str]]

#: The most values of a facet on a page; a page with all of them would be of a megabyte.
_MOST_VALUES = 60
#: A list with more values has a box to narrow it by name.
_WITH_BOX = 20
#: The pages on each side of this one that have a link.
_BESIDE = 2

_SORTS = {
    Sort.RELEVANCE: "Beste resultaat eerst",
    Sort.NEWEST: "Nieuwste eerst",
    Sort.OLDEST: "Oudste eerst",
    Sort.CHANGED: "Laatst gewijzigd eerst",
    Sort.TITLE: "Op titel",
    Sort.DISTANCE: "Dichtstbij eerst",
}
_BOUNDS = {
    "openbaarmakingsdatumVan": "Openbaar gemaakt vanaf",
    "openbaarmakingsdatumTot": "Openbaar gemaakt tot en met",
    "mutatiedatumtijdVan": "Gewijzigd vanaf",
    "mutatiedatumtijdTot": "Gewijzigd tot en met",
    "creatiedatumVan": "Gemaakt vanaf",
    "creatiedatumTot": "Gemaakt tot en met",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A value to choose, or that was chosen."""

    label: str
    path: str = ""
    """The path of the search without it."""
    value: str = ""
    number: int = 0
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A facet with its values."""

    name: str
    label: str
    choices: list[Choice]
    more: int
    """The number of values that are left out."""
    has_box: bool = False
    """Whether a box narrows the list by name."""
    text: str = ""
    """What the names in the list have, as typed in the box."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The values of one facet whose names have a text."""

    facet: str
    text: str
    counts: Sequence[Count]


class Address:
    """The parameters of a search, and the path of its page."""

    def __init__(self, parameters: Iterable[tuple[str, str]], path: str = "/") -> None:
        self._path = path
        self.parameters: Parameters = [(name, value) for name, value in parameters if value.strip()]

    def values(self, name: str) -> list[str]:
        """Return the values of a parameter."""
        return [value for given, value in self.parameters if given == name]

    def first(self, name: str) -> str:
        """Return the first value of a parameter, or an empty text."""
        return next(iter(self.values(name)), "")

    def others(self, *names: str) -> Parameters:
        """Return the parameters except these and the place in the hits: what a form keeps."""
        return [each for each in self.parameters if each[0] not in (*names, "start")]

    def without(self, name: str, value: str) -> str:
        """Return the path without a value of a parameter."""
        return search_path([each for each in self.others() if each != (name, value)], self._path)

    def at(self, start: int) -> str:
        """Return the path of the page that begins with a hit: never one without a parameter."""
        parameters = self.others()
        if start or not parameters:
            parameters.append(("start", str(start)))
        return search_path(parameters, self._path)


def page_of(
    question: Question, answer: Answer, address: Address, narrowed: Narrowed | None = None
) -> dict[str, Any]:
    """Return what the pages of all searches show; *download* gives the path of all hits in another form."""
    path = FILES[question.kind.name]
    return {
        "text": address.first("zoektekst"),
        "named": named(question, answer),
        "total": answer.total,
        "hits": answer.hits,
        "place": paging(question, answer, address),
        "filters": filters(question, answer, narrowed),
        "chosen": chosen(question, answer, address),
        "sorts": sorts(question),
        "hidden": address.others("zoektekst"),
        "beginning": address.at(0),
        "download": lambda suffix: search_path(address.others("aantal"), f"{path}.{suffix}"),
    }


def named(question: Question, answer: Answer) -> list[Choice]:
    """Return the pages of the organisations whose name the text is, if they have documents."""
    counts = [*answer.counts.get("organisatie_aangevuld", ()), *answer.counts.get("organisatie", ())]
    found = {each.value.value: each for each in counts if each.value.value in question.named}
    return [
        Choice(capitalised(each.value.label), path_of("organisatie", value), number=each.number)
        for value, each in found.items()
    ]


def offered_facets(kind: Kind) -> list[Facet]:
    """Return the facets that a list of filters has."""
    return [facet for facet in facets(kind) if not facet.is_supplied]


def filters(question: Question, answer: Answer, narrowed: Narrowed | None = None) -> list[Filter]:
    """Return the filters with their values; one without a value is left out, unless it is narrowed."""
    found = []
    for facet in offered_facets(question.kind):
        mine = narrowed if narrowed is not None and narrowed.facet == facet.name else None
        counts = list(_with_chosen(facet, question, answer) if mine is None else mine.counts)
        choices = [_choice(facet, count, question) for count in counts[:_MOST_VALUES]]
        if choices or mine:
            more, has_box = max(0, len(counts) - _MOST_VALUES), bool(mine) or len(counts) > _WITH_BOX
            found.append(Filter(facet.name, facet.label, choices, more, has_box, mine.text if mine else ""))
    return found


def chosen(question: Question, answer: Answer, address: Address) -> list[Choice]:
    """Return what narrows the search, each with the path of the search without it."""
    found = []
    names = {facet.name: facet.label for facet in facets(question.kind)}
    for name, value in address.parameters:
        if name in names:
            text = f"{names[name]}: {label_of(question.kind, answer, name, value)}"
        elif name in _BOUNDS:
            text = f"{_BOUNDS[name]} {day(value)}"
        else:
            continue
        found.append(Choice(text, address.without(name, value)))
    return found


def sorts(question: Question) -> list[tuple[str, str, bool]]:
    """Return the orders to choose from: value, text, and whether it is the order of the page.

    Best first is offered only if there is a text to rank by, and nearest first only with a place.
    """
    needs = {Sort.RELEVANCE: bool(question.clauses), Sort.DISTANCE: question.near is not None}
    offered = [sort for sort in _SORTS if needs.get(sort, True)]
    actual = question.sort if question.sort in offered else Sort.NEWEST
    return [(sort.value, _SORTS[sort], sort is actual) for sort in offered]


@dataclass(frozen=True, slots=True)
class PageLink:
    """The number of a page of hits, and its path. A gap in the numbers has none."""

    number: int
    path: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Paging:
    """The place of a page among the hits, and the paths of the pages beside it; empty if there is none."""

    first: int
    last: int
    previous: str
    following: str
    pages: list[PageLink]
    """The first and last page and those around this one; empty if there is only one."""
    is_cut: bool
    """Whether there are more hits than pages go to."""


def paging(question: Question, answer: Answer, address: Address) -> Paging:
    """Return the place of a page among the hits."""
    last = question.start + len(answer.hits)
    before, after = max(0, question.start - question.size), question.start + question.size
    has_next = after < answer.total and after <= MAX_START
    return Paging(
        first=question.start + 1,
        last=last,
        previous=address.at(before) if question.start else "",
        following=address.at(after) if has_next else "",
        pages=list(_pages(question, answer.total, address)),
        is_cut=after < answer.total and not has_next,
    )


def _pages(question: Question, total: int, address: Address) -> Iterator[PageLink]:
    """Yield the numbers of pages to go to; a gap stands for those that are left out."""
    size, current = question.size, question.start // question.size
    last = min(total - 1, MAX_START) // size
    near = range(max(0, current - _BESIDE), min(last, current + _BESIDE) + 1)
    shown = sorted({0, last, *near}) if last > 0 else []
    before = -1
    for each in shown:
        if each > before + 1:
            yield PageLink(0, "", is_current=False)
        yield PageLink(each + 1, address.at(each * size), is_current=each == current)
        before = each


def error_in_words(text: str) -> str:
    """Return the message of an error with the labels of pages in place of the names of parameters."""
    labels = {facet.name: facet.label for kind in Kind for facet in facets(kind)} | _BOUNDS
    names = "|".join(sorted(labels, key=len, reverse=True))
    shown = text.partition(" Mogelijk zijn: ")[0]  # the names for programs
    return capitalised(re.sub(rf"\b(?:{names})\b", lambda match: f"‘{labels[match[0]]}’", shown))


def _with_chosen(facet: Facet, question: Question, answer: Answer) -> Iterator[Count]:
    """Yield the counts of a facet, and those of chosen values that no hit has any more."""
    counts = answer.counts.get(facet.name, ())
    yield from counts
    for value in set(question.chosen.get(facet.name, ())) - {count.value.value for count in counts}:
        yield Count(FacetValue(value, chosen_label(question.kind, facet.name, value)), 0)


def _choice(facet: Facet, count: Count, question: Question) -> Choice:
    value, is_chosen = count.value.value, count.value.value in question.chosen.get(facet.name, ())
    return Choice(capitalised(count.value.label), value=value, number=count.number, is_chosen=is_chosen)


def kept(address: Address, shown: Sequence[Filter], *names: str) -> Parameters:
    """Return what a form with these filters and parameters keeps: all that it has no box for."""
    boxes = {(each.name, choice.value) for each in shown for choice in each.choices}
    return [pair for pair in address.others(*names) if pair not in boxes]


def label_of(kind: Kind, answer: Answer, name: str, value: str) -> str:
    """Return the label of a value of a facet: as the answer has it, else as the value lists have it.

    The counts of an answer end at ``MAX_COUNTS`` values; its hits have the others.
    """
    known = (count.value for count in answer.counts.get(name, ()))
    facet = next(each for each in facets(kind) if each.name == name)
    given = (each for hit in answer.hits for each in facet_values(facet, hit.document))
    label = next((each.label for each in chain(known, given) if each.value == value), None)
    return capitalised(label or chosen_label(kind, name, value))


def results(question: Question, answer: Answer) -> dict[str, Any]:
    """Return the answer to a search: the number of hits, a page of records, and the counts of the filters."""
    found: dict[str, Any] = {
        "totaal": answer.total,
        "start": question.start,
        "aantal": len(answer.hits),
        "resultaten": [record_of(hit.document) for hit in answer.hits],
    }
    if question.with_counts:
        found["tellingen"] = {name: [*map(_count, counts)] for name, counts in answer.counts.items()}
    if question.near is not None:
        found["afstanden"] = {
            hit.document["id"]: round(hit.metres) for hit in answer.hits if hit.metres is not None
        }
    return found


def _count(count: Count) -> Mapping[str, Any]:
    return {"waarde": count.value.value, "label": count.value.label, "aantal": count.number}
