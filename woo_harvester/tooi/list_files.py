"""A value list in one edition, and those that ship with the project.

``lists/index.csv`` has the columns ``list,tooi_set,published``: the name of a list, the URI of its TOOI set
with the version at its end, and its date of publication. The file of a list has its name, and the columns
``uri,label``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from woo_harvester.tooi.values import Concept


@dataclass(frozen=True, slots=True)
class Edition:
    """One version of a value list."""

    version: int
    published: date
    concepts: tuple[Concept, ...]
    """The values, in the order of the list."""
    checked: date | None = None
    """Day on which TOOI's site was last seen to have no newer version; None if that is not known."""

    def age(self, today: date) -> int:
        """Return for how many days the list may have been out of date: since it was published or checked."""
        return (today - max(self.published, self.checked or self.published)).days


Editions = Mapping[str, Edition]
"""Value lists by name, such as ``scw_toplijst``."""


@cache
def bundled_editions() -> Editions:
    """Return the lists that ship with the project."""
    return MappingProxyType(
        {
            row["list"]: Edition(
                int(row["tooi_set"].rpartition("/")[2]),
                date.fromisoformat(row["published"]),
                tuple(Concept(each["uri"], each["label"]) for each in read_rows(f"lists/{row['list']}.csv")),
            )
            for row in read_rows("lists/index.csv")
        }
    )


def read_rows(path: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file of this package."""
    yield from csv.DictReader(files(__package__).joinpath(path).read_text(encoding="utf-8").splitlines())
