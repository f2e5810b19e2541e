from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select, text

from tests.conftest import ROOT, skip_or_fail
from tests.utils.postgresql import command, query
from woo_harvester.state import NOWHERE
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import STATE_VERSION, about, hosts, metadata
from woo_harvester.state.store import State, StateError, sqlite_file
from woo_harvester.utils.program import to_install


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def set_version(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE about SET value = ? WHERE name = 'version'", [str(version)])


def refusal(given: str) -> str:
    """Return the error, in one line, with which a state is not opened."""
    with pytest.raises(StateError) as caught:
        State.open(given)
    (line,) = str(caught.value).splitlines()
    return line


def test_a_state_that_is_not_there_is_created_with_its_folder_and_version(tmp_path: Path) -> None:
    path = tmp_path / "een" / "twee" / "state.sqlite"
    State.open(url(path)).close()
    with closing(sqlite3.connect(path)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == set(metadata.tables)
        assert database.execute("SELECT * FROM about").fetchall() == [("version", str(STATE_VERSION))]
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_transaction_that_raises_is_rolled_back(state: State) -> None:
    with pytest.raises(StateError, match="nergens"), state.begin() as connection:  # noqa: PT012
        host_of_state(connection, "a.nl")
        connection.execute(text("DELETE FROM nergens"))
    with state.begin() as connection:
        assert connection.execute(select(hosts.c.host)).all() == []


def test_many_processes_can_create_the_same_state_at_once(state_url: str) -> None:
    code = """
import sys, time
from woo_harvester.state.store import State
while time.time() < float(sys.argv[2]): pass
State.open(sys.argv[1]).close()
"""
    command = [sys.executable, "-c", code, state_url, str(time.time() + 2)]
    started = [subprocess.Popen(command, cwd=ROOT) for _ in range(4)]
    assert [process.wait(timeout=60) for process in started] == [0, 0, 0, 0]


def test_a_state_of_another_version_is_refused_and_does_not_change(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    State.open(url(path)).close()
    for version in (STATE_VERSION - 2, STATE_VERSION + 1, 0):
        set_version(path, version)
        before = path.read_bytes()
        assert refusal(url(path)) == (
            f"the state sqlite:///{path} was made by another version of the program: it has version "
            f"{version}, and this program knows version {STATE_VERSION}, to which it migrates version "
            f"{STATE_VERSION - 1}"
        )
        assert path.read_bytes() == before


def test_a_file_of_another_program_is_refused_and_does_not_change(tmp_path: Path) -> None:
    path = tmp_path / "vreemd.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE klanten (naam TEXT)")
    before = path.read_bytes()
    for make in (True, False):
        with pytest.raises(StateError, match=r"vreemd\.sqlite is a database of another program.*klanten"):
            State.open(url(path), make=make)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_an_empty_database_becomes_a_state(tmp_path: Path) -> None:
    """One that a program made and has no tables in, such as a state that somebody emptied with sqlite3."""
    path = tmp_path / "leeg.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE weg (naam TEXT)")
        database.execute("DROP TABLE weg")
    State.open(url(path)).close()


def test_an_invalid_url_is_one_line_with_the_setting_and_without_its_password() -> None:
    for given in (
        *("state.sqlite", "nodb:///x", "postgres", "postgresql://u@h:port/x", "postgresql://[::1/x"),
        *("postgresql://u:geheim@h:port/x", "sqlite:///x.sqlite?timeout=soon", "sqlite:///a\0b"),
    ):
        line = refusal(given)
        assert line.startswith("WOO_STATE_URL: expected a URL such as sqlite:///state.sqlite or"), given
        assert "geheim" not in line


#: Opens a state on disks of many sizes, then again with enough space; prints the errors and the files.
_ON_FULL_DISKS = """
import json, subprocess, sys
from pathlib import Path
from woo_harvester.state.store import State, StateError

folder = Path(sys.argv[1])

def opened():
    try:
        State.open(f"sqlite:///{folder}/s.sqlite").close()
    except StateError as error:
        return str(error)

for size in range(100, 620, 20):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", folder], check=True)
    first, left = opened(), sorted(path.name for path in folder.iterdir())
    subprocess.run(["mount", "-o", "remount,size=50m", folder], check=True)
    print(json.dumps([size, first, left, opened(), sorted(path.name for path in folder.iterdir())]))
    subprocess.run(["umount", "-l", folder], check=True)
"""


def test_a_disk_that_gets_full_leaves_no_state_or_one_that_is_of_use_with_space(tmp_path: Path) -> None:
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run(
        [*alone, "mount", "-t", "tmpfs", "none", tmp_path], check=False, capture_output=True
    )
    if tried.returncode:
        skip_or_fail("needs unshare and the right to mount a file system in a namespace of its own")
    command = [*alone, sys.executable, "-c", _ON_FULL_DISKS, str(tmp_path)]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    disks = [json.loads(line) for line in done.stdout.splitlines()]
    assert {first is None for _, first, *_ in disks} == {True, False}, "some are too small, some are not"
    for size, first, left, second, files in disks:
        reported = re.search(r"/s\.sqlite cannot be used: .*disk", first or "")
        assert first is None or reported, (size, first)
        assert all(name.startswith("s.sqlite") and ".sqlite." not in name for name in left), (size, left)
        assert (second, [name for name in files if not name.endswith(("-wal", "-shm"))]) == (
            None,
            ["s.sqlite"],
        ), size


def test_a_damaged_state_is_reported_with_the_fix_and_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    State.open(url(path)).close()
    content = path.read_bytes()
    for damaged in (b"geen database " * 900, content[:100] + b"\xff" * 4000 + content[4100:]):
        path.write_bytes(damaged)
        message = refusal(url(path))
        assert str(path) in message
        assert "damaged" in message
        assert "put a back-up in its place, or move the file away" in message
        assert path.read_bytes() == damaged


def test_damage_that_only_a_query_finds_is_reported_in_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    state = State.open(url(path))
    with state.begin() as connection:
        for number in range(2000):
            host_of_state(connection, f"host{number}.nl")
    state.close()
    content = path.read_bytes()
    kept = len(content) * 3 // 4  # the definitions of the tables are before that
    path.write_bytes(content[:kept] + b"\xff" * (len(content) - kept))
    state = State.open(url(path))
    with pytest.raises(StateError, match="damaged"), state.begin() as connection:
        connection.execute(select(hosts)).all()
    state.close()


def test_a_file_that_cannot_be_opened_or_whose_folder_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "bestand").touch()
    line = refusal(url(tmp_path / "bestand" / "s.sqlite"))
    assert re.search(r"the folder of the state .* cannot be made", line)
    assert "cannot be used: unable to open database file" in refusal(url(tmp_path))


def test_a_state_that_must_exist_is_not_created(tmp_path: Path) -> None:
    path = tmp_path / "map" / "s.sqlite"
    with pytest.raises(StateError, match=r"there is no state at .*: the first run makes it"):
        State.open_existing(url(path))
    assert not path.parent.exists()
    State.open(url(path)).close()
    State.open_existing(url(path)).close()


def test_a_snapshot_shows_one_moment_while_others_write(state: State, state_url: str) -> None:
    with state.begin() as connection:
        host_of_state(connection, "a.nl")
    reader = State.open(state_url)
    with reader.snapshot() as seen:
        assert seen.scalar(select(about.c.value)) == str(STATE_VERSION)
        with state.begin() as connection:
            host_of_state(connection, "b.nl")
        assert seen.execute(select(hosts.c.host)).scalars().all() == ["a.nl"]
    with reader.snapshot() as seen:
        assert seen.execute(select(hosts.c.host)).scalars().all() == ["a.nl", "b.nl"]
    reader.close()


def test_a_url_of_sqlite_has_a_file() -> None:
    for given, path in {
        "sqlite:///s.sqlite": "s.sqlite",
        "sqlite:////var/lib/woo/s.sqlite": "/var/lib/woo/s.sqlite",
        "sqlite+pysqlite:////var/s.sqlite?timeout=3": "/var/s.sqlite",
    }.items():
        assert sqlite_file(given) == Path(path)
    for given in ("sqlite://", "sqlite:///:memory:", "postgresql://woo@db/woo", "geen url"):
        assert sqlite_file(given) is None, given


def test_a_missing_driver_is_reported_with_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    line = refusal("postgresql+psycopg://woo@127.0.0.1/woo")
    assert f"package psycopg: {to_install('postgresql')}" in line


def test_a_database_without_a_state_or_with_a_newer_one_is_reported(postgresql_url: str) -> None:
    none = r"there is no state at postgresql\+psycopg://woo:\*\*\*@.*: the first run"
    with pytest.raises(StateError, match=none):
        State.open_existing(postgresql_url)
    assert query(postgresql_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
    State.open(postgresql_url).close()
    State.open_existing(postgresql_url).close()
    command(postgresql_url, f"UPDATE about SET value = '{STATE_VERSION + 1}'")
    newer = f"another version of the program: it has version {STATE_VERSION + 1}"
    assert newer in refusal(postgresql_url)


def test_a_url_without_driver_is_enough_and_its_options_are_kept(postgresql_url: str) -> None:
    short = postgresql_url.replace("postgresql+psycopg", "postgresql") + "?options=-c%20work_mem%3D8MB"
    with closing(State.open(short)) as state, state.begin() as connection:
        assert connection.exec_driver_sql("SHOW work_mem").scalar() == "8MB"
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "off"


def test_two_runs_that_write_the_same_documents_do_not_deadlock(postgresql_url: str) -> None:
    writing = """
import sys
from woo_harvester.state import documents
from woo_harvester.state.store import State
from tests.state.knowledge import locs, see, sitemap_of
state = State.open(sys.argv[1])
with state.begin() as connection:
    sitemap = sitemap_of(connection, sys.argv[2])
with state.begin() as connection:
    ids = see(connection, sitemap, locs(200))
for number in range(50):
    with state.begin() as connection:
        half = ids[:100], ids[100:]
        first, second = half if number % 2 else half[::-1]
        documents.lock_rows(connection, ids)
        documents.move(connection, first, sitemap)
        documents.keep_digests(connection, dict.fromkeys(second, b"d"))
"""
    started = [
        subprocess.Popen([sys.executable, "-c", writing, postgresql_url, host], cwd=ROOT)
        for host in ("a.nl", "b.nl", "c.nl")
    ]
    assert [process.wait(timeout=120) for process in started] == [0, 0, 0]


def test_what_one_run_has_released_another_can_lock(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.sqlite'}"
    for node in ("a", "b"):
        state = State.open_for_run(url, node, ["a.nl"])
        state.lock_hosts(["b.nl"])
        state.release()
        state.close()


def test_a_state_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=re.escape(str(tmp_path))):
        State.open_for_run(f"sqlite:///{tmp_path}", "a", [])


def test_what_one_run_has_locked_another_is_refused(postgresql_url: str) -> None:
    first = State.open_for_run(postgresql_url, "a", ["a.nl"])
    with pytest.raises(StateError, match=r"another run works on .*a\.nl.*: wait until it ends"):
        State.open_for_run(postgresql_url, "a", ["b.nl", "a.nl"])
    second = State.open_for_run(postgresql_url, "a", ["b.nl"])
    first.release()
    second.lock_hosts(["a.nl"])
    for state in (first, second):
        state.release()
        state.close()


def test_only_a_run_on_a_shared_state_shows_that_it_goes_on(state_url: str, database: str) -> None:
    state = State.open_for_run(state_url, "a", ["a.nl"])
    assert (state.heartbeat is not None) is (database == "postgresql")
    state.beat()
    state.release()
    state.close()


def test_a_state_of_nobody_else_needs_no_locks() -> None:
    state = State.open(NOWHERE)
    state.lock_hosts(["a.nl"])
    assert state.heartbeat is None
    state.beat()
    state.release()
    state.close()
