"""Questions to an engine as a user asks them."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_portal.engine import Answer, Engine
from woo_portal.parse import question_of_pairs
from woo_portal.question import Question

#: The day on which the questions are asked.
TODAY = date(2026, 6, 30)


def question(kind: Kind, address: str) -> Question:
    """Return the question in the parameters of an address; ``+`` is a space."""
    return question_of_pairs(kind, parse_qsl(address, strict_parsing=bool(address)), size=50, today=TODAY)


def answer(engine: Engine, address: str, kind: Kind = WOO) -> Answer:
    """Return the answer to the question of an address."""
    return engine.search(question(kind, address))


def ids(found: Answer) -> list[str]:
    """Return the ids of the hits in their order, which are as many as the answer says."""
    assert found.total == len(found.hits)
    return [hit.document["id"] for hit in found.hits]


def found(engine: Engine, address: str, kind: Kind = WOO) -> set[str]:
    """Return the ids of all documents that a question finds."""
    return set(ids(answer(engine, address, kind)))


def permits(engine: Engine, address: str) -> set[str]:
    """Return the ids of all permits that a question finds."""
    return found(engine, address, PERMITS)


def text(words: str) -> Question:
    """Return the question about documents with this text."""
    return question_of_pairs(WOO, [("zoektekst", words)], size=50)
