"""Reads robots.txt, indexes and sitemaps from disk, with the same core as a harvest and without network.

What only a server or the register knows is left open: whether a document can be fetched, whose it is, and its
type if neither its ``format`` nor its extension names one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from woo_harvester.audit.index_files import IndexFiles
from woo_harvester.audit.local_file import entries_of, shown
from woo_harvester.audit.schema import schema_faults
from woo_harvester.dates import to_microseconds
from woo_harvester.diwoo.defaults import fill_in
from woo_harvester.diwoo.filetype import claims_of_type, decide_filetype
from woo_harvester.diwoo.given_metadata import metadata_of
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.findings import Reporter
from woo_harvester.formats import FormatClaim, from_extension
from woo_harvester.record import Herkomst
from woo_harvester.report.funnel import Account, Accounts
from woo_harvester.sitemaps.decide import decide, find_loc_problem
from woo_harvester.sitemaps.decision import NewVersion, Terms
from woo_harvester.sitemaps.facts import NO_MATCH, EntryFacts, OtherEntry
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.tooi import ValueLists
from woo_harvester.tooi.values import Concept

#: Files in a folder that are read as a sitemap or an index.
_SUFFIXES = (".xml", ".xml.gz")
_ROBOTS = "robots.txt"


class FileAudit:
    """Reads files, reports findings with *report* and counts documents in *accounts*.

    Each file or folder that is given counts as a host, under the name by which it was given. *maxsize* is the
    largest size of a sitemap in bytes, after decompression. *lists* are the value lists for the metadata.
    """

    def __init__(self, report: Reporter, accounts: Accounts, maxsize: int, lists: ValueLists) -> None:
        self._report = report
        self._accounts = accounts
        self._maxsize = maxsize
        self._lists = lists

    def read(self, given: Path) -> None:
        """Read one file, or all that is in a folder. Raises OSError."""
        account = self._accounts.of(shown(given))
        account.visited = account.offline = True
        report = self._report.about(host=account.host)
        indexes = IndexFiles(account, report, self._maxsize)
        audit = _Given(given, account, report, self._maxsize, self._lists, indexes)
        files = list(files_of(given))
        indexes.learn(path for path in files if path.name.lower() != _ROBOTS)
        for path in files:
            audit.read(path)
        account.complete = report.error is None


def files_of(given: Path) -> Iterator[Path]:
    """Yield the file itself, or the files under a folder in alphabetical order. Raises OSError."""
    if not given.is_dir():
        yield given
        return
    for path in sorted(given.rglob("*")):
        if path.is_file() and (path.name.lower().endswith(_SUFFIXES) or path.name.lower() == _ROBOTS):
            yield path


@dataclass
class _Given:
    """The audit of one file or folder that was given."""

    given: Path
    account: Account
    report: Reporter
    """Reports findings about files; after an error, the host was not read completely."""
    maxsize: int
    lists: ValueLists
    indexes: IndexFiles
    locs: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    """File and lastmod of the entries that would be harvested, by loc."""

    def read(self, path: Path) -> None:
        """Read a file by its kind: robots.txt, index or sitemap."""
        if path.name.lower() == _ROBOTS:
            self.indexes.read_robots(path)
            return
        if self.indexes.is_index(path):
            self.indexes.read_index(path, is_given=path == self.given)
        else:
            self._read_sitemap(path)

    def _read_sitemap(self, path: Path) -> None:
        self.account.count_sitemap(shown(path.name))
        category = self.indexes.category_of(path, self.lists.informatiecategorieen)
        for entry in entries_of(path, "sitemap", self.maxsize, self.report):
            self.account.count_entries(1, 0)
            report = self.report.about(url=entry.loc, sitemap=shown(path), line=entry.line)
            version = self._decide(entry, shown(path), report)
            if version is not None:
                self._read_document(entry, version, report, category)

    def _decide(self, entry: Entry, file: str, report: Reporter) -> NewVersion | None:
        """Decide on an entry of which nothing is known but the entries before it; report what is wrong."""
        now = datetime.now(UTC).replace(microsecond=0)
        first = self.locs.get(entry.loc)
        others = [OtherEntry(0, 0, first[0], None, first[1], int(now.timestamp()), 0)] if first else []
        facts = EntryFacts(
            entry,
            loc_problem=find_loc_problem(entry.loc),
            is_listed=first is not None,
            is_expected=first is not None,
            others=others,
        )
        decision = decide(facts, Terms(), now)
        for one in decision.findings:
            report(one.code, element=one.element, seen=one.seen, action=one.action)
        if (version := decision.version) is not None:
            self.locs[entry.loc] = file, None if version.lastmod is None else to_microseconds(version.lastmod)
        return version

    def _read_document(
        self, entry: Entry, version: NewVersion, report: Reporter, category: Concept | None
    ) -> None:
        """Do what the pipelines do with an entry, as far as it can be done without a request."""
        given = metadata_of(entry)
        record = version.record(entry.loc, Herkomst(bevindingen=report.codes))
        map_metadata(given, record, self.lists, report, version.at)
        fill_in(record, NO_MATCH, category, self.lists.organisaties, report)
        self._check_schema(entry, report)
        says_nothing = given.format is None and from_extension(entry.loc) == FormatClaim()
        if (
            says_nothing
            or decide_filetype(claims_of_type(given.format, None, entry.loc, None), report) is not None
        ):
            self.account.count_record(record)

    def _check_schema(self, entry: Entry, report: Reporter) -> None:
        for fault in schema_faults(entry.document, entry.outside):
            report("metadata.schema", element=fault.path, seen=fault.message, line=fault.line)
