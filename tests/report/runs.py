"""Folders as a run leaves them, for the tests of the report."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from woo_harvester.findings import Finding, explain
from woo_harvester.kinds import Kind
from woo_harvester.permits.account import PermitAccount
from woo_harvester.record import Document, Documenthandeling, Herkomst, Oorzaak, Record, Versie, Waarde
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import REPEATED, Account, stages_of
from woo_harvester.report.model import FindingRow, HostReport
from woo_harvester.report.run_folder import RunFolder, finding_line
from woo_harvester.tooi.lists import informatiecategorieen

HOST = "www.a.nl"
ORGANISATION = {"id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363", "name": "gemeente Amsterdam"}
CATEGORY = next(iter(informatiecategorieen()))


def about_document(code: str, host: str = HOST, number: int = 1, **given: Any) -> Finding:
    """Return a finding about one document."""
    return Finding(
        code=code,
        host=host,
        url=given.pop("url", f"https://{host}/documenten/{number}.pdf"),
        sitemap=f"https://{host}/api/sitemap/2025/5.xml",
        line=number,
        at="2026-11-21T08:00:00+01:00",
        **given,
    )


def about_host(code: str, host: str = HOST, **given: Any) -> Finding:
    """Return a finding about a host or one of its files."""
    return Finding(code=code, host=host, url=given.pop("url", f"https://{host}/robots.txt"), **given)


def record(cause: Oorzaak = Oorzaak.AANLEVERING, defaults: dict[str, str] | None = None) -> Record:
    """Return a record for which the publisher gave everything except *defaults*."""
    document = Document(weblocatie="https://www.a.nl/documenten/1.pdf")
    document.classificatiecollectie.informatiecategorieen = [Waarde(None, CATEGORY.uri, CATEGORY.label)]
    document.documenthandelingen = [Documenthandeling()]
    return Record(
        id="1",
        document=document,
        versies=[Versie(cause)],
        herkomst=Herkomst(lastmod="2026-11-21", standaardwaarden=defaults or {}),
    )


def read(
    host: str = HOST,
    *,
    harvested: int = 0,
    unchanged: int = 0,
    findings: Iterable[Finding] = (),
    body: dict[str, str] | None = ORGANISATION,
    path: str = "/api/sitemap/2025/5.xml",
) -> Account:
    """Return the account of a host that was read to its end, as a crawl fills it."""
    account = Account(host, organisations=[body] if body else [], visited=True, complete=True)
    account.indexes += 1
    account.sitemaps += 1
    account.sitemaps += 1
    noted = [found for found in findings if found.host == host]
    of_entries = [
        found for found in noted if found.sitemap and found.code in (*stages_of(Kind.woo), REPEATED)
    ]
    account.count_entries(harvested + unchanged + len(of_entries), unchanged)
    for found in noted:
        account.count_finding(found)
    for _ in range(harvested):
        account.count_record(record())
    return account


def row(code: str, count: int = 1, points: float = 0.0) -> FindingRow:
    """Return a row of a host in a report."""
    severity = explain(code).severity
    return FindingRow(
        code=code, severity=severity, count=count, about_document=True, points=points, examples=[]
    )


def host_report(host: str, *rows: FindingRow, **given: Any) -> HostReport:
    """Return a host in a report, of which all is empty but what is given."""
    empty: dict[str, Any] = {
        name: [] for name in ("organisations", "funnel", "sections", "fields", "categories")
    }
    counts = ("listed", "harvested", "new", "changed", "withdrawn", "unchanged", "repeated")
    zero = dict.fromkeys((*counts, "sitemaps", "sitemaps_unchanged"), 0)
    given = {"score": None, "complete": True, **empty, **zero, **given}
    return HostReport(host=host, findings=list(rows), **given)


def about_file(code: str, host: str = HOST, number: int = 1, **given: Any) -> Finding:
    """Return a finding about a file with a message about a permit."""
    page = f"https://{host}/vergunningen/xml/"
    return Finding(code=code, host=host, url=f"{page}{number}.xml", sitemap=page, **given)


def read_permits(host: str, *findings: Finding, harvested: int = 1) -> PermitAccount:
    """Return the account of an entry page that was read to its end, with the files of *findings* lost."""
    account = PermitAccount(host, visited=True, new=harvested)
    account.pages += 1
    account.add_organisation("90000001", f"Gemeente {host.split('.')[1].title()}")
    account.count_files(harvested + len(findings))
    for finding in findings:
        account.count_finding(finding)
    for _ in range(harvested):
        account.count_waiting()
    account.count_applied()
    account.count_entry_page(complete=True)
    return account


def write_run(
    folder: Path, accounts: Iterable[Account], findings: Iterable[Finding] = (), **stats: Any
) -> RunFolder:
    """Write the three files that a run leaves, and return its folder."""
    run = RunFolder(folder)
    folder.mkdir(parents=True)
    written = Accounts()
    for account in accounts:
        written.add(account)
    run.write_accounts(written)
    run.findings.write_text("".join(map(finding_line, findings)), encoding="utf-8")
    stats_of_run = {"finish_reason": "finished", "finish_time": "2026-11-21T08:00:00.5+01:00"} | stats
    run.stats.write_text(json.dumps(stats_of_run), encoding="utf-8")
    return run
