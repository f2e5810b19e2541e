"""Measure how long an audit of a host of 1,000 documents takes, which answers each request after 100 ms.

    python -m benchmarks.audit

The audit is that of a user: a new process, with the politeness of a real run. The first verdict is what it
prints before any document is requested. The second row is an audit that requests each document. Start-up and
the report are part of all figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.utils.publisher import Publisher, serving
from benchmarks.utils.target import target

DOCUMENTS = 1000
DELAY = 0.1
FIRST, WHOLE = 10, 60
"""The seconds in which the first verdict and the whole answer should be there."""

_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Audit:
    """What an audit took, in seconds from the start of the process."""

    first: float
    """Until the first verdict."""
    whole: float
    """Until the end of the process."""
    answer: str


def audit(site: Publisher, folder: Path, *options: str) -> Audit:
    """Audit the host in a new process."""
    settings = {
        "WOO_ALLOW_PRIVATE_HOSTS": 1,
        "WOO_DATA_DIR": folder / "data",
        "WOO_REGISTER": site.register,
        "WOO_REPORT_DIR": folder / "reports",
    }
    command = [sys.executable, "-m", "scrapy", "audit", site.host, *options]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    environment = {**os.environ, "SSL_CERT_FILE": str(site.authority)}
    started = perf_counter()
    with subprocess.Popen(
        command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        first = perf_counter() - started
        lines += process.stdout
    whole = perf_counter() - started
    if process.returncode:
        raise SystemExit("".join(lines))
    if "Tot nu toe" not in lines[0]:
        first = whole  # with --all there is no answer before all documents have been requested
    return Audit(first, whole, lines[2 if first < whole else 1].strip())


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = "1", str(DOCUMENTS), "1000", str(DELAY), "--each"
        with serving("benchmarks.utils.document_hosts", folder, *arguments) as site:
            sample, whole = audit(site, folder), audit(site, folder, "--all")
    print(f"{f'{DOCUMENTS:,} documents, {DELAY * 1000:.0f} ms each':34}{'first s':>9}{'whole s':>9}   target")
    aim = target(f"first < {FIRST} s, whole < {WHOLE} s", sample.first < FIRST and sample.whole < WHOLE)
    for label, made, aimed in (("audit", sample, aim), ("audit --all", whole, "")):
        print(f"{label:34}{made.first:9.1f}{made.whole:9.1f}{aimed}\n  {made.answer}")


if __name__ == "__main__":
    main()
