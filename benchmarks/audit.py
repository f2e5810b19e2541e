"""Measure how long an audit of a host of 1,000 documents takes, which answers each request after 100 ms.

    python -m benchmarks.audit

The audit is that of a user: a new process, with the politeness of a real run. The
second row is an audit that requests each document. Start-up and the report are part of all figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.utils.publisher import Publisher, serving
from benchmarks.utils.target import target

DOCUMENTS = 1000
DELAY = 0.1
WHOLE = 60
"""The seconds in which the answer should be there."""

_ROOT = Path(__file__).parents[1]


def audit(site: Publisher, folder: Path, *options: str) -> tuple[float, str]:
    """Audit the host in a new process; return the seconds that it took, and its answer."""
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
    done = subprocess.run(
        command, check=False, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    )
    if done.returncode:
        raise SystemExit(done.stdout)
    return perf_counter() - started, done.stdout.splitlines()[1].strip()


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = "1", str(DOCUMENTS), "1000", str(DELAY), "--each"
        with serving("benchmarks.utils.document_hosts", folder, *arguments) as site:
            sample, whole = audit(site, folder), audit(site, folder, "--all")
    print(f"{f'{DOCUMENTS:,} documents, {DELAY * 1000:.0f} ms each':34}{'s':>9}   target")
    aim = target(f"< {WHOLE} s", sample[0] < WHOLE)
    for label, (seconds, answer), aimed in (("audit", sample, aim), ("audit --all", whole, "")):
        print(f"{label:34}{seconds:9.1f}{aimed}\n  {answer}")


if __name__ == "__main__":
    main()
