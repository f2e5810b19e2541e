"""What Elasticsearch answers, as hits and counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from woo_harvester.search.engine import Count, Hit, Piece
from woo_harvester.search.facets import FacetValue, values_at
from woo_harvester.search.fields import text_fields
from woo_harvester.search.queries import FRAGMENTS, MATCH_BEGIN, MATCH_END, wants_highlights
from woo_harvester.search.question import Question, Sort

#: The longest fragment, and what stands before its first match if it is cut, in characters.
_LONGEST, _BEFORE = 300, 60


def counts_of(found: Mapping[str, Any]) -> list[Count]:
    """Return the counts of a facet."""
    buckets = found["values"]["buckets"]
    return [Count(FacetValue.of_pair(bucket["key"]), bucket["doc_count"]) for bucket in buckets]


def hit_of(question: Question, found: Mapping[str, Any]) -> Hit:
    """Return a hit with its marked texts and its distance."""
    document, marked = found["_source"], found.get("highlight", {})
    title: list[Piece] = []
    if wants_highlights(question):
        path = text_fields(question.kind)[0].path
        title = pieces(next(iter(marked.get(path) or map(str, values_at(document, path))), ""))
    return Hit(document, title, list(_fragments(question, marked))[:FRAGMENTS], _metres(question, found))


def pieces(text: str) -> list[Piece]:
    """Return a highlighted text in pieces."""
    made = []
    for part in text.split(MATCH_BEGIN):
        match, end, rest = part.partition(MATCH_END)
        if end and match:
            made.append(Piece(match, is_match=True))
        if text_after := rest if end else match:
            made.append(Piece(text_after.replace(MATCH_END, "")))
    return [piece for piece in made if piece.text]


def _fragments(question: Question, marked: Mapping[str, list[str]]) -> Iterator[list[Piece]]:
    """Yield the fragments of all texts but the title, in the order of the fields."""
    for field in text_fields(question.kind)[1:]:
        yield from (_short(pieces(text)) for text in marked.get(field.path, ()))


def _short(found: list[Piece]) -> list[Piece]:
    """Return a fragment around its first match; Elasticsearch does not cut within a word, however long."""
    first = next((number for number, piece in enumerate(found) if piece.is_match), 0)
    before = "".join(piece.text for piece in found[:first])[-_BEFORE:]
    made, free = ([Piece(before)] if before else []), _LONGEST - len(before)
    for piece in found[first:]:
        if free > 0:
            made.append(Piece(piece.text[:free], piece.is_match))
            free -= len(piece.text)
    return made if sum(len(piece.text) for piece in found) > _LONGEST else found


def _metres(question: Question, found: Mapping[str, Any]) -> float | None:
    if question.near is None:
        return None
    return float(found["sort"][0 if question.sort is Sort.DISTANCE else -1])
