"""A whole crawl of 50,000 entries, against a stock ``SitemapSpider`` that visits the same 50,000.

    python -m benchmarks.crawl [ENTRIES]

Both run against the same HTTPS server on loopback, one after the other, each in a process of its own; time
and peak memory are those of the whole process, start-up included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.publisher import Publisher, publisher

ENTRIES = 50_000
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Run:
    """What a command cost."""

    seconds: float
    peak: float
    """MB."""
    items: int


def measured(command: list[str], folder: Path, site: Publisher) -> Run:
    """Run a scrapy command that writes ``out.jsonl`` into *folder*."""
    output = folder / "out.jsonl"
    output.unlink(missing_ok=True)
    environment = {**os.environ, "SSL_CERT_FILE": str(site.authority), "PYTHONPATH": str(ROOT)}
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapy", *command, "-O", str(output)],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with exit status {process.returncode}")
    with output.open("rb") as lines:
        return Run(seconds, usage.ru_maxrss / 1024, sum(1 for _ in lines))


def woo(folder: Path, site: Publisher) -> Run:
    """The harvest, with the settings of a real run."""
    settings = {
        "WOO_ALLOW_PRIVATE_HOSTS": "1",
        "WOO_DATA_DIR": str(folder / "data"),
        "WOO_REPORT_DIR": str(folder / "reports"),
    }
    command = ["crawl", "woo", "-a", f"register={site.register}", "-a", "documents=none"]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    return measured(command, folder, site)


def stock(folder: Path, site: Publisher) -> Run:
    """The peer, with Scrapy's own settings."""
    spider = ROOT / "benchmarks" / "stock.py"
    return measured(["runspider", str(spider), "-a", f"host={site.host}", "-L", "INFO"], folder, site)


def row(name: str, run: Run, peer: Run | None = None) -> None:
    """Print a row of the table."""
    speed = run.items / run.seconds
    ratio = f"{speed / (peer.items / peer.seconds):6.1f}" if peer else " " * 6
    print(f"{name:34}{run.items:9,}{run.seconds:9.1f}{speed:10,.0f}{ratio}{run.peak:9.0f}")


def main() -> None:
    """Print the table."""
    entries = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    print(f"{'':34}{'entries':>9}{'seconds':>9}{'a second':>10}{'ratio':>6}{'peak MB':>9}")
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), entries // 10, entries // 10) as site:
        small = woo(Path(name), site)
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), entries, entries) as site:
        large = woo(Path(name), site)
        peer = stock(Path(name), site)
    row("stock SitemapSpider", peer)
    row("woo, documents=none", large, peer)
    row("woo, a tenth of the entries", small)
    print(f"memory of all above that of a tenth: {100 * (large.peak / small.peak - 1):.0f}%")


if __name__ == "__main__":
    main()
