"""Fetching documents: many small ones, one each of many slow hosts, a very large one.

::

    python -m benchmarks.documents [small|slow|large]

Small: 4,000 documents of 20 KB of one host, hashed and typed by content, and in a row of its own stored too,
with the settings of a real run but for AutoThrottle; against a stock spider with Scrapy's own settings that
only fetches them. The fastest of three counts. What is stored is removed at the end, and TMPDIR should be
where nothing was removed lately: ext4 takes half a millisecond to make a file where many were just removed.
Slow: 900 hosts with a document each that takes two seconds, with the politeness of a real run, against a run
with only one such host. Large: a document of 1 GB.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.publisher import Publisher, serving
from benchmarks.runs import Run, stock, woo
from benchmarks.target import target

KB = 1024
GB = 1024**3
TIMES = 3
#: The handler that ships in Scrapy, and is marked experimental there.
AIOHTTP = 'DOWNLOAD_HANDLERS={"https": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"}'


def hosts(
    folder: Path, number: int, documents: int, size: int, delay: float
) -> AbstractContextManager[Publisher]:
    """Publishers in another process."""
    return serving("benchmarks.hosts", folder, str(number), str(documents), str(size), str(delay))


def harvest(folder: Path, site: Publisher, **settings: object) -> Run:
    """A first harvest of everything; each document is kept."""
    return woo(folder, site, documents="download", FILES_STORE=folder / "documents", **settings)


def fetch(folder: Path, site: Publisher) -> Run:
    """A first harvest of everything; what is fetched is told apart and not kept."""
    return woo(folder, site, documents="download")


def made(folder: Path, *names: object) -> Path:
    """A folder in *folder*."""
    path = folder.joinpath(*map(str, names))
    path.mkdir(parents=True)
    return path


def print_row(name: str, runs: list[Run], first: list[Run] | None = None, aim: str = "") -> None:
    """The best of *runs*, and its ratio to the best of *first*: by the clock, and by processor time."""
    seconds, cpu = _best(runs)
    ratios = f"{_best(first)[0] / seconds:7.2f}{_best(first)[1] / cpu:7.2f}" if first else " " * 14
    peak = max(run.peak for run in runs)
    print(f"{name:40}{seconds:9.1f}{runs[0].items / seconds:10,.0f}{cpu:7.1f}{ratios}{peak:9.0f}{aim}")


def _best(runs: list[Run]) -> tuple[float, float]:
    return min(run.crawling for run in runs), min(run.cpu for run in runs)


def print_head(title: str) -> None:
    """The names of the columns."""
    print(
        f"{title:40}{'seconds':>9}{'a second':>10}{'CPU s':>7}{'ratio':>7}{'CPU':>7}{'peak MB':>9}   target"
    )


def small() -> None:
    """Print the table of many small documents."""
    ways: dict[str, Callable[[Path, Publisher], Run]] = {
        "stock spider, Scrapy's settings": stock,
        "stock spider, CONCURRENT_ITEMS=1": lambda folder, site: stock(
            folder, site, "-s", "CONCURRENT_ITEMS=1"
        ),
        "stock spider, Scrapy's aiohttp handler": lambda folder, site: stock(folder, site, "-s", AIOHTTP),
        "woo, documents=download": fetch,
        "the same, FILES_STORE: kept, durably": harvest,
    }
    found: dict[str, list[Run]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), 1, 4000, 20 * KB, 0) as site:
        for time in range(TIMES):
            for number, (way, run) in enumerate(ways.items()):
                found[way].append(run(made(Path(name), time, number), site))
    print_head("4,000 documents of 20 KB")
    first = next(iter(found.values()))
    for way, runs in found.items():
        ours = ways[way] in (fetch, harvest)
        aim = target("ratio >= 1.8", _best(first)[0] / _best(runs)[0] >= 1.8) if ours else ""
        print_row(way, runs, first, aim)


def slow() -> None:
    """Print the table of slow hosts."""
    found: dict[int, list[Run]] = {}
    for number in (1, 900):
        with tempfile.TemporaryDirectory() as name, hosts(Path(name), number, 1, 20 * KB, 2) as site:
            folders = [made(Path(name), time) for time in range(TIMES)]
            found[number] = [harvest(folder, site, AUTOTHROTTLE_ENABLED=1) for folder in folders]
    print_head("a document of 2 s each")
    for number, runs in found.items():
        within = _best(runs)[0] <= 3 * _best(found[1])[0]
        aim = target("within 3 times that of one", within) if number > 1 else ""
        print_row(f"{number} hosts", runs, found[1], aim)


def large() -> None:
    """Print the table of a large document."""
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), 1, 1, GB, 0) as site:
        runs = [harvest(made(Path(name), "run"), site, WOO_DOCUMENT_MAXSIZE=2 * GB)]
    print_head("a document of 1 GB")
    print_row("woo, documents=download", runs, aim=target("< 250 MB", runs[0].peak < 250))


PARTS = {"small": small, "slow": slow, "large": large}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
        print()
