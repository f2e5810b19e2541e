"""The columns of records in a CSV file, and the cells of a record.

Each column is a path in the JSON of a record, without ``[]``. A few have a Dutch name for people; the others
are named by their path. So each coded value has a column for its label and one for its URI.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from woo_harvester.kinds import Kind
from woo_harvester.record import Veld, has_fields, record_fields, record_type
from woo_harvester.utils.program import suggestion

#: Between the values of a list. In the values themselves ``|`` becomes ``\|``.
SEPARATOR = " | "


#: The value of ``WOO_CSV_COLUMNS`` for all columns.
ALL = "all"

#: The text of a document, which is in no column unless it is named.
TEXT = "versies.bestanden.tekst"
#: The column with the beginning of the text of a document, and its length in characters. A cell of Excel can
#: have 32,767; the rest is for apostrophes.
BEGINNING, _BEGINNING_LENGTH = "tekst", 32_000

#: The columns of documents for people, in their order: the name of each, and the path of its value.
_FOR_PEOPLE = {
    "titel": "document.titelcollectie.officieleTitel",
    "organisatie": "document.verantwoordelijke.label",
    "categorieën": "document.classificatiecollectie.informatiecategorieen.label",
    "datum": "versies.openbaarmakingsdatum",
    "oorzaak": "versies.oorzaak",
    "gewijzigd": "versies.mutatiedatumtijd",
    "soort": "document.classificatiecollectie.documentsoorten.label",
    "bestandstype": "document.format.label",
    "link": "document.weblocatie",
    "bestand": "versies.bestanden.bestandsnaam",
    "pad": "versies.bestanden.pad",
    "tekst": BEGINNING,
    "id": "id",
}

#: The columns that come first if all are written.
_FIRST: tuple[str, ...] = (
    "id",
    "document.titelcollectie.officieleTitel",
    "document.publisher.label",
    "document.classificatiecollectie.informatiecategorieen.label",
    "versies.oorzaak",
    "versies.openbaarmakingsdatum",
    "document.weblocatie",
)


def columns_of(kind: Kind, chosen: Sequence[str] = ()) -> dict[str, str]:
    """Return the columns of records of a kind by name, each with its path for :func:`cells`.

    *chosen* is the value of ``WOO_CSV_COLUMNS``: names and paths, or only ``all``; without any, they are the
    columns for people. They do not depend on what the records have. Raises ValueError for an unknown name.
    """
    for_people, names = kind.own("columns", _FOR_PEOPLE), [name.strip() for name in chosen]
    if not names:
        return for_people
    every = all_columns(kind)
    if names == [ALL]:
        return {path: path for path in every}
    if ALL in names:
        raise ValueError(f"WOO_CSV_COLUMNS: expected all alone, or names without it, got {','.join(names)}")
    known = {*for_people, *_with_objects([*every, TEXT])}
    for name in names:
        if name not in known:
            meant = suggestion(name, [*for_people, ALL], known)
            raise ValueError(f"WOO_CSV_COLUMNS: unknown column {name}: {meant}")
    return {name: for_people.get(name, name) for name in names}


def all_columns(kind: Kind) -> tuple[str, ...]:
    """Return the paths of all columns of records of a kind.

    They lack the text of documents, which can be larger than the cells that spreadsheets and databases read.
    """
    paths = (path for path in _paths(record_type(kind), "") if path != TEXT)
    return tuple(dict.fromkeys([*kind.own("first_columns", _FIRST), *paths]))


def cells(record: Mapping[str, Any], columns: Iterable[str]) -> list[object]:
    """Return the cells of a record, a dict as in the output: numbers and texts.

    *columns* are paths. That of an object, such as ``document``, gives its JSON.
    """
    return [_cell(record, column) for column in columns]


def _with_objects(paths: Sequence[str]) -> Iterator[str]:
    """Yield each path, and those of the objects on it."""
    for path in paths:
        keys = path.split(".")
        yield from (".".join(keys[:length]) for length in range(1, len(keys) + 1))


def _paths(type_: type[Any], before: str) -> Iterator[str]:
    """Yield the path of each value in a dataclass of a record."""
    for one in record_fields(type_):
        path, inner = f"{before}{one.key}", cast("type[Any]", one.type)
        if has_fields(inner) and inner is not Veld:
            yield from _paths(inner, f"{path}.")
        else:
            yield path


def _cell(record: Mapping[str, Any], column: str) -> object:
    found: list[Any] = []
    is_beginning = column == BEGINNING
    is_list = _collect(record, (TEXT if is_beginning else column).split("."), found)
    if is_beginning:
        found = [_beginning(text) for text in found]
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


def _beginning(text: Any) -> Any:
    """Return the beginning of the text of a document on one line, or the value if it is no text."""
    if not isinstance(text, str):
        return text
    return " ".join(text[: 2 * _BEGINNING_LENGTH].split())[:_BEGINNING_LENGTH]


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


#: The columns whose values are objects, and how one of these becomes texts with a name and a value.
_PAIRS: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "herkomst.standaardwaarden": lambda given: (f"{path}={origin}" for path, origin in given.items()),
    "document.extraMetadata.velden": lambda field: (
        f"{field.get('key', '')}={value}" for value in field.get("values", ())
    ),
}
