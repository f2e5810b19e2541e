"""``scrapy demo``: harvests fictional publishers on this machine, and shows the results."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.utils.program import program, to_install

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class Command(ProjectCommand):
    """Starts the web servers of ``woo_harvester.demo`` and harvests them as in a real run.

    A demo differs from a real run in this: the URL of the register, permission to visit this machine, its
    contact address, and reading the text of documents if the extra "text" is installed. Certificates are
    verified, with a certificate authority that is made for this run. Records and reports are in a folder of
    its own, and its state is removed: each demo shows the same.

    With ``--portal``, it then serves a search page over what it harvested, until it is stopped.

    With the argument ``vergunningen``, it harvests the permits of two municipalities on two days, also as
    GeoJSON, and audits their entry pages.
    """

    name = "demo"
    arguments = "[vergunningen] [options]"
    summary = "Harvest bundled fictional publishers, and show the records and findings"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--documents",
            type=int,
            default=3000,
            metavar="N",
            help="documents of the huge publisher (default: 3000)",
        )
        parser.add_argument(
            "--portal",
            action="store_true",
            help="then serve a search page over the records, as the command portal does",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=8080,
            help="its port, 0 for any that is free (default: 8080)",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show only warnings of the log, unless the command line asks for more."""
        cast("Settings", self.settings).set("LOG_LEVEL", "WARNING", "project")
        super().process_options(args, opts)
        if args not in ([], ["vergunningen"]):
            line = f"{program()} demo takes no arguments but vergunningen, got {' '.join(args)}"
            raise UsageError(line, print_help=False)

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Harvest, and show the results."""
        try:  # these need the extra "demo"
            from woo_harvester.demo.publishers import Demo
            from woo_harvester.permits.demo import PermitDemo, PermitHarvest
            from woo_harvester.permits.mapping import check_conversion
        except ImportError as error:
            raise UsageError(f"the demo needs {error.name}: {to_install('demo')}") from error
        harvest = PermitHarvest(self, opts)
        harvest.check_portal()
        with TemporaryDirectory(prefix="woo-demo-") as folder:
            if args:
                check_conversion()
                with PermitDemo(Path(folder)) as permits:
                    harvest.harvest_permits(permits, Path(folder))
            else:
                with Demo(Path(folder), documents=opts.documents) as demo:
                    harvest.harvest_documents(demo, Path(folder))
