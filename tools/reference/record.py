"""Makes ``docs/record.md``: the keys of a record, from the classes of ``record.py``."""

from __future__ import annotations

import ast
import inspect
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, get_origin

from tools.reference.markdown import code
from woo_harvester.kinds import Kind
from woo_harvester.outputs.columns import ALL, BEGINNING, TEXT, columns_of
from woo_harvester.permits.record import PermitRecord, Term
from woo_harvester.record import Oorzaak, Record, Waarde, has_fields, record_fields

_DIFFERENCES = Path(__file__).parent / "open_overheid.toml"

#: The names of the types on the page; any other dataclass is an object.
_TYPE_NAMES = {
    str: "text",
    int: "number",
    date: "date",
    datetime: "date-time",
    Waarde: "waarde",
    Term: "term",
    float: "number",
}


def values() -> dict[str, Any]:
    """Return what the page shows of the classes.

    That is without the keys that a case and its documents share, and without an object of which only its
    class says something: the keys below it show it.
    """
    kinds = {"record": Record, "waarde": Waarde, "permit": PermitRecord, "term": Term}
    kinds_of_columns = {"record": Kind.woo, "permit": Kind.vergunningen}
    shown = {
        name: [row for row in rows(kind) if row[1] != "object" or row[2]] for name, kind in kinds.items()
    }
    of_case = {
        (key.replace("vergunning", "documenten[]"), *rest)
        for key, *rest in shown["permit"]
        if "`vergunning" in key
    }
    shown["permit"] = [row for row in shown["permit"] if row not in of_case]
    return {
        "rows": {name: list(map(_shown, found)) for name, found in shown.items()},
        "waarde": _doc(Waarde),
        "term": _doc(Term),
        "differences": [(row["live"], row["here"]) for row in differences()],
        "columns": {name: _columns(kind) for name, kind in kinds_of_columns.items()},
        "all": {name: len(columns_of(kind, [ALL])) for name, kind in kinds_of_columns.items()},
    }


def _shown(row: tuple[str, str, str]) -> tuple[str, str]:
    """Return a row of a table: the key with its type, unless that is a text or shows in the keys below it."""
    key, kind, meaning = row
    return (key if kind in ("text", "object") else f"{key} {kind}"), meaning


def _columns(kind: Kind) -> list[tuple[str, str]]:
    """Return the name of each column for people, and the path of its value."""
    beginning = {BEGINNING: f"beginning of {code(TEXT)}"}
    return [(code(name), beginning.get(path, code(path))) for name, path in columns_of(kind).items()]


def differences() -> list[dict[str, Any]]:
    """Return how a record differs from the JSON of open.overheid.nl: keys, both values, and the reason."""
    found: list[dict[str, Any]] = tomllib.loads(_DIFFERENCES.read_text(encoding="utf-8"))["difference"]
    return found


def rows(kind: type[Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Return path, type and meaning of each key of a class of the record, including nested ones."""
    meaning_of = meanings(kind)
    for name, key, inner, is_list in record_fields(kind):
        here = f"{path}{key}{'[]' if is_list else ''}"
        meaning = [meaning_of[name]] if name in meaning_of else []
        nested = has_fields(inner) and inner not in _TYPE_NAMES
        if inner is Oorzaak or (nested and meaning):
            meaning.append(_doc(inner))
        if inner is Oorzaak:
            meaning.append(", ".join(map(code, Oorzaak)) + ".")
        yield code(here), "object" if nested else _kind(inner), " ".join(meaning)
        if nested:
            yield from rows(inner, f"{here}.")


def meanings(kind: type[Any]) -> dict[str, str]:
    """Return the docstring under each field of a class, including inherited fields."""
    found: dict[str, str] = {}
    for each in reversed([each for each in kind.__mro__ if has_fields(each)]):
        found |= _own_meanings(each)
    return found


def _own_meanings(kind: type[Any]) -> dict[str, str]:
    (definition,) = ast.parse(inspect.getsource(kind)).body
    found: dict[str, str] = {}
    name = ""
    for node in definition.body if isinstance(definition, ast.ClassDef) else []:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[name] = _flat(str(node.value.value))
    return found


def _kind(inner: Any) -> str:
    return "object of texts" if get_origin(inner) is dict else _TYPE_NAMES.get(inner, "text")


def _doc(kind: type[Any]) -> str:
    return _flat(inspect.getdoc(kind) or "")


def _flat(text: str) -> str:
    return " ".join(text.replace("``", "`").split())
