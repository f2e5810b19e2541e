"""Audit files, and keep what was found."""

from __future__ import annotations

from pathlib import Path

from woo_harvester.audit.documents import AuditTerms
from woo_harvester.audit.files import FileAudit
from woo_harvester.audit.messages import GivenFiles
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.sitemaps import DiWoo, Entry
from woo_harvester.findings import Finding, Reporter
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import Account
from woo_harvester.tooi import bundled

MAXSIZE = 10_000_000


def terms(maxsize: int = MAXSIZE) -> AuditTerms:
    return AuditTerms(maxsize, maxsize, maxsize, bundled(), "woo-harvester/0")


class Read:
    """The findings and accounts of the audited files."""

    def __init__(self, *given: Path, maxsize: int = MAXSIZE) -> None:
        self.findings: list[Finding] = []
        self.accounts = Accounts()
        audit = FileAudit(Reporter(self._report), self.accounts, terms(maxsize))
        audit.read(GivenFiles(given, maxsize))

    def _report(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.accounts.count_finding(finding)

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def account(self) -> Account:
        (account,) = self.accounts
        return account

    def about(self, code: str) -> Finding:
        (found,) = [finding for finding in self.findings if finding.code == code]
        return found


def entry(name: str = "besluit.pdf", diwoo: DiWoo | None = GOOD, lastmod: str | None = LASTMOD) -> Entry:
    return Entry(loc=f"https://www.a.nl/{name}", lastmod=lastmod, diwoo=diwoo)
