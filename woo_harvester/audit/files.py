"""Reads robots.txt, indexes, sitemaps and permit messages from disk, with the core of a harvest, offline.

What only a server or the register knows is not judged: whether a document can be fetched, whose it is, and
its type if neither its ``format`` nor its extension names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from woo_harvester.audit.documents import DocumentAudit
from woo_harvester.audit.folder_files import FolderFiles
from woo_harvester.audit.index_files import IndexFiles
from woo_harvester.audit.local_file import shown
from woo_harvester.audit.message_files import GivenMessages
from woo_harvester.audit.messages import MessageAudit
from woo_harvester.audit.site import ROBOTS, SiteAudit, is_sitemap_name
from woo_harvester.audit.terms import AuditTerms
from woo_harvester.findings import Reporter
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import Account

#: What files on disk cannot show of a host with sitemaps, and of one with permits.
_UNJUDGED = ("register", "connection", "documents", "withdrawal")
_UNJUDGED_OF_PERMITS = ("register", "entry_page", "fetching", "earlier_messages")


class FileAudit:
    """Reads files, reports findings with *report* and counts documents in *accounts*.

    A folder with a robots.txt counts as a host, under its path. So does each file or folder that is given,
    with all files in it that are in no such folder. The permit messages of a folder count as one host,
    whether the folder is given or they are.
    """

    def __init__(self, report: Reporter, accounts: Accounts, terms: AuditTerms) -> None:
        self._report = report
        self._accounts = accounts
        self._terms = terms

    def read(self, given: Sequence[Path]) -> None:
        """Read files, and all that is in folders. Raises OSError."""
        messages = GivenMessages(given, self._terms.index_maxsize)
        for path in given:
            if (rest := messages.others(path)) is not None:
                self._read_others(path, rest)
        for name, files in messages.groups().items():
            self._read_messages(shown(name), files)

    def _read_others(self, given: Path, files: Sequence[Path]) -> None:
        """Read the *files* of *given* that are no permit messages."""
        if _is_robots(given):
            self._read_site(given, None)
            return
        sites = _sites(files)
        for robots in sites:
            inside = [path for path in files if robots.parent in path.parents and path != robots]
            self._read_site(robots, FolderFiles(robots.parent, inside))
            files = [path for path in files if robots.parent not in path.parents]
        loose = [path for path in files if is_sitemap_name(path.name) or path == given]
        if loose or not sites:
            self._read_loose(given, loose)

    def _read_messages(self, name: str, messages: Sequence[Path]) -> None:
        """Read permit messages that count under one name; sitemaps of the same folder have that name too."""
        is_used = any(account.host == name for account in self._accounts)
        account = self._accounts.of_permits(f"{name} (vergunningen)" if is_used else name)
        account.visited = True
        for subject in _UNJUDGED_OF_PERMITS:
            account.leave_unjudged(subject)
        report = self._report.about(host=account.host, sitemap=name)
        MessageAudit(account, report, self._terms).read(messages)
        account.complete = True

    def _read_site(self, robots: Path, files: FolderFiles | None) -> None:
        """Read a robots.txt, and the files in its folder."""
        name = robots if files is None else robots.parent
        account, report = self._begin(name)
        SiteAudit(robots, files, account, report, self._terms).read()

    def _read_loose(self, given: Path, files: Sequence[Path]) -> None:
        """Read files without a robots.txt: all that they list counts. Without files, nothing was audited."""
        account, report = self._begin(given)
        account.leave_unjudged("robots")
        terms = self._terms
        indexes = IndexFiles(account, report, terms.index_maxsize)
        documents = DocumentAudit(account, report, terms, lambda loc: True)
        indexes.learn(files)
        for path in files:
            if indexes.is_index(path):
                indexes.read_index(path, is_given=path == given)
            else:
                account.count_sitemap(shown(path.name))
                documents.read(path, indexes.category_of(path, terms.lists.informatiecategorieen))
        account.complete = report.error is None if files else None

    def _begin(self, given: Path) -> tuple[Account, Reporter]:
        """Return the account of a file or folder, and its reporter."""
        account = self._accounts.of(shown(given))
        account.visited = True
        for subject in _UNJUDGED:
            account.leave_unjudged(subject)
        return account, self._report.about(host=account.host)


def _sites(files: Iterable[Path]) -> list[Path]:
    """Return each robots.txt that is that of a host: those in no folder of another one."""
    found = sorted((path for path in files if _is_robots(path)), key=lambda path: (len(path.parts), path))
    sites: list[Path] = []
    for robots in found:
        if not any(site.parent in robots.parents for site in sites):
            sites.append(robots)
    return sites


def _is_robots(path: Path) -> bool:
    return path.name.lower() == ROBOTS and path.is_file()
