"""The columns of records in a CSV file, and the cells of a record.

A column has the name of the path of its value in the JSON of a record, without ``[]``. So each coded value
has a column for its label and one for its URI.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record, Veld, has_fields, record_fields

#: Between the values of a list. In the values themselves ``|`` becomes ``\|``.
SEPARATOR = " | "

#: What is wrong with a file to append to, by its name.
OTHER_COLUMNS = "{} has other columns than this run writes: give the run another file"

#: The columns that come first, because readers of a table look for them first.
_FIRST: dict[type[Any], tuple[str, ...]] = {
    Record: (
        "id",
        "document.titelcollectie.officieleTitel",
        "document.publisher.label",
        "document.classificatiecollectie.informatiecategorieen.label",
        "versies.oorzaak",
        "versies.openbaarmakingsdatum",
        "document.weblocatie",
    ),
    PermitRecord: (
        "id",
        "vergunning.title",
        "vergunning.creator.label",
        "versies.oorzaak",
        "vergunning.termijn.fase",
        "vergunning.identifier",
    ),
}

#: Without the text of a document: it can be larger than the cells that spreadsheets and databases read.
_LEFT_OUT = frozenset({"versies.bestanden.tekst"})


def columns_of(record_type: type[Any]) -> tuple[str, ...]:
    """Return the columns of records of a type, which do not depend on what the records have."""
    return tuple(dict.fromkeys([*_FIRST[record_type], *_paths(record_type, "")]))


def columns_of_record(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns of records such as this one, a dict as in the output."""
    return columns_of(PermitRecord if "vergunning" in record else Record)


def cells(record: Mapping[str, Any], columns: Sequence[str]) -> list[object]:
    """Return the cells of a record, a dict as in the output: numbers and texts.

    The path of an object, such as ``document``, gives its JSON.
    """
    return [_cell(record, column) for column in columns]


def _paths(kind: type[Any], before: str) -> Iterator[str]:
    """Yield the path of each value in a dataclass of a record."""
    for one in record_fields(kind):
        path, inner = f"{before}{one.key}", cast("type[Any]", one.type)
        if has_fields(inner) and inner is not Veld:
            yield from _paths(inner, f"{path}.")
        elif path not in _LEFT_OUT:
            yield path


def _cell(record: Mapping[str, Any], column: str) -> object:
    found: list[Any] = []
    is_list = _collect(record, _keys(column), found)
    if column in _PAIRS:
        found, is_list = [pair for each in found if each for pair in _pairs(column, each)], True
    if not is_list:
        return _text(found[0]) if found else ""
    texts = [str(_text(value)).replace("|", r"\|") for value in found]
    return SEPARATOR.join(texts) if any(texts) else ""


def _collect(value: Any, keys: Sequence[str], found: list[Any]) -> bool:
    """Add the values at a path to *found*, None for an absent one; return whether a list is on the path."""
    for place, key in enumerate(keys):
        if isinstance(value, list):
            for each in value:
                _collect(each, keys[place:], found)
            return True
        value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            found.append(None)
            return False
    if isinstance(value, list):
        found.extend(value)
        return True
    found.append(value)
    return False


@cache
def _keys(column: str) -> tuple[str, ...]:
    return tuple(column.split("."))


def _text(value: Any) -> object:
    """Return a value as text or number."""
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _pairs(column: str, value: Any) -> Sequence[str]:
    """Return the texts of an object in a column of pairs; its JSON if it is not as in a record."""
    try:
        return list(_PAIRS[column](value))
    except (AttributeError, TypeError):
        return [str(_text(value))]


def _defaults(defaults: Mapping[str, str]) -> Iterator[str]:
    return (f"{path}={origin}" for path, origin in defaults.items())


def _field(field: Mapping[str, Any]) -> Iterator[str]:
    return (f"{field.get('key', '')}={value}" for value in field.get("values", ()))


#: The columns whose values are objects, and how one of these becomes texts with a name and a value.
_PAIRS: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "herkomst.standaardwaarden": _defaults,
    "document.extraMetadata.velden": _field,
}
