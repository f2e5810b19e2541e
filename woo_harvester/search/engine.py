"""What a search engine offers. There are two: the embedded index, and Elasticsearch.

The methods block; a server calls them in threads. An engine is safe to use from several threads at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from woo_harvester.search.facets import FacetValue
from woo_harvester.search.question import Question
from woo_harvester.search.record_kind import RecordKind


class EngineError(Exception):
    """The engine cannot answer now; the message is one line for the operator."""


class SlowQuestionError(EngineError):
    """A question took longer than it may, and was stopped."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text, and whether it is one of the words that were searched for."""

    text: str
    is_match: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that was found."""

    document: Mapping[str, Any]
    """The search document (:func:`woo_harvester.search.document.document_of`) without ``tekst``."""
    title: Sequence[Piece] = ()
    """The whole title with its matches; empty without a text to search for."""
    fragments: Sequence[Sequence[Piece]] = ()
    """Fragments, at most three, of description or text with matches, each at most about 200 characters."""
    metres: float | None = None
    """The distance from the place of the question."""


@dataclass(frozen=True, slots=True)
class Count:
    """A value of a facet, and the number of hits that have it."""

    value: FacetValue
    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question."""

    total: int
    """The exact number of hits."""
    hits: Sequence[Hit]
    counts: Mapping[str, Sequence[Count]] = field(default_factory=dict)
    """The counts by name of facet, most hits first, then by label. The values chosen in a facet do not narrow
    its own counts, so that a second value can be added."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What the index has of one kind of records."""

    published: int
    withdrawn: int
    organisations: int
    newest: datetime | None
    """The latest moment of harvest (``herkomst.opgehaald``)."""


class Engine(Protocol):
    """A search engine. Each method raises EngineError if it cannot answer."""

    def search(self, question: Question) -> Answer:
        """Return the page of hits that the question asks for, with counts and highlights if it wants them."""

    def get(self, kind: RecordKind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, also of a withdrawn one, or None."""

    def all_documents(self, question: Question) -> Iterator[Mapping[str, Any]]:
        """Yield the search documents of all hits in the question's order, without ``start`` and ``size``.

        It reads in parts, so that a million hits take no memory.
        """

    def contents(self, kind: RecordKind) -> Contents:
        """Return what the index has of *kind*."""

    def version(self) -> str:
        """Return a text that changes whenever an answer may change; for the ETag of pages."""

    def close(self) -> None:
        """Release files and connections."""
