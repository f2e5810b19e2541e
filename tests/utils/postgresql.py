"""A real PostgreSQL for the tests: ``WOO_TEST_POSTGRESQL_URL`` if it is set, else one that is started.

A ``conftest.py`` that wants the fixtures imports them from here.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url
from sqlalchemy.pool import NullPool

from tests.conftest import skip_or_fail
from tests.utils.guard import unwatch, watch_folder, watch_process
from tests.utils.ports import free_port

GIVEN = "WOO_TEST_POSTGRESQL_URL"
MISSING = f"needs PostgreSQL (Debian: the package postgresql) or {GIVEN} with its URL"

#: Where Debian and others keep the programs of a server, besides the PATH.
FOLDERS = (
    *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
    Path("/usr/local/pgsql/bin"),
    Path("/opt/homebrew/bin"),
)

#: As few connections as tests need, and nothing that only matters when the machine loses its power.
OPTIONS = ("fsync=off", "full_page_writes=off", "max_connections=40", "shared_buffers=32MB")

_START_TIMEOUT = 60

_URL = pytest.StashKey[str]()
PASSWORD = "geheim"


class Server:
    """A server on loopback, in a folder of its own; it can be killed."""

    def __init__(self, programs: Path, folder: Path, options: Sequence[str]) -> None:
        self._options = options
        self._programs = programs
        self._data = folder / "data"
        self._user = _unprivileged() if os.geteuid() == 0 else None
        if self._user is not None:
            shutil.chown(folder, self._user)
        self.port = free_port()
        password = folder / "password"
        password.write_text(PASSWORD, encoding="ascii")
        password.chmod(0o644)
        options = ("--username=woo", f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8")
        self._run("initdb", "-D", str(self._data), "--no-sync", "--locale=C", *options)
        self.start()

    @property
    def url(self) -> str:
        """Return the address of the database that always exists."""
        return f"postgresql+psycopg://woo:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    @property
    def _pid_file(self) -> Path:
        return self._data / "postmaster.pid"

    @property
    def _pid(self) -> int:
        return int(self._pid_file.read_text(encoding="ascii").split()[0])

    def start(self) -> None:
        """Start it, and wait until it answers."""
        given = " ".join(f"-c {option}" for option in self._options)
        server = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' {given}"
        log = str(self._data.with_name("log"))
        self._run(
            "pg_ctl", "-D", str(self._data), "-l", log, "-o", server, f"-t{_START_TIMEOUT}", "-w", "start"
        )
        watch_process(self._pid, signal.SIGQUIT)

    def kill(self) -> None:
        """End it as the kernel would that is out of memory."""
        unwatch(self._pid)
        os.kill(self._pid, signal.SIGKILL)
        self._run("pg_ctl", "-D", str(self._data), f"-t{_START_TIMEOUT}", "-w", "stop", may_fail=True)

    def stop(self) -> None:
        """End it, whoever is connected."""
        if self._pid_file.exists():
            unwatch(self._pid)
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop", may_fail=True)

    def _run(self, program: str, *arguments: str, may_fail: bool = False) -> None:
        command = [str(self._programs / program), *arguments]
        if self._user is not None:
            command = ["runuser", "-u", self._user, "--", *command]
        done = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
        assert may_fail or not done.returncode, f"{program}: {done.stderr}"


@contextmanager
def server(options: Sequence[str] = OPTIONS) -> Iterator[Server]:
    """A server that is gone at the end; skips the test where PostgreSQL is not installed."""
    import_module("psycopg")
    programs = _programs()
    if programs is None:
        skip_or_fail(MISSING)
    # Not pytest's own folder, into which another user cannot look.
    folder = Path(tempfile.mkdtemp(prefix="woo-postgresql-"))
    watch_folder(folder)
    try:
        started = Server(programs, folder, options)
        try:
            yield started
        finally:
            started.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        unwatch(folder)


def _programs() -> Path | None:
    found = shutil.which("initdb")
    folders = (*FOLDERS, *([Path(found).parent] if found else ()))
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def _unprivileged() -> str:
    """Return the user that runs the server if the tests run as root, which PostgreSQL refuses."""
    names = [entry.pw_name for entry in pwd.getpwall()]
    return next((name for name in ("postgres", "nobody") if name in names), names[-1])


@pytest.fixture(scope="session")
def postgresql_server(request: pytest.FixtureRequest) -> str:
    """The URL of a server; one for each process of the test run.

    For pytest, each module that imports this fixture has its own. They share what the first one started.
    """
    if given := os.environ.get(GIVEN):
        return given
    stash = request.config.stash
    if _URL not in stash:
        stack = ExitStack()
        stash[_URL] = stack.enter_context(server()).url
        request.config.add_cleanup(stack.close)
    return stash[_URL]


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The URL of a new, empty database."""
    with new_database(postgresql_server) as url:
        yield url


@contextmanager
def new_database(server_url: str) -> Iterator[str]:
    """The URL of an empty database that is gone at the end."""
    name = f"woo_test_{uuid4().hex}"
    command(server_url, f"CREATE DATABASE {name}")
    yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    command(server_url, f"DROP DATABASE {name} WITH (FORCE)")


def command(url: str, *statements: str) -> None:
    """Run statements that are no part of a transaction."""
    engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def query(url: str, statement: str) -> Sequence[tuple[object, ...]]:
    """The rows that a statement gives."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(statement)]
