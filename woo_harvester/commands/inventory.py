"""``scrapy inventory``: lists the errors in permits over a period, for organisations and their suppliers."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.dates import AMSTERDAM
from woo_harvester.findings import Reporter
from woo_harvester.paths import data_dir
from woo_harvester.register import Register, RegisterError
from woo_harvester.register.stored_copy import read_stored
from woo_harvester.report.inventory import Inventory, ReportError, read_inventory
from woo_harvester.report.inventory_formats import FORMATS, terminal_lines
from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.running.command import ProjectCommand, one_of
from woo_harvester.running.streams import write_stderr
from woo_harvester.tooi import ValueList
from woo_harvester.tooi.stored import known_lists

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

#: The default length of the period, in days.
_PERIOD = 30


class Command(ProjectCommand):
    """Makes the inventory of errors from the reports of runs.

    Without options, it writes HTML, CSV and JSON to a folder beside the reports. Exit status 1 if the reports
    cannot be read, and 2 for a wrong argument.
    """

    name = "inventory"
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[options]"

    def short_desc(self) -> str:
        return "List per organisation the errors in its permits over a period"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--from", dest="first", metavar="DATE", help=f"default: {_PERIOD} days ago")
        parser.add_argument("--until", dest="last", metavar="DATE", help="default: today")
        parser.add_argument(
            "--format",
            type=one_of(*sorted(FORMATS)),
            metavar="FORMAT",
            help=f"write this to standard output: {', '.join(sorted(FORMATS))}",
        )
        parser.add_argument("-O", "--output", metavar="FILE", help="write to this file, by its extension")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the inventory."""
        if args:
            raise UsageError(f"it takes no arguments, got {' '.join(args)}", print_help=False)
        last = _day(opts.last, "until") or datetime.now(AMSTERDAM).date()
        first = _day(opts.first, "from") or last - timedelta(days=_PERIOD)
        if first > last:
            raise UsageError(f"expected a period, got --from {first} --until {last}", print_help=False)
        output = Path(opts.output) if opts.output else None
        kind = opts.format or (output.suffix.removeprefix(".").lower() if output else None)
        if kind is not None and kind not in FORMATS:
            raise UsageError(
                f"expected a file that ends in .html, .csv or .json, got {output}", print_help=False
            )
        settings = cast("Settings", self.settings)
        reports = Path(settings["WOO_REPORT_DIR"])
        try:
            inventory = read_inventory(ReportsFolder(reports), first, last, _Names(settings))
            if output is not None and kind is not None:
                _write(output, FORMATS[kind](inventory))
            elif kind is not None:
                sys.stdout.write(FORMATS[kind](inventory))
            else:
                self._write_all(inventory, reports / f"inventory-{first}-{last}")
        except ReportError as error:
            self.fail(str(error))
        except OSError as error:
            self.fail(f"{error.filename or 'output'}: {error.strerror or error}")

    def _write_all(self, inventory: Inventory, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, form in FORMATS.items():
            _write(folder / f"inventory.{name}", form(inventory))
        runs = "1 run" if inventory.runs == 1 else f"{inventory.runs} runs"
        print(f"{runs} of vergunningen from {inventory.first} until {inventory.last}:")
        for line in terminal_lines(inventory) or ["nothing is to be mended"]:
            print(line)
        print(f"As HTML, CSV and JSON: {folder}")


class _Names:
    """Names of organisations: those in the value lists, else in the register that the last run has read."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._today = datetime.now(AMSTERDAM).date()

    def __call__(self, identifier: str) -> str:
        """Return the name of an organisation; the identifier itself if it is not known."""
        if concept := self._listed.by_uri(identifier):
            return concept.label
        with suppress(ValueError):  # the identifier is the name of several organisations
            if self._register is not None and (found := self._register.find(identifier)):
                return found.name
        return identifier

    @cached_property
    def _listed(self) -> ValueList:
        return known_lists(data_dir(self._settings), self._today).value_lists().organisaties

    @cached_property
    def _register(self) -> Register | None:
        source, folder = self._settings["WOO_REGISTER"], data_dir(self._settings)
        try:
            return read_stored(source, folder, Reporter(lambda finding: None), self._today)
        except RegisterError as error:
            write_stderr(f"scrapy inventory: names that only the register has are left out: {error}")
            return None


def _write(path: Path, text: str) -> None:
    """Write a file as it is, without changing line ends; CSV gets a byte order mark, for spreadsheets."""
    encoding = "utf-8-sig" if path.suffix.lower() == ".csv" else "utf-8"
    path.write_text(text, encoding=encoding, newline="")


def _day(text: str | None, name: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(
            f"--{name}: expected a date such as 2026-04-01, got {text}", print_help=False
        ) from None
