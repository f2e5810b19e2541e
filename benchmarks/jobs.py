"""Measure a run with two jobs on two cores against a run of one process, with one state in SQLite.

::

    python -m benchmarks.jobs [ENTRIES]

Four hosts have a fourth of ENTRIES each. They are harvested for the first time, and then re-scanned: each
sitemap has one more line end, so that all its entries must be compared. Four other hosts have 2,000 documents
of 20 KB each, which are fetched, hashed, typed and kept durably.

The first columns have the seconds of the crawl. The publishers and other programs need the same two cores. So
the next columns have the processor time of the harvester, of all its processes together and without its
start-up. If two jobs need as much of it as one process, they need half the time with cores to spare.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.document_fetching import KB, hosts
from benchmarks.utils.publisher import Publisher, publisher
from benchmarks.utils.runs import Run, woo
from benchmarks.utils.target import target

HOSTS = 4
JOBS = 2
PER_SITEMAP = 25_000
DOCUMENTS = 2_000
KINDS = ("first harvest", "re-scan")
#: The least number of times that two jobs should be as fast. A re-scan is too short.
TARGETS = {"first harvest": 1.9, "documents kept": 1.8}


def days(folder: Path, site: Publisher, jobs: int) -> list[Run]:
    """Run a first harvest and a re-scan with so many jobs."""
    folder.mkdir()
    return [woo(folder, site, "--jobs", str(jobs)) for _ in KINDS]


def kept(folder: Path, site: Publisher, jobs: int) -> Run:
    """Harvest documents with so many jobs, and keep them."""
    own = folder / str(jobs)
    own.mkdir()
    return woo(own, site, "--jobs", str(jobs), documents="download", FILES_STORE=own / "documents")


def row(kind: str, one: Run, two: Run, start: float) -> None:
    """Print a row of the table; *start* is the processor time of a run with nothing to do.

    Jobs are forked, so that their start-up is that of one process.
    """
    times = one.crawling / two.crawling
    work = JOBS * (one.cpu - start) / (two.cpu - start)
    least = TARGETS.get(kind)
    aim = target(f"first times >= {least}", times >= least) if least else ""
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
    with tempfile.TemporaryDirectory() as name, hosts(Path(name), HOSTS, DOCUMENTS, 20 * KB, 0) as site:
        kept_by_one, kept_by_two = (kept(Path(name), site, jobs) for jobs in (1, JOBS))
    title = f"{entries:,} entries on {HOSTS} hosts"
    print(f"{title:36}{'one':>8}{'two':>8}{'times':>7}{'core: one':>9}{'two':>8}{'times':>7}   target")
    for kind, single, double in zip(KINDS, one, two, strict=True):
        row(kind, single, double, start)
    row("documents kept", kept_by_one, kept_by_two, start)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200_000)
