"""The lines of a file of records that were not read before.

A file grows while a run writes it, is replaced by a run that begins anew, or is cut off after a kill. The
position in a file therefore says how far it was read, and by what the file is recognised.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic, time_ns
from typing import IO, Any, NamedTuple, cast

from tantivy import Index, IndexWriter, Occur, Query, Schema

from woo_harvester.outputs.definition import RecordKind, Status, record_kind_of
from woo_harvester.outputs.document import document_of, version_number
from woo_harvester.utils.inputs import parse_object
from woo_portal.embedded.layout import POSITIONS, DocumentMaker, Marks, key_of
from woo_portal.engine import EngineError

#: The longest line that is read, in bytes: a record with the text of its document.
MAX_LINE = 256 * 1024 * 1024

#: The bytes before a position by which the file is recognised.
_RECOGNISED = 512

_BLOCK = 1024 * 1024
#: The processes that an index remembers. A copy that followed an earlier one begins again a week before.
_MOST_FILLS = 1000


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file, after its last line that was read."""

    offset: int = 0
    """The number of bytes before it; in a compressed file, of its content."""
    inode: int = 0
    before: str = ""
    """A digest of the bytes before the place, and of the first ones of the file."""
    size: int = 0
    """The size of a compressed file when it was read; 0 for another."""
    changed: int = 0
    """The moment of the last change of a compressed file, in nanoseconds."""


class NewLines:
    """The complete lines of a file after a position; iterate over it once, and close it.

    It yields each line without its end, or None for a line that is too long. A file that is not the one of
    the position, or not any more, is read from its beginning. A last line without a line end waits until it
    has one. Raises OSError if the file cannot be opened or read.
    """

    def __init__(self, path: Path, after: Position | None = None, *, max_line: int = MAX_LINE) -> None:
        self._path = path
        self._max_line = max_line
        self._is_packed = path.suffix == ".gz"
        self._file = _opened(path)
        self._stat = path.stat() if self._is_packed else os.fstat(self._file.fileno())
        self._offset = 0
        self.skipped = 0
        """The number of lines that are too long."""
        self.fault: str | None = None
        """Why the rest of a compressed file cannot be read; None if nothing is wrong."""
        if after is not None and self._is_same(after):
            self._offset = after.offset
        self._file.seek(self._offset)

    @property
    def position(self) -> Position:
        """The place after the last line that was yielded."""
        if not self._is_packed:
            return Position(self._offset, self._stat.st_ino, self._digest(self._offset))
        return Position(self._offset, self._stat.st_ino, "", self._stat.st_size, self._stat.st_mtime_ns)

    def __iter__(self) -> Iterator[bytes | None]:
        try:
            while line := self._file.readline(self._max_line + 1):
                if line.endswith(b"\n"):
                    self._offset += len(line)
                    yield line[:-1]
                elif len(line) > self._max_line:
                    if not (rest := self._skip_line()):
                        return
                    self._offset += len(line) + rest
                    self.skipped += 1
                    yield None
                else:
                    return
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self.fault = f"{self._path}: {error}"

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _skip_line(self) -> int:
        """Return the number of bytes of the rest of a line; 0 if it has no end yet."""
        size = 0
        while part := self._file.readline(_BLOCK):
            size += len(part)
            if part.endswith(b"\n"):
                return size
        return 0

    def _is_same(self, after: Position) -> bool:
        """Return whether the file is the one of a position, and has all that was read of it."""
        if self._is_packed:
            return (after.inode, after.size, after.changed) == (
                self._stat.st_ino,
                self._stat.st_size,
                self._stat.st_mtime_ns,
            )
        is_there = after.inode == self._stat.st_ino and after.offset <= self._stat.st_size
        return is_there and after.before == self._digest(after.offset)

    def _digest(self, offset: int) -> str:
        """Return a digest of the first bytes of the file, and of those before *offset*."""
        descriptor = self._file.fileno()
        first = os.pread(descriptor, min(_RECOGNISED, offset), 0)
        begin = max(0, offset - _RECOGNISED)
        return sha256(first + os.pread(descriptor, offset - begin, begin)).hexdigest()


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb", buffering=_BLOCK)


#: Records that are looked up together, and their size in bytes at most.
_BATCH, _BATCH_BYTES = 500, 16 * 1024 * 1024
#: A commit makes what was written durable and visible: after this many records, or seconds.
_COMMIT_RECORDS, _COMMIT_SECONDS = 25_000, 20.0
#: Memory of the index for what is not on disk yet, in bytes.
_HEAP = 64_000_000

#: What Python raises for a record whose values have other types than a record's.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
#: The longest id, as in Elasticsearch.
_LONGEST_ID = 8191

Progress = Callable[["Filled"], None]


@dataclass(slots=True)
class Filled:
    """What a fill did."""

    lines: int = 0
    """Lines that were read."""
    written: int = 0
    """Records that the index did not have yet, or had in an older version."""
    broken: int = 0
    """Lines that are no record; they are passed over."""
    messages: list[str] = field(default_factory=list)
    """One line for each file with broken lines, or that cannot be read."""
    first: str = ""
    """What is wrong with the first broken line of the file that is read."""

    def add_broken(self, why: str) -> None:
        """Count a line that is no record."""
        self.broken += 1
        self.first = self.first or why


@dataclass(slots=True)
class _Entry:
    kind: RecordKind
    document: dict[str, Any]
    version: int


class _Written(NamedTuple):
    """The version of a record in the index, and the number of its change."""

    version: int
    number: int


class Filler:
    """Writes records to an index. One process at a time may have one."""

    def __init__(self, index: Index, schema: Schema) -> None:
        self._index, self._schema = index, schema
        self._writer: IndexWriter | None = None
        self._maker = DocumentMaker()
        self._positions: dict[str, Position] = {}
        self._begun = time_ns() // 1_000_000
        self._last = 0
        self._read_marks()
        self._uncommitted: dict[str, _Written] = {}
        self._changed = False
        self._committed_at = monotonic()
        self.is_interrupted = False
        """Set by another thread to end a fill at its next batch, with a commit."""

    def fill(self, files: Iterable[Path], progress: Progress = lambda filled: None) -> Filled:
        """Write what is new in *files*, and return what was done. Raises EngineError if it cannot write."""
        done = Filled()
        try:
            for path in sorted({path.absolute() for path in files}):
                if not self.is_interrupted:
                    self._read(path, done, progress)
            if self._changed:
                self._commit()
        except _WriteError as error:
            self._forget()
            raise EngineError(f"cannot write the index of the portal: {error}") from error
        except BaseException:
            self._forget()
            raise
        progress(done)
        return done

    def close(self) -> None:
        """Release the index."""
        self._forget()

    def _forget(self) -> None:
        """Give up what was not committed; the next fill reads it again."""
        self._writer = None
        self._uncommitted.clear()
        self._changed = False
        self._read_marks()

    def _open_writer(self) -> IndexWriter:
        if self._writer is None:
            with _writing():
                self._writer = self._index.writer(_HEAP, 1)
                # What a killed fill left has the names that this one gives to its own files.
                self._writer.garbage_collect_files()
        return self._writer

    def _read(self, path: Path, done: Filled, progress: Progress) -> None:
        """Write the new records of one file."""
        try:
            lines = NewLines(path, self._positions.get(str(path)))
        except FileNotFoundError:  # it went away just now
            return
        except OSError as error:
            done.messages.append(f"{path}: {error.strerror or error}")
            return
        batch: list[_Entry] = []
        before, done.first, size = done.broken, "", 0
        try:
            for line in lines:
                done.lines += 1
                try:
                    if line is None or line.strip():
                        batch.append(_entry(line))
                except ValueError as error:
                    done.add_broken(str(error))
                size += len(line or b"")
                if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                    self._write(batch, done)
                    self._reached(path, lines)
                    progress(done)
                    batch, size = [], 0
                    if self.is_interrupted:
                        break
            self._write(batch, done)
            self._reached(path, lines)
        except OSError as error:
            done.messages.append(f"{path}: {error.strerror or error}")
        finally:
            lines.close()
        if lines.fault:
            done.messages.append(lines.fault)
        if count := done.broken - before:
            done.messages.append(
                f"{path}: {count} lines are no record and were passed over; the first: {done.first}"
            )

    def _reached(self, path: Path, lines: NewLines) -> None:
        """Keep the position in a file, and commit if it is time."""
        if (position := lines.position) != self._positions.get(str(path)):
            self._positions[str(path)] = position
            self._changed = True
        if len(self._uncommitted) >= _COMMIT_RECORDS or (
            self._uncommitted and monotonic() - self._committed_at >= _COMMIT_SECONDS
        ):
            self._commit()

    def _write(self, batch: list[_Entry], done: Filled) -> None:
        """Write those of a batch that are newer than what the index has."""
        newest: dict[str, _Entry] = {}
        for entry in batch:
            name = entry.document["id"]
            if name not in newest or entry.version >= newest[name].version:
                newest[name] = entry
        known, writer = self._known(newest.keys()), self._open_writer()
        for name, entry in newest.items():
            old = known.get(name)
            if old and entry.version < old.version:
                continue
            is_same = old is not None and entry.version == old.version > 0  # its file is read once more
            number = old.number if old and is_same else self._last + 1
            try:
                made = list(self._maker.documents(entry.kind, entry.document, entry.version, number))
            except _MISTAKES as error:
                done.add_broken(f"a field of the record {name} is not what a record has: {error!r}")
                continue
            if name in known:
                writer.delete_documents_by_term("id", name)
            with _writing():
                for document in made:
                    writer.add_document(document)
            self._last = max(self._last, number)
            self._uncommitted[name] = _Written(entry.version, number)
            self._changed = True
            done.written += 1

    def _known(self, ids: Iterable[str]) -> dict[str, _Written]:
        """Return what the index has of those records that it has."""
        known = {name: self._uncommitted[name] for name in ids if name in self._uncommitted}
        wanted = [name for name in ids if name not in known]
        searcher = self._index.searcher()
        if not wanted or not searcher.num_docs:
            return known
        is_wanted = [
            (Occur.Must, Query.term_set_query(self._schema, "id", wanted)),
            (Occur.Must, Query.term_set_query(self._schema, "status", list(Status))),
        ]
        found = searcher.search(Query.boolean_query(is_wanted), len(wanted))
        addresses = [address for _, address in found.hits]
        columns = (searcher.fast_field_values(name, addresses) for name in ("key", "version", "number"))
        by_key = {key_of(name): name for name in wanted}
        for key, version, number in zip(*columns, strict=True):
            known[by_key[int(key or 0)]] = _Written(int(version or 0), int(number or 0))
        return known

    def _commit(self) -> None:
        writer = self._open_writer()
        writer.delete_documents_by_term("id", POSITIONS)
        positions = {path: asdict(each) for path, each in self._positions.items()}
        with _writing():
            writer.add_document(Marks(self._fills, self._last, positions).document())
            writer.commit()
        self._index.reload()
        self._uncommitted.clear()
        self._changed, self._committed_at = False, monotonic()

    def _read_marks(self) -> None:
        self._index.reload()
        is_kept = Query.term_query(self._schema, "id", POSITIONS)
        kept = Marks.read(self._index.searcher(), is_kept) or Marks((), 0, {})
        self._fills, self._last = [*kept.fills], kept.last
        if not self._fills or self._fills[-1][0] != self._begun:
            self._fills = [*self._fills[1 - _MOST_FILLS :], (self._begun, self._last)]
        self._positions = {path: Position(**given) for path, given in kept.positions.items()}


def _entry(line: bytes | None) -> _Entry:
    """Return the record in a line. Raises ValueError if it has none."""
    if line is None:
        raise ValueError("a line is too long")
    record = parse_object(line.removeprefix(b"\xef\xbb\xbf"))
    name = record.get("id")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_ID or not record.get("versies"):
        raise ValueError("expected a record, with an id and a version")
    kind = record_kind_of(record)
    try:
        return _Entry(kind, document_of(kind, record), version_number(record))
    except _MISTAKES as error:
        raise ValueError(f"expected a record of the kind {kind.name}: {error!r}") from error


class _WriteError(Exception):
    """The index cannot be written; the message is one line."""


@contextmanager
def _writing() -> Iterator[None]:
    """Turn errors of the index into one line: the disk is full, or another process has the index."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise _WriteError(" ".join(str(error).split())) from error
