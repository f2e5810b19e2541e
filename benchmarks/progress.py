"""What it costs to show progress: one look at a run over 900 hosts, and what is drawn of it.

::

    python -m benchmarks.progress

Processor time, so that what else the machine does disturbs it less. A run looks once a second on a terminal,
and once a minute elsewhere; the share is that of a run that uses one core all the time.
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

from benchmarks.target import target
from woo_harvester.default_settings import SETTINGS
from woo_harvester.extensions.findings import Findings
from woo_harvester.extensions.progress import REDRAW, Progress
from woo_harvester.findings import explanations
from woo_harvester.terminal.screen import Screen

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine

HOSTS = 900
LOOKS = 300
TARGET = 0.03


class Terminal(io.StringIO):
    """Takes what is drawn."""

    def isatty(self) -> bool:
        """It says that it is one."""
        return True


class Idle(Spider):
    """Has the name of the one whose figures it shows."""

    name = "woo"


def running() -> Progress:
    """A run in the middle, with findings of every code at every tenth host."""
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
            stats.inc_value(f"woo/hosts/{account.host}/{code}")
    slots = {account.host: SimpleNamespace(delay=2.0, active=[1], queue=[]) for account in findings.accounts}
    crawler.engine = cast("ExecutionEngine", SimpleNamespace(downloader=SimpleNamespace(slots=slots)))
    progress = Progress(crawler)
    progress._expected = dict.fromkeys((account.host for account in findings.accounts), 2000)
    return progress


def cost(look: Callable[[], object]) -> float:
    """Seconds of one look."""
    look()
    started = process_time()
    for _ in range(LOOKS):
        look()
    return (process_time() - started) / LOOKS


def main() -> None:
    """Print the table; exit status 1 where it costs more than it may."""
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
