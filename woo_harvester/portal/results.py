"""The answers of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.search.document import record_of
from woo_harvester.search.engine import Answer, Count
from woo_harvester.search.question import Question


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
