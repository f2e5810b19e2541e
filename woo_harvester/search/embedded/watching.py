"""Adds new records to the embedded index while it answers questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event, Thread
from typing import Self

from woo_harvester.search.embedded.engine import EmbeddedEngine
from woo_harvester.search.engine import EngineError

#: Seconds between two looks at the files.
INTERVAL = 2.0


class Watcher:
    """A thread that fills the index with what is new in files, until it is stopped; use it as a context.

    *files* gives the files as they are now. *report* gets one line about each fault, once for as long as it
    lasts: a full disk, or a file with lines that are no record.
    """

    def __init__(
        self,
        engine: EmbeddedEngine,
        files: Callable[[], Iterable[Path]],
        report: Callable[[str], None],
        interval: float = INTERVAL,
    ) -> None:
        self._engine, self._files, self._report, self._interval = engine, files, report, interval
        self._stopped = Event()
        self._reported: list[str] = []
        self._thread = Thread(target=self._run, name="portal-watcher", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the thread; a fill that is going on ends at its next batch, and is continued later."""
        self._stopped.set()
        self._engine.interrupt()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._interval):
            try:
                messages = self._engine.fill(self._files()).messages
            except (EngineError, OSError) as error:
                messages = [str(error)]
            for message in messages:
                if message not in self._reported:
                    self._report(message)
            self._reported = messages
