"""Back-pressure: what is listed becomes a request only as there is room for it."""

from __future__ import annotations

import asyncio

#: Seconds between two looks at whether the run is being closed, while waiting for room.
PATIENCE = 1.0


class Room:
    """Places for what waits or is being fetched; *backlog* of them at once."""

    def __init__(self, backlog: int) -> None:
        self.under_way = 0
        """What waits or is being fetched."""
        self._backlog = backlog
        self._room = asyncio.Event()

    async def has_room(self, patience: float = PATIENCE) -> bool:
        """Whether another one may be asked for; waits at most *patience* seconds until it may."""
        if self.under_way >= self._backlog:
            self._room.clear()
            try:
                await asyncio.wait_for(self._room.wait(), patience)
            except TimeoutError:
                return False
        return self.under_way < self._backlog

    def begins(self) -> None:
        """One takes a place."""
        self.under_way += 1

    def ends(self) -> None:
        """One gives its place back."""
        self.under_way -= 1
        self._room.set()
