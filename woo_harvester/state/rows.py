"""The types of the columns of an exported state, checked on import."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from woo_harvester.findings import explain
from woo_harvester.permits.messages import is_in_future
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.contents import describe, parse
from woo_harvester.utils.dates import EARLIEST, LATEST, from_microseconds, to_microseconds
from woo_harvester.utils.urls import host_of, loc_problem, secured

_SECOND = 1_000_000  # microseconds

#: Largest content of a robots.txt or an index, in bytes after decompression.
_UNPACKED_MAXSIZE = 8 * 1024 * 1024

#: Largest value of a large integer column in every database.
_BIG_INTEGER_MAX = 2**63 - 1


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


def _checked_counts(value: str) -> str:
    try:
        return json.dumps(_COUNTS.validate_json(value))
    except ValidationError:
        raise ValueError(f'expected JSON such as {{"www.a.nl": 3}}, got {value!r}') from None


Microseconds = Annotated[int, BeforeValidator(_moment), PlainSerializer(_written)]
Seconds = Annotated[
    int,
    BeforeValidator(lambda value: _moment(value) // _SECOND),
    PlainSerializer(lambda moment: _written(moment * _SECOND)),
]
Hex = Annotated[bytes, BeforeValidator(_unhex), PlainSerializer(bytes.hex)]
Compressed = Annotated[
    bytes,
    BeforeValidator(_checked_content),
    PlainSerializer(lambda content: b64encode(content).decode("ascii")),
]
Day = Annotated[str, AfterValidator(_checked_day)]
Content = Annotated[str, AfterValidator(_checked_description)]
Host = Annotated[str, AfterValidator(_checked_host)]
Loc = Annotated[str, AfterValidator(_checked_loc)]
Url = Annotated[str, Field(min_length=1)]
BigCount = Annotated[int, Field(ge=0, le=_BIG_INTEGER_MAX)]
_COUNTS = TypeAdapter(dict[Host, BigCount])
ReadCounts = Annotated[str, AfterValidator(_checked_counts)]


class ExportedRow(BaseModel):
    """A row of an exported state."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Fault(BaseModel):
    """A finding about an invalid file."""

    model_config = ConfigDict(extra="forbid")

    code: str
    line: int | None = None
    element: str | None = None
    seen: str | None = None
    given: str | None = None
    action: str | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        explain(self.code)
        if self.code == "ipm.datum-toekomst":
            is_in_future(self.seen or "", datetime.now(UTC))
        return self


_FAULTS = TypeAdapter(Annotated[list[_Fault], Field(min_length=1)])


def _checked_faults(value: str) -> str:
    try:
        _FAULTS.validate_json(value)
    except ValidationError:
        raise ValueError("expected findings as JSON, as a run stores them") from None
    return value


def _checked_message(value: str) -> str:
    """Return the JSON of a message. Raise ValueError unless a run can apply it."""
    try:
        mutation = PermitRow.load(value).mutation
        for url in (mutation.key.identifier, mutation.case, mutation.ingang, mutation.bestand):
            if url is not None:
                host_of(url)
    except ValueError:
        raise ValueError("expected a message as JSON, as a run stores it") from None
    return value


def _checked_page(value: str) -> str:
    if loc_problem(secured(value)):
        raise ValueError(f"expected the URL of an entry page, got {value!r}")
    return value


_Faults = Annotated[str, AfterValidator(_checked_faults)]
_Message = Annotated[str, AfterValidator(_checked_message)]
_Page = Annotated[str, AfterValidator(_checked_page)]
_ListedDate = Annotated[str, Field(max_length=40)]


class EntryRow(ExportedRow):
    """An entry page. Its files, messages and cases come after it."""

    kind: Literal["entry"] = "entry"
    host: Host
    url: _Page
    organisation: str | None = None
    """The organisation that an operator named for it."""
    complete_since: Seconds | None = None
    complete_at: Seconds | None = None
    gone_at: Seconds | None = None

    @model_validator(mode="after")
    def _check_host(self) -> Self:
        if host_of(self.url) != self.host:
            raise ValueError(f"expected an entry page on {self.host}, got {self.url}")
        return self


class _OfEntry(ExportedRow):
    """What an entry page has."""

    host: Host
    entry: _Page
    """URL of the entry page."""

    def _check_entry(self, data: str | None) -> Self:
        if data is not None and (entry := PermitRow.load(data).mutation.ingang) != self.entry:
            raise ValueError(f"expected a message of the entry page {self.entry}, got one of {entry}")
        return self


class PermitFileRow(_OfEntry):
    """A file of an entry page that was read."""

    kind: Literal["permit_file"] = "permit_file"
    url: Url
    digest: Hex
    date: _ListedDate | None = None
    """The date in the listing, as the state keeps it."""
    now: bool = False
    etag: str | None = None
    last_modified: str | None = None
    read_at: Seconds
    faults: _Faults | None = None
    faults_since: Seconds | None = None
    refused: _Message | None = None
    case_url: Url | None = None
    dated_at: Seconds | None = None
    first_seen: Seconds | None = None
    gone_at: Seconds | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_entry(self.refused)


class MessageRow(_OfEntry):
    """A message that waits until it is applied."""

    kind: Literal["message"] = "message"
    data: _Message

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_entry(self.data)


class CaseRow(_OfEntry):
    """What is known of a case or a document of a case."""

    kind: Literal["case"] = "case"
    data: _Message

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_entry(self.data)


PermitHostRow = EntryRow | PermitFileRow | MessageRow | CaseRow


#: Largest count of misses on import. Each complete read may add one, up to 2**31 - 1 in the database.
MISSES_MAX = 2_000_000_000


class HostRow(ExportedRow):
    """A host. Its files and documents come after it."""

    kind: Literal["host"] = "host"
    host: Host
    complete_at: Seconds | None = None
    complete: bool = False
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
