"""A test run that is killed: the servers that it started end, and their folders are removed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.conftest import ROOT, skip_or_fail
from tests.utils.elasticsearch import MissingError, unpacked
from tests.utils.guard import is_alive
from tests.utils.waiting import wait_until

#: How the names of the folders of servers begin.
SERVERS = ("woo-postgresql-", "woo-web-", "woo-test-es-")
#: A test that starts servers, says so, and never ends.
TEST = """
import os, time
from pathlib import Path
from tests.utils.elasticsearch_fixtures import elasticsearch_url
from tests.utils.portals import portal_over
from tests.utils.postgresql import server
from tests.utils.webservers import nginx
from woo_harvester.demo.server import Authority

def wait(name):
    Path(os.environ["STARTED"], f"{name}-{os.getpid()}").touch()
    time.sleep(600)

def test_one(tmp_path):
    with server(), nginx(Authority()), portal_over([], tmp_path):
        wait("one")

def test_shared(elasticsearch_url):
    wait("shared")

def test_shared_too(elasticsearch_url):
    wait("shared")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for temporary files that the users of servers may read; its path marks their processes."""
    made = Path(mkdtemp(prefix="woo-killed-"))
    made.chmod(0o755)
    (made / "started").mkdir()
    (made / "test_inner.py").write_text(TEST, encoding="utf-8")
    yield made
    for pid in processes(made):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(made, ignore_errors=True)


def processes(folder: Path) -> list[int]:
    """Return the processes that have the folder in their command or their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            said = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            if str(folder).encode() in said and process.name != str(os.getpid()):
                found.append(int(process.name))
    return found


def started(folder: Path, *options: str, count: int = 1) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Return a test run that has started its servers, and the processes of its tests."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    inner = str(folder / "test_inner.py")
    given = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "STARTED": str(folder / "started"), "CI": "true"}
    with (folder / "log").open("wb") as log:
        environ = {name: value for name, value in os.environ.items() if "PYTEST" not in name} | given
        run = subprocess.Popen([*command, *options, inner], cwd=folder, env=environ, stdout=log, stderr=log)

    def tests() -> list[int]:
        return [int(path.name.partition("-")[2]) for path in (folder / "started").iterdir()]

    wait_until(lambda: len(tests()) == count, "the servers have started", lambda: run.poll() is None)
    return run, tests()


def servers(folder: Path) -> list[Path]:
    """Return the folders of servers."""
    return [path for path in folder.iterdir() if path.name.startswith(SERVERS)]


def assert_nothing_is_left(folder: Path) -> None:
    wait_until(lambda: not processes(folder), "all processes end")
    assert servers(folder) == []


def test_a_killed_run_leaves_no_server_and_no_folder(folder: Path) -> None:
    run, _ = started(folder, "-k", "test_one")
    assert len(servers(folder)) == 2
    run.kill()
    run.wait()
    assert_nothing_is_left(folder)


@pytest.mark.slow
def test_what_processes_share_ends_with_the_last_that_is_killed(folder: Path) -> None:
    try:
        program = unpacked().parents[1]
    except MissingError as error:
        skip_or_fail(str(error))
    (folder / program.name).symlink_to(program)
    run, (first, _) = started(folder, "-n2", "--dist=load", "-k", "test_shared", count=2)
    os.kill(first, signal.SIGKILL)
    (shared,) = servers(folder)
    wait_until(lambda: not is_alive(first), "the first has ended")
    time.sleep(3)  # its guard needs less to see that
    assert shared.exists()
    run.kill()
    run.wait()
    assert_nothing_is_left(folder)
