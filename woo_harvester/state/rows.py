"""The rows of an exported state: what each file format has, checked on import."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, model_validator

from woo_harvester.state.permit_rows import CaseRow, EntryRow, MessageRow, PermitFileRow, PermitHostRow
from woo_harvester.state.row_types import (
    BigCount,
    Compressed,
    Content,
    Day,
    ExportedRow,
    Hex,
    Host,
    Loc,
    Microseconds,
    ReadCounts,
    Seconds,
    Url,
)

#: Largest count of misses on import. Each complete read may add one, up to 2**31 - 1 in the database.
MISSES_MAX = 2_000_000_000

#: Columns of a host that only exports of state version 2 have. It counted pending withdrawals per host.
VERSION_2_COLUMNS = frozenset({"held_runs", "held_documents", "confirmed"})


class HostRow(ExportedRow):
    """A host. Its files and documents come after it."""

    @model_validator(mode="before")
    @classmethod
    def _drop_version_2_columns(cls, given: Any) -> Any:
        """Drop the columns of version 2: the count of missing documents starts anew."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in VERSION_2_COLUMNS}

    kind: Literal["host"] = "host"
    host: Host
    complete_at: Seconds | None = None
    complete: bool = False
    massive: bool | None = None
    """Only exports of state version 5 and earlier have it: each missing document of the host is pending."""
    begun_at: Microseconds | None = None
    reads: BigCount | None = None
    unregistered: ReadCounts | None = None


class FileRow(ExportedRow):
    """A robots.txt, index or sitemap of the host."""

    kind: Literal["file"] = "file"
    host: Host
    url: Url
    type: Literal["robots", "index", "sitemap"]
    index: Url | None = None
    """URL of the index that lists a sitemap."""
    index_gone: bool | None = None
    """True if robots.txt no longer names that index."""
    etag: str | None = None
    last_modified: str | None = None
    digest: Hex | None = None
    read_at: Seconds | None = None
    content: Compressed | None = None
    wanted: Content | None = None
    """What the run of that read wanted to know of the content of the documents of a sitemap."""


class DocumentRow(ExportedRow):
    """A document of the host. Its sitemap comes before it."""

    kind: Literal["document"] = "document"
    host: Host
    loc: Loc
    sitemap: Url
    first_seen: Seconds
    lastmod: Microseconds | None = None
    published: Day | None = None
    harvested: Seconds | None = None
    withdrawn: Seconds | None = None
    entry_digest: Hex | None = None
    sha256: Hex | None = None
    etag: str | None = None
    last_modified: str | None = None
    size: BigCount | None = None
    media_type: str | None = None
    file_name: str | None = None
    pages: BigCount | None = None
    fault: str | None = None
    fault_seen: str | None = None
    fault_since: Seconds | None = None
    refused_at: Seconds | None = None
    refused_lastmod: Microseconds | None = None
    restore: bool | None = None
    fetched_at: Seconds | None = None
    unchanged_since: Seconds | None = None
    supplemented: BigCount | None = None
    cause: Literal["aanlevering", "wijziging", "herpublicatie"] | None = None
    known_content: Content | None = None
    supplied_at: Seconds | None = None
    refused_with: Content | None = None


class ListingRow(ExportedRow):
    """A document, of this host or another, in a sitemap of the host.

    An export leaves out the plain case: a document that is not withdrawn, in the sitemap of its own row.
    """

    kind: Literal["listing"] = "listing"
    host: Host
    loc: Loc
    sitemap: Url
    listed: bool = True
    """False if the sitemap of the document's row no longer lists it."""
    misses: Annotated[int, Field(ge=0, le=MISSES_MAX)] = 0
    missing_since: Microseconds | None = None
    massive: bool | None = None
    foreign: bool = False
    lastmod: Microseconds | None = None


Row = HostRow | FileRow | DocumentRow | ListingRow | PermitHostRow
ROW: TypeAdapter[Row] = TypeAdapter(Annotated[Row, Field(discriminator="kind")])

#: Kinds of rows, in the order in which a CSV file has their columns.
_KINDS = (HostRow, DocumentRow, FileRow, ListingRow, EntryRow, PermitFileRow, MessageRow, CaseRow)
EXPORT_COLUMNS = tuple(dict.fromkeys(name for kind in _KINDS for name in kind.model_fields))
