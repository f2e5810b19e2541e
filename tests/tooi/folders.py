"""Folders with value lists, in the form of those that ship with the project."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import woo_harvester.tooi
from woo_harvester.tooi.list_files import as_csv, set_uri

SHIPPED = Path(woo_harvester.tooi.__file__).parent / "lists"
TODAY = date(2026, 11, 21)
TOOI = "https://identifier.overheid.nl/tooi/id/"
GEMEENTEN = "rwc_gemeenten_compleet"
#: A municipality that no list of the project has.
NIEUWSTAD = (f"{TOOI}gemeente/gm9101", "gemeente Nieuwstad")
AMSTERDAM = (f"{TOOI}gemeente/gm0363", "gemeente Amsterdam")

Rows = list[tuple[str, str]]
"""URI and label of each value of a list."""


def make_folder(path: Path) -> Path:
    """Make a folder with the lists that ship with the project; return its path."""
    return Path(shutil.copytree(SHIPPED, path))


def change_list(
    folder: Path,
    name: str = GEMEENTEN,
    change: Callable[[Rows], Iterable[tuple[str, str]]] = lambda rows: rows,
    *,
    version: int = 5,
    published: str = "2026-01-02",
    **index: str,
) -> None:
    """Replace a list by another version of it; *index* has other values of its row in ``index.csv``."""
    path = folder / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["uri"], row["label"]) for row in csv.DictReader(file)]
    changed = list(change(rows))
    path.write_bytes(as_csv(("uri", "label"), changed))
    change_index(
        folder,
        name,
        {
            "tooi_set": set_uri(name, version),
            "published": published,
            "values": str(len(changed)),
            **index,
        },
    )


def change_index(folder: Path, name: str, values: Mapping[str, Any]) -> None:
    """Change the row of a list in ``index.csv``."""
    path = folder / "index.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = list(dict.fromkeys([*rows[0], *values]))
    changed = [{**row, **(values if row["list"] == name else {})} for row in rows]
    path.write_bytes(as_csv(columns, ([row.get(column, "") for column in columns] for row in changed)))


def with_nieuwstad(rows: Rows) -> Rows:
    """Add a municipality."""
    return [*rows, NIEUWSTAD]


def without_amsterdam(rows: Rows) -> Rows:
    """Remove a municipality."""
    return [row for row in rows if row != AMSTERDAM]
