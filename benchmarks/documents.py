"""Fetching documents: many small ones, one each of many slow hosts, a very large one.

    python -m benchmarks.documents [small|slow|large]

Small: 4,000 documents of 20 KB of one host, hashed, typed by content and stored, with the settings of a real
run but for AutoThrottle; against a stock spider with Scrapy's own settings that only fetches them. The
fastest of three counts. Slow: 900 hosts with a document each that takes two seconds, with the politeness of a
real run, against a run with only one such host. Large: a document of 1 GB.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.publisher import Publisher, serving
from benchmarks.runs import Run, stock, woo

KB = 1024
GB = 1024**3
TIMES = 3


def hosts(
    folder: Path, number: int, documents: int, size: int, delay: float
) -> AbstractContextManager[Publisher]:
    """Publishers in another process."""
    return serving("benchmarks.hosts", folder, str(number), str(documents), str(size), str(delay))


def harvest(site: Publisher, **settings: object) -> Run:
    """A first harvest of everything, with a store."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return woo(folder, site, "download", FILES_STORE=folder / "documents", **settings)


def peer(site: Publisher, *options: str) -> Run:
    """The stock spider."""
    with tempfile.TemporaryDirectory() as name:
        return stock(Path(name), site, *options)


def small() -> None:
    """Print the table of many small documents."""
    ways: dict[str, Callable[[Publisher], Run]] = {
        "stock spider, Scrapy's settings": peer,
        "stock spider, CONCURRENT_ITEMS=1": lambda site: peer(site, "-s", "CONCURRENT_ITEMS=1"),
        "stock spider, Scrapy's aiohttp handler": lambda site: peer(
            site, "-s", f"DOWNLOAD_HANDLERS={AIOHTTP}"
        ),
        "woo, documents=download": harvest,
    }
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), 1, 4000, 20 * KB, 0) as site:
        found: dict[str, list[Run]] = {way: [] for way in ways}
        for _ in range(TIMES):
            for way, run in ways.items():
                found[way].append(run(site))
    print(
        f"{'4,000 documents of 20 KB':40}{'crawling':>9}{'a second':>9}{'ratio':>6}{'process':>9}{'peak MB':>9}"
    )
    first = None
    for way, runs in found.items():
        best = min(runs, key=lambda run: run.crawling)
        speed = best.items / best.crawling
        first = first or speed
        print(
            f"{way:40}{best.crawling:9.1f}{speed:9,.0f}{speed / first:6.2f}"
            f"{min(run.seconds for run in runs):9.1f}{best.peak:9.0f}"
        )


AIOHTTP = '{"https": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"}'


def slow() -> None:
    """Print the table of slow hosts."""
    print(f"{'a document of 2 s each':40}{'crawling':>9}{'ratio':>6}{'process':>9}{'peak MB':>9}{'items':>7}")
    first = None
    for number in (1, 900):
        with tempfile.TemporaryDirectory() as name, hosts(Path(name), number, 1, 20 * KB, 2) as site:
            run = min(
                (harvest(site, AUTOTHROTTLE_ENABLED=1) for _ in range(TIMES)), key=lambda run: run.crawling
            )
        first = first or run.crawling
        print(
            f"{f'{number} hosts':40}{run.crawling:9.1f}{run.crawling / first:6.2f}"
            f"{run.seconds:9.1f}{run.peak:9.0f}{run.items:7}"
        )


def large() -> None:
    """Print the table of a large document."""
    print(f"{'a document of 1 GB':40}{'crawling':>9}{'MB a second':>12}{'peak MB':>9}{'items':>7}")
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), 1, 1, GB, 0) as site:
        run = harvest(site, WOO_DOCUMENT_MAXSIZE=2 * GB)
    print(
        f"{'woo, documents=download':40}{run.crawling:9.1f}{GB / run.crawling / 1e6:12.0f}{run.peak:9.0f}{run.items:7}"
    )


PARTS = {"small": small, "slow": slow, "large": large}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
        print()
