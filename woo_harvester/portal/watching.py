"""Looks for new records while the portal answers questions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from woo_harvester.search.engine import EngineError

#: The seconds between two looks.
INTERVAL = 5.0

_logger = logging.getLogger(__name__)


class Watcher:
    """A thread that calls a function again and again, until it is closed.

    A fault is logged when it comes and not again while it stays, and does not end the watching.
    """

    def __init__(self, look: Callable[[], object], interval: float = INTERVAL) -> None:
        self._look, self._interval = look, interval
        self._closed = Event()
        self._fault = ""
        self._thread = Thread(target=self._run, name="portal-watcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the look that is going on."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(self._interval):
            fault = ""
            try:
                self._look()
            except (EngineError, OSError) as error:
                fault = str(error)
            if fault and fault != self._fault:
                _logger.error("new records cannot be read: %s", fault)
            self._fault = fault
