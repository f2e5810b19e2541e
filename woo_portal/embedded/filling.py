"""Writes the records of files to the index: those that it does not have, or has in an older version."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic, time_ns
from typing import NamedTuple

from tantivy import DocAddress, Document, Index, IndexWriter, Occur, Query, Schema

from woo_harvester.kinds import Kind
from woo_portal.embedded.layout import POINT, POSITIONS, Marks
from woo_portal.embedded.lines import Batch, NewLines, Position
from woo_portal.embedded.preparing import MISTAKES, Prepared, Preparer, odd_field
from woo_portal.engine import EngineError

#: The processes that an index remembers. A copy that followed an earlier one begins again a week before.
_MOST_FILLS = 1000
#: A commit makes what was written durable and visible: after this many records, seconds, or bytes of lines.
#: It also waits for the thread that writes the index, before which records may stand in the memory.
_COMMIT_RECORDS, _COMMIT_SECONDS, _COMMIT_BYTES = 25_000, 20.0, 96 * 1024 * 1024
#: Memory of the index for what is not on disk yet, in bytes.
_HEAP = 64_000_000

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


class _Written(NamedTuple):
    """The version of a record in the index, and the number of its change."""

    version: int
    number: int


class Filler:
    """Writes records to an index. One process at a time may have one.

    *stopped* ends a fill at its next batch, with a commit.
    """

    def __init__(self, index: Index, schema: Schema, stopped: Event) -> None:
        self._index, self._schema, self._stopped = index, schema, stopped
        self._writer: IndexWriter | None = None
        self._no_points = [(Occur.MustNot, self._term("kind", f"{POINT} {kind.name}")) for kind in Kind]
        self._positions: dict[str, Position] = {}
        self._begun = time_ns() // 1_000_000
        self._fills: list[Sequence[int]] = []
        self._last = 0
        self._read_marks()
        self._uncommitted: dict[str, _Written] = {}
        self._uncommitted_bytes = 0
        self._changed = False
        self._committed_at = monotonic()

    def fill(self, files: Iterable[Path], progress: Progress = lambda filled: None) -> Filled:
        """Write what is new in *files*, and return what was done. Raises EngineError if it cannot write."""
        done = Filled()
        try:
            with Preparer() as prepare:
                for path in sorted({path.absolute() for path in files}):
                    if not self._stopped.is_set():
                        self._read(path, prepare, done, progress)
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

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever written."""
        return not self._last

    def close(self) -> None:
        """Release the index. What is merged by then is left as it was."""
        self._writer = None

    def finish(self) -> None:
        """Release the index when nothing more is merged in it."""
        if (writer := self._writer) is not None:
            self._writer = None
            writer.wait_merging_threads()

    def _forget(self) -> None:
        """Give up what was not committed; the next fill reads it again."""
        self._writer = None
        self._uncommitted.clear()
        self._uncommitted_bytes = 0
        self._changed = False
        self._read_marks()

    def _open_writer(self) -> IndexWriter:
        if self._writer is None:
            with _writing():
                self._writer = self._index.writer(_HEAP, 1)
                # What a killed fill left has the names that this one gives to its own files.
                self._writer.garbage_collect_files()
        return self._writer

    def _read(self, path: Path, prepare: Preparer, done: Filled, progress: Progress) -> None:
        """Write the new records of one file."""
        try:
            lines = NewLines(path, self._positions.get(str(path)))
        except FileNotFoundError:  # it went away just now
            return
        except OSError as error:
            done.messages.append(f"{path}: {error.strerror or error}")
            return
        before, done.first = done.broken, ""
        try:
            for batch, (found, mistakes) in prepare.in_order(lines.batches(), lines.unread):
                done.lines += len(batch.lines)
                for why in mistakes:
                    done.add_broken(why)
                self._write(found, done)
                self._reached(path, batch)
                progress(done)
                if self._stopped.is_set():
                    break
        except OSError as error:
            done.messages.append(f"{path}: {error.strerror or error}")
        finally:
            lines.close()
        if lines.fault:
            done.messages.append(lines.fault)
        if count := done.broken - before:
            why = f"{count} lines are no record and were passed over; the first: {done.first}"
            done.messages.append(f"{path}: {why}")

    def _reached(self, path: Path, batch: Batch) -> None:
        """Keep the position in a file, and commit if it is time."""
        if batch.position != self._positions.get(str(path)):
            self._positions[str(path)] = batch.position
            self._changed = True
        self._uncommitted_bytes += batch.size
        if self._uncommitted and (
            len(self._uncommitted) >= _COMMIT_RECORDS
            or self._uncommitted_bytes >= _COMMIT_BYTES
            or monotonic() - self._committed_at >= _COMMIT_SECONDS
        ):
            self._commit()

    def _write(self, found: Sequence[Prepared], done: Filled) -> None:
        """Write those records that are newer than what the index has."""
        known, writer = self._known([each.id for each in found]), self._open_writer()
        for record in found:
            old = known.get(record.id)
            if old and record.version < old.version:
                continue
            is_same = old is not None and record.version == old.version > 0  # its file is read once more
            number = old.number if old and is_same else self._last + 1
            given = ({**fields, "number": number} for fields in record.documents)
            try:
                made = [Document.from_dict(each, self._schema) for each in given]
            except MISTAKES as error:
                done.add_broken(odd_field(record.id, error))
                continue
            with _writing():
                if old:
                    writer.delete_documents_by_term("id", record.id)
                for document in made:
                    writer.add_document(document)
            self._last = max(self._last, number)
            self._uncommitted[record.id] = _Written(record.version, number)
            self._changed = True
            done.written += 1

    def _known(self, ids: Sequence[str]) -> dict[str, _Written]:
        """Return what the index has of those records that it has."""
        known = {name: self._uncommitted[name] for name in ids if name in self._uncommitted}
        searcher = self._index.searcher()
        found: dict[str, DocAddress] = {}
        for name in ids if searcher.num_docs else ():
            if name not in known:
                # One by one, they take a third of the time of a set of terms.
                parts = [(Occur.Must, self._term("id", name)), *self._no_points]
                if hits := searcher.search(Query.boolean_query(parts), 1, count=False).hits:
                    found[name] = hits[0][1]
        columns = (searcher.fast_field_values(name, [*found.values()]) for name in ("version", "number"))
        for name, version, number in zip(found, *columns, strict=True):
            known[name] = _Written(int(version or 0), int(number or 0))
        return known

    def _term(self, field: str, value: str) -> Query:
        return Query.term_query(self._schema, field, value, index_option="basic")

    def _commit(self) -> None:
        writer = self._open_writer()
        writer.delete_documents_by_term("id", POSITIONS)
        marks = Marks(self._fills, self._last, {path: asdict(each) for path, each in self._positions.items()})
        with _writing():
            writer.add_document(marks.document())
            writer.commit()
        self._index.reload()
        self._uncommitted.clear()
        self._uncommitted_bytes = 0
        self._changed, self._committed_at = False, monotonic()
        _give_back_memory()

    def _read_marks(self) -> None:
        self._index.reload()
        kept = Marks.read(self._index.searcher(), self._term("id", POSITIONS)) or Marks((), 0, {})
        self._fills, self._last = [*kept.fills], kept.last
        if not self._fills or self._fills[-1][0] != self._begun:
            self._fills = [*self._fills[1 - _MOST_FILLS :], (self._begun, self._last)]
        self._positions = {path: Position(**given) for path, given in kept.positions.items()}


class _WriteError(Exception):
    """The index cannot be written; the message is one line."""


@contextmanager
def _writing() -> Iterator[None]:
    """Turn errors of the index into one line: the disk is full, or another process has the index."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise _WriteError(" ".join(str(error).split())) from error


def _give_back_memory() -> None:
    """Give the system back what the memory of the index was. The GNU C library keeps most of it, else."""
    with suppress(AttributeError, OSError, TypeError):  # another library
        ctypes.CDLL(None).malloc_trim(0)
