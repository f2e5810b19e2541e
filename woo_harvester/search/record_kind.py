"""What sets the records of one harvester apart, for who writes them to an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """Whether a document or case is still published."""

    GEPUBLICEERD = "gepubliceerd"
    INGETROKKEN = "ingetrokken"


_Fields = Callable[[Mapping[str, Any], Status], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RecordKind:
    """All that differs between the indices of two harvesters; everything else is written once for both."""

    name: str
    """Of its mapping files (``<name>-<number>.json``), and in ``_meta`` of its indices."""
    key: str
    """The key at the top of a record that no other kind has."""
    setting: str
    """The setting with the alias of its index."""
    mapping: int
    """Number of the mapping that this version writes."""
    fields: _Fields
    """The keys at the top of the index's document that the record does not have, or has otherwise."""
