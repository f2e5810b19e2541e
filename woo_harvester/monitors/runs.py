"""The runs that the monitors compare, read from the folder of reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from woo_harvester.dates import AMSTERDAM
from woo_harvester.findings import Severity, explain
from woo_harvester.report.assemble import OWN_FAULT
from woo_harvester.report.funnel import Account
from woo_harvester.report.history import History
from woo_harvester.report.losses import HarvestKind
from woo_harvester.report.run_folder import ReportsFolder, RunFolder


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run that ended, for whatever reason."""

    name: str
    ended: datetime
    reason: str
    accounts: dict[str, Account]
    """The accounts by host; empty for a spider that keeps none."""
    findings: dict[str, Counter[Severity]]
    """The number of findings by host and severity."""
    own_fault: bool = False
    """True if nearly all hosts could not be reached, probably because of a fault on our own side."""

    @property
    def kind(self) -> HarvestKind:
        """What its accounts count: documents, or files with messages about permits."""
        return next((account.kind for account in self.accounts.values()), "woo")

    @property
    def noun(self) -> str:
        """The plural noun for what its hosts list."""
        return "documents" if self.kind == "woo" else "files"

    @property
    def title(self) -> str:
        """The name of the run, and when it ended, in Dutch time."""
        return f"{self.name}, ended {self.ended.astimezone(AMSTERDAM):%Y-%m-%d %H:%M}"


def spiders(reports: ReportsFolder) -> list[str]:
    """Return the names of the spiders that have runs, sorted."""
    return sorted({spider for spider, _ in reports.runs()})


def read_runs(reports: ReportsFolder, spider: str, count: int) -> list[EndedRun]:
    """Return the last *count* runs of a spider that ended, oldest first.

    An active or killed run has no statistics and does not count. An audit does not count either, because it
    is not in the history. Raises OSError, and ValueError with the path.
    """
    names = {run.name for name, run in reports.runs() if name == spider and run.stats.exists()}
    kept = History(reports.history).names()
    return [read_run(reports.run(name)) for name in sorted(names & kept or names)[-count:]]


def read_run(folder: RunFolder) -> EndedRun:
    """Read the folder of a run. Raises OSError, and ValueError with the path."""
    try:
        stats = folder.read_stats()
        ended = datetime.fromisoformat(stats["finish_time"])
        reason = str(stats["finish_reason"])
        if ended.tzinfo is None:
            raise ValueError("finish_time has no offset")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{folder.stats} holds no statistics of a run: {type(error).__name__}: {error}"
        ) from error
    accounts = {account.host: account for account in folder.read_accounts()}
    found = {host: _by_severity(account.findings) for host, account in accounts.items() if account.findings}
    own_fault = bool(stats.get(f"woo/findings/{OWN_FAULT}"))
    return EndedRun(folder.name, ended, reason, accounts, found, own_fault)


def _by_severity(codes: Mapping[str, int]) -> Counter[Severity]:
    """Return the number of findings by severity."""
    found: Counter[Severity] = Counter()
    for code, count in codes.items():
        found[_severity(code)] += count
    return found


def _severity(code: str) -> Severity:
    """Return the severity of a code; INFO for a code that this version does not know."""
    try:
        return explain(code).severity
    except ValueError:
        return Severity.INFO
