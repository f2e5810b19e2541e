"""Measure how fast loc, lastmod and digest of the 50,000 known entries of a sitemap are read.

    python -m benchmarks.sitemap_scan

It writes a sitemap with all metadata to a temporary folder. Every measurement runs in its own process, with
the complete body in memory. The tasks run in turn; the shortest of five times counts. Look-ups in the state
are not part of it: ``benchmarks/rescan.py`` measures these too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from benchmarks.utils.readers import MAXSIZE, chunks, read_and_clear, read_bare, read_entries
from benchmarks.utils.sample_sitemap import sitemap
from benchmarks.utils.target import target
from woo_harvester.sitemaps.scanner import Scan

ENTRIES = 50_000
REPEATS = 5


def read_with_expat(body: bytes) -> int:
    """Parse the XML with expat, without handlers: the least work for a parser."""
    expat.ParserCreate().Parse(body, True)
    return ENTRIES


def scan(body: bytes) -> int:
    """Scan the file as on most days, when every digest is known."""
    return sum(len(batch) for batch in Scan(chunks(body), MAXSIZE))


def scan_and_parse(body: bytes) -> int:
    """Scan the file as on the first day, when no digest is known."""
    return sum(bool(entry.parse().loc) for batch in Scan(chunks(body), MAXSIZE) for entry in batch)


#: Task, label, and the lowest good speed relative to the first.
TASKS: dict[str, tuple[Callable[[bytes], int], str, float | None]] = {
    "read_bare": (read_bare, "bare iterparse(tag=url)", None),
    "read_and_clear": (read_and_clear, "the same, elements cleared", None),
    "read_with_expat": (read_with_expat, "expat without handlers", None),
    "read_entries": (read_entries, "SitemapReader", None),
    "scan": (scan, "Scan, all entries known", 4),
    "scan_and_parse": (scan_and_parse, "Scan, no entry known", None),
}


def measure(name: str, path: Path) -> float:
    """Run a task; return its seconds. For a process of its own."""
    body = path.read_bytes()
    start = time.perf_counter()
    count = TASKS[name][0](body)
    seconds = time.perf_counter() - start
    if count != ENTRIES:
        raise RuntimeError(f"Expected {ENTRIES} entries, got {count}")
    return seconds


def repeat(path: Path) -> dict[str, float]:
    """Return the shortest time of each task. They run in turn, so that a slow moment affects all tasks."""
    best = dict.fromkeys(TASKS, float("inf"))
    for _ in range(REPEATS):
        for name in TASKS:
            command = [sys.executable, "-m", "benchmarks.sitemap_scan", name, str(path)]
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            best[name] = min(best[name], json.loads(printed))
    return best


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sitemap.xml")
        with path.open("wb") as file:
            file.writelines(sitemap(ENTRIES))
        title = f"sitemap, {path.stat().st_size / 1e6:.0f} MB, {ENTRIES:,} entries"
        best = repeat(path)
    print(f"{title:34}{'best s':>8}{'entries/s':>11}{'speed':>8}   target")
    for name, (_, label, least) in TASKS.items():
        speed = best["read_bare"] / best[name]
        aim = target(f"speed >= {least}", speed >= least) if least else ""
        print(f"{label:34}{best[name]:8.3f}{ENTRIES / best[name]:11,.0f}{speed:8.2f}{aim}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(measure(sys.argv[1], Path(sys.argv[2])))
    else:
        main()
