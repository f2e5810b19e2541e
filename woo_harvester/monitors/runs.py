"""Reads what earlier runs left in the folder of reports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from woo_harvester.dates import AMSTERDAM
from woo_harvester.findings import Severity, explain
from woo_harvester.inputs import check_regular, parse_object
from woo_harvester.report.build import OWN_FAULT
from woo_harvester.report.funnel import Account, read_accounts

#: The folder of a run: its spider and when it began.
RUN = re.compile(r"(?P<spider>.+)-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+")


@dataclass(frozen=True, slots=True)
class Run:
    """One run that came to its end, whatever the end was."""

    name: str
    ended: datetime
    reason: str
    accounts: dict[str, Account]
    """Of its hosts; none of a spider that keeps none."""
    findings: dict[str, Counter[Severity]]
    """How many findings there are about each host."""
    own_fault: bool = False
    """Whether nearly all hosts were out of reach, likely by a fault on the harvester's own side."""

    @property
    def title(self) -> str:
        """Its name, and when it ended, in Dutch time."""
        return f"{self.name}, ended {self.ended.astimezone(AMSTERDAM):%Y-%m-%d %H:%M}"


def spiders(reports: Path) -> list[str]:
    """The spiders of which there are runs, sorted."""
    return sorted({spider for spider, _ in _folders(reports)})


def read_runs(reports: Path, spider: str, count: int) -> list[Run]:
    """The last *count* runs of a spider that ended, oldest first.

    A run that is going on, or was killed, has no statistics and does not count; nor does an audit, which is
    not kept in the history. Raises OSError, and ValueError with the path.
    """
    names = {
        path.name for name, path in _folders(reports) if name == spider and (path / "stats.json").exists()
    }
    kept = {path.name.partition(".json")[0] for path in (reports / "history").glob("*.json.gz")}
    return [read_run(reports / name) for name in sorted(names & kept or names)[-count:]]


def read_run(folder: Path) -> Run:
    """The run that left this folder. Raises OSError, and ValueError with the path."""
    path = folder / "stats.json"
    check_regular(path)
    try:
        stats = parse_object(path.read_bytes())
        ended = datetime.fromisoformat(stats["finish_time"])
        reason = str(stats["finish_reason"])
        if ended.tzinfo is None:
            raise ValueError("finish_time has no offset")
        found = _findings(stats)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds no statistics of a run: {type(error).__name__}: {error}") from error
    hosts = folder / "hosts.jsonl"
    accounts = {account.host: account for account in read_accounts(hosts)} if hosts.exists() else {}
    own_fault = bool(stats.get(f"woo/findings/{OWN_FAULT}"))
    return Run(folder.name, ended, reason, accounts, found, own_fault)


def _folders(reports: Path) -> Iterator[tuple[str, Path]]:
    """The folders of runs, each with its spider."""
    for path in reports.glob("*/"):
        if match := RUN.fullmatch(path.name):
            yield match["spider"], path


def _findings(stats: dict[str, Any]) -> dict[str, Counter[Severity]]:
    found: dict[str, Counter[Severity]] = {}
    for key, count in stats.items():
        match key.split("/"):
            case ["woo", "hosts", host, code]:
                if not isinstance(count, int):
                    raise TypeError(f"{key}: expected a number, got {count!r}")
                found.setdefault(host, Counter())[_severity(code)] += count
    return found


def _severity(code: str) -> Severity:
    """Of a code that this version does not know, nothing is known to be lost."""
    try:
        return explain(code).severity
    except ValueError:
        return Severity.INFO
