"""A harvested version of a document, and what is known of its file."""

from __future__ import annotations

from dataclasses import dataclass


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
