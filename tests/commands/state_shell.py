"""Runs ``scrapy state`` and other commands in the process of the tests."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings
from sqlalchemy import select

from tests.state.knowledge import DAY, LASTMOD
from woo_harvester.state import schema
from woo_harvester.state.store import State
from woo_harvester.utils.dates import from_microseconds
from woo_harvester.utils.urls import record_id


class Done(NamedTuple):
    """What the command did."""

    status: int
    stdout: str
    stderr: str


class Shell:
    """Runs a command, ``scrapy state`` by default, in this process and in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.file = folder / ".scrapy" / "woo-state.sqlite"
        self._capsys = capsys

    def __call__(self, *args: str, command: str = "state") -> Done:
        settings = Settings()
        settings.setmodule("woo_harvester.settings", priority="project")
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            execute(["scrapy", command, *args], settings)
        out, err = self._capsys.readouterr()
        return Done(int(caught.value.code or 0), out, err)

    def fill(self, fill: Callable[[Any], object]) -> None:
        state = State.open(f"sqlite:///{self.file}")
        with state.begin() as connection:
            fill(connection)
        state.close()

    def dump(self) -> list[str]:
        """Return all that is in the state, as SQL."""
        with closing(sqlite3.connect(self.file)) as connection:
            return list(connection.iterdump())

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what a query of the state gives."""
        with closing(sqlite3.connect(self.file)) as connection:
            return connection.execute(query).fetchall()

    def locs(self) -> list[str]:
        state = State.open(f"sqlite:///{self.file}")
        with state.begin() as connection:
            found = connection.execute(select(schema.documents.c.loc)).scalars().all()
        state.close()
        return sorted(found)


def record(loc: str, cause: str = "aanlevering") -> str:
    herkomst = {"opgehaald": "2023-11-14T23:15:00+01:00", "lastmod": from_microseconds(LASTMOD).isoformat()}
    versions = [{"oorzaak": cause, "openbaarmakingsdatum": DAY}]
    return json.dumps(
        {"id": record_id(loc), "document": {"weblocatie": loc}, "versies": versions, "herkomst": herkomst}
    )


def refused(done: Done, line: str, status: int = 2) -> bool:
    return done == (status, "", f"scrapy state: error: {line}\n")
