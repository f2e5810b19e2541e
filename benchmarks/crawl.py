"""Measure a complete crawl of 50,000 entries, against a stock ``SitemapSpider`` that visits the same 50,000.

    python -m benchmarks.crawl [ENTRIES]

Both run against the same HTTPS server on loopback, one after the other, each in its own process. Time and
peak memory are those of the whole process, start-up included.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.utils.publisher import publisher
from benchmarks.utils.runs import Run, stock, woo
from benchmarks.utils.target import target

ENTRIES = 50_000


def row(name: str, run: Run, peer: Run | None = None) -> None:
    """Print a row of the table."""
    speed = run.items / run.seconds
    times = speed / (peer.items / peer.seconds) if peer else 0
    ratio = f"{times:6.1f}" if peer else " " * 6
    aim = target("ratio >= 10, < 150 MB", times >= 10 and run.peak_memory < 150) if peer else ""
    print(f"{name:34}{run.items:9,}{run.seconds:9.1f}{speed:10,.0f}{ratio}{run.peak_memory:9.0f}{aim}")


def main() -> None:
    """Print the table."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    print(f"{'':34}{'entries':>9}{'seconds':>9}{'a second':>10}{'ratio':>6}{'max MB':>9}   target")
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), entries // 10, entries // 10) as site:
        small = woo(Path(name), site)
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), entries, entries) as site:
        large = woo(Path(name), site)
        peer = stock(Path(name), site)
    row("stock SitemapSpider", peer)
    row("woo, documents=none", large, peer)
    row("woo, a tenth of the entries", small)
    more = large.peak_memory / small.peak_memory - 1
    print(f"memory of all above that of a tenth: {more:.0%}{target('<= 20%', more <= 0.2)}")


if __name__ == "__main__":
    main()
