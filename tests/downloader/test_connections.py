"""In processes of their own, since a limit that was lowered cannot be raised again."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
wanted, soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from woo_harvester.downloader.connections import most_connections
print(most_connections(wanted), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("wanted", "soft", "hard", "connections", "limit"),
    [
        pytest.param(100, 1000, 1000, 100, 1000, id="enough"),
        pytest.param(500, 300, 4000, 500, 2500, id="the limit is raised as far as needed"),
        pytest.param(1000, 256, 1000, 125, 1000, id="no further than the machine lets it"),
        pytest.param(1000, 64, 64, 1, 64, id="one at least"),
        pytest.param(0, 600, 600, 1, 600, id="none makes no sense"),
    ],
)
def test_connections_fit_into_the_files_that_may_be_open(
    wanted: int, soft: int, hard: int, connections: int, limit: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(wanted), str(soft), str(hard)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(connections), str(limit)]
    assert ("Only" in done.stderr) == (0 < connections < wanted)
