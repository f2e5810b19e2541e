"""Reads a folder with a robots.txt as a harvest reads a host: robots.txt, indexes, sitemaps, documents."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

from woo_harvester.audit.documents import DocumentAudit
from woo_harvester.audit.file_selection import FileSelection
from woo_harvester.audit.folder_files import FolderFiles
from woo_harvester.audit.local_file import FileEntries, found_kind, shown
from woo_harvester.audit.terms import AuditTerms
from woo_harvester.findings import Reporter
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.file_findings import Area, Index, Sitemap
from woo_harvester.sitemaps.robots import (
    FORBIDDEN,
    ROBOTS_MAXSIZE,
    NameMatch,
    index_name,
    read_robots_lines,
    rules_of,
)
from woo_harvester.tooi.lists import category_by_number
from woo_harvester.utils.urls import host_of

#: The name of a robots.txt, in small letters.
ROBOTS = "robots.txt"

#: The host of relative addresses, if robots.txt names no host.
_NO_HOST = "robots.txt"


class SiteAudit:
    """The audit of a robots.txt and of the files that it leads to.

    Without *files*, only the robots.txt was given, and nothing is said of files that are not there.
    """

    def __init__(
        self,
        robots: Path,
        files: FolderFiles | None,
        account: Account,
        report: Reporter,
        terms: AuditTerms,
    ) -> None:
        self._robots = robots
        self._files = files
        self._account = account
        self._report = report
        self._terms = terms
        with robots.open("rb") as file:
            body = file.read(ROBOTS_MAXSIZE + 1)
        self._is_too_large = len(body) > ROBOTS_MAXSIZE
        self._body = body[:ROBOTS_MAXSIZE]
        self._rules = rules_of(self._body)
        self._host = _host_named_in(self._body, robots.absolute().parent.name)
        self._selection = FileSelection(report)
        self._unread: list[Path] = []
        """Files that are named and not read."""
        self._documents = DocumentAudit(account, report, terms, self._is_allowed)

    def read(self) -> None:
        """Read the robots.txt, and what can be reached from it as far as it is on disk. Raises OSError."""
        indexes = self._read_robots()
        sitemaps: deque[Sitemap] = deque()
        for index in indexes:
            self._read_index(index, sitemaps)
        sitemaps.extend(self._selection.nested())
        while sitemaps:
            self._read_sitemap(sitemaps.popleft())
        if self._files is not None:
            self._report_left(self._files)
        self._account.complete = self._report.error is None and "files" not in self._account.not_judged

    def _read_robots(self) -> list[Index]:
        """Return the indexes that a harvest requests; report what is wrong with the robots.txt."""
        place = self._selection.place = shown(self._robots)
        indexes = list(self._selection.indexes(self._body, f"https://{self._host}/robots.txt"))
        if self._is_too_large:
            self._report("robots.te-groot", url=place, action="gelezen tot 500 KiB")
        if not self._selection.names_index:
            self._report("robots.geen-diwoo-index", url=place)
        return indexes

    def _read_index(self, index: Index, sitemaps: deque[Sitemap]) -> None:
        path = self._find(index.url, self._account.count_index)
        if path is None:
            return
        self._selection.place = self._selection.places[index.url] = shown(path)
        entries = FileEntries(path, "index", self._terms.index_maxsize, self._report)
        sitemaps.extend(filter(None, (self._selection.sitemap(entry, index) for entry in entries)))
        if entries.has_others:
            self._selection.with_documents.add(index.url)
        self._selection.report_shared(index)

    def _read_sitemap(self, sitemap: Sitemap) -> None:
        path = self._find(sitemap.url, self._account.count_sitemap)
        if path is not None:
            categories = self._terms.lists.informatiecategorieen
            self._documents.read(path, category_by_number(sitemap.index.name.number, categories))

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

    def _kind_of(self, path: Path) -> Area | None:
        return found_kind(path, self._terms.index_maxsize)


def is_sitemap_name(name: str) -> bool:
    """Return whether a file name is that of an index or a sitemap; a query may follow it."""
    return name.lower().partition("?")[0].endswith((".xml", ".xml.gz"))


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
