"""``scrapy index``: fills a new search index from files of records, and replaces the old index with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.state.latest import RecordsError
from woo_harvester.utils.program import program

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class Command(ProjectCommand):
    """Fills a new index with the latest version of each document in the files, and moves the alias to it.

    Searches use the old index until the new one is complete. Exit status 1 if it failed, and 2 for a wrong
    argument; then the alias has not moved.
    """

    name = "index"
    arguments = "--rebuild FILES [options]"
    summary = "Fill a new search index from files of records, and replace the old index with it"
    description = (
        "Reads JSON Lines (also .gz), fills a new index with the latest version of each document, and "
        "then moves the alias to it: WOO_ELASTICSEARCH_INDEX, or WOO_ELASTICSEARCH_PERMITS_INDEX if the "
        "records are permits. No run may write to the index meanwhile. See docs/search.md."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--rebuild", action="store_true", help="fill a new index from the files")
        parser.add_argument("--keep-old", action="store_true", help="keep the index that was there")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Rebuild the index."""
        settings = cast("Settings", self.settings)
        if not opts.rebuild or not args:
            self.refuse(
                f"expected --rebuild and files of records: {program()} index --rebuild records/woo-*.jsonl"
            )
        if not settings["WOO_ELASTICSEARCH_URL"]:
            self.refuse("WOO_ELASTICSEARCH_URL is not set: expected the URL of Elasticsearch")
        try:
            from woo_harvester.outputs.bulk import SearchError
            from woo_harvester.outputs.indices import rebuild
        except ImportError as error:
            from woo_harvester.outputs.elasticsearch import MISSING

            raise UsageError(f"{MISSING} ({error})") from error
        try:
            done = rebuild(settings, [Path(arg) for arg in args], keep_old=opts.keep_old)
        except (SearchError, RecordsError) as error:
            self.fail(str(error))
            return
        for path in done.truncated:
            sys.stderr.write(f"{program()} index: the last line of {path} is truncated, and left out\n")
        sys.stderr.write(f"{done}\n")
