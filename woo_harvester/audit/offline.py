"""An audit of local files only; it leaves the same folder and report as a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from woo_harvester.audit.files import FileAudit
from woo_harvester.audit.terms import AuditTerms
from woo_harvester.findings import Finding, Language, Reporter
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.assemble import AUDIT, make_report
from woo_harvester.report.run_folder import RunFolder, finding_line
from woo_harvester.utils.dates import iso_now


def audit_offline(files: Sequence[Path], folder: RunFolder, terms: AuditTerms, lang: Language = "nl") -> None:
    """Read *files* (or folders), and write findings and the report to *folder*, which must not exist yet.

    Raises OSError.
    """
    folder.path.mkdir(parents=True)
    accounts = Accounts()
    started = iso_now()
    with folder.open_findings() as lines:

        def write(finding: Finding) -> None:
            accounts.count_finding(finding)
            lines.write(finding_line(replace(finding, at=iso_now())))

        FileAudit(Reporter(write), accounts, terms).read(files)
    folder.write_accounts(accounts)
    times = {"start_time": started, "finish_time": iso_now(), "finish_reason": "finished"}
    folder.write_stats({**times, AUDIT: 1, "woo/documents/mode": "none", "woo/hosts/selected": len(accounts)})
    make_report(folder, lang=lang, history=False)
