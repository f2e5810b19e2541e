"""The latest version of each document in the files of many runs.

Each run writes only what is new, changed or withdrawn since the run before. The latest version of each id is
thus what is published now. Memory does not grow with the files: their index is on disk.
"""

from __future__ import annotations

import codecs
import gzip
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self

from woo_harvester.kinds import Kind
from woo_harvester.record import Oorzaak
from woo_harvester.sitemaps.lastmod import Moment
from woo_harvester.utils.inputs import NotRecordsError, check_regular, is_being_written, parse_json
from woo_harvester.utils.program import program

#: Rows that are written to the index at a time.
INDEX_BATCH = 1000

_CREATE = """
CREATE TABLE latest (
    id TEXT PRIMARY KEY, loc TEXT, harvested INTEGER NOT NULL, lastmod INTEGER, withdrawn INTEGER NOT NULL,
    case_url TEXT, number INTEGER, file INTEGER NOT NULL, line INTEGER NOT NULL
) WITHOUT ROWID
"""
_COLUMNS = "id, loc, harvested, lastmod, withdrawn, case_url, number"
_UPSERT = """
INSERT INTO latest VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    loc = excluded.loc, harvested = excluded.harvested, lastmod = excluded.lastmod,
    withdrawn = excluded.withdrawn, case_url = excluded.case_url, file = excluded.file, line = excluded.line,
    number = coalesce(excluded.number, latest.number)
WHERE excluded.harvested >= latest.harvested
"""


Accept = Callable[[Mapping[str, Any]], None]
"""A check that raises ValueError for a record that the caller does not want."""


class RecordsError(ValueError):
    """A file does not contain records. The message names the file and the line."""


#: Lines of a file among which there is a record if it is a file of records.
_FIRST_LINES = 20
#: The beginnings of other JSON and XML. A JSON list may have its only record on a line.
_OTHERS = (b"[\n", b"[\r", b"<")


def check_is_records(path: Path) -> None:
    """Raise NotRecordsError for a folder, and for a file whose first lines have no record.

    A file without a complete line may become one. What cannot be read is left to its reader.
    """
    if path.is_dir():
        raise NotRecordsError(f"{path} is a folder: name the files of records in it, such as {path}/*.jsonl")
    try:
        lines = [line.lstrip() for _, line in islice(_lines(path), _FIRST_LINES) if line.strip()]
    except RecordsError:
        return
    if not lines or (len(lines) == 1 and _is_truncated(lines[0]) and lines[0].startswith(b"{")):
        return
    if lines[0].startswith(_OTHERS) or not any(map(_is_record, lines)):
        raise NotRecordsError(
            f"{path} has no records: expected JSON Lines, a record a line, and no CSV, XML or list of JSON. "
            f"This writes all that is listed now: {program()} crawl woo -s DELTAFETCH_ENABLED=0 -O woo.jsonl"
        )


def _is_record(line: bytes) -> bool:
    """Return whether a line has what every record has."""
    try:
        value = parse_json(line)
    except ValueError:
        return False
    return isinstance(value, dict) and {"id", "versies"} <= value.keys()


class BrokenLine(NamedTuple):
    """A line of a file that is not a record."""

    path: Path
    line: int
    why: str
    truncated: bool
    """The line is the last one of its file, has no line end, and is not valid JSON."""

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.why}"

    @property
    def is_being_written(self) -> bool:
        """True if a run is probably writing the line at this moment."""
        return self.truncated and is_being_written(self.path)


OnBroken = Callable[[BrokenLine], None]
"""A function that gets each line that is not a record."""


class LatestVersion(NamedTuple):
    """The latest version of a document in the files."""

    id: str
    loc: str | None
    """URL of the document; None if the record is not about a document on the web."""
    harvested: int
    """``herkomst.opgehaald`` in microseconds since 1970; 0 if it is absent."""
    lastmod: int | None
    """``herkomst.lastmod`` in microseconds since 1970; None if it is absent or cannot be read."""
    withdrawn: bool
    case: str | None = None
    """URL of what the record is about, if it is of another kind than documents."""
    number: int | None = None
    """Number of the version; None if it has none. A withdrawal has that of the version read before it."""


class Latest:
    """An index of JSON Lines files, gzipped ones (``.gz``) too, by the ``id`` of their records.

    The version with the latest ``herkomst.opgehaald`` counts, whatever the order of the files. Of two
    versions with the same moment, the one that comes later in *paths* counts.

    *accept* gets each record and raises ValueError for one that the caller does not want. *on_broken* gets
    each line that is not a record; the index leaves it out. Without *on_broken* such a line raises
    :class:`RecordsError`, unless it is a truncated last line. A file that cannot be read raises RecordsError,
    and one of something else NotRecordsError.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        accept: Accept = lambda record: None,
        on_broken: OnBroken | None = None,
    ) -> None:
        self._paths: Sequence[Path] = list(dict.fromkeys(paths))
        for path in self._paths:
            check_is_records(path)
        self._accept = accept
        self._on_broken = on_broken or self._refuse
        self.truncated: list[Path] = []
        """Files whose last line is truncated; empty with an *on_broken* of the caller's own."""
        # An empty name is SQLite's for a temporary file, which it removes on closing.
        self._index = sqlite3.connect("", isolation_level=None)
        self._index.execute("PRAGMA journal_mode=OFF")
        self._index.execute("PRAGMA cache_size=-65536")
        self._index.execute(_CREATE)
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
        """Return the number of documents, withdrawn ones included."""
        (count,) = self._index.execute("SELECT count(*) FROM latest").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[LatestVersion]:
        for row in self._index.execute(f"SELECT {_COLUMNS} FROM latest"):  # noqa: S608
            yield _version(row)

    def find(self, ids: Sequence[str]) -> dict[str, LatestVersion]:
        """Return the versions of these documents that the files have, by id."""
        marks = ",".join("?" * len(ids))
        query = f"SELECT {_COLUMNS} FROM latest WHERE id IN ({marks})"  # noqa: S608
        return {row[0]: _version(row) for row in self._index.execute(query, ids)}

    def lines(self, *, withdrawn: bool = False) -> Iterator[bytes]:
        """Yield the lines of the latest versions, in the order of the files; *withdrawn* ones if asked."""
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
        for line, content in self._readable(path):
            if not content.strip():
                continue
            try:
                record = _parse(content)
                row = _read(record)
                self._accept(record)
            except ValueError as error:
                self._on_broken(BrokenLine(path, line, str(error), _is_truncated(content)))
            else:
                rows.append((*row, number, line))
            if len(rows) >= INDEX_BATCH:
                self._keep(rows)
                rows = []
        self._keep(rows)

    def _readable(self, path: Path) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a file. A gzip file that is damaged ends where the damage begins."""
        line = 0
        try:
            for line, content in _lines(path):
                yield line, content
        except _DamagedError as error:
            self._on_broken(BrokenLine(path, line + 1, str(error), truncated=False))

    def _refuse(self, broken: BrokenLine) -> None:
        if not broken.truncated:
            raise RecordsError(str(broken))
        self.truncated.append(broken.path)

    def _keep(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._index.execute("BEGIN")
        self._index.executemany(_UPSERT, rows)
        self._index.execute("COMMIT")


def _version(row: tuple[Any, ...]) -> LatestVersion:
    key, loc, harvested, lastmod, withdrawn, case, number = row
    return LatestVersion(key, loc, harvested, lastmod, bool(withdrawn), case, number)


class _DamagedError(RecordsError):
    """A gzip file is truncated or damaged. The lines before the damage have been read."""


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each line of a file, without a byte order mark."""
    try:
        check_regular(path)
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, line if number > 1 else line.removeprefix(codecs.BOM_UTF8)
    except EOFError:
        raise _DamagedError("the file is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise _DamagedError(str(error)) from None
    except OSError as error:
        raise RecordsError(f"{path}: {error.strerror or error}") from None


def _is_truncated(line: bytes) -> bool:
    """Return whether a line has no line end and is not valid JSON."""
    if line.endswith(b"\n"):
        return False
    try:
        parse_json(line)
    except ValueError:
        return True
    return False


def _parse(line: bytes) -> Any:
    try:
        return parse_json(line)
    except ValueError as error:
        raise ValueError(f"expected a record as JSON: {error}") from None


def _read(record: Any) -> tuple[str, str | None, int, int | None, bool, str | None, int | None]:
    """Return the columns of the index for a record, up to ``number``. Raises ValueError."""
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
    if not all(map(_is_version, record["versies"])):
        raise ValueError("expected a record, whose versies and bestanden are lists of objects")
    loc = document.get("weblocatie")
    if loc is not None and not isinstance(loc, str):
        raise ValueError("expected a record, whose document.weblocatie is a text")
    harvested = _microseconds(source.get("opgehaald")) or 0
    withdrawn = cause == Oorzaak.INTREKKING
    abouts = (record.get(kind.key) for kind in Kind if kind is not Kind.woo)
    about: Any = next((each for each in abouts if isinstance(each, dict)), {})
    case = about.get("identifier")
    lastmod, number = _microseconds(source.get("lastmod")), record["versies"][-1].get("nummer")
    case, number = case if isinstance(case, str) else None, number if type(number) is int else None
    return key, loc, harvested, lastmod, withdrawn, case, number


def _is_version(value: Any) -> bool:
    """Return whether a value is an object whose files are objects too."""
    if not isinstance(value, dict):
        return False
    files = value.get("bestanden", [])
    return isinstance(files, list) and all(isinstance(file, dict) for file in files)


def _microseconds(text: object) -> int | None:
    moment = Moment.read(text) if isinstance(text, str) else None
    return moment.at if moment is not None else None
