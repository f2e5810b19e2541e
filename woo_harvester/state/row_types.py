"""The types of the columns of an exported state, checked on import."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
)

from woo_harvester.dates import EARLIEST, LATEST, from_microseconds, to_microseconds
from woo_harvester.state.contents import describe, parse
from woo_harvester.urls import host_of, loc_problem

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
