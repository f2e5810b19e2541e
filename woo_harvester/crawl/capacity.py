"""Backpressure: a listed document becomes a request only when there is capacity for it."""

from __future__ import annotations

import asyncio
from math import inf
from time import monotonic

#: Seconds to wait for capacity before the caller checks whether the run is being closed.
_TIMEOUT = 1.0


class Backlog:
    """The requests of one host that wait or are being downloaded; at most *limit* at once."""

    def __init__(self, limit: int) -> None:
        self.under_way = 0
        """Number of requests that wait or are being downloaded."""
        self._limit = limit
        self._has_changed = asyncio.Event()

    async def has_capacity(self, timeout: float = _TIMEOUT) -> bool:  # noqa: ASYNC109 -- the caller must go on
        """Return whether another request may be made; wait at most *timeout* seconds until it may."""
        if self.under_way >= self._limit:
            self._has_changed.clear()
            try:
                await asyncio.wait_for(self._has_changed.wait(), timeout)
            except TimeoutError:
                return False
        return self.under_way < self._limit

    def begin_request(self) -> None:
        """Count a request that is made."""
        self.under_way += 1

    def end_request(self) -> None:
        """Stop counting a request that is done, and wake the caller that waits for capacity."""
        self.under_way -= 1
        self._has_changed.set()


class Budget:
    """The time in which documents of one host may be requested, in seconds from now; None for no bound.

    Half of it is left for documents that are new or changed. The other half they share with documents that
    were harvested and only lack content.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = inf if seconds is None else monotonic() + seconds
        self._supplies_end = inf if seconds is None else monotonic() + seconds / 2
        self.supplies_left = 0
        """Number of documents whose lacking content was not requested, because the time was used up."""

    def is_over(self, *, supply: bool = False) -> bool:
        """Return whether it is used up; with *supply*, for documents that only lack content."""
        return monotonic() >= (self._supplies_end if supply else self._end)

    def give_up(self) -> None:
        """Use up all of it."""
        self._end = self._supplies_end = -inf
