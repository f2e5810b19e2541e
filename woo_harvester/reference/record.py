"""Makes ``docs/record.md``: the keys of a record, from the classes of ``record.py``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from datetime import date, datetime
from importlib.resources import files
from typing import Any, get_origin

from woo_harvester.columns import columns_of
from woo_harvester.permits.record import PermitRecord, Term
from woo_harvester.record import Oorzaak, Record, Waarde
from woo_harvester.record_json import has_fields, record_fields
from woo_harvester.reference.markdown import code, head, table

_INTRODUCTION = """\
A record is one JSON object on one line, in UTF-8. The keys and their nesting are those of the JSON of
open.overheid.nl; `herkomst` is the harvester's own. A record has no key without a value: there are no nulls
and no empty lists. A key with `[]` is a list. A date is `YYYY-MM-DD`; a date-time is ISO 8601 with its offset
in Europe/Amsterdam.
"""

_EXAMPLE = """\
Here over several lines. The publisher gave no title, so the harvester took it from the file name, and
`herkomst` says so.

```json
{example}
```
"""

_PERMITS = """\
The spider `vergunningen` makes one record a case a run: the net result of the messages of the case. The keys
of `vergunning` and `documenten` are the names of OWMS and of the information model. A withdrawn case has
only `id`, `vergunning.identifier`, `versies` and `herkomst`.
"""

_CSV = """\
`-O woo.csv`, the format `csv` in `FEEDS`, and `scrapy state latest -O now.csv` write one row a record. The
columns are the same in each file, whatever the records have. A run without records writes the header only.

- A column has the path of its value as its name, as in the tables of this page, without `[]`. A waarde has a
  column for each of its parts: `document.publisher.label` has the name, `document.publisher.id` the URI.
- These come first: {first}. The others have the order of the record.
- Several values are separated by ` | `. A `|` in such a value becomes `\\|`, so splitting by ` | ` gives the
  values. Each object in a list has its place, also if it lacks the value.
- `document.extraMetadata.velden` and `herkomst.standaardwaarden` have `name=value`.
- Every text is in quotes; a number is not. A text in which a spreadsheet would read a formula gets an
  apostrophe: before `=`, `+`, `-` or `@`, or a tab or return, at its beginning. Excel in Dutch splits a line
  at `;` instead of `,`, and then begins a cell after a `;`, a tab or a line end inside a text, whatever
  quotes are around it. So the apostrophe also comes after one of these if such a sign or the end follows:
  `x;=1+1` becomes `x;'=1+1`. To see the columns there, import the file with *Data, From Text/CSV*.
- The text of documents (`versies.bestanden.tekst`) is left out, since it may be larger than a cell can be.
- The file is UTF-8 with a byte order mark, by which spreadsheets know the encoding. In Python, open it with
  `encoding="utf-8-sig"`. pandas and DuckDB read it as it is.
- `-o woo.csv` adds rows to the file. If it has other columns, the run ends with an error.
- `fields` in `FEEDS` chooses columns and their order. The path of an object, such as `document`, gives its
  JSON.

In DuckDB: `SELECT "document.publisher.label", count(*) FROM 'woo.csv' GROUP BY 1`.
"""

_HEADS = ("key", "value", "meaning")

#: The number of columns of a CSV file that the page names.
_FIRST = 7

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


def render() -> str:
    """Return the page as Markdown."""
    return "\n".join(
        [
            head("woo_harvester/record.py and permits/record.py", "The record"),
            _INTRODUCTION,
            *table(_HEADS, rows(Record)),
            "## An example\n",
            _EXAMPLE.format(
                example=files(__package__).joinpath("record_example.json").read_text("utf-8").strip()
            ),
            "## A waarde\n",
            f"{_doc(Waarde)}\n",
            *table(_HEADS, rows(Waarde)),
            "## As CSV\n",
            _CSV.format(first=", ".join(map(code, columns_of(Record)[:_FIRST]))),
            "## The record of a permit case\n",
            _PERMITS,
            *table(_HEADS, rows(PermitRecord)),
            "## A term\n",
            f"{_doc(Term)}\n",
            *table(_HEADS, rows(Term)),
        ]
    )


def rows(kind: type[Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Return path, type and meaning of each key of a class of the record, including nested ones."""
    meaning_of = meanings(kind)
    for name, key, inner, is_list in record_fields(kind):
        here = f"{path}{key}{'[]' if is_list else ''}"
        meaning = [meaning_of[name]] if name in meaning_of else []
        nested = has_fields(inner) and inner not in _TYPE_NAMES
        if nested or inner is Oorzaak:
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
