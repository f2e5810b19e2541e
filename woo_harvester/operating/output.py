"""The output of ``scrapy state``, and the files that it reads and writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from time import time
from typing import IO, Protocol

from scrapy.exceptions import UsageError

from woo_harvester.kinds import record_kind_of
from woo_harvester.outputs.columns import cells, columns_of
from woo_harvester.running.paths import RECORDS_FEED
from woo_harvester.state import upkeep
from woo_harvester.state.latest import Accept, BrokenLine, Latest, RecordsError
from woo_harvester.state.locks import LockOwner
from woo_harvester.utils.atomic import replacing
from woo_harvester.utils.dates import AMSTERDAM
from woo_harvester.utils.inputs import is_being_written
from woo_harvester.utils.program import counted, program
from woo_harvester.utils.terminal import PrintableLines, printable

_Lines = IO[str] | PrintableLines


@contextmanager
def writing(path: Path | None, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """Open a file that appears under its name only when it is complete; without *path*, standard output."""
    if path is None:
        yield sys.stdout
        return
    with replacing(path, durable=True) as file:  # the operator may remove the input files next
        text = TextIOWrapper(file, encoding=encoding, newline="")
        yield text
        text.detach()  # writes what it has


def check_output(path: Path | None, inputs: Iterable[str]) -> None:
    """Refuse the output *path* if it is one of the inputs. Raises UsageError, and OSError for an input.

    The output lacks the earlier versions, and the inputs may be the only files that have them.
    """
    for name in inputs:
        if path is not None and path.exists() and path.samefile(name):
            raise UsageError(f"{path} is the input {name}: write to another file", print_help=False)


@contextmanager
def keeping(path: Path | None) -> Iterator[None]:
    """Refuse to replace the file at *path* if a run adds records to it before the end of the block.

    Raises RecordsError: the new file would not have them, and the state knows them as delivered.
    """
    if path is None or not path.is_file():
        yield
        return
    if is_being_written(path):
        raise RecordsError(f"{path}: a run writes to it; wait until it ends, or write to another file")
    before = path.stat()
    yield
    if (path.stat().st_size, path.stat().st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise RecordsError(f"{path}: a run or another program wrote to it meanwhile, so it is not replaced")


@contextmanager
def reading(
    names: Sequence[str], on_error: Callable[[str], None], accept: Accept = lambda record: None
) -> Iterator[Latest]:
    """Open the latest versions in the files with these names, and report each line that is not a record.

    *accept* raises ValueError for a record that is not wanted, which is reported too. *on_error* is called
    with a message for each such line. A line that a run is writing now is not an error.
    """

    def report(broken: BrokenLine) -> None:
        if broken.is_being_written:
            write_note(
                f"{program()} state: {broken.path}, line {broken.line}: "
                "a run is writing it, and it is left out"
            )
        elif broken.truncated:
            on_error(f"{broken.path}, line {broken.line}: it is truncated, and left out")
        else:
            on_error(str(broken))

    with Latest(map(Path, names), accept, on_broken=report) as files:
        yield files


def record_files() -> list[str]:
    """Return the files that runs write in the working folder without ``-o`` and ``-O``. Raises UsageError."""
    pattern = RECORDS_FEED % {"run": "*"}
    if found := sorted(map(str, Path().glob(pattern))):
        return found
    raise UsageError(f"no records in {pattern}: name the files that have the records of these documents")


def write_records(lines: Iterable[bytes], file: _Lines) -> None:
    """Write records as JSON Lines."""
    for line in lines:
        file.write(line.decode())


def write_csv(lines: Iterable[bytes], file: _Lines, chosen: Sequence[str], delimiter: str) -> None:
    """Write records of one kind as CSV, with the columns of a run's own CSV file. Raises ValueError.

    *chosen* is the value of ``WOO_CSV_COLUMNS``.
    """
    from woo_harvester.report.csv_file import TextWriter  # noqa: PLC0415 -- takes long

    writer = TextWriter(file, delimiter=delimiter)
    columns: dict[str, str] = {}
    for line in lines:
        record = json.loads(line)
        if not columns:
            columns = columns_of(record_kind_of(record), chosen)
            writer.writerow(columns)
        writer.writerow(cells(record, columns.values()))


class HostLine(Protocol):
    """A host in a table."""

    @property
    def host(self) -> str:
        """Its name."""

    @property
    def complete_at(self) -> int | None:
        """End of its last complete read, in seconds since 1970; None if there was none."""


def host_table(found: Sequence[upkeep.HostSummary]) -> Iterator[str]:
    """Return the lines of the table of hosts."""
    pending = ("confirmed" if one.confirmed else one.pending or "-" for one in found)
    cells = ((one.documents, one.withdrawn, what) for one, what in zip(found, pending, strict=True))
    yield from table(("host", "documents", "withdrawn", "pending"), found, cells)
    documents, withdrawn = sum(one.documents for one in found), sum(one.withdrawn for one in found)
    yield f"{counted(len(found), 'host')}, {counted(documents, 'document')}, {withdrawn} withdrawn"


def table(
    heads: Sequence[str],
    found: Sequence[HostLine],
    cells: Iterable[Iterable[object]],
) -> Iterator[str]:
    """Return a line with the heads, and one for each host with its cells and its complete read."""
    width = max(len(heads[0]), *(len(one.host) for one in found), 0)
    yield " ".join([f"{heads[0]:<{width}}", *(f"{head:>9}" for head in heads[1:]), "complete read"])
    for one, values in zip(found, cells, strict=True):
        yield " ".join([f"{one.host:<{width}}", *(f"{value:>9}" for value in values), day(one.complete_at)])


def documents_and_cases(documents: int, cases: int) -> str:
    """Return the number of documents, of cases, or of both; without any, that of documents."""
    found = [counted(documents, "document")] if documents or not cases else []
    return " and ".join([*found, *([counted(cases, "case")] if cases else [])])


def work_line(holder: LockOwner) -> str:
    """Return the line about an active run: its owner and its hosts."""
    hosts = holder.names
    what = hosts[0] if len(hosts) == 1 else counted(len(hosts), "host")
    ago = max(0, int(time()) - holder.beat)
    return f"{holder.owner} works on {what} since {day(holder.since)}, seen {counted(ago, 'second')} ago"


def day(at: int | None) -> str:
    """Return the day and the time in Dutch time of a moment in seconds since 1970; "never" for none."""
    return f"{datetime.fromtimestamp(at, UTC).astimezone(AMSTERDAM):%Y-%m-%d %H:%M}" if at else "never"


def write_note(line: str) -> None:
    """Write a line to stderr, because stdout may have the output that the user redirects."""
    sys.stderr.write(printable(line) + "\n")
