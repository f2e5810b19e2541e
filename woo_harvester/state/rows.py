"""The kinds of rows of an exported state: the columns of a table, without the numbers of this state.

In place of a number, a row has the natural key of what it belongs to, such as the URL of a sitemap. How a
value is written, and what is checked on import, follows from the type of its column, or from its name.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
    create_model,
    model_validator,
)
from sqlalchemy import Boolean, Column, Integer, LargeBinary
from sqlalchemy.types import TypeEngine

from woo_harvester.findings import explain
from woo_harvester.permits.messages import is_in_future
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.contents import describe, parse
from woo_harvester.state.schema import (
    Microseconds,
    Seconds,
    documents,
    hosts,
    listings,
    permit_cases,
    permit_entries,
    permit_files,
    permit_messages,
    resources,
)
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
_Count = Annotated[int, Field(ge=0, le=_BIG_INTEGER_MAX)]
_COUNTS = TypeAdapter(dict[_Host, _Count])
_ReadCounts = Annotated[str, AfterValidator(_checked_counts)]


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

#: Largest count of misses on import. Each complete read may add one, up to 2**31 - 1 in the database.
MISSES_MAX = 2_000_000_000

#: Types of values by their name, where the type of the column says too little, or that are in no column.
_BY_NAME: dict[str, Any] = {
    "kind": str,
    "host": _Host,
    "unregistered": _ReadCounts,
    "url": _Url,
    "type": Literal["robots", "index", "sitemap"],
    "index": _Url,
    "content": _Compressed,
    "wanted": _Content,
    "known_content": _Content,
    "refused_with": _Content,
    "loc": _Loc,
    "sitemap": _Url,
    "published": _Day,
    "cause": Literal["aanlevering", "wijziging", "herpublicatie"],
    "misses": Annotated[int, Field(ge=0, le=MISSES_MAX)],
    "entry": _Page,
    "faults": _Faults,
    "refused": _Message,
    "case_url": _Url,
    "data": _Message,
}

#: Types of values by the type of their column, the first that fits.
_BY_COLUMN: Mapping[type[TypeEngine[Any]], Any] = {
    Seconds: _Seconds,
    Microseconds: _Microseconds,
    Integer: _Count,
    Boolean: bool,
    LargeBinary: _Hex,
}

Row = dict[str, Any]
"""A row with its kind and all its values as the database has them, by name."""


@dataclass(frozen=True)
class Kind:
    """A kind of rows."""

    name: str
    columns: Mapping[str, Column[Any]]
    """The columns of its table that are exported, by their name in the export."""
    model: type[BaseModel]
    """Checks rows, and writes them."""

    def row(self, **values: Any) -> Row:
        """Return the row with these values, without a check; the others have their default."""
        return dict(self.model.model_construct(**values))

    def values(self, row: Row) -> dict[str, Any]:
        """Return the values of the columns of a row."""
        return {column.name: row[name] for name, column in self.columns.items()}


def _kind(
    name: str, columns: Iterable[Column[Any]], keys: Iterable[str] = (), **more: tuple[Any, Any]
) -> Kind:
    """Return a kind of rows with these columns, and *keys* in place of numbers.

    The other arguments are types and defaults of values that are in no column, or are checked in another way.
    """
    given = {_RENAMED.get(column, column.name): column for column in columns if _is_exported(column)}
    fields = {"kind": (str, name), **{key: (_BY_NAME[key], ...) for key in keys}}
    fields |= {each: _field(each, column) for each, column in given.items()}
    config = ConfigDict(extra="forbid")
    model: type[BaseModel] = create_model(name, __config__=config, **{**fields, **more})  # type: ignore[call-overload]  # the fields are data
    return Kind(name, given, model)


_RENAMED = {resources.c.kind: "type", resources.c.index_url: "index"}


def _is_exported(column: Column[Any]) -> bool:
    """Return whether a column is no number of this state, nor of a run that goes on."""
    return not (column.primary_key or column.foreign_keys or column is documents.c.withdrawing)


def _field(name: str, column: Column[Any]) -> tuple[Any, Any]:
    """Return the type and the default of a value; ``...`` if it is required."""
    kind = _BY_NAME.get(name) or next(
        (kind for type_, kind in _BY_COLUMN.items() if isinstance(column.type, type_)), None
    )
    if kind is None:
        kind = Annotated[str, Field(max_length=getattr(column.type, "length", None))]
    if column.nullable:
        return kind | None, None
    return kind, ... if column.default is None else getattr(column.default, "arg", ...)


HOST = _kind("host", hosts.c)
FILE = _kind("file", resources.c, ["host"])
DOCUMENT = _kind("document", documents.c, ["host", "sitemap"])
#: An export leaves out the plain listing: of a document that is not withdrawn, in the sitemap of its own row.
#: If ``listed`` is false, the sitemap of the document's row no longer lists it.
LISTING = _kind("listing", listings.c, ["host", "loc", "sitemap"], listed=(bool, True))
ENTRY = _kind("entry", permit_entries.c, url=(_Page, ...))
PERMIT_FILE = _kind("permit_file", permit_files.c, ["host", "entry"])
MESSAGE = _kind("message", [permit_messages.c.data], ["host", "entry"])
CASE = _kind("case", [permit_cases.c.data], ["host", "entry"])

KINDS = {kind.name: kind for kind in (HOST, FILE, DOCUMENT, LISTING, ENTRY, PERMIT_FILE, MESSAGE, CASE)}
#: Kinds of rows about permits.
PERMIT_KINDS = frozenset(kind.name for kind in (ENTRY, PERMIT_FILE, MESSAGE, CASE))


_JSON: TypeAdapter[Any] = TypeAdapter(Any)


def parse_row(text: str) -> Row:
    """Return the row of a line, each value checked. Raises ValueError."""
    try:
        given = _JSON.validate_json(text)
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"]) from None
    name = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"kind: expected one of {', '.join(map(repr, KINDS))}, got {name!r}")
    row = dict(KINDS[name].model.model_validate(given))
    if name == ENTRY.name and host_of(row["url"]) != row["host"]:
        raise ValueError(f"expected an entry page on {row['host']}, got {row['url']}")
    message = row.get("data") or row.get("refused")
    if message is not None and (entry := PermitRow.load(message).mutation.ingang) != row["entry"]:
        raise ValueError(f"expected a message of the entry page {row['entry']}, got one of {entry}")
    return row


def row_line(row: Row) -> str:
    """Return the line of a row, without the values that are None."""
    values = KINDS[row["kind"]].model.model_construct(**row).model_dump(mode="json", exclude_none=True)
    return json.dumps(values, ensure_ascii=False) + "\n"
