"""JSON schemas (2020-12) of records, made from their classes."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Any

from woo_harvester.record_json import has_fields, record_fields

Schema = dict[str, Any]


def record_schema(kind: type[Any], required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a class of a record; an absent value is left out of a record."""
    properties = {}
    for field in record_fields(kind):
        schema = _field_schema(field.type)
        properties[field.key] = {"type": "array", "items": schema} if field.is_list else schema
    return object_schema(properties, required=required)


def _field_schema(kind: Any) -> Schema:
    if has_fields(kind):
        return record_schema(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [*map(str, kind)]}
    simple = {
        str: {"type": "string"},
        int: {"type": "integer"},
        float: {"type": "number"},
        date: {"type": "string", "format": "date"},
        datetime: {"type": "string", "format": "date-time"},
    }
    return simple.get(kind) or {"type": "object", "additionalProperties": {"type": "string"}}


def object_schema(properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object with these properties and no others."""
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(required)} if required else made
