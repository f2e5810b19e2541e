"""The folders that runs leave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import Account
from woo_harvester.report.run_folder import RunFolder

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def account(
    host: str = "www.a.nl", listed: int = 100, *, complete: bool | None = True, **given: Any
) -> Account:
    """Return the account of a host."""
    return Account(host, visited=True, complete=complete, listed=listed, **given)


def folder_of(reports: Path, began: datetime, spider: str = "woo") -> Path:
    """Make the folder of a run that began at a moment."""
    folder = reports / f"{spider}-{began.astimezone():%Y-%m-%dT%H-%M-%S.%f}"
    folder.mkdir(parents=True)
    return folder


def write_run(
    reports: Path,
    *accounts: Account,
    ended: datetime,
    spider: str = "woo",
    reason: str = "finished",
    stats: Mapping[str, object] = MappingProxyType({}),
) -> Path:
    """Make the folder of a run that began and ended then."""
    folder = folder_of(reports, ended, spider)
    stats_of_run = {"finish_time": ended.isoformat(), "finish_reason": reason, **stats}
    (folder / "stats.json").write_text(json.dumps(stats_of_run))
    if accounts:
        made = Accounts()
        for each in accounts:
            made.add(each)
        RunFolder(folder).write_accounts(made)
        (folder / "report.json").touch()
    return folder
