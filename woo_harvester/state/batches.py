"""Batches of rows for the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")

#: Rows in one query: databases limit the number of parameters, and larger batches are no faster.
BATCH = 1000


def batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Yield *items* in lists of at most ``BATCH``."""
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
