"""Deliveries: what the state learns of records and sitemaps once all outputs have the records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A document's file, as the state knows it. The fields have the names of the table's columns."""

    sha256: bytes | None = None
    validator: str | None = None
    """The header of its response that a conditional request needs, such as ``ETag: "1"``."""
    size: int | None = None
    """Bytes."""
    media_type: str | None = None
    file_name: str | None = None
    pages: int | None = None
    fetched_at: int | None = None
    """Moment at which the bytes were last received completely, in seconds since 1970."""

    @property
    def etag(self) -> str | None:
        """The ETag, if it has one."""
        return self._value_of("ETag")

    @property
    def last_modified(self) -> str | None:
        """The Last-Modified, if it has no ETag."""
        return self._value_of("Last-Modified")

    def _value_of(self, name: str) -> str | None:
        given, _, value = (self.validator or "").partition(": ")
        return value if given == name else None


@dataclass(slots=True)
class Harvested:
    """A version of a document: what the state stores once every output has it durably."""

    id: int
    lastmod: int | None
    """Microseconds since 1970."""
    published: str
    """The openbaarmakingsdatum, ``YYYY-MM-DD``."""
    harvested: int
    """Moment of the first record of this version, in seconds since 1970."""
    sitemap_id: int
    """The sitemap whose entry it is."""
    entry_digest: bytes | None = None
    file: KnownFile | None = None
    """None if the document was not fetched."""
    takes_over: bool = False
    """True if it is the owner's, and replaces another's from the moment it is delivered."""
    cause: str | None = None
    """Its oorzaak."""
    number: int | None = None
    """Its number, 1 for the first version of the document."""
    depth: int | None = None
    """How much of the document the run requests, a Depth."""


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
    """True if the next run must read it again, although nothing is outstanding."""
    outstanding: int = 0
    """The number of its documents that the outputs do not have durably yet."""


Confirm = Callable[[Connection, Sequence[int]], None]
"""A function that notes in the state that the deliveries with these numbers are durable."""


@dataclass
class Delivery:
    """A record on its way to the outputs. It is noted in the state once the last of them has it durably."""

    waiting: int = 0
    """The number of outputs that do not have it durably yet."""
    harvested: Harvested | None = None
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
