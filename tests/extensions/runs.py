"""Runs as the monitors see them, and the folders that they leave."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from woo_harvester.extensions.monitored_runs import Bounds, EndedRun
from woo_harvester.findings import Severity
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import Account
from woo_harvester.report.run_folder import RunFolder

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOUNDS = Bounds(age=timedelta(hours=30), well=10, drop=0.1, rise=0.5, coverage=0.15, records=100)


def account(
    host: str = "www.a.nl", listed: int = 100, *, complete: bool | None = True, **given: Any
) -> Account:
    """Return the account of a host."""
    return Account(host, visited=True, complete=complete, listed=listed, **given)


def run(*accounts: Account, reason: str = "finished", hours_ago: float = 1, **errors: int) -> EndedRun:
    """Return a run with these accounts; *errors* is the number of errors by host."""
    return EndedRun(
        name="woo-2026-11-21T05-15-00.000000",
        ended=NOW - timedelta(hours=hours_ago),
        reason=reason,
        accounts={each.host: each for each in accounts},
        findings={f"www.{name}.nl": Counter({Severity.ERROR: count}) for name, count in errors.items()},
    )


def write_run(
    reports: Path,
    *accounts: Account,
    ended: datetime,
    spider: str = "woo",
    reason: str = "finished",
    stats: Mapping[str, object] = MappingProxyType({}),
) -> Path:
    """Make the folder of a run that ended then."""
    folder = reports / f"{spider}-{ended.astimezone():%Y-%m-%dT%H-%M-%S.%f}"
    folder.mkdir(parents=True)
    stats_of_run = {"finish_time": ended.isoformat(), "finish_reason": reason, **stats}
    (folder / "stats.json").write_text(json.dumps(stats_of_run))
    if accounts:
        made = Accounts()
        for each in accounts:
            made.add(each)
        RunFolder(folder).write_accounts(made)
    return folder
