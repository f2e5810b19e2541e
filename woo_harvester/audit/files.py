"""Reads robots.txt, indexes and sitemaps from disk, with the same core as a harvest and without network.

What only a server or the register knows is left open: whether a document can be fetched, whose it is, and its
type if neither its ``format`` nor its extension names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from woo_harvester.audit.schema import schema_faults
from woo_harvester.dates import day_of
from woo_harvester.diwoo.defaults import fill_in
from woo_harvester.diwoo.filetype import claims_of_type, decide_filetype
from woo_harvester.diwoo.given_metadata import read_metadata
from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.findings import Reporter
from woo_harvester.formats import FormatClaim, from_extension
from woo_harvester.record import Herkomst
from woo_harvester.report.funnel import Account, Accounts
from woo_harvester.sitemaps.decide import decide, find_loc_problem
from woo_harvester.sitemaps.decision import NewVersion, Terms
from woo_harvester.sitemaps.decompress import CHUNK_SIZE
from woo_harvester.sitemaps.facts import NO_MATCH, EntryFacts
from woo_harvester.sitemaps.file_findings import Area, describe_root, file_findings, read_error_code
from woo_harvester.sitemaps.names import NameMatch, index_name
from woo_harvester.sitemaps.reader import Entry, OtherRootError, SitemapError, SitemapReader
from woo_harvester.sitemaps.robots import ROBOTS_MAXSIZE, SitemapLine, sitemap_lines
from woo_harvester.sitemaps.url_selection import NOT_READ
from woo_harvester.tooi import category_of_index
from woo_harvester.tooi.values import Concept
from woo_harvester.urls import last_segment, loc_problem

#: Files in a folder that are read as a sitemap or an index.
_SUFFIXES = (".xml", ".xml.gz")
_ROBOTS = "robots.txt"


class FileAudit:
    """Reads files, reports findings with *report* and counts documents in *accounts*.

    Each file or folder that is given counts as a host, under the name by which it was given. *maxsize* is the
    largest size of a sitemap in bytes, after decompression.
    """

    def __init__(self, report: Reporter, accounts: Accounts, maxsize: int) -> None:
        self._report = report
        self._accounts = accounts
        self._maxsize = maxsize

    def read(self, given: Path) -> None:
        """Read one file, or all that is in a folder. Raises OSError."""
        account = self._accounts.of(_shown(given))
        account.visited = account.offline = True
        audit = _Given(given, account, self._report.about(host=account.host), self._maxsize)
        files = list(files_of(given))
        for path in files:
            audit.learn_categories(path)
        for path in files:
            audit.read(path)
        account.complete = audit.report.error is None


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
    numbers: dict[str, list[tuple[list[str], int]]] = field(default_factory=dict)
    """Folders, the innermost first, and informatiecategorie of each sitemap in an index, by its name."""
    locs: set[str] = field(default_factory=set)
    """Locs of the entries that would be harvested."""

    def learn_categories(self, path: Path) -> None:
        """Note which category an index by the naming convention gives to its sitemaps."""
        number = index_name(path.name).number
        if number is not None and _root_of(path) == "sitemapindex":
            with _chunks(path) as chunks, suppress(SitemapError):  # reported when the file itself is read
                for entry in chain.from_iterable(SitemapReader(chunks, "sitemapindex", self.maxsize)):
                    address = re.split("[?#]", entry.loc, maxsplit=1)[0].partition("://")[2]
                    found = unquote(address).split("/")[-2::-1], number
                    self.numbers.setdefault(last_segment(entry.loc), []).append(found)

    def _category_of(self, path: Path) -> Concept | None:
        """Return the category that an index gives to a sitemap of this name in the most similar folders."""
        known = self.numbers.get(path.name) or self.numbers.get(path.name.removesuffix(".gz")) or []
        folders = list(path.parts[-2::-1])
        alike = [(_alike(folders, each), number) for each, number in known]
        most = max(alike, default=(0, 0))[0]
        numbers = {number for count, number in alike if count == most}
        return category_of_index(numbers.pop()) if len(numbers) == 1 else None

    def read(self, path: Path) -> None:
        """Read a file by its kind: robots.txt, index or sitemap."""
        if path.name.lower() == _ROBOTS:
            self._read_robots(path)
            return
        match _root_of(path):
            case "sitemapindex":
                self._read_index(path)
            case "" if index_name(path.name).match is NameMatch.INDEX:
                self._read_index(path)
            case "urlset" | "":
                self._read_sitemap(path)
            case root:
                self.account.count_sitemap(_shown(path.name))
                with _chunks(path) as chunks:
                    seen = describe_root(root, chunks, self.maxsize)
                self.report("sitemap.wortelelement", url=_shown(path), seen=seen, action=NOT_READ)

    def _read_robots(self, path: Path) -> None:
        body = path.read_bytes()
        if len(body) > ROBOTS_MAXSIZE:
            self.report("robots.te-groot", url=_shown(path), action="gelezen tot 500 KiB")
        lines = list(sitemap_lines(body[:ROBOTS_MAXSIZE], "https://robots.txt/robots.txt"))
        for line in lines:
            for code in _codes_of_line(line):
                self.report(code, url=_shown(path), line=line.line, seen=line.given)
        if not any(index_name(line.url).match is NameMatch.INDEX for line in lines):
            self.report("robots.geen-diwoo-index", url=_shown(path))

    def _read_index(self, path: Path) -> None:
        if index_name(path.name).match is NameMatch.OTHER and path != self.given:
            self.report("robots.andere-sitemap", url=_shown(path), seen=_shown(path.name))
            return
        self.account.count_index(_shown(path.name))
        for code in _codes_of_name(path.name):
            self.report(code, url=_shown(path), seen=_shown(path.name))
        for entry in self._entries(path, "sitemapindex"):
            if problem := find_loc_problem(entry.loc):
                self.report(
                    problem, url=_shown(path), line=entry.line, element="sitemap/loc", seen=entry.loc or None
                )

    def _read_sitemap(self, path: Path) -> None:
        self.account.count_sitemap(_shown(path.name))
        if index_name(path.name).match is NameMatch.INDEX:
            self.report("index.is-urlset", url=_shown(path), seen="<urlset>")
        category = self._category_of(path)
        for entry in self._entries(path, "urlset"):
            self.account.count_entries(1, 0)
            report = self.report.about(url=entry.loc, sitemap=_shown(path), line=entry.line)
            version = self._decide(entry, report)
            if version is not None:
                self._read_document(entry, version, report, category)

    def _decide(self, entry: Entry, report: Reporter) -> NewVersion | None:
        """Decide on an entry of which nothing is known but the entries before it; report what is wrong."""
        is_repeated = entry.loc in self.locs
        facts = EntryFacts(
            entry,
            loc_problem=find_loc_problem(entry.loc),
            is_listed=is_repeated,
            is_expected=is_repeated,
        )
        decision = decide(facts, Terms(), datetime.now(UTC).replace(microsecond=0))
        for one in decision.findings:
            report(one.code, element=one.element, seen=one.seen, action=one.action)
        if decision.version is not None:
            self.locs.add(entry.loc)
        return decision.version

    def _read_document(
        self, entry: Entry, version: NewVersion, report: Reporter, category: Concept | None
    ) -> None:
        """Do what the pipelines do with an entry, as far as it can be done without a request."""
        given = read_metadata(entry.document)
        record = version.record(entry.loc, Herkomst(bevindingen=report.codes))
        map_metadata(given, record, report, day_of(version.at))
        fill_in(record, NO_MATCH, category, report)
        self._check_schema(entry, report)
        says_nothing = given.format is None and from_extension(entry.loc) == FormatClaim()
        if (
            says_nothing
            or decide_filetype(claims_of_type(given.format, None, entry.loc, None), report) is not None
        ):
            self.account.count_record(record)

    def _check_schema(self, entry: Entry, report: Reporter) -> None:
        if entry.document is None:
            return
        for fault in schema_faults(entry.document):
            report("metadata.schema", element=fault.path, seen=fault.message, line=fault.line)

    def _entries(self, path: Path, kind: Literal["urlset", "sitemapindex"]) -> Iterator[Entry]:
        """Yield the entries of a file as far as it can be read; report what is wrong with it as a whole."""
        area: Area = "index" if kind == "sitemapindex" else "sitemap"
        with _chunks(path) as chunks:
            reader = SitemapReader(chunks, kind, self.maxsize)
            try:
                for batch in reader:
                    yield from batch
            except SitemapError as error:
                self.report(
                    read_error_code(area, error.reason), url=_shown(path), line=error.line, seen=error.seen
                )
        for code, seen in file_findings(area, reader.entries, reader.size, reader.namespace):
            self.report(code, url=_shown(path), seen=seen)
        if reader.complete and not reader.entries:
            self.report("sitemap.leeg", url=_shown(path))


def _root_of(path: Path) -> str:
    """Return the name of a file's root element; empty if it cannot be read."""
    with _chunks(path) as chunks:
        reader = SitemapReader(chunks, "urlset", CHUNK_SIZE)
        try:
            next(iter(reader), None)
        except OtherRootError as error:
            return error.root
        except SitemapError:
            return "" if reader.namespace is None else "urlset"
    return "urlset"


def _alike(one: list[str], other: list[str]) -> int:
    """Return how many folders are the same, from the innermost on."""
    return sum(1 for _ in takewhile(bool, map(str.__eq__, one, other)))


def _shown(path: Path | str) -> str:
    """Return a path or name as text; bytes that are not UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()


def _codes_of_name(name: str) -> Iterator[str]:
    """Yield the codes of what is wrong with the name of an index."""
    found = index_name(name)
    if found.match is NameMatch.UNKNOWN_INFOCAT:
        yield "index.infocat-onbekend"
    elif found.match is not NameMatch.INDEX:
        yield "index.naam"
    elif found.other_case:
        yield "index.hoofdletters"


def _codes_of_line(line: SitemapLine) -> Iterator[str]:
    """Yield the codes of what is wrong with a ``Sitemap:`` line."""
    if index_name(line.url).match is NameMatch.OTHER:
        yield "robots.andere-sitemap"
        return
    yield from _codes_of_name(line.url)
    if line.relative:
        yield "robots.sitemap-relatief"
    elif problem := loc_problem(line.url):
        yield "index.geen-https" if problem == "loc.geen-https" else problem


@contextmanager
def _chunks(path: Path) -> Iterator[Iterator[bytes]]:
    with path.open("rb") as file:
        yield iter(partial(file.read, CHUNK_SIZE), b"")
