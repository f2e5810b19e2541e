"""What is known of a version of a document and of its file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Harvested:
    """What the state learns of a document once every output has it durably."""

    id: int
    lastmod: int | None
    """Microseconds since 1970."""
    published: str
    """The openbaarmakingsdatum, ``YYYY-MM-DD``."""
    at: int
    """Seconds since 1970."""
    entry_digest: bytes | None = None
    file: KnownFile | None = None
    """None where the document was not fetched."""
    sitemap_id: int | None = None
    """The sitemap whose entry it is; None for the one that is known."""
    takes_over: bool = False
    """It takes the place of a version of another host's, once it is delivered and not before."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What is known of a document's file; the names are those of the table."""

    sha256: bytes | None = None
    etag: str | None = None
    last_modified: str | None = None
    size: int | None = None
    """Bytes."""
    media_type: str | None = None
    file_name: str | None = None
    pages: int | None = None
    fetched_at: int | None = None
    """Seconds since 1970; when the bytes were last received completely."""
    unchanged_since: int | None = None
    """Seconds since 1970; when the server first answered since then that they are the same."""
