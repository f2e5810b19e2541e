"""The rows of an exported state, as people and other programs read them."""

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

from woo_harvester.dates import EARLIEST, LATEST
from woo_harvester.state.decision import microseconds, moment_of
from woo_harvester.urls import host_of, loc_problem

SECOND = 1_000_000

#: Bytes of a robots.txt or an index that the state keeps, at most.
UNPACKED_MAXSIZE = 8 * 1024 * 1024

#: What the columns of each kind hold in every database.
INTEGER_MAX = 2**31 - 1
BIG_INTEGER_MAX = 2**63 - 1

#: Each complete read that lacks the document adds one, and the column holds no more than INTEGER_MAX.
MISSES_MAX = 2_000_000_000


def _moment(value: Any) -> int:
    """Microseconds since 1970 of an ISO 8601 date-time with its offset."""
    try:
        moment = datetime.fromisoformat(value)
        if EARLIEST <= moment <= LATEST:
            return microseconds(moment)
    except (TypeError, ValueError, OverflowError):
        pass  # the same line says what was expected
    raise ValueError(f"expected a date-time such as 2024-04-02T08:00:00Z, got {value!r}")


def _written(moment: int) -> str:
    return moment_of(moment).isoformat().replace("+00:00", "Z")


def _unhex(value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ValueError(f"expected hexadecimals, got {value!r}") from None


def _unpack(value: Any) -> bytes:
    """What stays compressed, but must be whole."""
    try:
        packed = b64decode(value, validate=True)
        reader = zlib.decompressobj()
        size = len(reader.decompress(packed, UNPACKED_MAXSIZE + 1))
    except (TypeError, ValueError, zlib.error):
        raise ValueError("expected content that is compressed (zlib) and in base64") from None
    if size > UNPACKED_MAXSIZE:
        raise ValueError(f"expected content of at most {UNPACKED_MAXSIZE} bytes")
    if not reader.eof or reader.unused_data:
        raise ValueError("expected content that is compressed (zlib) and in base64")
    return packed


def _day(value: str) -> str:
    return date.fromisoformat(value).isoformat()


def _host(value: str) -> str:
    if host_of(f"https://{value}") != value:
        raise ValueError(f"expected a host such as www.a.nl or www.a.nl:8443, got {value!r}")
    return value


def _loc(value: str) -> str:
    if loc_problem(value):
        raise ValueError(f"expected the https URL of a document, got {value!r}")
    return value


Microseconds = Annotated[int, BeforeValidator(_moment), PlainSerializer(_written)]
Seconds = Annotated[
    int,
    BeforeValidator(lambda value: _moment(value) // SECOND),
    PlainSerializer(lambda moment: _written(moment * SECOND)),
]
Hex = Annotated[bytes, BeforeValidator(_unhex), PlainSerializer(bytes.hex)]
Packed = Annotated[
    bytes, BeforeValidator(_unpack), PlainSerializer(lambda packed: b64encode(packed).decode("ascii"))
]
Day = Annotated[str, AfterValidator(_day)]
Host = Annotated[str, AfterValidator(_host)]
Loc = Annotated[str, AfterValidator(_loc)]
Url = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
BigCount = Annotated[int, Field(ge=0, le=BIG_INTEGER_MAX)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


#: Columns of a host in exports of state version 2, which counted pending withdrawals for each host.
OF_VERSION_2 = frozenset({"held_runs", "held_documents", "confirmed"})


class HostRow(_Row):
    """A host; its files and documents come after it."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_version_2(cls, given: Any) -> Any:
        """Leave out what exports of version 2 say more: what is missing is counted from now on."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if name not in OF_VERSION_2}

    kind: Literal["host"] = "host"
    host: Host
    complete_at: Seconds | None = None
    complete: bool = False
    massive: bool = False
    begun_at: Microseconds | None = None


class FileRow(_Row):
    """A robots.txt, index or sitemap of the host."""

    kind: Literal["file"] = "file"
    host: Host
    url: Url
    type: Literal["robots", "index", "sitemap"]
    index: Url | None = None
    """Of a sitemap: the index that lists it."""
    etag: str | None = None
    last_modified: str | None = None
    digest: Hex | None = None
    read_at: Seconds | None = None
    content: Packed | None = None


class DocumentRow(_Row):
    """A document of the host; its sitemap has come before it."""

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


class ListingRow(_Row):
    """That a sitemap of the host lists a document, of this host or another.

    Only where that does not go without saying: a document that is not withdrawn is listed by its sitemap.
    """

    kind: Literal["listing"] = "listing"
    host: Host
    loc: Loc
    sitemap: Url
    listed: bool = True
    """False: the sitemap of the document's row lists it no longer."""
    misses: Annotated[int, Field(ge=0, le=MISSES_MAX)] = 0
    missing_since: Microseconds | None = None
    foreign: bool = False
    lastmod: Microseconds | None = None


Row = HostRow | FileRow | DocumentRow | ListingRow
ROW: TypeAdapter[Row] = TypeAdapter(Annotated[Row, Field(discriminator="kind")])

#: Of a CSV file, in their order: those of all kinds.
KINDS = (HostRow, DocumentRow, FileRow, ListingRow)
COLUMNS = tuple(dict.fromkeys(name for kind in KINDS for name in kind.model_fields))
