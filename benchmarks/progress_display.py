"""Measure the cost of showing the progress of a run over 900 hosts.

::

    python -m benchmarks.progress_display

Time is processor time, which other work of the machine disturbs less. A run draws its progress once a second
on a terminal, and logs it once a minute elsewhere. The share is that of one core.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from time import process_time
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from scrapy import Spider
from scrapy.utils.test import get_crawler

from benchmarks.utils.target import target
from woo_harvester.extensions.findings import Findings
from woo_harvester.extensions.progress import REDRAW, Progress, Screen
from woo_harvester.findings import explanations
from woo_harvester.running.default_settings import SETTINGS

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine

HOSTS = 900
REPEATS = 300
TARGET = 0.03


class Terminal(io.StringIO):
    """A terminal that discards its output."""

    def isatty(self) -> bool:
        """Return True."""
        return True


class Idle(Spider):
    """A spider with the name of the real one."""

    name = "woo"


def running() -> Progress:
    """Return the progress of a half-finished run, with findings of every code at every tenth host."""
    defaults = {setting.name: setting.default for setting in SETTINGS}
    crawler = get_crawler(Idle, {"TWISTED_REACTOR_ENABLED": False, **defaults, "EXTENSIONS": {Findings: 1}})
    findings = crawler.get_extension(Findings)
    if findings is None:
        raise SystemExit("expected the extension Findings to be on")
    stats = crawler.stats
    stats.set_value("start_time", datetime.now(UTC))
    stats.set_value("woo/hosts/selected", HOSTS)
    stats.set_value("woo/hosts/done", HOSTS // 2)
    for number in range(HOSTS):
        account = findings.accounts.of(f"www.{number}.nl")
        account.count_entries(1000, 900)
        account.harvested["aanlevering"] = 80
        account.lost["loc.geen-https"] = 20
        for code in explanations() if number % 10 == 0 else ():
            stats.inc_value(f"woo/findings/{code}")
            account.findings[code] = 1
    slots = {account.host: SimpleNamespace(delay=2.0, active=[1], queue=[]) for account in findings.accounts}
    crawler.engine = cast("ExecutionEngine", SimpleNamespace(downloader=SimpleNamespace(slots=slots)))
    progress = Progress(crawler)
    progress._expected = dict.fromkeys((account.host for account in findings.accounts), 2000)
    return progress


def cost(show: Callable[[], object]) -> float:
    """Return the seconds of one call of *show*."""
    show()
    started = process_time()
    for _ in range(REPEATS):
        show()
    return (process_time() - started) / REPEATS


def main() -> None:
    """Print the table; exit with status 1 if the cost is too high."""
    progress = running()
    screen = Screen.join(progress._draw, Terminal())
    rows = {
        "a drawing on a terminal, each second": cost(screen.refresh) / REDRAW,
        "a line elsewhere, each minute": cost(progress.line) / 60,
    }
    screen.leave(progress._draw)
    print(f"{f'{HOSTS} hosts':44}{'ms a second':>12}{'share':>9}   target")
    for label, share in rows.items():
        aim = target(f"under {TARGET:.0%}", share <= TARGET)
        print(f"{label:44}{share * 1000:12.3f}{share:9.3%}{aim}")
    sys.exit(max(rows.values()) > TARGET)


if __name__ == "__main__":
    main()
