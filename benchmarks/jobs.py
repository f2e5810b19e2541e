"""Measure a run with two jobs on two cores against a run of one process, with one state in SQLite.

::

    python -m benchmarks.jobs [ENTRIES]

Four hosts have a fourth of ENTRIES each. They are harvested for the first time, and then re-scanned: each
sitemap has one more line end, so that all its entries must be compared.

The first columns have the seconds of the crawl. The publishers and other programs need the same two cores. So
the next columns have the processor time of the harvester, of all its processes together and without its
start-up. If two jobs need as much of it as one process, they need half the time with cores to spare.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.utils.publisher import Publisher, publisher
from benchmarks.utils.runs import Run, woo
from benchmarks.utils.target import target

HOSTS = 4
JOBS = 2
PER_SITEMAP = 25_000
KINDS = ("first harvest", "re-scan")


def days(folder: Path, site: Publisher, jobs: int) -> list[Run]:
    """Run a first harvest and a re-scan with so many jobs."""
    folder.mkdir()
    return [woo(folder, site, "--jobs", str(jobs)) for _ in KINDS]


def row(kind: str, one: Run, two: Run, start: float) -> None:
    """Print a row of the table; *start* is the processor time of a run with nothing to do.

    Jobs are forked, so that their start-up is that of one process.
    """
    times = one.crawling / two.crawling
    work = JOBS * (one.cpu - start) / (two.cpu - start)
    aim = target("first times >= 1.9", times >= 1.9) if "first" in kind else ""  # a re-scan is too short
    print(
        f"{kind:36}{one.crawling:8.1f}{two.crawling:8.1f}{times:7.2f}"
        f"{one.cpu - start:9.1f}{two.cpu - start:8.1f}{work:7.2f}{aim}"
    )


def main(entries: int) -> None:
    """Print the table."""
    with (
        tempfile.TemporaryDirectory() as name,
        publisher(Path(name), entries // HOSTS, PER_SITEMAP, f"--hosts={HOSTS}") as site,
    ):
        folder = Path(name)
        start = woo(folder, site, "-a", "shard=1/1000000").cpu
        one, two = (days(folder / str(jobs), site, jobs) for jobs in (1, JOBS))
    title = f"{entries:,} entries on {HOSTS} hosts"
    print(f"{title:36}{'one':>8}{'two':>8}{'times':>7}{'core: one':>9}{'two':>8}{'times':>7}   target")
    for kind, single, double in zip(KINDS, one, two, strict=True):
        row(kind, single, double, start)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200_000)
