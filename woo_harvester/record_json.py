"""The JSON of a record: its keys, its line in a file, and its plain values.

A class of a record is a :class:`msgspec.Struct` or a dataclass. Values that are None or empty are absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, json, structs

from woo_harvester.dates import iso_datetime


def has_fields(kind: Any) -> bool:
    """Return whether a type is a class of a record, with fields that are the keys of a JSON object."""
    return is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, Struct) and kind is not Struct)


def json_keys(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """Return the attribute and the JSON key of each field of a class of a record."""
    if is_dataclass(cls):
        return tuple((part.name, part.metadata.get("key", part.name)) for part in fields(cls))
    return tuple((part.name, part.encode_name) for part in structs.fields(cls))


class RecordField(NamedTuple):
    """A field of a class of a record."""

    name: str
    """The attribute."""
    key: str
    """The key in the JSON object."""
    type: Any
    """The type of the value, or of each value in the list."""
    is_list: bool


def record_fields(cls: type[Any]) -> Iterator[RecordField]:
    """Yield the fields of a class of a record. The type of ``X | None`` and of ``list[X]`` is ``X``."""
    hints = get_type_hints(cls)
    for name, key in json_keys(cls):
        kind = hints[name]
        is_list = get_origin(kind) is list
        if is_list:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (UnionType, Union):  # Union of an annotated type
            kind = next(part for part in get_args(kind) if part is not type(None))
        yield RecordField(name, key, kind, is_list)


_encode = json.Encoder().encode

#: A key with an empty text, list or object: only a record without any is written by its defaults alone.
_EMPTY = re.compile(rb':(?:""|\[\]|\{\})')


def json_line(record: Any) -> bytes:
    """Return a record as a line of JSON in UTF-8, without empty values, as Python's ``json`` writes it."""
    line = _encode(record if isinstance(record, Struct) else json_value(record))
    if _EMPTY.search(line):  # also in a text, which changes nothing
        line = _encode(json_value(record))
    return json.format(line, indent=0) + b"\n"


def json_value(value: Any) -> Any:
    """Return a value of a record as dict, list, str or number, ready for JSON, without empty values."""
    write = _WRITERS.get(type(value)) or _writer(type(value))
    return write(value)


def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    """Return the function that writes values of a type, and add it to the table."""
    writer: Callable[[Any], Any] = _same
    if has_fields(kind):
        writer = _fields_writer(kind)
    elif issubclass(kind, StrEnum):
        writer = str
    _WRITERS[kind] = writer
    return writer


def _fields_writer(kind: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Return a function that writes the fields of a class that are not empty; the number 0 is not empty.

    Most fields are a text or empty, so texts are written without a call.
    """
    names, keys = zip(*json_keys(kind), strict=True)
    # For a single name attrgetter returns the value itself, not a tuple.
    parts_of = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)

    def write(value: Any) -> dict[str, Any]:
        output = {}
        for key, part in zip(keys, parts_of(value)):  # noqa: B905 -- strict would take a quarter of the time
            if part is not None and (part or part == 0):
                written = part if type(part) is str else json_value(part)
                if written or written == 0:
                    output[key] = written
        return output

    return write


def _list(values: list[Any]) -> list[Any]:
    return [json_value(value) for value in values]


def _same(value: Any) -> Any:
    return value


_WRITERS: dict[type[Any], Callable[[Any], Any]] = {
    list: _list,
    dict: dict,
    date: date.isoformat,
    # Cached: many records share the moment of a harvest, or a day on which many documents were signed.
    datetime: lru_cache(maxsize=4096)(iso_datetime),
}
