"""What the project's commands share: one line for what is typed wrong, and a run with an exit status.

Not in ``commands/``, where Scrapy would take the class for a command.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

from scrapy import signals
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from woo_harvester.hints import hint
from woo_harvester.options import OPTIONS, complete

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess, Crawler
    from scrapy.settings import Settings

#: Scrapy's own options, which every command has, are in a group with this title.
GLOBAL = "Global Options"

#: From here on a name in the environment is taken for a setting that is misspelt (of 1).
ALIKE = 0.9


class WordedCommand(ScrapyCommand):
    """Refuses options that it does not know, which Scrapy's parser passes on as arguments."""

    name: str
    """As it is typed."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, and tell what is wrong with one in a line."""
        super().add_options(parser)
        parser.error = self.refuse  # type: ignore[method-assign]  # one line, without the usage
        self._parser = parser

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what looks like an option and is none, and settings that are wrong. Raises UsageError."""
        self.check_options(args)
        super().process_options(args, opts)
        self._check_settings()

    def check_options(self, args: Sequence[str]) -> None:
        """Raise UsageError for an argument that is an option which there is not."""
        for given in args:
            if given.startswith("-") and given != "-":
                raise UsageError(f"unknown option {given}: {hint(given.partition('=')[0], *self.options())}")

    def _check_settings(self) -> None:
        """Complete the project's own settings. Raises UsageError for a name or a value that cannot be."""
        settings = cast("Settings", self.settings)
        names = [option.name for option in OPTIONS]
        for name in settings:
            if name.startswith("WOO_") and name not in names:
                raise UsageError(f"unknown setting {name}: {_meant(name, names)}", print_help=False)
        for name in os.environ:  # others may have names there too, but hardly ones that are so much alike
            if name.startswith("WOO_") and name not in names and get_close_matches(name, names, 1, ALIKE):
                line = f"warning: {name} in the environment is no setting: {_meant(name, names)}"
                sys.stderr.write(f"scrapy {self.name}: {line}\n")
        try:
            complete(settings)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error

    def tell(self, line: str) -> None:
        """Write a line of error."""
        sys.stderr.write(f"scrapy {self.name}: error: {line}\n")

    def fail(self, line: str, status: int = 1) -> None:
        """Write a line of error, and end with an exit status."""
        self.tell(line)
        self.exitcode = status

    def refuse(self, message: str) -> NoReturn:
        """Tell what was typed wrong, and end."""
        self.tell(message)
        raise SystemExit(2)

    def options(self) -> tuple[list[str], list[str]]:
        """The options of the command itself, and those of all commands; long ones where there are such."""
        own: list[str] = []
        shared: list[str] = []
        for group in self._parser._action_groups:
            for action in group._group_actions:
                names = [name for name in action.option_strings if name.startswith("--")]
                is_shared = group.title == GLOBAL or action.dest == "help"
                (shared if is_shared else own).extend(names or action.option_strings)
        return own, shared


def _meant(given: str, names: Sequence[str]) -> str:
    close = get_close_matches(given, names, n=1)
    return f"did you mean {close[0]}?" if close else "docs/settings.md has all"


def one_of(*names: str) -> Callable[[str], str]:
    """The type of an option that has one of these values."""

    def check(given: str) -> str:
        if given not in names:
            raise argparse.ArgumentTypeError(
                f"expected {' or '.join(names)}, got {given!r}: {hint(given, names)}"
            )
        return given

    return check


#: Scrapy's finish reason where the spider's ``start()`` raised what nobody expected.
START_ERROR = "start_error"

Failure = tuple[int, str]
"""Exit status, and the line that tells why."""


class HeldStderr:
    """Stands in for stderr, and keeps what is written until it is clear whether the run starts.

    The log of a run that cannot start says nothing that its one line of error does not say better.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held: list[str] | None = []
        self._dropped = False

    @classmethod
    def put(cls) -> HeldStderr:
        """Put one in the place of stderr; before Scrapy's logging is set up."""
        held = cls(sys.stderr)
        sys.stderr = cast("TextIO", held)
        return held

    def write(self, text: str) -> int:
        """Write, or keep."""
        if self._held is not None:
            self._held.append(text)
        elif not self._dropped:
            self._stream.write(text)
        return len(text)

    def release(self) -> None:
        """Write what was kept, and keep nothing more."""
        held, self._held = self._held or [], None
        self._stream.write("".join(held))

    def end(self, *, drop: bool) -> None:
        """Give stderr back; with *drop*, what was kept and what follows is not written."""
        if drop:
            self._held, self._dropped = None, True
        self.release()
        sys.stderr = self._stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run_spider(
    process: AsyncCrawlerProcess, crawler: Crawler, arguments: dict[str, Any], stderr: HeldStderr
) -> Failure | None:
    """Run a spider to its end; returns why it could not start or not go on."""
    crawler.signals.connect(stderr.release, signals.request_scheduled)
    process.crawl(crawler, **arguments)
    failure: Failure | None = None
    try:
        process.start()
        failure = getattr(crawler.spider, "failure", None)
    finally:
        stderr.end(drop=failure is not None)
    if failure is None and crawler.stats.get_value("finish_reason") == START_ERROR:
        return 1, "the run could not start: the log tells why"
    return failure
