"""Kill runs with ``kill -9`` at random moments, many more than the tests do, and count lost documents.

::

    python -m benchmarks.kills [SEEDS]

It runs ``tests/integration/test_kill.py`` with 300 seeds, or another number of seeds.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from time import perf_counter

TESTS = "tests/integration/test_kill.py"


def kill_runs(seeds: int) -> int:
    """Print the number of passed and failed tests; return the exit status of the tests."""
    before = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", TESTS],
        env={**os.environ, "KILL_SEEDS": str(seeds)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    print(f"{'kills at random moments and chosen points':44}{'passed':>8}{'lost':>8}{'seconds':>9}")
    lost = counts.get("failed", 0) + counts.get("error", 0)
    print(f"{f'{seeds} seeds':44}{counts.get('passed', 0):8}{lost:8}{perf_counter() - before:9.0f}")
    if done.returncode:
        print(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(kill_runs(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
