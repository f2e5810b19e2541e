"""The audit of files on disk: robots.txt, indexes, sitemaps and permit messages, with the core of a harvest.

What only a server or the register knows is not judged: whether a document can be fetched, whose it is, and
its type if neither its ``format`` nor its extension names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from woo_harvester.audit.documents import AuditTerms
from woo_harvester.audit.hosts import LooseAudit, SiteAudit
from woo_harvester.audit.local_files import FolderFiles, is_robots_name, is_sitemap_name, shown
from woo_harvester.audit.messages import GivenFiles, MessageAudit
from woo_harvester.findings import Finding, Language, Reporter
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.assemble import make_report
from woo_harvester.report.findings_file import FindingsFile
from woo_harvester.report.funnel import Account, HarvestKind
from woo_harvester.report.run_folder import AUDIT, FINISHED, RunFolder
from woo_harvester.utils.dates import iso_now

#: What files on disk cannot show of a host with sitemaps, and of one with permits.
_UNJUDGED = ("register", "connection", "documents", "withdrawal")
_UNJUDGED_OF_PERMITS = ("register", "entry_page", "fetching", "earlier_messages")


def audit_offline(given: GivenFiles, folder: RunFolder, terms: AuditTerms, lang: Language = "nl") -> None:
    """Read files, and write findings and the report to *folder*, which must not exist yet.

    It is the same folder as that of a run. Raises OSError.
    """
    folder.path.mkdir(parents=True)
    accounts = Accounts()
    started = iso_now()
    with folder.open_findings() as lines:
        file = FindingsFile(lines)

        def write(finding: Finding) -> None:
            accounts.count_finding(finding)
            file.write(replace(finding, at=iso_now()))

        FileAudit(Reporter(write), accounts, terms).read(given)
        file.end()
    folder.write_accounts(accounts)
    times = {"start_time": started, "finish_time": iso_now(), "finish_reason": FINISHED}
    folder.write_stats({**times, AUDIT: 1, "woo/documents/mode": "none", "woo/hosts/selected": len(accounts)})
    make_report(folder, lang=lang, history=False)


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

    def read(self, given: GivenFiles) -> None:
        """Read files, and all that is in folders. Raises OSError."""
        for path in given.files:
            if (rest := given.others(path)) is not None:
                self._read_others(path, rest)
        for name, files in given.groups().items():
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
            account = self._accounts.of(shown(given))
            LooseAudit(account, self._begin(account), self._terms).read(loose, given)

    def _read_site(self, robots: Path, files: FolderFiles | None) -> None:
        """Read a robots.txt, and the files in its folder."""
        account = self._accounts.of(shown(robots if files is None else robots.parent))
        SiteAudit(robots, files, account, self._begin(account), self._terms).read()

    def _read_messages(self, name: str, messages: Sequence[Path]) -> None:
        """Read permit messages that count under one name; sitemaps of the same folder have that name too."""
        is_used = any(account.host == name for account in self._accounts)
        account = self._accounts.of_permits(f"{name} (vergunningen)" if is_used else name)
        report = self._begin(account).about(sitemap=name)
        MessageAudit(account, report, self._terms).read(messages)
        account.complete = True

    def _begin(self, account: Account) -> Reporter:
        """Note in an account what files cannot show, and return its reporter."""
        account.visited = True
        for subject in _UNJUDGED_OF_PERMITS if account.kind is HarvestKind.PERMITS else _UNJUDGED:
            account.leave_unjudged(subject)
        return self._report.about(host=account.host)


def _sites(files: Iterable[Path]) -> list[Path]:
    """Return each robots.txt that is that of a host: those in no folder of another one."""
    found = sorted((path for path in files if _is_robots(path)), key=lambda path: (len(path.parts), path))
    sites: list[Path] = []
    for robots in found:
        if not any(site.parent in robots.parents for site in sites):
            sites.append(robots)
    return sites


def _is_robots(path: Path) -> bool:
    return is_robots_name(path.name) and path.is_file()
