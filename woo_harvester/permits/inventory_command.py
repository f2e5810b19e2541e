"""The options of ``scrapy inventory``, and what it says at the end."""

from __future__ import annotations

import argparse
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.utils.dates import AMSTERDAM
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from scrapy.settings import Settings


class InventoryCommand(ProjectCommand):
    """Writes a page for each supplier, and a CSV of all errors, from the reports of runs."""

    name = "inventory"
    summary = "List the errors in permits over a period, by organisation and by supplier"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--from", dest="first", metavar="DATE", type=_day, help="default: 30 days ago")
        parser.add_argument("--until", dest="last", metavar="DATE", type=_day, help="default: today")
        suppliers = "the supplier of each organisation, as CSV with the columns organisatie,leverancier; "
        parser.add_argument("--suppliers", metavar="FILE", help=f"{suppliers}default: the host of the entry")
        parser.add_argument("--lang", choices=("nl", "en"), help="language (default: nl)")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the inventory."""
        from woo_harvester.permits import inventory
        from woo_harvester.report.run_folder import ReportsFolder

        if args:
            raise UsageError(f"it takes no arguments, got {' '.join(args)}", print_help=False)
        last = opts.last or datetime.now(AMSTERDAM).date()
        first = opts.first or last - timedelta(days=30)
        try:
            suppliers = inventory.read_suppliers(Path(opts.suppliers)) if opts.suppliers else {}
        except (OSError, ValueError) as error:
            self.refuse(f"--suppliers: {opts.suppliers}: {getattr(error, 'strerror', None) or error}")
        settings = cast("Settings", self.settings)
        reports, lang = Path(settings["WOO_REPORT_DIR"]), opts.lang or settings["WOO_REPORT_LANG"]
        try:
            found = inventory.read_inventory(ReportsFolder(reports), first, last, suppliers, lang)
            folder = inventory.write(found, reports, settings["WOO_CONTACT"])
        except ValueError as error:
            self.fail(str(error))
        except OSError as error:
            self.fail_at(error, "output")
        else:
            what = counted(len(found.cases), "error"), counted(len(found.suppliers()), "supplier")
            print(f"{' of '.join(what)} in {counted(found.runs, 'run')}: {folder}")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date such as 2026-04-01, got {text}") from None
