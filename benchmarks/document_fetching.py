"""Measure the fetching of documents: many small ones, one from each of many slow hosts, a very large one.

::

    python -m benchmarks.document_fetching [small|slow|large]

Small: 4,000 documents of 20 KB from one host, hashed, with their type detected, and in the last row also
stored. The settings are those of a real run without AutoThrottle. The peer is a stock spider with Scrapy's
own settings that only fetches them. The fastest of three runs counts. The stored files are removed at the
end. TMPDIR should be a folder from which no files were removed lately: after that, ext4 takes half a
millisecond to make a file. Slow: 900 hosts with one document each that takes two seconds, with AutoThrottle,
against a run with one such host. The rows of the stock spider show what Scrapy and TLS themselves cost: it
fetches the same files, without a delay or a limit on requests, and stores nothing. Large: a document of 1 GB.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.utils.publisher import Publisher, serving
from benchmarks.utils.runs import Run, stock, woo
from benchmarks.utils.target import target
from woo_harvester.findings import Reporter
from woo_harvester.register.stored_copy import read_file

KB = 1024
GB = 1024**3
TIMES = 3
#: A handler of Scrapy that is marked experimental.
AIOHTTP = 'DOWNLOAD_HANDLERS={"https": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"}'


#: No request of the stock spider waits for another one.
UNLIMITED = ("-s", "CONCURRENT_REQUESTS=2000", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2000")


def hosts(
    folder: Path, number: int, documents: int, size: int, delay: float
) -> AbstractContextManager[Publisher]:
    """Run publishers in another process."""
    return serving(
        "benchmarks.utils.document_hosts", folder, str(number), str(documents), str(size), str(delay)
    )


def harvest(folder: Path, site: Publisher, **settings: object) -> Run:
    """Harvest everything for the first time, and store each document."""
    return woo(folder, site, documents="download", FILES_STORE=folder / "documents", **settings)


def fetch(folder: Path, site: Publisher) -> Run:
    """Harvest everything for the first time; detect the type of each document, without storing it."""
    return woo(folder, site, documents="download")


#: The least number of times that these should be as fast as the stock spider.
TARGETS: dict[Callable[..., Run], float] = {fetch: 2.5, harvest: 1.8}


def made(folder: Path, *names: object) -> Path:
    """Make a folder in *folder*, and return it."""
    path = folder.joinpath(*map(str, names))
    path.mkdir(parents=True)
    return path


def print_row(name: str, runs: list[Run], first: list[Run] | None = None, aim: str = "") -> None:
    """Print the best of *runs*, and its ratio to the best of *first*: of the time, and of processor time."""
    seconds, cpu = _best(runs)
    ratios = f"{_best(first)[0] / seconds:7.2f}{_best(first)[1] / cpu:7.2f}" if first else " " * 14
    peak_memory = max(run.peak_memory for run in runs)
    print(f"{name:40}{seconds:9.1f}{runs[0].items / seconds:10,.0f}{cpu:7.1f}{ratios}{peak_memory:9.0f}{aim}")


def _best(runs: list[Run]) -> tuple[float, float]:
    return min(run.crawling for run in runs), min(run.cpu for run in runs)


def print_head(title: str) -> None:
    """Print the names of the columns."""
    print(f"{title:40}{'seconds':>9}{'a second':>10}{'CPU s':>7}{'ratio':>7}{'CPU':>7}{'max MB':>9}   target")


def small() -> None:
    """Print the table of many small documents."""
    ways: dict[str, Callable[[Path, Publisher], Run]] = {
        "stock spider, Scrapy's settings": stock,
        "stock spider, CONCURRENT_ITEMS=1": lambda folder, site: stock(
            folder, site, "-s", "CONCURRENT_ITEMS=1"
        ),
        "stock spider, Scrapy's aiohttp handler": lambda folder, site: stock(folder, site, "-s", AIOHTTP),
        "woo, documents=download": fetch,
        "the same, stored durably (FILES_STORE)": harvest,
    }
    found: dict[str, list[Run]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), 1, 4000, 20 * KB, 0) as site:
        for time in range(TIMES):
            for number, (way, run) in enumerate(ways.items()):
                found[way].append(run(made(Path(name), time, number), site))
    print_head("4,000 documents of 20 KB")
    first = next(iter(found.values()))
    for way, runs in found.items():
        least = TARGETS.get(ways[way])
        aim = target(f"ratio >= {least}", _best(first)[0] / _best(runs)[0] >= least) if least else ""
        print_row(way, runs, first, aim)


def slow() -> None:
    """Print the table of slow hosts."""
    found: dict[int, list[Run]] = {}
    peers: dict[int, list[Run]] = {}
    for number in (1, 900):
        with tempfile.TemporaryDirectory() as name, hosts(Path(name), number, 1, 20 * KB, 2) as site:
            folders = [made(Path(name), "ours", time) for time in range(TIMES)]
            found[number] = [harvest(folder, site, AUTOTHROTTLE_ENABLED=1) for folder in folders]
            register = read_file(site.register, Reporter(print), datetime.now(UTC).date())
            folders = [made(Path(name), "stock", time) for time in range(TIMES)]
            peers[number] = [stock(folder, site, *UNLIMITED, hosts=register.hosts) for folder in folders]
    print_head("a document of 2 s each")
    for number, runs in found.items():
        within = _best(runs)[0] <= 3 * _best(found[1])[0]
        aim = target("within 3 times that of one", within) if number > 1 else ""
        print_row(f"{number} hosts", runs, found[1], aim)
    for number, runs in peers.items():
        print_row(f"{number} hosts, stock spider", runs, peers[1])


def large() -> None:
    """Print the table of a large document."""
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), 1, 1, GB, 0) as site:
        runs = [harvest(made(Path(name), "run"), site, WOO_DOCUMENT_MAXSIZE=2 * GB)]
    print_head("a document of 1 GB")
    print_row("woo, documents=download", runs, aim=target("< 250 MB", runs[0].peak_memory < 250))


PARTS = {"small": small, "slow": slow, "large": large}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
        print()
