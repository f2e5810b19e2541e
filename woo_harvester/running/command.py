"""The base class of the project's commands: every failure gives one line of error and an exit status.

It is not in ``commands/``, because Scrapy would list the class as a command.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, cast

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from woo_harvester.running.causes import StartError, cause_of
from woo_harvester.running.default_settings import SETTINGS, complete
from woo_harvester.running.log import set_log
from woo_harvester.running.process import HarvestProcess
from woo_harvester.running.streams import flush_stderr, flush_stdout, is_unread, to_stdout, write_stderr
from woo_harvester.state import NOWHERE
from woo_harvester.utils.inputs import NotRecordsError
from woo_harvester.utils.program import program

if TYPE_CHECKING:
    from scrapy.settings import Settings


#: The title of the group with Scrapy's own options, which every command has.
GLOBAL_GROUP = "Global Options"


class ProjectCommand(ScrapyCommand):
    """A command that checks options and settings, and reports every failure in one line.

    A subclass implements :meth:`perform`. Scrapy's own parser would pass unknown options on as arguments.
    """

    name: str
    """The name of the command on the command line."""

    arguments: str = "[options]"
    """The arguments as the help shows them."""
    summary: str
    """What the command does, in one line."""
    description: str = ""
    """What it does in some sentences; empty if its summary says all."""
    requires_project = True
    requires_crawler_process = False  # a command that runs a spider makes the process itself

    def syntax(self) -> str:
        """Return the arguments as the help shows them."""
        return self.arguments

    def short_desc(self) -> str:
        """Return the summary."""
        return self.summary

    def long_desc(self) -> str:
        """Return the description."""
        return self.description or self.summary

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, and report errors in them in one line."""
        super().add_options(parser)
        parser.error = self.refuse  # type: ignore[method-assign]  # no usage text

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check options and settings. Raises UsageError."""
        settings = cast("Settings", self.settings)
        set_log(settings, sys.argv)
        with self.failing():
            self.check_options(args)
            super().process_options(args, opts)
            set_log(settings)
            self._check_settings()

    def check_options(self, args: Sequence[str]) -> None:
        """Raise UsageError if an argument looks like an unknown option."""
        for given in args:
            if given.startswith("-") and given != "-":
                line = f"unknown option {given}: {program()} {self.name} -h shows the options"
                raise UsageError(line, print_help=False)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command; if it fails, the last line on stderr says why."""
        try:
            with self.failing():
                self.perform(args, opts)
                with to_stdout():
                    flush_stdout()
        finally:
            with suppress(OSError):  # the command has failed already
                flush_stdout()
            flush_stderr()
            if isinstance(self.crawler_process, HarvestProcess):
                self.crawler_process.ends(self.exitcode)

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command itself; a subclass implements this."""
        raise NotImplementedError

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Turn an exception into a line of error and exit status 1.

        An unexpected exception is written with its traceback before that line. If the reader of stdout has
        gone away there is no line, only the status, since the output or the work is not complete.
        """
        try:
            yield
        except (UsageError, SystemExit, KeyboardInterrupt):
            raise
        except Exception as error:
            if is_unread(error):
                self.exitcode = 1
                raise SystemExit(1) from error
            if isinstance(error, NotRecordsError):
                self.refuse(str(error))
            if not isinstance(error, StartError | OSError | ImportError):
                write_stderr("".join(traceback.format_exception(error)).rstrip(), "ERROR")
            self.fail(cause_of(error))
            raise SystemExit(1) from error

    def _check_settings(self) -> None:
        """Complete the project's own settings. Raises UsageError for an unknown name or a wrong value."""
        settings = cast("Settings", self.settings)
        names = [setting.name for setting in SETTINGS]
        for name in settings:
            if name.startswith("WOO_") and name not in names:
                raise UsageError(f"unknown setting {name}: docs/settings.md has all", print_help=False)
        try:
            complete(settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error

    def write_error(self, line: str) -> None:
        """Write a line of error."""
        write_stderr(f"{program()} {self.name}: error: {line}", "ERROR")

    def fail(self, line: str, status: int = 1) -> None:
        """Write a line of error, and set the exit status."""
        self.write_error(line)
        self.exitcode = status

    def fail_at(self, error: OSError, place: object) -> None:
        """Fail with the file of an error, or with *place* if it names none.

        Raises the error if it is that nobody reads stdout any more: :meth:`failing` ends the command then.
        """
        if is_unread(error):
            raise error
        self.fail(f"{error.filename or place}: {error.strerror or error}")

    def refuse(self, message: str) -> NoReturn:
        """Write a line of error about a wrong argument, and exit with status 2."""
        self.write_error(message)
        raise SystemExit(2)


#: The number of messages of an entry page that an audit reads by default.
MESSAGE_SAMPLE = 200

#: The number of documents of a host that an audit requests by default.
DOCUMENT_SAMPLE = 400

#: An audit asks for the headers and the beginning of documents. It leaves nothing behind but its report.
AUDIT_SETTINGS: dict[str, Any] = {
    "WOO_AUDIT": True,
    "WOO_STATE_URL": NOWHERE,
    "FEEDS": {},
    "FILES_STORE": None,
    "WOO_ELASTICSEARCH_URL": None,
    # An audit has its own output.
    "WOO_METRICS_FILE": None,
    "WOO_SUMMARY": False,
    "WOO_TEXT": False,
}
