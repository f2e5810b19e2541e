"""What a search engine offers. There are two: the embedded index, and Elasticsearch.

The methods block; a server calls them in threads. An engine is safe to use from several threads at once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from time import time
from typing import Any, Protocol

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import Facet, FacetValue, facets
from woo_portal.question import Question


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
    """The search document (:func:`woo_harvester.outputs.document.document_of`) without ``tekst``."""
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
    """The counts by name of facet, most hits first, then by label: at most ``MAX_COUNTS`` of each, or all of
    the one that the question names. The values chosen in a facet do not narrow its own counts, so that a
    second value can be added."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What the index has of one kind of records."""

    published: int
    withdrawn: int
    organisations: int
    """The number of values of the facet ``organisatie``."""
    newest: datetime | None
    """The latest moment of harvest (``herkomst.opgehaald``)."""


#: How long before it last had everything a copy begins again when the index was made anew. A record comes
#: into the index when its document was read, which may be days after its moment of harvest.
OVERLAP = timedelta(days=7)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Followed:
    """How far a copy has followed the changes of an index.

    An index numbers its changes in the order in which they come into it. The moment of harvest is no such
    order: a record with a large document comes later than records that were harvested after it.
    """

    index: str = ""
    """The name under which an index gave the number; one that is made anew or put back has another."""
    number: int = 0
    """The number of the last change that the copy has."""
    moment: int = 0
    """When the copy last had everything, or from when it begins, in milliseconds since 1970."""
    until: int = 0
    """Up to this number only changes that were harvested at or after *since* are new to the copy."""
    since: int = 0

    def within(self, given: Mapping[str, int]) -> Followed:
        """Return where to go on in an index, by its names: each with the last number that it gave so.

        The present name is the last of *given*. A number that the index did not give so is of another one:
        made anew, or put back from a backup.
        """
        index, last = list(given.items())[-1]
        if self.number <= given.get(self.index, -1):
            return replace(self, index=index)
        overlap = OVERLAP // _MILLISECOND if self.index else 0
        since = max(0, self.moment - overlap)
        return Followed(index, moment=self.moment, until=last if since else 0, since=since)

    def after(self, number: int, *, has_more: bool) -> Followed:
        """Return this with the last change on a page; without *has_more* the copy has everything then."""
        moment = self.moment if has_more else int(time() * 1000)
        until, since = (self.until, self.since) if number < self.until else (0, 0)
        return Followed(self.index, number, moment, until, since)


@dataclass(frozen=True, slots=True)
class Changes:
    """A page of changes, in their order: a record that changed more than once stands at its last change."""

    documents: Sequence[Mapping[str, Any]]
    """Search documents, also of withdrawn records."""
    followed: Followed
    """How far a copy is that has these."""
    has_more: bool = False


def page_of_changes(where: Followed, found: Sequence[tuple[int, Mapping[str, Any]]], size: int) -> Changes:
    """Return the first *size* changes after a place, of one more than that with their numbers."""
    if not found:
        return Changes([], where)
    has_more = len(found) > size
    shown = found[:size]
    return Changes([each for _, each in shown], where.after(shown[-1][0], has_more=has_more), has_more)


#: Search documents that are read in parts. Who does not read all of them closes it.
Documents = Generator[Mapping[str, Any], None, None]


class Engine(Protocol):
    """A search engine. Each method raises EngineError if it cannot answer."""

    def search(self, question: Question) -> Answer:
        """Return the page of hits that the question asks for, with counts and highlights if it wants them."""

    def get(self, kind: Kind, record_id: str) -> Mapping[str, Any] | None:
        """Return the search document of a record, also of a withdrawn one, or None."""

    def all_documents(self, question: Question) -> Documents:
        """Yield the search documents of all hits in the question's order, without ``start`` and ``size``.

        It reads in parts, so that a million hits take no memory.
        """

    def changes(self, kind: Kind, followed: Followed, size: int) -> Changes:
        """Return the first changes that a copy does not have, at most *size*."""

    def similar_words(self, kind: Kind, word: str) -> list[str]:
        """Return words of titles and metadata that look like *word*, the most similar first.

        All begin with the same letter. There are none for a word that a title has.
        """

    def contents(self, kind: Kind) -> Contents:
        """Return what the index has of *kind*."""

    def version(self) -> str:
        """Return a text that changes whenever an answer may change; for the ETag of pages."""

    def close(self) -> None:
        """Release files and connections."""


@dataclass(frozen=True, slots=True)
class TextField:
    """A field whose words are searched. Its analyzers are those of ``analysis.json``."""

    path: str
    """The path in the search document, without ``[]``, and in the index of the words without endings."""
    boost: float
    """How much a word in this field counts. A part of a compound counts for a third."""
    is_quoted: bool = True
    """Whether a hit shows the words that match, and what stands around them."""

    @property
    def exact(self) -> str:
        """The path in the index of the words as they stand (analyzer ``exact``), for phrases."""
        return f"{self.path}.exact"

    @property
    def parts(self) -> str:
        """The path in the index of the parts of compounds (``delen``)."""
        return f"{self.path}.delen"


_TITLES = "document.titelcollectie"
#: The texts of all metadata (:data:`~woo_harvester.outputs.definition.METADATA`).
METADATA_FIELD = TextField("metadata", 4, is_quoted=False)

_FIELDS: Mapping[str, Sequence[TextField]] = {
    WOO.name: (
        TextField(f"{_TITLES}.officieleTitel", 6),
        TextField(f"{_TITLES}.verkorteTitels", 5),
        TextField(f"{_TITLES}.alternatieveTitels", 5),
        METADATA_FIELD,
        TextField("document.omschrijvingen", 3),
        TextField("tekst", 2),
    ),
    PERMITS.name: (
        TextField("vergunning.title", 6),
        METADATA_FIELD,
        TextField("vergunning.description", 3),
        TextField("documenten.title", 2),
        TextField("documenten.description", 1),
    ),
}
#: The share of a field's boost that a part of a compound counts for.
PARTS_SHARE = 1 / 3
#: How often the title's boost counts if it has the word as it stands. Wateringen has the stem of water, and
#: short titles count for more than long ones.
ITSELF = 5
#: The facet of organisations, and the score of a document of the organisation whose name is asked for.
ORGANISATION, NAMED = "organisatie", 1000.0


def counted_facets(question: Question) -> Sequence[Facet]:
    """Return the facets whose values an answer counts."""
    every = facets(question.kind)
    return [facet for facet in every if facet.name == question.all_of] if question.all_of else every


def text_fields(kind: Kind) -> Sequence[TextField]:
    """Return the searched fields of records of *kind*, the title first.

    A word is found in a field if all its stems are there, of words or of parts of compounds. A phrase is
    found if its words stand there one after another, as they are.
    """
    return _FIELDS[kind.name]


def title_field(kind: Kind) -> TextField:
    """Return the field of the title that is shown."""
    return text_fields(kind)[0]


#: The most words that look like another one, and how much they must: 1 is the same word.
_MOST_SIMILAR, _SIMILARITY = 3, 0.75


def most_similar(word: str, known: Iterable[str]) -> list[str]:
    """Return the few of these words that look most like *word*, in order; none if it is one of them."""
    others = {each for each in known if abs(len(each) - len(word)) <= 2}
    return [] if word in others else get_close_matches(word, sorted(others), _MOST_SIMILAR, _SIMILARITY)


#: The date by which hits are sorted, by the name of the kind, and the fields of the periods of a question.
SORT_DATES: Mapping[str, str] = {
    WOO.name: "versies.openbaarmakingsdatum",
    PERMITS.name: "versies.mutatiedatumtijd",
}
#: The date of the last change that pages show.
CHANGE_DATES: Mapping[str, str] = {
    WOO.name: "versies.mutatiedatumtijd",
    PERMITS.name: "vergunning.modified",
}
PERIOD_FIELDS: Mapping[str, str] = {
    "openbaarmakingsdatum": "versies.openbaarmakingsdatum",
    "mutatiedatumtijd": "versies.mutatiedatumtijd",
    "creatiedatum": "document.creatiedatum",
    "opgehaald": "herkomst.opgehaald",
}
