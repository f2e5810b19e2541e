"""What is known of the content of a document, and what a run wants to know of it.

Few combinations occur, and many documents share one. So the state has each combination once, with a number,
and a document has that number. Whether a document lacks something is then one look at a set of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Select, bindparam, false, or_, select, update

from woo_harvester.documents.extracted import Limits
from woo_harvester.record import Aanvulling
from woo_harvester.state.schema import contents, documents, listings, resources
from woo_harvester.state.sql import insert_new


class Depth(IntEnum):
    """How much of a document was requested."""

    NONE = 0
    HEADERS = 1
    FILE = 2


class TextResult(StrEnum):
    """The result of reading the text of a document."""

    READ = "read"
    """All of it was read, also if there was none."""
    TRUNCATED = "truncated"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class KnownText:
    """That the text of a document was read, with which limits, and the result."""

    limits: Limits
    result: TextResult

    def is_enough(self, limits: Limits) -> bool:
        """Return whether these limits, none of which may be wider, would give no more text."""
        mine = self.limits
        if limits.ocr and not mine.ocr:
            return False
        is_longer = limits.maxlength > mine.maxlength
        if self.result is TextResult.FAILED:
            return not (is_longer or limits.timeout > mine.timeout or limits.memory > mine.memory)
        return self.result is TextResult.READ or not is_longer


@dataclass(frozen=True, slots=True)
class Content:
    """What is known of the content of a document, or what a run wants to know of it."""

    depth: Depth
    store: str | None = None
    """The store that has the document; None if none has it, or if none is wanted."""
    text: KnownText | None = None
    """None if its text was not read, or is not wanted."""
    maxsize: int | None = None
    """Only of what a run wants: the largest document that it accepts, in bytes."""

    def lacks(self, wanted: Content) -> tuple[Aanvulling, ...]:
        """Return the parts of the content that are wanted and not known."""
        lacking = []
        if self.depth < wanted.depth or (wanted.store is not None and self.store != wanted.store):
            is_file = wanted.depth is Depth.FILE
            lacking.append(Aanvulling.BESTAND if is_file else Aanvulling.KOPREGELS)
        if wanted.text is not None and not (self.text and self.text.is_enough(wanted.text.limits)):
            lacking.append(Aanvulling.TEKST)
        return tuple(lacking)

    def is_less(self, wanted: Content) -> bool:
        """Return whether an earlier run that wanted this may have refused what is *wanted* now."""
        return self.depth < wanted.depth or (self.maxsize or 0) < (wanted.maxsize or 0)

    def with_earlier(self, before: Content) -> Content:
        """Return this content of a file with what was known *before* of the same file."""
        return replace(self, store=self.store or before.store, text=self.text or before.text)


def wanted_content(
    depth: Depth, *, store: str | None = None, limits: Limits | None = None, maxsize: int | None = None
) -> Content:
    """Return what a run wants: the least that is known of each document after a complete read by it."""
    return Content(depth, store, KnownText(limits, TextResult.FAILED) if limits else None, maxsize)


_JSON = TypeAdapter(Content)


def describe(content: Content) -> str:
    """Return the text that stands for a content in the state. Equal contents have equal texts."""
    return _JSON.dump_json(content, exclude_none=True).decode()


def parse(description: str) -> Content:
    """Return the content that a text stands for. Raises ValueError."""
    try:
        return _JSON.validate_json(description)
    except ValidationError as error:
        raise ValueError(f"expected the description of a content, got {description!r}") from error


@dataclass(slots=True)
class Wanted:
    """What a run wants to know of the content of documents, compared with all that the state knows."""

    content: Content
    number: int
    """The number of that content in the state."""
    known: dict[int, Content]
    """All contents of the state, by number."""
    sufficient: frozenset[int] | None
    """The numbers of the contents that lack nothing; None if nothing is wanted."""
    less: frozenset[int]
    """The numbers of what runs wanted that wanted less: what they refused may be accepted now."""
    numbers: dict[Content, int]
    """The number of each content."""

    def lacks(self, number: int | None) -> tuple[Aanvulling, ...]:
        """Return the parts of the content that are wanted and not known; None stands for nothing known."""
        return self.content_of(number).lacks(self.content)

    def content_of(self, number: int | None) -> Content:
        """Return the content with a number."""
        return self.known.get(number or 0, Content(Depth.NONE))

    def number_of(self, connection: Connection, content: Content) -> int:
        """Return the number of a content; add it to the state if it is new there."""
        if (number := self.numbers.get(content)) is None:
            number = self.numbers[content] = add_content(connection, describe(content))
            self.known[number] = content
        return number


def begin_wanting(connection: Connection, content: Content) -> Wanted:
    """Return what a run wants, compared with the contents in the state."""
    number = add_content(connection, describe(content))
    known = {key: parse(text) for key, text in descriptions(connection).items()}
    is_any = content.depth is not Depth.NONE
    sufficient = frozenset(key for key, one in known.items() if _is_sufficient(one, content))
    less = frozenset(key for key, one in known.items() if one.is_less(content))
    numbers = {one: key for key, one in known.items()}
    return Wanted(content, number, known, sufficient if is_any else None, less, numbers)


def _is_sufficient(content: Content, wanted: Content) -> bool:
    """Return whether nothing is lacking, nor refused for a limit that is wider now."""
    is_refused = content.maxsize is not None and content.is_less(wanted)
    return not is_refused and not content.lacks(wanted)


def add_content(connection: Connection, description: str) -> int:
    """Return the number of a content by its description; add it if it is new."""
    row = {"description": description}
    if (number := connection.scalar(_NUMBER, row)) is None:
        connection.execute(insert_new(connection.dialect.name, contents), row)
        number = connection.scalar(_NUMBER, row)
    return int(number or 0)


def descriptions(connection: Connection) -> Mapping[int, str]:
    """Return the description of each content, by its number."""
    rows = connection.execute(select(contents.c.id, contents.c.description))
    return {row.id: row.description for row in rows}


_NUMBER = select(contents.c.id).where(contents.c.description == bindparam("description"))


def is_lacking(connection: Connection, sitemap_id: int, wanted: Wanted) -> bool:
    """Return whether a sitemap lists a document whose content is lacking, or that may be accepted now.

    A document counts if its version came from a sitemap of the same host.
    """
    return connection.execute(_lacking(wanted), {"sitemap_id": sitemap_id}).first() is not None


def _lacking(wanted: Wanted) -> Select[tuple[int]]:
    host = select(resources.c.host_id).where(resources.c.id == bindparam("sitemap_id")).scalar_subquery()
    of_host = select(resources.c.id).where(resources.c.host_id == host)
    is_published = documents.c.harvested.is_not(None)
    # Not NOT IN alone: that is null, so not true, for a document of which nothing is known.
    content = documents.c.known_content
    is_short = or_(content.is_(None), content.not_in(wanted.sufficient or ()))
    lacking = is_published & is_short & documents.c.refused_at.is_(None)
    accepted_now = documents.c.refused_at.is_not(None) & documents.c.refused_with.in_(wanted.less)
    return (
        select(documents.c.id)
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .where(
            listings.c.sitemap_id == bindparam("sitemap_id"),
            listings.c.misses == 0,
            documents.c.withdrawn.is_(None),
            documents.c.sitemap_id.in_(of_host),
            or_(lacking if wanted.sufficient is not None else false(), accepted_now),
        )
        .limit(1)
    )


def keep_wanted(connection: Connection, sitemap_id: int, wanted: Wanted) -> None:
    """Note of a sitemap that has not changed that none of its documents lacks what is wanted."""
    statement = update(resources).where(resources.c.id == sitemap_id)
    connection.execute(statement.values(wanted=wanted.number))


@dataclass(slots=True)
class Harvested:
    """A version of a document: what the state stores once every output has it durably."""

    id: int
    lastmod: int | None
    """Microseconds since 1970."""
    published: str
    """The openbaarmakingsdatum, ``YYYY-MM-DD``."""
    at: int
    """Moment of its first record, in seconds since 1970."""
    entry_digest: bytes | None = None
    file: KnownFile | None = None
    """None if the document was not fetched."""
    sitemap_id: int | None = None
    """The sitemap whose entry it is; None to keep the one that the state has."""
    takes_over: bool = False
    """True if it replaces the version of another host, from the moment it is delivered."""
    supplemented: int | None = None
    """The fields that it has from other entries than its own, a bit for each; None for none."""
    cause: str | None = None
    """Its oorzaak."""
    number: int | None = None
    """Its number, 1 for the first version of the document."""
    content: int | None = None
    """Number of what is known of its content; None for nothing."""
    supplied_at: int | None = None
    """Moment of its last record, in seconds since 1970, if that only adds content; else None."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A document's file, as the state knows it. The fields have the names of the table's columns."""

    sha256: bytes | None = None
    etag: str | None = None
    last_modified: str | None = None
    size: int | None = None
    """Bytes."""
    media_type: str | None = None
    file_name: str | None = None
    pages: int | None = None
    fetched_at: int | None = None
    """Moment at which the bytes were last received completely, in seconds since 1970."""
    unchanged_since: int | None = None
    """Moment at which the server first reported them as unchanged after that, in seconds since 1970."""


@dataclass
class PendingRead:
    """A read of one sitemap, on which the next run may rely once all its documents are durable."""

    resource_id: int
    etag: str | None = None
    last_modified: str | None = None
    digest: bytes | None = None
    at: int = 0
    complete: bool = False
    """True if it was read to its end without an error."""
    must_reread: bool = False
    """True if the next run must read it again: it no longer lists a document, or something in it is wrong."""
    outstanding: int = 0
    """The number of its documents that the outputs do not have durably yet."""

    def again(self, second: PendingRead) -> PendingRead:
        """Return this reading, continued by a *second* reading of the same sitemap.

        If the sitemap has changed in between, the next run reads what is new in it.
        """
        self.must_reread |= self.digest != second.digest
        return self


Confirm = Callable[[Connection, Sequence[int]], None]
"""A function that notes in the state that the deliveries with these numbers are durable."""


@dataclass
class Delivery:
    """A record on its way to the outputs. It is noted in the state once the last of them has it durably."""

    waiting: int = 0
    """The number of outputs that do not have it durably yet."""
    harvested: Harvested | None = None
    content: Content | None = None
    """What is known of the content of the harvested document."""
    withdrawn: int | None = None
    """The id of the document, if the record is a withdrawal."""
    withdrawn_at: int = 0
    """The moment of its record, in seconds since 1970."""
    reading: PendingRead | None = None
    visited: bytes | None = None
    """The key of the page in scrapy-deltafetch, if the item is that of another project."""
    confirm: Confirm | None = None
    """The function to call with its *number*, once for all records that share a delivery."""
    number: int = 0
