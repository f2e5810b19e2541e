"""``scrapy tooi``: shows the value lists, and fetches newer ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.paths import data_dir
from woo_harvester.running.streams import write_stderr
from woo_harvester.tooi.list_files import Edition, Editions, bundled_editions
from woo_harvester.tooi.lists import MAX_AGE
from woo_harvester.tooi.public import ListFetcher, ListsError
from woo_harvester.tooi.stored import FILE, known_editions, store_editions
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.fetch import TrustError
from woo_harvester.utils.program import program, suggestion

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

_UPDATE = "update"


class Command(ProjectCommand):
    """Shows version and age of each value list; with ``update``, fetches newer lists for the next runs.

    Exit status 1 if lists cannot be used, which changes nothing, and 2 for a wrong argument.
    """

    name = "tooi"
    arguments = f"[{_UPDATE}] [options]"
    summary = "Show the value lists of TOOI and their age, or fetch newer ones (update)"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments. Raises UsageError."""
        super().process_options(args, opts)
        if args and args != [_UPDATE]:
            raise UsageError(f"unknown action {' '.join(args)}: {suggestion(args[0], [_UPDATE])}")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the lists, or update them."""
        settings = cast("Settings", self.settings)
        folder, today = data_dir(settings), day_of(datetime.now(UTC))
        try:
            known = known_editions(folder)
        except ValueError as error:
            known = bundled_editions()
            if args:
                write_stderr(f"{program()} tooi: warning: {error}; it is replaced")
            else:
                self.fail(str(error))
        if not args:
            for line in _table(known, today):
                print(line)
            return
        fetcher = ListFetcher(settings["USER_AGENT"], today, backoff=settings.getfloat("WOO_RETRY_BACKOFF"))
        try:
            newest = asyncio.run(fetcher.fetch(known))
            store_editions(folder, newest)
        except (ListsError, TrustError) as error:
            self.fail(f"{error}; nothing was changed")
            return
        except OSError as error:
            self.fail(f"{error.filename or folder}: {error.strerror or error}; nothing was changed")
            return
        changed = [name for name in known if newest[name].version != known[name].version]
        for name in changed:
            for line in _changes(name, known[name], newest[name]):
                print(line)
        if not changed:
            print(f"{len(known)} lists, none of which has changed")
        print(f"The next runs use the lists in {folder / FILE}")


def _table(known: Editions, today: date) -> Iterator[str]:
    """Yield the lines of the table of lists."""
    rows = [("list", "version", "published", "checked", "days", "values", "source")]
    ages = {name: edition.age(today) for name, edition in known.items()}
    for name, edition in known.items():
        source = "project" if edition is bundled_editions()[name] else "update"
        if ages[name] > MAX_AGE:
            source += " (old)"
        checked, values = str(edition.checked or "-"), str(len(edition.concepts))
        rows.append(
            (name, str(edition.version), str(edition.published), checked, str(ages[name]), values, source)
        )
    width = max(map(len, known))
    for name, version, published, checked, days, values, source in rows:
        yield f"{name:<{width}} {version:>7} {published:<10} {checked:<10} {days:>5} {values:>6} {source}"
    yield f"{len(known)} lists, {sum(age > MAX_AGE for age in ages.values())} older than a year"


def _changes(name: str, before: Edition, after: Edition) -> Iterator[str]:
    """Yield the lines that say how a list has changed."""
    yield f"{name}: version {before.version} ({before.published}) -> {after.version} ({after.published})"
    for sign, one, other in (("-", before, after), ("+", after, before)):
        for concept in one.concepts:
            if concept not in other.concepts:
                yield f"  {sign} {concept.label} ({concept.uri})"
