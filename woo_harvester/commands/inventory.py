"""``scrapy inventory``: lists the errors in permits over a period, for organisations and their suppliers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from scrapy.exceptions import UsageError

from woo_harvester.findings import Reporter
from woo_harvester.report.inventory import (
    Inventory,
    ReportError,
    Suppliers,
    SuppliersError,
    entry_host,
    file_names,
    read_inventory,
)
from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.running.command import ProjectCommand, one_of
from woo_harvester.running.own_files import refuse_own_file
from woo_harvester.running.paths import data_dir
from woo_harvester.running.streams import write_stderr
from woo_harvester.tooi import ValueList
from woo_harvester.tooi.stored import known_lists
from woo_harvester.utils.atomic import replace_file
from woo_harvester.utils.dates import AMSTERDAM
from woo_harvester.utils.program import program

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from scrapy.settings import Settings

    from woo_harvester.findings import Language
    from woo_harvester.register import Register, RegisterError

#: The default length of the period, in days.
_PERIOD = 30


class Command(ProjectCommand):
    """Makes the inventory of errors from the reports of runs.

    Without options, it writes HTML, CSV and JSON to a folder beside the reports, with a page for each
    supplier. Exit status 1 if the reports cannot be read or the period has no
    run, and 2 for a wrong argument.
    """

    name = "inventory"
    exit_statuses: ClassVar[Mapping[int, str]] = {
        0: "the inventory is written, whatever it says",
        1: "the reports cannot be read, or the period has no run",
    }
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return "[options]"

    def short_desc(self) -> str:
        return "List the errors in permits over a period, by organisation and by supplier"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from woo_harvester.report.inventory_formats import FORMATS

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
        parser.add_argument(
            "--suppliers",
            metavar="FILE",
            help="the supplier of each organisation, as CSV with the columns organisatie,leverancier; "
            "default: the host of the entry",
        )
        parser.add_argument("--lang", type=one_of("nl", "en"), help="language (default: nl)")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the inventory."""
        from woo_harvester.report.inventory_formats import FORMATS

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
        if output is not None:
            refuse_own_file(output, settings, opts.suppliers)
        reports, names = Path(settings["WOO_REPORT_DIR"]), _Names(settings)
        lang = cast("Language", opts.lang or settings["WOO_REPORT_LANG"])
        supplier_of = self._suppliers(opts.suppliers, names)
        try:
            inventory = read_inventory(
                ReportsFolder(reports), first, last, names, supplier_of=supplier_of, lang=lang
            )
            if not inventory.runs:
                self.fail(f"no run of vergunningen from {first} to {last} in {reports}: nothing was judged")
            elif output is not None and kind is not None:
                _write(output, FORMATS[kind](inventory))
            elif kind is not None:
                sys.stdout.write(FORMATS[kind](inventory))
            else:
                _write_all(inventory, reports / f"inventory-{first}-{last}", settings["WOO_CONTACT"])
        except ReportError as error:
            self.fail(str(error))
        except OSError as error:
            self.fail_at(error, "output")

    def _suppliers(self, given: str | None, names: _Names) -> Callable[[str, str, str], str]:
        """Return what finds the supplier of an organisation; refuse a file that does not say it."""
        if given is None:
            return entry_host
        try:
            return Suppliers(Path(given), names.identifier).of
        except SuppliersError as error:
            self.refuse(f"--suppliers: {error}")


def _write_all(inventory: Inventory, folder: Path, contact: str | None) -> None:
    """Write the inventory in each format, and the page of each supplier; show it on standard output."""
    from woo_harvester.report.inventory_formats import FORMATS, as_html, supplier_page, terminal_lines

    suppliers = folder / "suppliers"
    suppliers.mkdir(parents=True, exist_ok=True)
    for old in suppliers.glob("*.html"):  # of suppliers that were named otherwise
        old.unlink()
    pages = file_names([supplier.name for supplier in inventory.suppliers])
    for supplier in inventory.suppliers:
        _write(suppliers / pages[supplier.name], supplier_page(inventory, supplier, contact))
    addresses = {name: f"suppliers/{page}" for name, page in pages.items()}
    for name, form in FORMATS.items():
        text = as_html(inventory, addresses) if name == "html" else form(inventory)
        _write(folder / f"inventory.{name}", text)
    for line in terminal_lines(inventory, folder):
        print(line)


class _Names:
    """Organisations of the register that the last run has read, and of the value lists."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._today = datetime.now(AMSTERDAM).date()
        self._problem: RegisterError | None = None
        """Why the register cannot be read, until that was reported."""

    def __call__(self, identifier: str) -> str | None:
        """Return the name of an organisation; None, with a line on stderr, if it cannot be looked up."""
        from woo_harvester.register.names import shown_name

        name = shown_name(identifier, self._register, self._listed)
        if name is None and self._problem is not None:
            write_stderr(
                f"{program()} inventory: names that only the register has are left out: {self._problem}"
            )
            self._problem = None
        return name

    def identifier(self, given: str) -> str | None:
        """Return the identifier of a name, TOOI URI or systeemId, or None. Raises ValueError."""
        found = self._register.find(given) if self._register is not None else None
        if found is not None:
            return found.identifier
        concept = self._listed.by_label(given)
        return concept.uri if concept is not None else None

    @cached_property
    def _listed(self) -> ValueList:
        return known_lists(data_dir(self._settings), self._today).value_lists().organisaties

    @cached_property
    def _register(self) -> Register | None:
        from woo_harvester.register import RegisterError
        from woo_harvester.register.stored_copy import read_stored

        source, folder = self._settings["WOO_REGISTER"], data_dir(self._settings)
        try:
            return read_stored(source, folder, Reporter(lambda finding: None), self._today)
        except RegisterError as error:
            self._problem = error
            return None


def _write(path: Path, text: str) -> None:
    """Write a file as it is, without changing line ends; CSV gets a byte order mark, for spreadsheets."""
    encoding = "utf-8-sig" if path.suffix.lower() == ".csv" else "utf-8"
    replace_file(path, text.encode(encoding))


def _day(text: str | None, name: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(
            f"--{name}: expected a date such as 2026-04-01, got {text}", print_help=False
        ) from None
