"""Measure runs of the scrapy command: the harvester, and the stock spider that it is compared with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.utils.publisher import Publisher

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Run:
    """The cost of a run."""

    seconds: float
    """Seconds of the whole process, start-up included."""
    crawling: float
    """Seconds of the crawl itself, as Scrapy counts them."""
    peak_memory: float
    """Peak memory of the whole process, in MB."""
    items: int
    """Number of items."""
    cpu: float
    """Seconds of processor time of the whole process, which other work of the machine disturbs less."""


def _measured(command: list[str], folder: Path, project: Path, site: Publisher) -> Run:
    """Run a scrapy command in *project*; it writes ``out.jsonl`` into *folder*."""
    output, elapsed = folder / "out.jsonl", folder / "elapsed"
    environment = {
        **os.environ,
        "SSL_CERT_FILE": str(site.authority),
        "PYTHONPATH": str(_ROOT),
        "ELAPSED": str(elapsed),
    }
    output.unlink(missing_ok=True)  # a run without news would leave it
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", *command, "-O", str(output)],
        cwd=project,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with exit status {process.returncode}")
    if elapsed.exists():  # written by the stock spider
        crawling = float(elapsed.read_text(encoding="ascii"))
    else:
        reports = sorted((folder / "reports").glob("*/stats.json"))
        crawling = json.loads(reports[-1].read_text(encoding="utf-8"))["elapsed_time_seconds"]
    with output.open("rb") as lines:
        items = sum(1 for _ in lines)
    return Run(seconds, crawling, usage.ru_maxrss / 1024, items, usage.ru_utime + usage.ru_stime)


def woo(folder: Path, site: Publisher, *arguments: str, documents: str = "none", **settings: object) -> Run:
    """Run the harvester with the settings of a real run, but without AutoThrottle, as its peers.

    A second run in the same *folder* uses the state of the first.
    """
    return _harvest("woo", folder, site, "-a", f"documents={documents}", *arguments, **settings)


def permits(folder: Path, site: Publisher, entry: str, **settings: object) -> Run:
    """Run the harvester of permits on one entry page, with the settings of :func:`woo`."""
    return _harvest("vergunningen", folder, site, "-a", f"entries={entry}", **settings)


def _harvest(spider: str, folder: Path, site: Publisher, *arguments: str, **settings: object) -> Run:
    given = {
        "AUTOTHROTTLE_ENABLED": 0,
        "WOO_ALLOW_PRIVATE_HOSTS": 1,
        "WOO_DATA_DIR": folder / "data",
        "WOO_REPORT_DIR": folder / "reports",
        **settings,
    }
    command = ["crawl", spider, "-a", f"register={site.register}", *arguments]
    for name, value in given.items():
        command += ["-s", f"{name}={value}"]
    return _measured(command, folder, _ROOT, site)


def stock(folder: Path, site: Publisher, *options: str, hosts: Iterable[str] = ()) -> Run:
    """Run the stock spider, with Scrapy's own settings, on *hosts* (without them, on the first)."""
    names = ",".join(hosts) or site.host
    return _stock("stock_spider.py", folder, site, "-a", f"host={names}", *options)


def stock_permits(folder: Path, site: Publisher, entry: str) -> Run:
    """Run the stock spider of permits on one entry page, with Scrapy's own settings."""
    return _stock("stock_permits.py", folder, site, "-a", f"entry={entry}")


def _stock(module: str, folder: Path, site: Publisher, *options: str) -> Run:
    spider = _ROOT / "benchmarks" / "utils" / module
    command = ["runspider", str(spider), "-L", "INFO", *options]
    return _measured(command, folder, folder, site)  # no project here, so only Scrapy's own settings
