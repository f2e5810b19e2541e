"""An audit of files alone: it leaves a folder as a run does, and a report of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from woo_harvester.audit.files import FileAudit
from woo_harvester.dates import iso_datetime
from woo_harvester.findings import Finding, Language, Reporter
from woo_harvester.report.funnel import Accounts
from woo_harvester.report.make import make_report


def audit_offline(files: Iterable[Path], folder: Path, maxsize: int, lang: Language = "nl") -> None:
    """Read *files* (folders too), and leave findings and the report in *folder*, a new one.

    *maxsize* is the bound of a sitemap in bytes, after decompression. Raises OSError.
    """
    folder.mkdir(parents=True)
    accounts = Accounts()
    started = _now()
    with (folder / "findings.jsonl").open("w", encoding="utf-8") as lines:

        def write(finding: Finding) -> None:
            accounts.note(finding)
            line = replace(finding, at=_now()).as_dict()
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")

        audit = FileAudit(Reporter(write), accounts, maxsize)
        for given in files:
            audit.read(given)
    accounts.write(folder / "hosts.jsonl")
    told = {"start_time": started, "finish_time": _now(), "finish_reason": "finished"}
    stats = {**told, "woo/documents/mode": "none", "woo/hosts/selected": len(accounts)}
    (folder / "stats.json").write_text(json.dumps(stats, indent=2) + "\n", encoding="utf-8")
    make_report(folder, lang=lang, history=False)


def _now() -> str:
    return iso_datetime(datetime.now(UTC).replace(microsecond=0))
