"""The progress of a run as a line, and as the table of the live display."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING

from rich.table import Table

from woo_harvester.findings import Severity
from woo_harvester.terminal import formatting
from woo_harvester.terminal.figures import Figures

if TYPE_CHECKING:
    from rich.console import RenderableType

#: The period over which the speed is measured, in seconds.
_SPEED_WINDOW = 30.0


class Speed:
    """The number of documents or requests per second, over the last half minute."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def __call__(self, figures: Figures) -> float:
        """Add the latest figures, and return the speed."""
        self._seen.append((figures.seconds, figures.handled))
        while len(self._seen) > 2 and figures.seconds - self._seen[0][0] > _SPEED_WINDOW:
            self._seen.popleft()
        since, before = self._seen[0] if len(self._seen) > 1 else (0.0, 0)
        passed = figures.seconds - since
        return (figures.handled - before) / passed if passed > 0 else 0.0


def progress_line(now: Figures, per_second: float) -> str:
    """Return the progress of a run as one line; *per_second* is its speed."""
    parts = [formatting.one_line(now), formatting.speed(now, per_second)]
    if now.selected is not None:
        parts = [formatting.hosts(now), *parts, formatting.time_left(now.seconds_left)]
    parts.insert(-1, formatting.counted(now.findings(Severity.ERROR), "error"))
    if now.slowest:
        parts.append(f"slowest: {formatting.slowest(now.slowest)}")
    return f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {now.spider}: {'; '.join(parts)}"


def progress_table(now: Figures, per_second: float) -> RenderableType:
    """Return the progress of a run as a table; *per_second* is its speed."""
    table = Table.grid(padding=(0, 2), expand=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    ahead = formatting.hosts(now) if now.selected is not None else formatting.counted(now.requests, "request")
    table.add_row(
        now.spider,
        f"{ahead}, {formatting.duration(now.seconds)}, {formatting.time_left(now.seconds_left)}",
    )
    for name, counts in formatting.harvest(now):
        table.add_row(name, counts)
    table.add_row("speed", formatting.speed(now, per_second))
    table.add_row("findings", formatting.findings(now))
    for name, slow in zip(("slowest", "", ""), now.slowest, strict=False):
        table.add_row(name, formatting.slowest([slow]))
    return table
