"""A run as another user than the one to whom the files of the installation belong."""

from __future__ import annotations

import ctypes
import os
import pwd
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from tests.utils.command import DATA, environment, in_project, read_lines, written
from tests.utils.daily import NEWER, Harvester, numbered, publish
from tests.utils.forked_runs import Forked
from tests.utils.sites import MakeSite
from tests.utils.waiting import STUCK
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration

FILES = "files"
#: Ends without closing the state, as a run that is killed.
LEAVE_WAL = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE hosts SET id = id")
connection.commit()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def harvester(make_site: MakeSite, ca_bundle: Path, tmp_path: Path) -> Harvester:
    """An installation with a run behind it."""
    if os.geteuid() != 0 or sys.platform != "linux":
        skip_or_fail("needs root on Linux, to give files to another user")
    made = Harvester(tmp_path, ca_bundle, [make_site()])
    document(made.sites[0], b"%PDF-1.4 one")
    publish(made.sites[0], numbered(3))
    assert len(made.day("-a", "documents=download", FILES_STORE=tmp_path / FILES).records) == 3
    return made


def document(site: Site, body: bytes) -> None:
    site.pages["/d/*"] = Page(body, content_type="application/pdf")


def give_away(path: Path) -> None:
    """Have a file, or a folder with all that is in it, belong to another user."""
    other = pwd.getpwnam("nobody")
    for each in (path, *path.rglob("*")):
        os.chown(each, other.pw_uid, other.pw_gid)


def plain_day(harvester: Harvester) -> subprocess.CompletedProcess[str]:
    """One daily run, by a user for whom the permissions of files count, which those of root do not."""
    given = harvester.arguments("-a", "documents=download")
    argv = in_project(given, harvester.folder, {"FILES_STORE": harvester.folder / FILES})
    environ = environment(harvester.ca_bundle)
    return Forked(argv, harvester.folder, environ, before=_obey_permissions).done(STUCK)


def _obey_permissions() -> None:
    """Give up what lets root read, write and own any file: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_CHOWN.

    SQLite gives itself what lies beside a database if it may, which only root may.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header = struct.pack("Ii", 0x20080522, 0)  # version 3 of these system calls; this process
    data = ctypes.create_string_buffer(24)
    assert libc.capget(header, data) == 0, os.strerror(ctypes.get_errno())
    effective, permitted, *rest = struct.unpack("6I", data)
    lost = 1 << 0 | 1 << 1 | 1 << 2
    kept = struct.pack("6I", effective & ~lost, permitted & ~lost, *rest)
    assert libc.capset(header, kept) == 0, os.strerror(ctypes.get_errno())


def test_all_is_well_where_all_of_it_is_the_users(harvester: Harvester) -> None:
    done = plain_day(harvester)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [".scrapy", ".scrapy/woo-state.sqlite.lock", "reports", FILES])
def test_a_folder_of_another_user_ends_the_run_before_the_first_request(
    harvester: Harvester, name: str
) -> None:
    give_away(harvester.folder / name)
    before = written(harvester.folder)
    (site,) = harvester.sites
    publish(site, numbered(3, NEWER))
    site.requests.clear()
    done = plain_day(harvester)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("scrapy crawl: error: ")
    assert f"{harvester.folder / name}" in line
    assert site.requests == []
    assert [
        path for path in written(harvester.folder) if path.suffix == ".jsonl" and path not in before
    ] == []


@pytest.mark.parametrize(
    ("name", "changed"),
    [("records", True), ("reports/history", False)],
)
def test_a_folder_in_which_a_run_cannot_write_at_its_end_is_named_last(
    harvester: Harvester, name: str, changed: bool
) -> None:
    give_away(harvester.folder / name)
    (site,) = harvester.sites
    if changed:
        document(site, b"%PDF-1.4 two")
        publish(site, numbered(3, NEWER))
    done = plain_day(harvester)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("scrapy crawl: error: ")
    assert "Permission denied" in last
    assert f"{name}/" in last


@pytest.mark.parametrize("names", [["woo-state.sqlite"], ["woo-state.sqlite-wal", "woo-state.sqlite-shm"]])
def test_a_state_of_another_user_ends_the_run_with_nothing_written(
    harvester: Harvester, names: list[str]
) -> None:
    """Also where only what a killed run of that user has left beside it is."""
    state = harvester.folder / DATA / "woo-state.sqlite"
    subprocess.run([sys.executable, "-c", LEAVE_WAL, str(state)], check=False)
    for name in names:
        give_away(state.with_name(name))
    (site,) = harvester.sites
    publish(site, numbered(5))
    before = written(harvester.folder)
    done = plain_day(harvester)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"scrapy crawl: error: the state sqlite:///{state} cannot be used: ")
    new = [path for path in written(harvester.folder) if path.suffix == ".jsonl" and path not in before]
    assert [line for path in new for line in read_lines(path)] == []
    for name in names:
        os.chown(state.with_name(name), 0, 0)
    assert len(harvester.day("-a", "documents=download").records) == 2
