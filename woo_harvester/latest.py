"""The latest version of each document, from the files of many runs.

Each run writes what is new, changed or withdrawn since the last, so that what is published now is the latest
version of each id. Memory does not grow with the files: the index of them is on disk.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

from woo_harvester.dates import parse_datetime
from woo_harvester.record import Oorzaak

#: Rows written to the index at a time.
BATCH = 1000

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

TABLE = """
CREATE TABLE latest (
    id TEXT PRIMARY KEY, loc TEXT, harvested INTEGER NOT NULL, lastmod INTEGER, withdrawn INTEGER NOT NULL,
    file INTEGER NOT NULL, line INTEGER NOT NULL
) WITHOUT ROWID
"""
KEEP = """
INSERT INTO latest VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    loc = excluded.loc, harvested = excluded.harvested, lastmod = excluded.lastmod,
    withdrawn = excluded.withdrawn, file = excluded.file, line = excluded.line
WHERE excluded.harvested >= latest.harvested
"""


Accept = Callable[[Mapping[str, Any]], None]
"""Raises ValueError for a record that is not wanted."""


class RecordsError(ValueError):
    """A file does not hold records; the message names the file and the line."""


class Version(NamedTuple):
    """The latest version of a document in the files."""

    id: str
    loc: str | None
    """None of a record that is not of a document on the web."""
    harvested: int
    """Microseconds since 1970, of ``herkomst.opgehaald``; 0 where that is absent."""
    lastmod: int | None
    """Microseconds since 1970; None where it is absent or cannot be read."""
    withdrawn: bool


class Latest:
    """An index of files of JSON Lines, gzipped ones (``.gz``) too, by the ``id`` of their records.

    Of two versions that with the later ``herkomst.opgehaald`` counts, whatever the order of the files; of the
    same moment, that which comes later in the files as they are given. Raises :class:`RecordsError`, also
    where *accept*, which is given each record, raises ValueError.
    """

    def __init__(self, paths: Iterable[Path], accept: Accept = lambda record: None) -> None:
        self._paths: Sequence[Path] = list(dict.fromkeys(paths))
        self._accept = accept
        self.torn: list[Path] = []
        """Files whose last line is broken off: a run is writing it, or was killed. That line is left out."""
        # SQLite's name for a database in a temporary file, which goes when it is closed.
        self._index = sqlite3.connect("", isolation_level=None)
        self._index.execute("PRAGMA journal_mode=OFF")
        self._index.execute("PRAGMA cache_size=-65536")
        self._index.execute(TABLE)
        try:
            for number, path in enumerate(self._paths):
                self._add(number, path)
        except BaseException:
            self._index.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._index.close()

    def __len__(self) -> int:
        """How many documents there are, withdrawn ones included."""
        (count,) = self._index.execute("SELECT count(*) FROM latest").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[Version]:
        for row in self._index.execute("SELECT id, loc, harvested, lastmod, withdrawn FROM latest"):
            yield _version(row)

    def find(self, ids: Sequence[str]) -> dict[str, Version]:
        """The versions of these documents, as far as the files have them, by id."""
        marks = ",".join("?" * len(ids))
        query = f"SELECT id, loc, harvested, lastmod, withdrawn FROM latest WHERE id IN ({marks})"  # noqa: S608
        return {row[0]: _version(row) for row in self._index.execute(query, ids)}

    def lines(self, *, withdrawn: bool = False) -> Iterator[bytes]:
        """The records as they stand in the files, in their order; *withdrawn* ones only if asked for."""
        query = "SELECT file, line FROM latest WHERE NOT withdrawn OR ? ORDER BY file, line"
        rows = self._index.execute(query, (withdrawn,))
        for number, places in groupby(rows, key=itemgetter(0)):
            wanted = (line for _, line in places)
            following = next(wanted, None)
            for line, content in _lines(self._paths[number]):
                if line == following:
                    yield content.rstrip(b"\r\n") + b"\n"
                    following = next(wanted, None)
                if following is None:
                    break

    def _add(self, number: int, path: Path) -> None:
        rows = []
        for line, content in _lines(path):
            if not content.strip():
                continue
            try:
                record = json.loads(content)
            except ValueError as error:
                if content.endswith(b"\n"):
                    message = f"{path}, line {line}: expected a record as JSON: {error}"
                    raise RecordsError(message) from None
                self.torn.append(path)
                continue
            try:
                rows.append((*_read(record), number, line))
                self._accept(record)
            except ValueError as error:
                raise RecordsError(f"{path}, line {line}: {error}") from None
            if len(rows) >= BATCH:
                self._keep(rows)
                rows = []
        self._keep(rows)

    def _keep(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._index.execute("BEGIN")
        self._index.executemany(KEEP, rows)
        self._index.execute("COMMIT")


def _version(row: tuple[Any, ...]) -> Version:
    key, loc, harvested, lastmod, withdrawn = row
    return Version(key, loc, harvested, lastmod, bool(withdrawn))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line of a file."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield from enumerate(file, start=1)
    except EOFError:
        raise RecordsError(f"{path}: it is broken off") from None
    except zlib.error as error:
        raise RecordsError(f"{path}: {error}") from None
    except OSError as error:
        raise RecordsError(f"{path}: {error.strerror or error}") from None


def _read(record: Any) -> tuple[str, str | None, int, int | None, bool]:
    """What the index has of a record. Raises ValueError."""
    match record:
        case {"id": str(key), "versies": [*_, {"oorzaak": str(cause)}]}:
            pass
        case _:
            raise ValueError("expected a record, with an id and a version that has an oorzaak")
    source, document = record.get("herkomst") or {}, record.get("document") or {}
    match source, document:
        case {}, {}:
            pass
        case _:
            raise ValueError("expected a record, whose herkomst and document are objects")
    loc = document.get("weblocatie")
    harvested = _microseconds(source.get("opgehaald")) or 0
    return key, loc, harvested, _microseconds(source.get("lastmod")), cause == Oorzaak.INTREKKING


def _microseconds(text: object) -> int | None:
    try:
        return (parse_datetime(text) - EPOCH) // MICROSECOND if isinstance(text, str) else None
    except ValueError:
        return None
