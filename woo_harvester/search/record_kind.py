"""The kind of a record (woo or vergunningen), with all that its search index needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """The status of a document or case: published or withdrawn."""

    GEPUBLICEERD = "gepubliceerd"
    INGETROKKEN = "ingetrokken"


_Fields = Callable[[Mapping[str, Any], Status], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of records: everything that differs between the indices of the two spiders."""

    name: str
    """The name in its mapping files (``<name>-<number>.json``) and in ``_meta`` of its indices."""
    key: str
    """The top-level key that only records of this kind have."""
    setting: str
    """The setting with the alias of its index."""
    mapping: int
    """The number of the mapping that this version writes."""
    fields: _Fields
    """A function that returns the top-level keys that the index adds to the record, or replaces."""
