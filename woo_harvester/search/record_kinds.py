"""All kinds of records, and how they are told apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from woo_harvester.search.permits import PERMITS
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.search.woo import WOO

KINDS = (WOO, PERMITS)


class SingleKind:
    """The kind of records of which there may be only one kind together: that of the first tells it."""

    def __init__(self) -> None:
        self.kind: RecordKind | None = None
        """None as long as there was no record."""

    def __call__(self, record: Mapping[str, Any]) -> None:
        """Hold *record* to the kind of those before it. Raises ValueError."""
        kind = record_kind_of(record)
        if self.kind is not None and self.kind != kind:
            raise ValueError(
                f"expected a record of the kind {self.kind.name}, as those before it, and this one is of "
                f"{kind.name}: give the files of one kind at a time"
            )
        self.kind = kind


def record_kind_of(record: Mapping[str, Any]) -> RecordKind:
    """The kind of a record, in the shape of the output. Raises ValueError."""
    found = [kind for kind in KINDS if isinstance(record.get(kind.key), Mapping)]
    if len(found) != 1:
        keys = " or ".join(f"{kind.key} ({kind.name})" for kind in KINDS)
        raise ValueError(f"expected a record with the key {keys}")
    return found[0]
