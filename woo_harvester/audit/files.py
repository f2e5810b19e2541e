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
from woo_harvester.audit.message_files import messages_among
from woo_harvester.audit.messages import MessageAudit
from woo_harvester.audit.site import SiteAudit, is_sitemap_name
from woo_harvester.audit.terms import AuditTerms
from woo_harvester.findings import Reporter
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import Account
from woo_harvester.report.losses import HarvestKind

_ROBOTS = "robots.txt"

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
        self._messages: dict[Path, dict[Path, None]] = {}
        """Permit messages that :meth:`finish` reads, each once, by the folder under whose path they count."""

    def read(self, given: Path) -> None:
        """Read one file, or all that is in a folder, and put permit messages aside. Raises OSError."""
        if _is_robots(given):
            self._read_site(given, None)
            return
        files = _files_of(given)
        if messages := dict.fromkeys(_messages_of(given, files, self._terms)):
            self._messages.setdefault(given if given.is_dir() else given.parent, {}).update(messages)
            files = [path for path in files if path not in messages]
            if not _has_sitemaps(files):
                return
        sites = _sites(files)
        for robots in sites:
            inside = [path for path in files if robots.parent in path.parents and path != robots]
            self._read_site(robots, FolderFiles(robots.parent, inside))
            files = [path for path in files if robots.parent not in path.parents]
        loose = [path for path in files if is_sitemap_name(path.name) or path == given]
        if loose or not sites:
            self._read_loose(given, loose)

    def finish(self) -> None:
        """Read the permit messages that were put aside. Raises OSError."""
        known = {account.host for account in self._accounts}
        for folder, messages in self._messages.items():
            name = shown(folder if len(messages) > 1 else next(iter(messages)))
            account = self._accounts.of_permits(f"{name} (vergunningen)" if name in known else name)
            account.visited = True
            for subject in _UNJUDGED_OF_PERMITS:
                account.leave_unjudged(subject)
            report = self._report.about(host=account.host, sitemap=name)
            MessageAudit(account, report, self._terms).read(messages)
            account.complete = True
        self._messages.clear()

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


def kind_of(given: Iterable[Path], terms: AuditTerms) -> HarvestKind:
    """Return what files and folders are about: permits if they have messages and no sitemaps.

    Raises OSError.
    """
    has_messages = False
    for path in given:
        files = _files_of(path)
        messages = set(_messages_of(path, files, terms))
        if (not messages and not path.is_dir()) or _has_sitemaps(
            each for each in files if each not in messages
        ):
            return "woo"
        has_messages |= bool(messages)
    return "vergunningen" if has_messages else "woo"


def _messages_of(given: Path, files: Iterable[Path], terms: AuditTerms) -> list[Path]:
    """Return the permit messages among the *files* of *given*. Raises OSError."""
    named = [path for path in files if is_sitemap_name(path.name) or path == given]
    return messages_among(named, terms.index_maxsize)


def _has_sitemaps(files: Iterable[Path]) -> bool:
    return any(is_sitemap_name(path.name) or _is_robots(path) for path in files)


def _sites(files: Iterable[Path]) -> list[Path]:
    """Return each robots.txt that is that of a host: those in no folder of another one."""
    found = sorted((path for path in files if _is_robots(path)), key=lambda path: (len(path.parts), path))
    sites: list[Path] = []
    for robots in found:
        if not any(site.parent in robots.parents for site in sites):
            sites.append(robots)
    return sites


def _files_of(given: Path) -> list[Path]:
    """Return the files under a folder in alphabetical order, or the one file. Raises OSError."""
    return [path for path in sorted(given.rglob("*")) if path.is_file()] if given.is_dir() else [given]


def _is_robots(path: Path) -> bool:
    return path.name.lower() == _ROBOTS and path.is_file()
