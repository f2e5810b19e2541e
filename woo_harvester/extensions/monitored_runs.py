"""The runs that the monitors compare, read from the folder of reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from woo_harvester.findings import Severity, explain
from woo_harvester.report.assemble import AUDIT, OWN_FAULT
from woo_harvester.report.funnel import Account, HarvestKind
from woo_harvester.report.history import History
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, parse_name
from woo_harvester.utils.dates import AMSTERDAM

#: The time in which a run that has begun makes its files and its lock.
_STARTING = timedelta(seconds=5)

#: The beginning of a run whose name has no such moment, such as the 31st of February.
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


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


@dataclass(frozen=True, slots=True)
class UnendedRun:
    """A run that did not end: it was killed, or its machine stopped."""

    name: str
    last_write: datetime
    problem: str
    """What is missing or wrong in its folder."""


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a spider that are checked."""

    last: EndedRun | None
    """The last run that ended; None if none did."""
    before: Sequence[EndedRun] = ()
    """The runs before it that ended, oldest first."""
    unended: Sequence[UnendedRun] = ()
    """The runs that did not end, and that no later run made up for; newest first."""

    @property
    def title(self) -> str:
        """The name of the last run that ended, and when; of the last run if none did."""
        return self.last.title if self.last is not None else f"{self.unended[0].name}, not ended"


def spiders(reports: ReportsFolder) -> list[str]:
    """Return the names of the spiders that have runs, sorted."""
    return sorted({spider for spider, _ in reports.runs()})


def read_runs(reports: ReportsFolder, spider: str, count: int, now: datetime, age: timedelta) -> Runs:
    """Return the last *count* runs of a spider that ended, and those that did not end.

    An active run does not count, and neither does an audit or a choice of entries, which is not in the
    history. A run that did not end counts until a run that began after its last write has finished. On a
    file system without locks, a run may be active for *age*. Raises ValueError if there is no run to check.
    """
    harvests = History(reports.history).names()
    ended: list[EndedRun] = []
    unended: list[UnendedRun] = []
    finished: datetime | None = None  # when the last run that finished had begun
    folders = (folder for name, folder in reports.runs() if name == spider and not folder.path.is_symlink())
    for folder in sorted(folders, key=lambda each: each.name, reverse=True):
        if len(ended) == count and folder.stats.exists():
            continue
        run = _read_folder(folder, harvests, now, age)
        if isinstance(run, EndedRun):
            ended.append(run)
            if finished is None and run.reason == "finished":
                finished = _began(folder)
        elif run is not None and (finished is None or run.last_write >= finished):
            unended.append(run)
    if not (ended or unended):
        raise ValueError(f"no run of {spider} in {reports.path} has ended: expected one a day")
    return Runs(ended[0] if ended else None, ended[:0:-1], unended)


def _read_folder(
    folder: RunFolder, harvests: Collection[str], now: datetime, age: timedelta
) -> EndedRun | UnendedRun | None:
    """Return the run in a folder; None for an active run, and for a folder that no harvest made."""
    try:
        if any(folder.path.iterdir()) and not (folder.findings.exists() or folder.stats.exists()):
            return None
        active = folder.is_active()
        is_new = now - _began(folder) < (age if active is None else _STARTING)
        if active or (is_new and not folder.stats.exists()):
            return None
        if not folder.stats.exists():
            return UnendedRun(folder.name, folder.last_write(), f"it has no {folder.stats.name}")
        if _is_audit(folder):
            return None
        return read_run(folder) if not harvests or folder.name in harvests else _not_in_history(folder)
    except (OSError, ValueError) as error:
        return UnendedRun(folder.name, _last_write(folder), " ".join(str(error).split()))


def _not_in_history(folder: RunFolder) -> UnendedRun | None:
    """Return a run that was killed while it made its report; None for a choice of entries."""
    if folder.report.exists() or not folder.accounts.exists():
        return None
    return UnendedRun(folder.name, folder.last_write(), f"it has no {folder.report.name}")


def _is_audit(folder: RunFolder) -> bool:
    """Return whether a run is an audit, which its statistics say from its beginning. Raises OSError."""
    try:
        return AUDIT in folder.read_stats()
    except ValueError:
        return False


def _last_write(folder: RunFolder) -> datetime:
    """Return when the folder was last written to, or when its run began if that cannot be read."""
    try:
        return folder.last_write()
    except OSError:
        return _began(folder)


def _began(folder: RunFolder) -> datetime:
    """Return the moment in the name of a run."""
    named = parse_name(folder.name)
    return named[1] if named is not None else _LONG_AGO


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
