"""Fixtures: the Elasticsearch that all tests of a session share, whichever process they run in."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from tests.conftest import skip_or_fail
from tests.utils.guard import is_alive, unwatch, watch_folder, watch_process

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

#: The file with the server, and the processes of the tests that use it.
USERS = "elasticsearch.users"

__all__ = ["alias", "elasticsearch", "elasticsearch_url"]


@pytest.fixture(scope="session")
def elasticsearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on loopback: the first process starts it, the last one stops it."""
    from tests.utils.elasticsearch import MissingError, Server

    if given := os.environ.get("WOO_TEST_ELASTICSEARCH_URL"):
        yield given
        return
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with locked(shared) as users:
        if not users:
            try:
                users.append(_started())
            except MissingError as error:
                skip_or_fail(str(error))
        users.append(str(os.getpid()))
        server = Server(**json.loads(users[0], object_hook=_paths))
        watch_process(server.pid, users=shared / USERS)
        watch_folder(server.folder.parent, users=shared / USERS)
    yield server.url
    with locked(shared) as users:
        users.remove(str(os.getpid()))
        users[1:] = [each for each in users[1:] if is_alive(int(each))]  # others may have been killed
        unwatch(server.pid)
        unwatch(server.folder.parent)
        if len(users) == 1:
            server.stop()
            users.clear()


@pytest.fixture
def elasticsearch(elasticsearch_url: str) -> Iterator[Elasticsearch]:
    """A client of that server."""
    from elasticsearch import Elasticsearch

    with Elasticsearch(elasticsearch_url, request_timeout=60) as client:
        yield client


@pytest.fixture
def alias(elasticsearch: Elasticsearch) -> Iterator[str]:
    """A name of the test's own, whose indices go at its end."""
    with own_alias(elasticsearch) as name:
        yield name


@contextmanager
def own_alias(client: Elasticsearch) -> Iterator[str]:
    """A name that nobody else has, whose indices go at the end."""
    name = f"woo-test-{uuid4().hex[:12]}"
    yield name
    for index in client.indices.get(index=f"{name}-v*", features=["aliases"]).keys():  # noqa: SIM118
        client.indices.delete(index=index)


@contextmanager
def locked(folder: Path) -> Iterator[list[str]]:
    """The lines of a file that one process at a time reads and writes."""
    with (folder / USERS).open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        lines = file.read().splitlines()
        yield lines
        file.truncate(0)
        file.write("".join(f"{line}\n" for line in lines))


def _started() -> str:
    from tests.utils.elasticsearch import Server

    folder = Path(mkdtemp(prefix="woo-test-es-"))
    watch_folder(folder)
    server = Server(folder / "node")
    server.folder.parent.chmod(0o755)
    server.start()
    given = {"folder": str(server.folder), "port": server.port, "pid": server.pid}
    return json.dumps(given)


def _paths(given: dict[str, object]) -> dict[str, object]:
    return {**given, "folder": Path(str(given["folder"]))}
