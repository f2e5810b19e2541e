"""The rows of an exported state: what each file format has, checked on import."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    model_validator,
)

from woo_harvester.dates import EARLIEST, LATEST, from_microseconds, to_microseconds
from woo_harvester.state.contents import describe, parse
from woo_harvester.urls import host_of, loc_problem

_SECOND = 1_000_000  # microseconds

#: Largest content of a robots.txt or an index, in bytes after decompression.
_UNPACKED_MAXSIZE = 8 * 1024 * 1024

#: Largest values of integer columns in every database.
_INTEGER_MAX = 2**31 - 1
_BIG_INTEGER_MAX = 2**63 - 1

#: Largest count of misses on import. Each complete read may add one, up to the column's _INTEGER_MAX.
MISSES_MAX = 2_000_000_000


def _moment(value: Any) -> int:
    """Return the microseconds since 1970 of an ISO 8601 date-time with an offset."""
    try:
        moment = datetime.fromisoformat(value)
        if EARLIEST <= moment <= LATEST:
            return to_microseconds(moment)
    except (TypeError, ValueError, OverflowError):
        pass  # the error below says what was expected
    raise ValueError(f"expected a date-time such as 2024-04-02T08:00:00Z, got {value!r}")


def _written(moment: int) -> str:
    return from_microseconds(moment).isoformat().replace("+00:00", "Z")


def _unhex(value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ValueError(f"expected hexadecimals, got {value!r}") from None


def _checked_content(value: Any) -> bytes:
    """Return the compressed bytes of *value* in base64. Raises ValueError if they cannot be decompressed."""
    try:
        compressed = b64decode(value, validate=True)
        reader = zlib.decompressobj()
        size = len(reader.decompress(compressed, _UNPACKED_MAXSIZE + 1))
    except (TypeError, ValueError, zlib.error):
        raise ValueError("expected content that is compressed (zlib) and in base64") from None
    if size > _UNPACKED_MAXSIZE:
        raise ValueError(f"expected content of at most {_UNPACKED_MAXSIZE} bytes")
    if not reader.eof or reader.unused_data:
        raise ValueError("expected content that is compressed (zlib) and in base64")
    return compressed


def _checked_day(value: str) -> str:
    return date.fromisoformat(value).isoformat()


def _checked_host(value: str) -> str:
    if host_of(f"https://{value}") != value:
        raise ValueError(f"expected a host such as www.a.nl or www.a.nl:8443, got {value!r}")
    return value


def _checked_loc(value: str) -> str:
    if loc_problem(value):
        raise ValueError(f"expected the https URL of a document, got {value!r}")
    return value


def _checked_description(value: str) -> str:
    return describe(parse(value))


_Microseconds = Annotated[int, BeforeValidator(_moment), PlainSerializer(_written)]
_Seconds = Annotated[
    int,
    BeforeValidator(lambda value: _moment(value) // _SECOND),
    PlainSerializer(lambda moment: _written(moment * _SECOND)),
]
_Hex = Annotated[bytes, BeforeValidator(_unhex), PlainSerializer(bytes.hex)]
_Compressed = Annotated[
    bytes,
    BeforeValidator(_checked_content),
    PlainSerializer(lambda content: b64encode(content).decode("ascii")),
]
_Day = Annotated[str, AfterValidator(_checked_day)]
_Content = Annotated[str, AfterValidator(_checked_description)]
_Host = Annotated[str, AfterValidator(_checked_host)]
_Loc = Annotated[str, AfterValidator(_checked_loc)]
_Url = Annotated[str, Field(min_length=1)]
_BigCount = Annotated[int, Field(ge=0, le=_BIG_INTEGER_MAX)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


#: Columns of a host that only exports of state version 2 have. It counted pending withdrawals per host.
VERSION_2_COLUMNS = frozenset({"held_runs", "held_documents", "confirmed"})


class HostRow(_Row):
    """A host. Its files and documents come after it."""

    @model_validator(mode="before")
    @classmethod
    def _drop_version_2_columns(cls, given: Any) -> Any:
        """Drop the columns of version 2: the count of missing documents starts anew."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in VERSION_2_COLUMNS}

    kind: Literal["host"] = "host"
    host: _Host
    complete_at: _Seconds | None = None
    complete: bool = False
    massive: bool = False
    begun_at: _Microseconds | None = None


class FileRow(_Row):
    """A robots.txt, index or sitemap of the host."""

    kind: Literal["file"] = "file"
    host: _Host
    url: _Url
    type: Literal["robots", "index", "sitemap"]
    index: _Url | None = None
    """URL of the index that lists a sitemap."""
    index_gone: bool | None = None
    """True if robots.txt no longer names that index."""
    etag: str | None = None
    last_modified: str | None = None
    digest: _Hex | None = None
    read_at: _Seconds | None = None
    content: _Compressed | None = None
    wanted: _Content | None = None
    """What the run of that read wanted to know of the content of the documents of a sitemap."""


class DocumentRow(_Row):
    """A document of the host. Its sitemap comes before it."""

    kind: Literal["document"] = "document"
    host: _Host
    loc: _Loc
    sitemap: _Url
    first_seen: _Seconds
    lastmod: _Microseconds | None = None
    published: _Day | None = None
    harvested: _Seconds | None = None
    withdrawn: _Seconds | None = None
    entry_digest: _Hex | None = None
    sha256: _Hex | None = None
    etag: str | None = None
    last_modified: str | None = None
    size: _BigCount | None = None
    media_type: str | None = None
    file_name: str | None = None
    pages: _BigCount | None = None
    fault: str | None = None
    fault_seen: str | None = None
    fault_since: _Seconds | None = None
    refused_at: _Seconds | None = None
    refused_lastmod: _Microseconds | None = None
    restore: bool | None = None
    fetched_at: _Seconds | None = None
    unchanged_since: _Seconds | None = None
    supplemented: _BigCount | None = None
    cause: Literal["aanlevering", "wijziging", "herpublicatie"] | None = None
    known_content: _Content | None = None
    supplied_at: _Seconds | None = None
    refused_with: _Content | None = None


class ListingRow(_Row):
    """A document, of this host or another, in a sitemap of the host.

    An export leaves out the plain case: a document that is not withdrawn, in the sitemap of its own row.
    """

    kind: Literal["listing"] = "listing"
    host: _Host
    loc: _Loc
    sitemap: _Url
    listed: bool = True
    """False if the sitemap of the document's row no longer lists it."""
    misses: Annotated[int, Field(ge=0, le=MISSES_MAX)] = 0
    missing_since: _Microseconds | None = None
    foreign: bool = False
    lastmod: _Microseconds | None = None


Row = HostRow | FileRow | DocumentRow | ListingRow
ROW: TypeAdapter[Row] = TypeAdapter(Annotated[Row, Field(discriminator="kind")])

#: Kinds of rows, in the order in which a CSV file has their columns.
_KINDS = (HostRow, DocumentRow, FileRow, ListingRow)
EXPORT_COLUMNS = tuple(dict.fromkeys(name for kind in _KINDS for name in kind.model_fields))
