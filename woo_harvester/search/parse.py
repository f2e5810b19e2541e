"""From the text and the parameters of a question to the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date

from woo_harvester.search.facets import facets
from woo_harvester.search.question import (
    MAX_CHOSEN,
    MAX_CLAUSES,
    MAX_DEPTH,
    MAX_SIZE,
    MAX_TEXT,
    Clause,
    Period,
    Question,
    QuestionError,
    Sort,
)
from woo_harvester.search.record_kind import RecordKind

_CLAUSE = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_PERIODS = ("openbaarmakingsdatum", "mutatiedatumtijd", "creatiedatum")


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text."""
    if len(text) > MAX_TEXT:
        raise QuestionError(f"De zoektekst mag hoogstens {MAX_TEXT} tekens hebben.")
    if any(ord(char) < 32 and not char.isspace() for char in text) or "\ufffd" in text or "\x7f" in text:
        raise QuestionError("In de zoektekst staan tekens die niet gelezen kunnen worden.")
    found = []
    for match in _CLAUSE.finditer(text):
        phrase = match["phrase"]
        words = (match["word"] if phrase is None else phrase).strip()
        if words and words != "-":
            found.append(Clause(words, phrase is not None, bool(match["minus"]) or False))
    if len(found) > MAX_CLAUSES:
        raise QuestionError(f"De zoektekst mag hoogstens {MAX_CLAUSES} woorden hebben.")
    return tuple(found)


def question_of_pairs(kind: RecordKind, parameters: Iterable[tuple[str, str]]) -> Question:
    """Return the question in the parameters of an address. Raises QuestionError."""
    chosen: dict[str, tuple[str, ...]] = {}
    single: dict[str, str] = {}
    names = {facet.name for facet in facets(kind)}
    bounds = {f"{name}_{end}" for name in _PERIODS for end in ("van", "tot")}
    for name, value in parameters:
        if not value.strip():
            continue
        if name in names:
            chosen[name] = (*chosen.get(name, ()), value)
            if len(chosen[name]) > MAX_CHOSEN:
                raise QuestionError(f"Kies hoogstens {MAX_CHOSEN} waarden bij een filter.")
        elif name in ("zoektekst", "sorteer", "start", "aantal") or name in bounds:
            if name in single:
                raise QuestionError(f"{name} mag maar een keer gegeven worden.")
            single[name] = value
        else:
            raise QuestionError(f"De zoekmachine kent {name[:60]!r} niet.")
    clauses = clauses_of(single.get("zoektekst", ""))
    start = _number(single, "start", 0, MAX_DEPTH)
    size = _number(single, "aantal", 10, MAX_SIZE)
    if start + size > MAX_DEPTH:
        raise QuestionError(f"Verder dan {MAX_DEPTH} resultaten kunt u niet bladeren.")
    try:
        sort = Sort(single.get("sorteer", Sort.RELEVANCE))
    except ValueError:
        raise QuestionError("Deze volgorde is er niet.") from None
    return Question(kind, clauses, chosen, _periods(single), sort=sort, start=start, size=size)


def _periods(single: Mapping[str, str]) -> dict[str, Period]:
    found = {}
    for name in _PERIODS:
        period = Period(_day(single, f"{name}_van"), _day(single, f"{name}_tot"))
        if period != Period():
            found[name] = period
    return found


def _day(single: Mapping[str, str], name: str) -> date | None:
    try:
        return date.fromisoformat(single[name]) if name in single else None
    except ValueError:
        raise QuestionError(f"{name}: schrijf een dag als 2026-01-31.") from None


def _number(single: Mapping[str, str], name: str, usual: int, most: int) -> int:
    text = single.get(name, str(usual))
    if not re.fullmatch("[0-9]{1,6}", text) or int(text) > most:
        raise QuestionError(f"{name}: geef een getal van 0 tot en met {most}.")
    return int(text)
