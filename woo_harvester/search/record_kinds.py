"""All kinds of records, and the recognition of the kind of a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO

KINDS = (WOO, PERMITS)


class SingleKind:
    """The record kind of the first item; all items must have the same kind."""

    def __init__(self) -> None:
        self.kind: RecordKind | None = None
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


def record_kind_of(record: Mapping[str, Any]) -> RecordKind:
    """Return the kind of a record, a dict as in the output. Raises ValueError if it has none."""
    found = [kind for kind in KINDS if isinstance(record.get(kind.key), Mapping)]
    if len(found) != 1:
        keys = " or ".join(f"{kind.key} ({kind.name})" for kind in KINDS)
        raise ValueError(f"expected a record with the key {keys}")
    return found[0]
