"""Records on their way to the outputs, and what is written to the state once these have them durably."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from woo_harvester.state.contents import Content
from woo_harvester.state.versions import Harvested


@dataclass
class PendingRead:
    """A read of one sitemap, on which the next run may rely once all its documents are durable."""

    resource_id: int
    etag: str | None = None
    last_modified: str | None = None
    digest: bytes | None = None
    at: int = 0
    complete: bool = False
    """True if it was read to its end without an error."""
    must_reread: bool = False
    """True if the next run must read it again: it no longer lists a document, or something in it is wrong."""
    outstanding: int = 0
    """The number of its documents that the outputs do not have durably yet."""

    def again(self, second: PendingRead) -> PendingRead:
        """Return this reading, continued by a *second* reading of the same sitemap.

        If the sitemap has changed in between, the next run reads what is new in it.
        """
        self.must_reread |= self.digest != second.digest
        return self


Confirm = Callable[[Connection, Sequence[int]], None]
"""A function that notes in the state that the deliveries with these numbers are durable."""


@dataclass
class Delivery:
    """A record on its way to the outputs. It is noted in the state once the last of them has it durably."""

    waiting: int = 0
    """The number of outputs that do not have it durably yet."""
    harvested: Harvested | None = None
    content: Content | None = None
    """What is known of the content of the harvested document."""
    withdrawn: int | None = None
    """The id of the document, if the record is a withdrawal."""
    withdrawn_at: int = 0
    """The moment of its record, in seconds since 1970."""
    reading: PendingRead | None = None
    visited: bytes | None = None
    """The key of the page in scrapy-deltafetch, if the item is that of another project."""
    confirm: Confirm | None = None
    """The function to call with its *number*, once for all records that share a delivery."""
    number: int = 0
