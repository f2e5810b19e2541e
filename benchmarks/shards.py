"""Measure two shards on two cores against one run, with the state in SQLite and in PostgreSQL.

::

    python -m benchmarks.shards [ENTRIES]

Four hosts have a fourth of ENTRIES each; each shard has two of them. They are harvested for the first time,
and then re-scanned: each sitemap has one more line end, so that all its entries must be compared. This is
done in one run, and in two runs at the same time. In SQLite each shard has its own state; in PostgreSQL they
share one, with fsync.

The first columns have the seconds of the crawl; for two shards those of the slower one. The publishers,
PostgreSQL and other programs need the same two cores. So the next columns have the processor time of the
harvester without its start-up: the gain on a machine with more cores.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.utils.postgresql import OPTIONS
from benchmarks.utils.publisher import Publisher, publisher
from benchmarks.utils.runs import Run, woo
from benchmarks.utils.target import target
from tests.utils.postgresql import new_database, server

HOSTS = 4
PER_SITEMAP = 25_000
KINDS = ("first harvest", "re-scan")

Url = Callable[[int], str]
"""A function that returns the URL of the state of a shard, by its number."""


class Day(NamedTuple):
    """The cost of the runs of one day; for two shards that of the slower one."""

    crawling: float
    """Seconds of the crawl."""
    working: float
    """Seconds of processor time, without start-up."""


def days(folder: Path, site: Publisher, shards: int, url: Url, start: float) -> list[Day]:
    """Run a first harvest and a re-scan in *shards* shards; *start* is the seconds of start-up."""
    return [day(folder, site, shards, url, start) for _ in KINDS]


def day(folder: Path, site: Publisher, shards: int, url: Url, start: float) -> Day:
    """Run each shard once, at the same time."""

    def run(number: int) -> Run:
        own = folder / str(number)
        own.mkdir(exist_ok=True, parents=True)
        return woo(own, site, "-a", f"shard={number}/{shards}", WOO_STATE_URL=url(number))

    with ThreadPoolExecutor(shards) as pool:
        runs = list(pool.map(run, range(1, shards + 1)))
    return Day(max(one.crawling for one in runs), max(one.cpu for one in runs) - start)


def in_files(folder: Path, shards: int) -> Url:
    """Return a state for each shard."""
    return lambda number: f"sqlite:///{folder}/{number}-of-{shards}.sqlite"


def in_one(url: str) -> Url:
    """Return one state for all shards."""
    return lambda _: url


def row(label: str, one: Day, two: Day, entries: int) -> None:
    """Print a row of the table."""
    times, worth = one.crawling / two.crawling, one.working / two.working
    print(
        f"{label:36}{one.crawling:8.1f}{two.crawling:8.1f}{times:7.2f}"
        f"{one.working:9.1f}{two.working:8.1f}{worth:7.2f}{entries / one.working:10,.0f}"
        f"{target('first times >= 1.8', times >= 1.8) if 'first' in label else ''}"  # a re-scan is too short
    )


def main(entries: int) -> None:
    """Print the table."""
    with (
        tempfile.TemporaryDirectory() as name,
        publisher(Path(name), entries // HOSTS, PER_SITEMAP, f"--hosts={HOSTS}") as site,
        server(OPTIONS) as postgresql,
    ):
        folder = Path(name)
        nothing = woo(folder, site, "-a", "shard=1/1000000").cpu
        found: dict[str, list[list[Day]]] = {"SQLite, one each": [], "PostgreSQL, one": []}
        for shards in (1, 2):
            own, shared = folder / f"lite{shards}", folder / f"shared{shards}"
            found["SQLite, one each"].append(days(own, site, shards, in_files(folder, shards), nothing))
            with new_database(postgresql.url) as url:
                found["PostgreSQL, one"].append(days(shared, site, shards, in_one(url), nothing))
    title = f"{entries:,} entries on {HOSTS} hosts"
    heads = f"{'one':>8}{'two':>8}{'times':>7}{'core: one':>9}{'two':>8}{'times':>7}{'a second':>10}   target"
    print(f"{title:36}{heads}")
    for label, (one, two) in found.items():
        for number, kind in enumerate(KINDS):
            row(f"{label}: {kind}", one[number], two[number], entries)
    lite, shared_one = (found[label][0][1] for label in found)
    speed, work = lite.crawling / shared_one.crawling, lite.working / shared_one.working
    print(
        f"re-scan in one run, PostgreSQL against SQLite: {speed:.2f} of the speed, {work:.2f} by its own work"
        f"{target('speed >= 0.7', speed >= 0.7)}"
    )
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {load:.1f} at the end")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200_000)
