"""Makes ``docs/record.md``: the keys of a record, from the dataclasses of ``record.py``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from woo_harvester import record
from woo_harvester.record import Oorzaak, Record, Waarde, keys_of
from woo_harvester.reference.markdown import code, head, table

INTRODUCTION = """\
One JSON object a line, in UTF-8. The keys and their nesting are those of the JSON of open.overheid.nl; `herkomst` is the
harvester's own. What is absent is left out: there are no nulls and no empty lists. `[]` after a key: a list. A *waarde* is
an object with the keys of the last section. A date is `YYYY-MM-DD`; a date-time is ISO 8601 with its offset in Dutch time.
"""

KINDS = {
    str: "text",
    int: "number",
    date: "date",
    datetime: "date-time",
    Oorzaak: "one of its four words",
    Waarde: "*waarde*",
}


def render() -> str:
    """The page as Markdown."""
    lines = [head("woo_harvester/record.py", "The record"), INTRODUCTION]
    for key, kind, meaning in _top():
        lines += [f"## {key}\n", f"{meaning}\n"]
        if is_dataclass(kind):
            lines += table(("key", "value", "meaning"), rows(kind))
    return "\n".join(
        [*lines, "## A waarde\n", f"{_doc(Waarde)}\n", *table(("key", "value", "meaning"), rows(Waarde))]
    )


def rows(kind: type[Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, kind of value and meaning of each key of a dataclass, and of those nested in it."""
    described = meanings(kind)
    hints = get_type_hints(kind)
    for name, key in keys_of(kind):
        inner, is_list = _inner(hints[name])
        here = f"{path}{key}{'[]' if is_list else ''}"
        yield code(here), KINDS.get(inner, "object"), described.get(name, "") or _doc(inner)
        if is_dataclass(inner) and inner is not Waarde:
            yield from rows(inner, f"{here}.")


def meanings(kind: type[Any]) -> dict[str, str]:
    """What the text under each field of a dataclass says of it."""
    (definition,) = ast.parse(inspect.getsource(kind)).body
    found: dict[str, str] = {}
    name = ""
    for node in definition.body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[name] = _flat(str(node.value.value))
    return found
