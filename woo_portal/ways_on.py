"""The ways on from a question with few hits: what each word finds, and a question that finds more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from woo_portal.dutch import analyzer
from woo_portal.engine import Engine, Hit
from woo_portal.question import Clause, Question

#: A question with fewer hits gets ways on; the words of it that are tried, and the documents that are shown.
FEW, _MOST_WORDS, _SHOWN = 3, 6, 10
#: The fewest letters of a word that may be misspelt, and of each part of a word that may be two.
_SHORTEST, _PART = 4, 3
#: Words that ask, beside the stop words, and do not say about what.
_ASKING = frozenset(["hoelang", "hoeveel", "waar", "waarom", "wanneer", "welk", "welke", "zegt", "gaat"])


@dataclass(frozen=True, slots=True)
class WaysOn:
    """The ways on from a question."""

    words: Sequence[tuple[Question, int]]
    """A question for each word of it, and its number of hits."""
    question: Question
    """The one that finds more; the question itself if there is none."""
    hits: Sequence[Hit] = ()
    """Its first hits, without those of the question itself."""


def ways_on(engine: Engine, question: Question, shown: Sequence[Hit]) -> WaysOn:
    """Return the ways on from a question, of which *shown* are the hits."""
    tried = [each for each in question.clauses if not each.is_excluded and _is_about(each)][:_MOST_WORDS]
    words = [(alone, _total(engine, alone)) for alone in (_of(question, each) for each in tried)]
    known = {hit.document["id"] for hit in shown}
    *_, likelier = tries = list(_others(engine, question, words))
    others = [each for each in tries if each.clauses != question.clauses]
    totals = [_total(engine, each) for each in others]
    best = others[totals.index(max(totals))] if max(totals, default=0) > len(known) else question
    for lacking in range(1, len(tried)) if best is question else ():
        best = replace(likelier, lacking=lacking)
        if _total(engine, best) > len(known):
            break
    answer = engine.search(replace(best, start=0, size=_SHOWN, with_counts=False))
    return WaysOn(words, best, [each for each in answer.hits if each.document["id"] not in known])


def _others(engine: Engine, question: Question, words: Sequence[tuple[Question, int]]) -> Iterator[Question]:
    """Yield questions for the same: without asking words, with two words as one, and with likelier words."""
    plain = tuple(each for each in question.clauses if _is_about(each))
    yield _of(question, *plain)
    for at, pair in enumerate(pairwise(plain)):
        if not any(each.is_phrase or each.is_excluded for each in pair):
            yield _of(question, *plain[:at], Clause("".join(each.text for each in pair)), *plain[at + 2 :])
    likelier = {alone.clauses[0]: _likelier(engine, alone, number) for alone, number in words}
    yield _of(question, *(likelier.get(each) or each for each in plain))


def _likelier(engine: Engine, alone: Question, number: int) -> Clause | None:
    """Return two words for one, or one that looks like it, if it has more than twice as many hits."""
    (clause,) = alone.clauses
    words = analyzer("exact").tokens(clause.text)
    if clause.is_phrase or number >= FEW or len(words) != 1 or not words[0].isalpha():
        return None
    (word,) = words
    cuts = range(_PART, len(word) - _PART + 1)
    parts = [Clause(f"{word[:at]} {word[at:]}") for at in cuts]
    similar = engine.similar_words(alone.kind, word) if len(word) >= _SHORTEST else []
    found = {each: _total(engine, _of(alone, each)) for each in [*parts, *map(Clause, similar)]}
    return next((each for each, total in found.items() if total > 2 * number), None)


def _is_about(clause: Clause) -> bool:
    """Return whether a clause says what the question is about."""
    is_word = clause.text.casefold() not in _ASKING and bool(analyzer("stam").tokens(clause.text))
    return clause.is_phrase or is_word


def _of(question: Question, *clauses: Clause) -> Question:
    return replace(question, clauses=tuple(dict.fromkeys(clauses)), named=(), start=0)


def _total(engine: Engine, question: Question) -> int:
    return engine.search(replace(question, size=1, with_counts=False, with_highlights=False)).total
