"""``scrapy state``: what is known of hosts and documents, and what an operator does with it."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.command import WordedCommand
from woo_harvester.dates import AMSTERDAM
from woo_harvester.folders import state_url
from woo_harvester.hints import hint
from woo_harvester.latest import Latest, RecordsError
from woo_harvester.state import exported, resources, transfer, upkeep
from woo_harvester.state.check import Difference, differences
from woo_harvester.state.exported import ExportedError, Format
from woo_harvester.state.lock import LockedError, Locks
from woo_harvester.state.store import NOWHERE, State, StateError, sqlite_file
from woo_harvester.urls import host_of

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

#: A host that is longer has a line of its own: the table fits 80 columns.
HOST_WIDTH = 33
HEADS = ("documents", "withdrawn", "held back")
NUMBER_WIDTH = 9


@dataclass(frozen=True, slots=True)
class Action:
    """One of the things that the command does."""

    run: Callable[[Command, list[str], argparse.Namespace], None]
    arguments: str
    """As the help shows them."""
    least: int
    most: int | None
    """How many arguments there may be; None for any number."""
    options: frozenset[str] = frozenset()


class Command(WordedCommand):
    """Shows, moves and mends the state.

    Exit status 1 where it could not be done or ``check`` found a difference, and 2 for a wrong argument.
    """

    name = "state"
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[ACTION] [ARGUMENTS] [options]"

    def short_desc(self) -> str:
        return "Show, move, check and mend what is known of hosts and documents"

    def long_desc(self) -> str:
        return (
            "Without an action: a table of hosts. Actions: "
            + "; ".join(f"{name} {action.arguments}" for name, action in ACTIONS.items())
            + ". See docs/operations.md."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--host", action="append", metavar="HOST", help="export: only this host")
        parser.add_argument(
            "--format", metavar="jsonl|csv", help="export, import: default by the file's name"
        )
        parser.add_argument("-O", "--output", metavar="FILE", help="latest: write to this file")
        parser.add_argument("--withdrawn", action="store_true", help="latest: withdrawn documents too")
        parser.add_argument("-v", "--verbose", action="store_true", help="check: list each difference")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what *args* say."""
        action = _action(args, opts)
        try:
            action.run(self, args[1:], opts)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except LockedError as error:
            self._fail(f"a run works on {error}: wait until it ends")
        except (StateError, ExportedError, RecordsError) as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{error.filename or 'output'}: {error.strerror or error}")

    def table(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the hosts."""
        with self._open() as state, state.snapshot() as connection:
            found = list(upkeep.summaries(connection))
        for line in _table(found):
            print(line)

    def export(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write what is known of hosts."""
        path = Path(args[0]) if args else None
        form = _format(opts.format, path)
        with self._open() as state, state.snapshot() as connection:
            hosts = [_known(given, upkeep.known_hosts(connection)) for given in opts.host or ()]
            with _writing(path) as file:
                count = exported.write(transfer.export(connection, hosts), file, form)
        _tell(f"Exported {_number(count, 'document')}.")

    def import_(self, args: list[str], opts: argparse.Namespace) -> None:
        """Put what a file tells of hosts in the place of what is known of them."""
        path = Path(args[0])
        form = _format(opts.format, path)
        # All of it is read before any of it is written.
        hosts = dict.fromkeys(row.host for row in exported.read(path, form))
        with self._locked(hosts), closing(State.open(self._url())) as state:
            count = transfer.replace(state, exported.read(path, form))
        _tell(f"Imported {_number(len(hosts), 'host')} with {_number(count, 'document')}.")

    def forget(self, args: list[str], opts: argparse.Namespace) -> None:
        """Forget hosts and documents; what is still listed comes as new."""
        with self._open() as state:
            with state.begin() as connection:
                known = upkeep.known_hosts(connection)
                owners = {given: upkeep.host_of_document(connection, given) for given in args}
            documents = {given: host for given, host in owners.items() if host is not None}
            hosts = {_known(given, known) for given in args if given not in documents}
            with self._locked({*hosts, *documents.values()}), state.begin() as connection:
                for loc in documents:
                    upkeep.forget_document(connection, loc)
                for host in hosts:
                    resources.forget_host(connection, host)
        _tell(f"Forgot {_number(len(hosts), 'host')} and {_number(len(documents), 'document')}.")

    def confirm(self, args: list[str], opts: argparse.Namespace) -> None:
        """Say that what is held back of hosts is right."""
        with self._open() as state:
            with state.begin() as connection:
                known = upkeep.known_hosts(connection)
            hosts = {_known(given, known) for given in args}
            with self._locked(hosts), state.begin() as connection:
                for host in sorted(hosts):
                    if not upkeep.confirm_hold(connection, host):
                        raise StateError(f"nothing is held back of {host}")
        _tell(f"Confirmed: the next complete run withdraws what is gone of {', '.join(sorted(hosts))}.")

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Compare the state with what files hold."""
        counts = Counter[Difference]()
        with self._open() as state, _latest(args) as files, state.snapshot() as connection:
            for difference, loc in differences(connection, files):
                counts[difference] += 1
                if opts.verbose:
                    print(f"{difference:<8} {loc}")
            known = sum(host.documents for host in upkeep.summaries(connection))
        found = ", ".join(f"{counts[difference]} {difference}" for difference in Difference)
        print(f"{_number(known, 'document')} in the state: {found}.")
        self.exitcode = 1 if counts else 0

    def latest(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the latest version of each document in files."""
        count = 0
        with _latest(args) as files, _writing(Path(opts.output) if opts.output else None) as file:
            for line in files.lines(withdrawn=opts.withdrawn):
                file.write(line.decode())
                count += 1
        _tell(f"Wrote {_number(count, 'document')}.")

    def _url(self) -> str:
        url = state_url(cast("Settings", self.settings))
        if url == NOWHERE:
            raise StateError("DELTAFETCH_ENABLED is off, so there is no state")
        return url

    @contextmanager
    def _open(self) -> Iterator[State]:
        with closing(State.open_existing(self._url())) as state:
            yield state

    @contextmanager
    def _locked(self, hosts: Iterable[str]) -> Iterator[None]:
        """Keep runs off these hosts meanwhile. Raises LockedError."""
        file = sqlite_file(self._url())
        with ExitStack() as stack:
            if file is not None:
                stack.enter_context(Locks.beside(file)).acquire(hosts)
            yield

    def _fail(self, line: str) -> None:
        self.tell(line)
        self.exitcode = 1


FILES = "FILE..."
ACTIONS = {
    "export": Action(Command.export, "[FILE]", 0, 1, frozenset({"host", "format"})),
    "import": Action(Command.import_, "FILE", 1, 1, frozenset({"format"})),
    "forget": Action(Command.forget, "HOST|URL...", 1, None),
    "confirm": Action(Command.confirm, "HOST...", 1, None),
    "check": Action(Command.check, FILES, 1, None, frozenset({"verbose"})),
    "latest": Action(Command.latest, FILES, 1, None, frozenset({"output", "withdrawn"})),
}
TABLE = Action(Command.table, "", 0, 0)
OPTIONS = ("host", "format", "output", "withdrawn", "verbose")


def _action(args: Sequence[str], opts: argparse.Namespace) -> Action:
    """What is asked for. Raises UsageError for what makes no sense."""
    name = args[0] if args else ""
    if name and name not in ACTIONS:
        raise UsageError(f"unknown action {name}: {hint(name, ACTIONS)}")
    action = ACTIONS.get(name, TABLE)
    usage = f"scrapy state {name} {action.arguments}".strip()
    for option in OPTIONS:
        if getattr(opts, option) and option not in action.options:
            fitting = [each for each, other in ACTIONS.items() if option in other.options]
            raise UsageError(f"option --{option} belongs to {' and '.join(fitting)}, not to: {usage}")
    count = len(args) - 1 if args else 0
    if count < action.least or (action.most is not None and count > action.most):
        raise UsageError(f"expected: {usage}; got {_number(count, 'argument')}")
    return action


def _known(given: str, hosts: Sequence[str]) -> str:
    """The host of the state that is meant. Raises UsageError."""
    try:
        host = host_of(given if "://" in given else f"https://{given}")
    except ValueError as error:
        raise UsageError(str(error)) from None
    is_page = re.search(r"[/?#]", given.rpartition("://")[2].rstrip("/"))
    if host not in hosts or is_page:
        close = get_close_matches(host, hosts, n=1, cutoff=0.8)
        hint = f": did you mean {close[0]}?" if close and not is_page else ""
        raise UsageError(f"the state does not know {given}{hint}")
    return host


def _format(given: str | None, path: Path | None) -> Format:
    name = given or (path.suffix.removeprefix(".").lower() if path else "")
    if name == "csv":
        return "csv"
    if given not in (None, "jsonl"):
        raise UsageError(f"expected --format jsonl or --format csv, got {given}")
    return "jsonl"


@contextmanager
def _writing(path: Path | None) -> Iterator[IO[str]]:
    """A file that is there only when it is whole; standard output where there is no *path*."""
    if path is None:
        yield sys.stdout
        return
    partial = path.with_name(f"{path.name}.part")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the files that it was made from may be removed next
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _latest(names: Sequence[str]) -> Iterator[Latest]:
    with Latest(map(Path, names)) as files:
        for path in files.torn:
            sys.stderr.write(f"scrapy state: the last line of {path} is broken off, and left out\n")
        yield files


def _table(found: Sequence[upkeep.HostSummary]) -> Iterator[str]:
    width = min(HOST_WIDTH, max((len(one.host) for one in found), default=4))
    yield " ".join([f"{'host':<{width}}", *(f"{head:>{NUMBER_WIDTH}}" for head in HEADS), "complete read"])
    for one in found:
        if len(one.host) > width:
            yield one.host
        held = "confirmed" if one.confirmed else _number(one.held_runs, "run") if one.held_runs else "-"
        numbers = (str(one.documents), str(one.withdrawn), held)
        cells = (f"{number:>{NUMBER_WIDTH}}" for number in numbers)
        yield " ".join(
            [f"{one.host if len(one.host) <= width else '':<{width}}", *cells, _day(one.complete_at)]
        )
    documents = _number(sum(one.documents for one in found), "document")
    yield f"{_number(len(found), 'host')}, {documents}, {sum(one.withdrawn for one in found)} withdrawn"


def _day(at: int | None) -> str:
    return f"{datetime.fromtimestamp(at, UTC).astimezone(AMSTERDAM):%Y-%m-%d %H:%M}" if at else "never"


def _number(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _tell(line: str) -> None:
    """To stderr, since stdout may hold what was asked for."""
    sys.stderr.write(line + "\n")
