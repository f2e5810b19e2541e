"""Reads the files of a host from disk as a harvest reads the host: robots.txt, indexes, sitemaps, documents.

Files without a robots.txt are read in the same way: all of them count, and none is forbidden.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from woo_harvester.audit.documents import AuditTerms, DocumentAudit
from woo_harvester.audit.local_files import (
    FileEntries,
    FolderFiles,
    alike,
    chunks_of,
    folders_of,
    found_kind,
    is_sitemap_name,
    shown,
)
from woo_harvester.findings import Finding, Reporter
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.file_findings import Area, Index, Sitemap, UrlSelection
from woo_harvester.sitemaps.glance import GLANCES, Glance, glance, likely_sitemap
from woo_harvester.sitemaps.reader import Entry, OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.robots import (
    FORBIDDEN,
    ROBOTS_MAXSIZE,
    NameMatch,
    index_name,
    read_robots_lines,
    rules_of,
)
from woo_harvester.sitemaps.xml_stream import SitemapError
from woo_harvester.tooi.lists import category_by_number
from woo_harvester.utils.urls import host_of, last_segment

#: The host of relative addresses, if robots.txt names no host.
_NO_HOST = "robots.txt"


class HostAudit:
    """The audit of the indexes and sitemaps that count as one host, counted in *account*.

    Every host counts as registered: files do not show the register.
    """

    def __init__(self, account: Account, report: Reporter, terms: AuditTerms) -> None:
        self._account = account
        self._report = report
        self._terms = terms
        self._documents = DocumentAudit(account, report, terms, self._is_allowed)
        self._selection = UrlSelection(lambda host: True, Reporter(self._send))
        self._place = ""
        """The robots.txt or index that is being read."""
        self._places: dict[str, str] = {}
        """The files of the indexes that were read, by URL."""

    def _send(self, found: Finding) -> None:
        """Report a finding on a URL as one about the file that is being read, or the one of its URL."""
        self._report(
            found.code,
            seen=found.seen,
            element=found.element,
            action=found.action,
            url=self._places.get(found.url or "", self._place),
            line=found.line,
        )

    def _read_index(self, path: Path, index: Index) -> list[Sitemap]:
        """Return the sitemaps in an index; report what is wrong with it. Raises OSError."""
        self._place = self._places[index.url] = shown(path)
        entries = FileEntries(path, "index", self._terms.index_maxsize, self._report)
        sitemaps = [found for entry in entries if (found := self._select(entry, index)) is not None]
        if entries.is_empty:
            self._note_empty(path)
        if entries.has_others:
            self._selection.with_documents.add(index.url)
        self._selection.report_shared(index)
        return sitemaps

    def _select(self, entry: Entry, index: Index) -> Sitemap | None:
        """Return the sitemap in an entry of an index; None if it is known or may not be requested."""
        return self._selection.sitemap(entry, index)

    def _is_allowed(self, url: str) -> bool:
        """Return whether a URL may be requested: any may, if there is no robots.txt."""
        return True

    def _read_documents(self, path: Path, number: int | None) -> None:
        """Read a sitemap; *number* is that of its category. Raises OSError."""
        category = category_by_number(number, self._terms.lists.informatiecategorieen)
        if self._documents.read(path, category):
            self._note_empty(path)

    def _note_empty(self, path: Path) -> None:
        self._places[shown(path)] = shown(path)
        self._selection.note_empty(shown(path))

    def _kind_of(self, path: Path) -> Area | None:
        return found_kind(path, self._terms.index_maxsize)


class SiteAudit(HostAudit):
    """The audit of a robots.txt and of the files that it leads to.

    Without *files*, only the robots.txt was given, and nothing is said of files that are not there.
    """

    def __init__(
        self, robots: Path, files: FolderFiles | None, account: Account, report: Reporter, terms: AuditTerms
    ) -> None:
        super().__init__(account, report, terms)
        self._robots = robots
        self._files = files
        with robots.open("rb") as file:
            body = file.read(ROBOTS_MAXSIZE + 1)
        self._is_too_large = len(body) > ROBOTS_MAXSIZE
        self._body = body[:ROBOTS_MAXSIZE]
        self._rules = rules_of(self._body)
        self._host = _host_named_in(self._body, robots.absolute().parent.name)
        self._unread: list[Path] = []
        """Files that are named and not read."""

    def read(self) -> None:
        """Read the robots.txt, and what can be reached from it as far as it is on disk. Raises OSError."""
        sitemaps: deque[Sitemap] = deque()
        for index in self._read_robots():
            if (path := self._find(index.url, self._account.count_index)) is not None:
                sitemaps.extend(self._read_index(path, index))
        sitemaps.extend(self._selection.nested())
        while sitemaps:
            sitemap = sitemaps.popleft()
            if (path := self._find(sitemap.url, self._account.count_sitemap)) is not None:
                self._read_documents(path, sitemap.index.name.number)
        self._selection.report_empty()
        if self._files is not None:
            self._look_into_others(self._files)
            self._report_left(self._files)
        self._account.complete = self._report.error is None and "files" not in self._account.not_judged

    def _read_robots(self) -> list[Index]:
        """Return the indexes that a harvest requests; report what is wrong with the robots.txt."""
        self._place = shown(self._robots)
        self._selection.looks = self._files is not None
        indexes = list(self._selection.indexes(self._body, f"https://{self._host}/robots.txt"))
        if self._is_too_large:
            self._report("robots.te-groot", url=self._place, action="gelezen tot 500 KiB")
        if not self._selection.names_index:
            self._report("robots.geen-diwoo-index", url=self._place)
        return indexes

    def _find(self, url: str, count: Callable[[str], None]) -> Path | None:
        """Return the file of a URL, and count it; report it if a harvest may not request the URL.

        A file that is not in the folder may be on the host: it is not judged, and does not count.
        """
        path = None if self._files is None else self._files.take(url)
        if not self._is_allowed(url):
            count(url)
            self._report("robots.verboden", url=url, seen=FORBIDDEN)
            if path is not None:
                self._unread.append(path)
            return None
        if path is not None:
            count(url)
            return path
        self._account.leave_unjudged("files")
        if self._files is not None:
            self._report("bestand.ontbreekt", url=url, action="niet beoordeeld")
        return None

    def _is_allowed(self, url: str) -> bool:
        """Return whether the robots.txt allows a request; the rules of other hosts are not in the folder."""
        host = host_of(url)
        if self._host == _NO_HOST and host != _NO_HOST:
            self._host = host
        if host not in (self._host, _NO_HOST):
            self._account.leave_unjudged("other_hosts")
            return True
        return bool(self._rules.can_fetch(url, self._terms.user_agent))

    def _look_into_others(self, files: FolderFiles) -> None:
        """Report the sitemaps in robots.txt that are no index by their names, by what is in their files."""
        self._place = shown(self._robots)
        for line in self._selection.others(GLANCES):
            found = self._glance(line.url, files)
            if sitemaps := self._selection.requestable(found.sitemaps):
                found = self._glance(likely_sitemap(sitemaps), files)
            self._selection.report_other(line, has_documents=found.has_documents)

    def _glance(self, url: str, files: FolderFiles) -> Glance:
        path = files.take(url)
        if path is None:
            return Glance()
        self._unread.append(path)
        return glance(chunks_of(path))

    def _report_left(self, files: FolderFiles) -> None:
        """Report each index and sitemap in the folder that neither robots.txt nor an index names.

        What robots.txt or an index names that is not read has a finding of its own, or is not for the Woo.
        """
        lines = read_robots_lines(self._body, f"https://{self._host}/robots.txt").sitemaps
        self._unread += filter(None, (files.take(line.url) for line in lines))
        kinds = {path: self._kind_of(path) for path in files.left() if is_sitemap_name(path.name)}
        for path in [*self._unread, *(path for path, kind in kinds.items() if kind == "index")]:
            self._leave(path, files)
        for path in files.left():
            if kinds.get(path) is not None:
                self._report("bestand.niet-genoemd", url=shown(path), action="niet gelezen")

    def _leave(self, path: Path, files: FolderFiles) -> None:
        """Note that the sitemaps in an index that is not read are named; one for others is left alone."""
        if self._kind_of(path) != "index":
            return
        if index_name(path.name).match is NameMatch.OTHER:
            files.leave_out(path)
        # What is wrong with a file that is not read is of no use to its publisher.
        for entry in FileEntries(path, "index", self._terms.index_maxsize, Reporter(lambda finding: None)):
            files.take(entry.loc)


class LooseAudit(HostAudit):
    """The audit of indexes and sitemaps without a robots.txt: whatever they list counts.

    A sitemap has the category of the index that lists its name.
    """

    def __init__(self, account: Account, report: Reporter, terms: AuditTerms) -> None:
        super().__init__(account, report, terms)
        self._numbers: dict[str, dict[str, tuple[list[str], int]]] = {}
        """Folders, the innermost first, and category of each sitemap in an index, by its name and its loc."""
        self._names: set[str] = set()
        """File names of the indexes that list no documents."""

    def read(self, files: Sequence[Path], given: Path) -> None:
        """Read *files*, which are those of *given*; without any, nothing was audited. Raises OSError."""
        self._account.leave_unjudged("robots")
        indexes = self._learn(files)
        for path in files:
            name = shown(path.name)
            if path not in indexes:
                self._account.count_sitemap(name)
                self._read_documents(path, self._number_of(path))
            elif index_name(path.name).match is NameMatch.OTHER and path != given:
                self._report("robots.andere-sitemap", url=shown(path), seen=name)
            else:
                self._account.count_index(name)
                if code := _code_of_name(path.name):
                    self._report(code, url=shown(path), seen=name)
                self._read_index(path, Index(shown(path), index_name(path.name)))
        self._selection.report_empty()
        self._account.complete = self._report.error is None if files else None

    def _select(self, entry: Entry, index: Index) -> Sitemap | None:
        if last_segment(entry.loc) in self._names and "?" not in entry.loc:
            self._selection.report_nested(entry, index)
            return None
        return super()._select(entry, index)

    def _learn(self, files: Sequence[Path]) -> set[Path]:
        """Return which files are indexes: by their name, or by their content if no index lists them."""
        by_name = {path for path in files if index_name(path.name).match is NameMatch.INDEX}
        by_content = {path for path in files if path not in by_name and self._kind_of(path) == "index"}
        listed: set[str] = set()
        for path in (*by_name, *by_content):
            listed.update(self._learn_index(path))
        return by_name | {path for path in by_content if listed.isdisjoint(_names_of(path))}

    def _learn_index(self, path: Path) -> set[str]:
        """Return the names of the sitemaps in an index, and note the category that it gives them."""
        listed: set[str] = set()
        number = index_name(path.name).number
        reading = RepairingReader(chunks_of(path), "sitemapindex", self._terms.index_maxsize)
        with suppress(OtherRootError, SitemapError):  # reported when the file itself is read
            for entry in chain.from_iterable(reading):
                name = last_segment(entry.loc)
                listed.add(name)
                if number is not None:  # if several indexes list it, the lowest number counts
                    known = self._numbers.setdefault(name, {})
                    _, before = known.get(entry.loc, ([], number))
                    known[entry.loc] = folders_of(entry.loc), min(before, number)
        if not reading.current.others:
            self._names.add(path.name)
        return listed

    def _number_of(self, path: Path) -> int | None:
        """Return the category that an index gives to a sitemap of this name in the most similar folders."""
        known = next(filter(None, map(self._numbers.get, _names_of(path))), {})
        found = [(alike(path, folders), number) for folders, number in known.values()]
        most = max(found, default=(0, 0))[0]
        numbers = {number for count, number in found if count == most}
        return numbers.pop() if len(numbers) == 1 else None


def _names_of(path: Path) -> tuple[str, str]:
    """Return the names under which an index may list a file: its own, and that of the unpacked file."""
    return path.name, path.name.removesuffix(".gz")


def _code_of_name(name: str) -> str | None:
    """Return the code of what is wrong with the name of an index, or None."""
    found = index_name(name)
    if found.match is NameMatch.UNKNOWN_INFOCAT:
        return "index.infocat-onbekend"
    if found.match is not NameMatch.INDEX:
        return "index.naam"
    return "index.hoofdletters" if found.other_case else None


def _host_named_in(body: bytes, folder: str) -> str:
    """Return the host of a robots.txt: the name of its folder if it names that, else what it names most."""
    hosts: Counter[str] = Counter()
    for line in read_robots_lines(body, f"https://{_NO_HOST}/robots.txt").sitemaps:
        if not line.relative:
            try:
                hosts[host_of(line.url)] += 1
            except ValueError:  # a finding of its own
                continue
    if folder.lower() in hosts:
        return folder.lower()
    return max(hosts, key=hosts.__getitem__, default=_NO_HOST)
