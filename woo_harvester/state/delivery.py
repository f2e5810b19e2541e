"""What the state waits for: records on their way to the outputs, and what is true once these have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from woo_harvester.state.versions import Harvested


@dataclass
class Reading:
    """The reading of one sitemap: whether the next run may rely on it depends on all its documents."""

    resource_id: int
    etag: str | None = None
    last_modified: str | None = None
    digest: bytes | None = None
    at: int = 0
    complete: bool = False
    """Read to its end, without a fault."""
    flawed: bool = False
    """It must be read each time: it no longer lists a document, or something in it is wrong."""
    outstanding: int = 0
    """Documents that no output has durably yet."""

    def again(self, second: Reading) -> Reading:
        """Go on with the second reading of the same sitemap: what the first one waits for is waited for.

        Where the sitemap has changed in between, what is new in it is for the next run.
        """
        self.flawed |= self.digest != second.digest
        return self


Confirm = Callable[[Connection, Sequence[int]], None]
"""Writes into the state that the deliveries with these numbers are durable."""


@dataclass
class Delivery:
    """One record on its way to the outputs; the state learns of it when the last of them has it durably."""

    waiting: int = 0
    """Outputs that do not have it durably yet."""
    harvested: Harvested | None = None
    withdrawn: int | None = None
    """Id of the document, of an intrekking."""
    withdrawn_at: int = 0
    """The moment of its record, in seconds since 1970."""
    reading: Reading | None = None
    visited: bytes | None = None
    """Of another project's item: the key of scrapy-deltafetch of its page."""
    confirm: Confirm | None = None
    """Who else learns of it, of several records together where they share one delivery, by its *number*."""
    number: int = 0
