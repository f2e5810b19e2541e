"""``scrapy inventory``: lists the errors in permits over a period, for organisations and their suppliers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand, one_of
from woo_harvester.utils.atomic import replace_file
from woo_harvester.utils.dates import AMSTERDAM
from woo_harvester.utils.inputs import check_regular
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

#: The default length of the period, in days.
_PERIOD = 30


class InventoryCommand(ProjectCommand):
    """Makes the inventory of errors from the reports of runs.

    It writes a page for each supplier and a CSV of all errors to a folder beside the reports.
    """

    name = "inventory"
    arguments = "[options]"
    summary = "List the errors in permits over a period, by organisation and by supplier"
    exit_statuses: ClassVar[Mapping[int, str]] = {
        0: "the inventory is written, whatever it says",
        1: "the reports cannot be read, or the period has no run",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--from", dest="first", metavar="DATE", help=f"default: {_PERIOD} days ago")
        parser.add_argument("--until", dest="last", metavar="DATE", help="default: today")
        parser.add_argument(
            "--suppliers",
            metavar="FILE",
            help="the supplier of each organisation, as CSV with the columns organisatie,leverancier; "
            "default: the host of the entry",
        )
        parser.add_argument("--lang", type=one_of("nl", "en"), help="language (default: nl)")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the inventory."""
        from woo_harvester.permits import inventory
        from woo_harvester.report.run_folder import ReportsFolder, slug

        if args:
            raise UsageError(f"it takes no arguments, got {' '.join(args)}", print_help=False)
        last = _day(opts.last, "until") or datetime.now(AMSTERDAM).date()
        first = _day(opts.first, "from") or last - timedelta(days=_PERIOD)
        if first > last:
            raise UsageError(f"expected a period, got --from {first} --until {last}", print_help=False)
        given: dict[str, str] = {}
        try:
            if opts.suppliers:
                check_regular(path := Path(opts.suppliers))
                given = inventory.read_suppliers(path.read_bytes())
        except (OSError, ValueError) as error:
            self.refuse(f"--suppliers: {opts.suppliers}: {getattr(error, 'strerror', None) or error}")
        settings = cast("Settings", self.settings)
        reports, lang = Path(settings["WOO_REPORT_DIR"]), opts.lang or settings["WOO_REPORT_LANG"]
        try:
            found = inventory.read_inventory(ReportsFolder(reports), first, last, given, lang)
            if not found.runs:
                self.fail(f"no run of vergunningen from {first} to {last} in {reports}: nothing was judged")
                return
            folder = reports / f"inventory-{first}-{last}"
            (folder / "suppliers").mkdir(parents=True, exist_ok=True)
            for old in (folder / "suppliers").glob("*.html"):  # of suppliers that were named otherwise
                old.unlink()
            for number, name in enumerate(found.suppliers(), start=1):
                text = inventory.supplier_page(found, name, settings["WOO_CONTACT"])
                replace_file(folder / "suppliers" / f"{number}-{slug(name[:80])}.html", text.encode())
            # Spreadsheets need the byte order mark.
            replace_file(folder / "inventory.csv", inventory.as_csv(found).encode("utf-8-sig"))
        except inventory.ReportError as error:
            self.fail(str(error))
            return
        except OSError as error:
            self.fail_at(error, "output")
            return
        found_here = counted(len(found.cases), "error"), counted(len(found.suppliers()), "supplier")
        print(f"{' of '.join(found_here)} in {counted(found.runs, 'run')}: {folder}")


def _day(text: str | None, name: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(
            f"--{name}: expected a date such as 2026-04-01, got {text}", print_help=False
        ) from None
