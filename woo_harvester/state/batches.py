"""Cuts what goes to the database into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")

#: Rows in one query: databases bound the number of parameters, and larger batches are no faster.
BATCH = 1000


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Give *items* in lists of at most ``BATCH``."""
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
