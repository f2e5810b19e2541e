"""``scrapy tooi``: shows the value lists, and fetches newer ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, ClassVar, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.paths import data_dir
from woo_harvester.running.streams import write_stderr
from woo_harvester.tooi.list_files import ListsError
from woo_harvester.tooi.lists import MAX_AGE, NAMES
from woo_harvester.tooi.public import ListFetcher
from woo_harvester.tooi.stored import FILE, KnownLists, Update, compare, known_lists, store_lists
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.fetch import TrustError
from woo_harvester.utils.program import program, suggestion

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

_UPDATE = "update"
_WIDTH = max(map(len, NAMES))


class Command(ProjectCommand):
    """Shows version and age of each value list; with ``update``, fetches newer lists for the next runs.

    Exit status 1 if lists cannot be used, which changes nothing, and 2 for a wrong argument.
    """

    name = "tooi"
    arguments = f"[{_UPDATE}] [options]"
    summary = "Show the value lists of TOOI and their age, or fetch newer ones (update)"
    exit_statuses: ClassVar[Mapping[int, str]] = {
        0: "the lists are shown or fetched",
        1: "a list cannot be fetched or read, and nothing changed",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--from",
            dest="source",
            metavar="URL_OR_FOLDER",
            help="a folder with files as those that ship with the project (default: the site of TOOI)",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments. Raises UsageError."""
        super().process_options(args, opts)
        if args and args != [_UPDATE]:
            raise UsageError(f"unknown action {' '.join(args)}: {suggestion(args[0], [_UPDATE])}")
        if not args and opts.source is not None:
            raise UsageError(f"--from belongs to: {program()} tooi {_UPDATE}")
        if opts.source is not None and not opts.source.strip():
            raise UsageError("--from: expected a URL or a folder, got nothing")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the lists, or update them."""
        settings = cast("Settings", self.settings)
        folder, today = data_dir(settings), day_of(datetime.now(UTC))
        known = known_lists(folder)
        if not args:
            for line in _table(known, today):
                print(line)
            if known.problem is not None:
                self.fail(known.problem)
            return
        if known.problem is not None:
            write_stderr(f"{program()} tooi: warning: {known.problem}; what it had is not compared")
        fetcher = ListFetcher(settings["USER_AGENT"], today, backoff=settings.getfloat("WOO_RETRY_BACKOFF"))
        try:
            given = asyncio.run(fetcher.fetch(opts.source, known.files))
            update = compare(known, given)
            store_lists(folder, update.lists, update.former)
        except (ListsError, TrustError) as error:
            self.fail(f"{error}; nothing was changed")
            return
        except OSError as error:
            self.fail(f"{error.filename or folder}: {error.strerror or error}; nothing was changed")
            return
        for line in _changes(update):
            print(line)
        print(f"The next runs use the lists in {folder / FILE}")


def _table(known: KnownLists, today: date) -> Iterator[str]:
    """Yield the lines of the table of lists."""
    rows = [("list", "version", "published", "checked", "days", "values", "source")]
    old = 0
    for name in NAMES:
        edition = known.files[name].edition
        age = edition.age(today)
        is_old = age > MAX_AGE
        old += is_old
        source = f"{'project' if edition.is_bundled else 'update'}{' (old)' if is_old else ''}"
        checked = str(edition.checked or "-")
        numbers = str(edition.version), str(edition.published), checked, str(age), str(edition.values)
        rows.append((name, *numbers, source))
    for name, version, published, checked, days, values, source in rows:
        yield f"{name:<{_WIDTH}} {version:>7} {published:<10} {checked:<10} {days:>5} {values:>6} {source}"
    yield f"{len(NAMES)} lists, {old} older than a year"


def _changes(update: Update) -> Iterator[str]:
    """Yield the lines that say what an update changed."""
    for change in update.changes:
        before, after = change.before, change.after
        counts = (
            f"{len(change.added)} new, {len(change.removed)} gone, {len(change.renamed)} with another label"
        )
        yield (
            f"{change.name}: version {before.version} ({before.published}) -> "
            f"{after.version} ({after.published}): {counts}"
        )
    for name in update.older:
        yield f"{name}: not used, since version {update.lists[name].edition.version} is newer"
    if not update.changes:
        yield f"{len(NAMES)} lists, none of which has changed"
