"""The output of ``scrapy state``, and the files that it reads and writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from time import time
from typing import IO

from scrapy.exceptions import UsageError

from woo_harvester.outputs.columns import cells, columns_of, record_type_of
from woo_harvester.outputs.document import in_present_shape
from woo_harvester.pipelines.folder import DurableFolder, orphans
from woo_harvester.report.csv_file import TextWriter
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

#: The width of the column of hosts, so that the table fits in 80 columns; a longer host has its own line.
_HOST_WIDTH = 33
_HEADS = ("documents", "withdrawn", "pending")
#: The same for the table of entry pages, which has one column more.
_PAGE_WIDTH = 23
_PAGE_HEADS = ("pages", "files", "cases", "withdrawn")
_NUMBER_WIDTH = 9


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


def missing_lines(unknown: int, lost: int) -> Iterator[str]:
    """Yield what to do about stored documents without a record, and about documents without their file."""
    if unknown > 0:
        yield (
            f"{counted(unknown, 'stored document')} without a record in these files: name more files, or "
            f"have all records written again (the usual {program()} crawl woo, with -s DELTAFETCH_ENABLED=0 "
            "-O all.jsonl)"
        )
    if lost:
        yield (
            f"{counted(lost, 'document')} of which the file is not in the store. "
            f"To have them fetched once more: {program()} state again"
        )


def list_orphans(folder: DurableFolder, known: Iterator[bytes], *, remove: bool) -> tuple[int, int]:
    """Print size and path of the files of *folder* that are not *known*; return their number and bytes.

    With *remove*, each file is removed after its line is written.
    """
    count = size = 0
    for file in orphans(folder.files(), known):
        its_size = file.size()
        print(f"{its_size:>12} {file.path}", flush=remove)
        if remove:
            file.path.unlink()
        count += 1
        size += its_size
    return count, size


def write_records(lines: Iterable[bytes], file: _Lines) -> None:
    """Write records as JSON Lines."""
    for line in lines:
        file.write(line.decode())


def write_csv(lines: Iterable[bytes], file: _Lines, chosen: Sequence[str], delimiter: str) -> None:
    """Write records of one kind as CSV, with the columns of a run's own CSV file. Raises ValueError.

    *chosen* is the value of ``WOO_CSV_COLUMNS``.
    """
    writer = TextWriter(file, delimiter=delimiter)
    columns: dict[str, str] = {}
    for line in lines:
        record = in_present_shape(json.loads(line))
        if not columns:
            columns = columns_of(record_type_of(record), chosen)
            writer.writerow(columns)
        writer.writerow(cells(record, columns.values()))


def host_table(found: Sequence[upkeep.HostSummary]) -> Iterator[str]:
    """Return the lines of the table of hosts."""
    width = min(_HOST_WIDTH, max((len(one.host) for one in found), default=4))
    yield " ".join([f"{'host':<{width}}", *(f"{head:>{_NUMBER_WIDTH}}" for head in _HEADS), "complete read"])
    for one in found:
        if len(one.host) > width:
            yield one.host
        pending = "confirmed" if one.confirmed else str(one.pending or "-")
        numbers = (str(one.documents), str(one.withdrawn), pending)
        cells = (f"{number:>{_NUMBER_WIDTH}}" for number in numbers)
        yield " ".join(
            [f"{one.host if len(one.host) <= width else '':<{width}}", *cells, day(one.complete_at)]
        )
    yield _totals(len(found), sum(one.documents for one in found), sum(one.withdrawn for one in found))


def entry_table(pages: Sequence[upkeep.PageSummary]) -> Iterator[str]:
    """Return the lines of the table of hosts with entry pages of permits."""
    hosts = {host: list(group) for host, group in groupby(pages, key=attrgetter("host"))}
    width = min(_PAGE_WIDTH, max(len("permits"), *map(len, hosts)))
    heads = (f"{head:>{_NUMBER_WIDTH}}" for head in _PAGE_HEADS)
    yield " ".join([f"{'permits':<{width}}", *heads, "complete read"])
    for host, of_host in hosts.items():
        if len(host) > width:
            yield host
        sums = (sum(getattr(page, name) for page in of_host) for name in ("files", "cases", "withdrawn"))
        cells = (f"{count:>{_NUMBER_WIDTH}}" for count in (len(of_host), *sums))
        reads = [page.complete_at for page in of_host]
        # The host was last read completely when its last page was: never while a page was not.
        read = None if None in reads else min(filter(None, reads))
        yield " ".join([f"{host if len(host) <= width else '':<{width}}", *cells, day(read)])
    cases, withdrawn = sum(page.cases for page in pages), sum(page.withdrawn for page in pages)
    files = sum(page.files for page in pages)
    yield _permit_totals(len(pages), files, cases, withdrawn)


@dataclass
class Totals:
    """Numbers of hosts, documents, entry pages and cases, with the words of the tables."""

    hosts: int = 0
    documents: int = 0
    withdrawn: int = 0
    not_harvested: int = 0
    pages: int = 0
    files: int = 0
    cases: int = 0
    withdrawn_cases: int = 0

    def __str__(self) -> str:
        waiting = f", {self.not_harvested} not harvested" if self.not_harvested else ""
        totals = _totals(self.hosts, self.documents, self.withdrawn) + waiting
        if not (self.pages or self.files or self.cases or self.withdrawn_cases):
            return totals
        return f"{totals}; {_permit_totals(self.pages, self.files, self.cases, self.withdrawn_cases)}"


def _totals(hosts: int, documents: int, withdrawn: int) -> str:
    return f"{counted(hosts, 'host')}, {counted(documents, 'document')}, {withdrawn} withdrawn"


def _permit_totals(pages: int, files: int, cases: int, withdrawn: int) -> str:
    counts = counted(pages, "entry page"), counted(files, "file"), counted(cases, "case")
    return f"{', '.join(counts)}, {withdrawn} withdrawn"


def documents_and_cases(documents: int, cases: int) -> str:
    """Return the number of documents, of cases, or of both; without any, that of documents."""
    if not cases:
        return counted(documents, "document")
    return (
        f"{counted(documents, 'document')} and {counted(cases, 'case')}"
        if documents
        else counted(cases, "case")
    )


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
