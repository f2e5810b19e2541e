"""The actions of ``scrapy state``: they show, check and correct what is known."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.kinds import SingleKind, others
from woo_harvester.operating.named import (
    find_named,
    forget_all,
    format_of,
    known_hosts,
)
from woo_harvester.operating.output import (
    check_output,
    documents_and_cases,
    host_table,
    keeping,
    reading,
    record_files,
    work_line,
    write_csv,
    write_note,
    write_records,
    writing,
)
from woo_harvester.pipelines.folder import DurableFolder, InUseError
from woo_harvester.running.paths import NoFolderError, files_folder, node_name, state_url
from woo_harvester.state import upkeep
from woo_harvester.state.latest import Latest, RecordsError
from woo_harvester.state.locks import LockedError, lock_owners
from woo_harvester.state.store import State, StateError
from woo_harvester.utils.program import counted, program
from woo_harvester.utils.terminal import PrintableLines, printable

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings
    from sqlalchemy import Connection

    from woo_harvester.running.command import ProjectCommand


class StateActions:
    """The actions. The command reports their errors, and has their exit status."""

    def __init__(self, command: ProjectCommand) -> None:
        self._command = command
        self.settings = cast("Settings", command.settings)
        self.fail = command.fail

    def perform(self, method: str, args: list[str], opts: argparse.Namespace) -> None:
        """Call a method with the arguments of the action."""
        try:
            getattr(self, method)(args, opts)
            sys.stdout.flush()
        except LockedError as error:
            self.fail(f"a run works on {error}: wait until it ends")
        except InUseError as error:
            self.fail(f"a run stores documents in {error}: wait until it ends")
        except (StateError, RecordsError, NoFolderError) as error:
            self.fail(str(error))
        except OSError as error:
            self._command.fail_at(error, "output")

    def show_hosts(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the table of hosts, and the runs that are active."""
        with self._open() as state, state.snapshot() as connection:
            found = list(upkeep.summaries(connection))
            tables = [*filter(None, (list(lines(connection)) for lines in others("state_lines")))]
            working = lock_owners(connection)
        if found or not tables:
            tables.insert(0, list(host_table(found)))
        first, *more = tables
        for line in (*first, *chain.from_iterable(["", *lines] for lines in more), *map(work_line, working)):
            print(printable(line))

    def forget(self, args: list[str], opts: argparse.Namespace) -> None:
        """Forget what is named. The next run delivers it as new if it is still listed."""
        with self._open() as state:
            with state.begin() as connection:
                found = find_named(connection, args)
            with self._locked(state, found.to_lock), state.begin() as connection:
                forget_all(connection, found)
        write_note(f"Forgot {found}.")

    def confirm(self, args: list[str], opts: argparse.Namespace) -> None:
        """Confirm the pending withdrawals of hosts."""
        what = self._change(args, "no withdrawal waits for a confirmation of", upkeep.confirm_withdrawals)
        write_note(
            f"Confirmed: the next complete run withdraws {what}, if still gone and waiting for no other host."
        )

    def restore(self, args: list[str], opts: argparse.Namespace) -> None:
        """Mark withdrawn documents of hosts, so that the next run delivers them again if they are listed."""
        what = self._change(args, "no document is withdrawn of", upkeep.mark_withdrawn)
        write_note(f"Marked: the next run delivers {what} again, if listed.")

    def again(self, args: list[str], opts: argparse.Namespace) -> None:
        """Mark published documents, or those of hosts, so that the next run delivers them once more."""
        what = self._change(args, "no document is published of", upkeep.mark_published)
        write_note(f"Marked: the next run delivers {what} once more, if listed.")

    def _change(self, args: list[str], nothing: str, of_host: Callable[[Connection, str], int]) -> str:
        """Change hosts, and mark documents; return how many documents of each. Raises StateError for none."""
        with self._open() as state:
            with state.begin() as connection:
                found = find_named(connection, args)
            with self._locked(state, found.to_lock), state.begin() as connection:
                counts = {host: of_host(connection, host) for host in sorted(found.hosts)}
                counts |= {loc: upkeep.mark_document(connection, loc) for loc in found.documents}
                for given, count in counts.items():
                    if not count:
                        raise StateError(f"{nothing} {given}")
        return ", ".join(f"{counted(count, 'document')} of {given}" for given, count in counts.items())

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Compare the state with the records in files; with ``--fix``, take over what only those have."""
        from woo_harvester.state.check import Difference, differences  # noqa: PLC0415 -- takes long

        counts = Counter[Difference]()
        with self._open() as state:
            if opts.fix:
                with self._locked(state):
                    for line in state.recover(keep=True):  # it takes over what is in the others
                        write_note(line)
            with reading(args, self.fail) as files:
                if opts.fix:
                    self._take_over(state, files)
                with state.snapshot() as connection:
                    for difference, loc in chain.from_iterable(
                        each(connection, files) for each in (differences, *others("differences"))
                    ):
                        counts[difference] += 1
                        if opts.verbose:
                            print(printable(f"{difference:<8} {loc}"))
                    documents = sum(host.documents for host in upkeep.summaries(connection))
                    known = documents_and_cases(
                        documents, sum(count(connection) for count in others("count"))
                    )
        found = ", ".join(f"{counts[difference]} {difference}" for difference in Difference)
        print(f"{known} in the state: {found}.")
        if counts:
            self._command.exitcode = 1

    def _take_over(self, state: State, files: Latest) -> None:
        """Let the state take over the documents that only files have."""
        from woo_harvester.state.check import take_over  # noqa: PLC0415 -- the same

        with state.begin() as connection:
            hosts = known_hosts(connection)
        with self._locked(state, hosts), state.begin() as connection:
            taken = take_over(connection, files)
        write_note(f"Took over {counted(taken, 'document')} from the files.")

    def latest(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the latest version of each document in files."""
        path = Path(opts.output) if opts.output else None
        form = format_of(opts.format, path)
        check_output(path, args)
        is_csv = form != "jsonl"
        read = reading(args, self.fail, SingleKind()) if is_csv else reading(args, self.fail)
        with read as files, writing(path, "utf-8-sig" if is_csv else "utf-8") as file, keeping(path):
            lines = files.lines(withdrawn=opts.withdrawn)
            # JSON stays the same JSON; CSV has no escapes, so it stays as it is for a program.
            is_shown = path is None and (not is_csv or file.isatty())
            out = PrintableLines(file) if is_shown else file
            if is_csv:
                self._write_csv(lines, out, ";" if form == "csv-nl" else ",")
            else:
                write_records(lines, out)
            there = Counter(version.case is not None for version in files if not version.withdrawn)
            gone = len(files) - there.total()
        written = documents_and_cases(there[False], there[True])
        write_note(f"Wrote {written}, {gone} withdrawn." if opts.withdrawn else f"Wrote {written}.")

    def _write_csv(self, lines: Iterator[bytes], file: IO[str] | PrintableLines, delimiter: str) -> None:
        """Write records as CSV. Raises UsageError for an unknown column in ``WOO_CSV_COLUMNS``."""
        try:
            write_csv(lines, file, self.settings.getlist("WOO_CSV_COLUMNS"), delimiter)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error

    def documents(self, args: list[str], opts: argparse.Namespace) -> None:
        """Copy stored documents to a folder, under names that people read, by the records in files."""
        from woo_harvester.operating.copies import LIST, copy_documents  # noqa: PLC0415 -- takes long

        with (
            closing(DurableFolder.existing(files_folder(self.settings))) as store,
            reading(args[1:] or record_files(), self.fail) as files,
        ):
            store.lock(alone=False)
            done = copy_documents(Path(args[0]), store, files.lines(withdrawn=True))
        if done.lost:
            write_note(
                f"{counted(done.lost, 'document')} of which the file is not in the store. "
                f"To have them fetched once more: {program()} state again"
            )
        gone = f", and removed {done.withdrawn} withdrawn" if done.withdrawn else ""
        copied, there = counted(done.copied, "file"), counted(done.listed, "document")
        write_note(f"Copied {copied} to {args[0]}{gone}. {Path(args[0], LIST)} lists {there}.")

    @contextmanager
    def _open(self) -> Iterator[State]:
        with closing(State.open_existing(state_url(self.settings))) as state:
            yield state

    @contextmanager
    def _locked(self, state: State, hosts: Collection[str] = ()) -> Iterator[None]:
        """Lock these hosts, so that no run works on them meanwhile. Raises LockedError."""
        node = node_name(self.settings)
        locks = state.begin_locking(f"{program()} state, process {os.getpid()} on {node}", node)
        try:
            if locks is not None:
                locks.acquire({*hosts, *(lock(host) for lock in others("lock") for host in hosts)})
            yield
        finally:
            state.release()
