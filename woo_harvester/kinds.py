"""The kinds of records, each with a spider of its own, and what differs from documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, Self, TypeVar

_T = TypeVar("_T")


class Kind(StrEnum):
    """A kind of records. The value is the name of its spider, with which the names of its runs begin.

    The package of a kind has what differs from documents. Its module ``kind`` is a table of that: a name, and
    the place of the object. A part of the harvester that needs it asks by the name (:meth:`own`).
    """

    woo = "woo", "document", "document", "WOO_ELASTICSEARCH_INDEX", 6, None
    vergunningen = (
        *("vergunningen", "vergunning", "file", "WOO_ELASTICSEARCH_PERMITS_INDEX", 6),
        "woo_harvester.permits",
    )

    key: str
    """The top-level key that only records of this kind have."""
    noun: str
    """The noun for what its hosts list, in English."""
    setting: str
    """The setting with the alias of its index."""
    mapping: int
    """The number of the mapping of its index that this version writes."""
    package: str | None
    """The package with all that is only about this kind; None for documents."""

    def __new__(cls, name: str, key: str, noun: str, setting: str, mapping: int, package: str | None) -> Self:
        """Return the member with this name, and what the table says of it."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.key, kind.noun, kind.setting, kind.mapping, kind.package = key, noun, setting, mapping, package
        return kind

    def own(self, name: str, of_documents: _T) -> _T:
        """Return what the package of this kind has by a *name*, or else what documents have."""
        found: _T | None = None if self.package is None else _own(self.package, name)
        return of_documents if found is None else found

    @classmethod
    def of_run(cls, name: str) -> Kind:
        """Return the kind of a run with this name."""
        return next((kind for kind in cls if kind.package and name.startswith(kind)), cls.woo)

    def beside_documents(self, name: str, separator: str) -> str:
        """Return a name of a file about documents, with the kind appended if it is about another one."""
        return f"{name}{separator}{self}" if self.package else name


WOO, PERMITS = Kind


def others(name: str) -> Iterator[Any]:
    """Yield what the package of each kind but documents has by a *name*."""
    for kind in Kind:
        if kind.package is not None and (found := _own(kind.package, name)) is not None:
            yield found


@cache
def _own(package: str, name: str) -> Any:
    """Return the object of a package by its name in the table of the kind; None if it has none."""
    place = import_module(f"{package}.kind").PLACES.get(name)
    if place is None:
        return None
    module, _, attribute = place.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), attribute)


class SingleKind:
    """The kind of the first record; all records must have the same kind."""

    def __init__(self) -> None:
        self.kind: Kind | None = None
        """The kind; None before the first record."""

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Check that *record* has the kind of the records before it. Raises ValueError."""
        kind = record_kind_of(record)
        if self.kind is not None and self.kind != kind:
            raise ValueError(
                f"expected a record of the kind {self.kind.name}, as those before it, and this one is of "
                f"{kind.name}: give the files of one kind at a time"
            )
        self.kind = kind


def record_kind_of(record: Mapping[str, Any]) -> Kind:
    """Return the kind of a record, a dict as in the output. Raises ValueError if it has none."""
    found = [kind for kind in Kind if isinstance(record.get(kind.key), Mapping)]
    if len(found) != 1:
        keys = " or ".join(f"{kind.key} ({kind.name})" for kind in Kind)
        raise ValueError(f"expected a record with the key {keys}")
    return found[0]
