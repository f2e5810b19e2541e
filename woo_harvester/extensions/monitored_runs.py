"""The runs that the monitors compare, read from the folder of reports, and the checks of a run.

Each check returns its problems as lines. Runs may visit different hosts (shards, ``domains``). So each host
is compared with the earlier runs that visited it, and a new host is not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from woo_harvester.findings import Severity, explain
from woo_harvester.report.funnel import FIELDS, OWN_ERROR, Account, HarvestKind, kind_of, total
from woo_harvester.report.history import History
from woo_harvester.report.run_folder import (
    AUDIT,
    FINDINGS,
    FINISHED,
    OWN_ERROR_FIRST,
    OWN_FAULT,
    ReportsFolder,
    RunFolder,
    parse_name,
)
from woo_harvester.utils.dates import AMSTERDAM
from woo_harvester.utils.program import counted

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

    own_error: str | None = None
    """The first error of the harvester itself; None if there was none."""

    @property
    def kind(self) -> HarvestKind:
        """What its accounts count: documents, or files with messages about permits."""
        return kind_of(self.accounts.values())

    @property
    def noun(self) -> str:
        """The plural noun for what its hosts list."""
        return f"{self.kind.noun}s"

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
            if finished is None and run.reason == FINISHED:
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
    return EndedRun(folder.name, ended, reason, accounts, found, own_fault, stats.get(OWN_ERROR_FIRST))


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


#: The maximum number of hosts that a line names.
_MAX_NAMED_HOSTS = 10

#: The maximum number of runs that did not end that are named.
_MAX_NAMED_RUNS = 5

#: A rise of at most this many findings is no problem, whatever the percentage.
_SMALL_RISE = 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits beyond which something is a problem: the settings ``WOO_MONITOR_*`` of the same names."""

    age: timedelta
    well: int
    drop: float
    rise: float
    coverage: float
    records: int


def age(run: EndedRun | None, now: datetime, bounds: Bounds) -> list[str]:
    """Check that a run has ended recently enough."""
    if run is None:
        return [f"no run has ended: expected one in {_hours(bounds.age)}."]
    passed = now - run.ended
    if passed <= bounds.age:
        return []
    return [
        f"no run has ended for {_hours(passed)}: expected one in {_hours(bounds.age)}; "
        f"the last was {run.name}. Look whether its timer is on, and at the log of its last start."
    ]


def ended(run: EndedRun | None, unended: Sequence[UnendedRun] = ()) -> list[str]:
    """Check that the run finished, and that no other run was killed since the last that did."""
    problems = [
        f"{each.name} did not end: it was killed, or its machine stopped. It wrote last at "
        f"{each.last_write.astimezone(AMSTERDAM):%Y-%m-%d %H:%M}; "
        f"{each.problem}. The next run makes up for it."
        for each in unended[:_MAX_NAMED_RUNS]
    ]
    if len(unended) > _MAX_NAMED_RUNS:
        problems.append(f"{len(unended) - _MAX_NAMED_RUNS} more before these did not end.")
    if run is not None and run.reason != FINISHED:
        problems.append(
            f"the run ended early: expected the reason finished, got {run.reason}. Its log says more."
        )
    return problems


def connected(run: EndedRun | None) -> list[str]:
    """Check that hosts could be reached, so that there is no fault on our own side."""
    if run is None or not run.own_fault:
        return []
    return [
        "nearly all hosts were out of reach in the same way, so the cause is likely on this side: see "
        f"{OWN_FAULT} in {FINDINGS} of the run."
    ]


def failed(run: EndedRun | None) -> list[str]:
    """Check that the harvester itself made no error."""
    if run is None or run.own_error is None:
        return []
    return [
        f"the harvester itself failed, first on {run.own_error}. What it failed on comes again in the next "
        f"run; {OWN_ERROR} in {FINDINGS} of the run names all of it."
    ]


def emptied(run: EndedRun, before: Sequence[EndedRun], bounds: Bounds) -> list[str]:
    """Check that no host lists nothing where it listed many documents before."""
    empty = [
        f"{account.host} ({then.listed:,} {run.noun} before)"
        for account in run.accounts.values()
        if account.complete is not None and not account.listed
        if (then := _last(account.host, before)) is not None and then.listed >= bounds.well
    ]
    if not empty:
        return []
    more = f" and {len(empty) - _MAX_NAMED_HOSTS} more" if len(empty) > _MAX_NAMED_HOSTS else ""
    return [
        f"{counted(len(empty), 'host')} listed {run.noun} the last time and none now: "
        f"{', '.join(sorted(empty)[:_MAX_NAMED_HOSTS])}{more}. The report says what was found there."
    ]


def dropped(run: EndedRun, before: Sequence[EndedRun], bounds: Bounds) -> list[str]:
    """Check that the total number of documents did not drop."""
    then = now = 0
    for account in run.accounts.values():
        last = _last(account.host, before)
        if last is not None and account.complete is not None:
            then, now = then + last.listed, now + account.listed
    if now >= then * (1 - bounds.drop):
        return []
    return [
        f"{now:,} {run.noun} are listed, and the same hosts listed {then:,} the last time "
        f"({now / then - 1:+.0%}): expected at most {bounds.drop:.0%} less. "
        "The report has the hosts that lost most at its top."
    ]


def risen(run: EndedRun, before: Sequence[EndedRun], bounds: Bounds) -> list[str]:
    """Check that the number of errors and of warnings did not rise."""
    visited = {host for each in before for host in (each.accounts or each.findings)}
    problems = []
    for severity in (Severity.ERROR, Severity.WARNING):
        now, most = Counter[str](), Counter[str]()
        for host in visited & (run.accounts.keys() or run.findings.keys()):
            now[host] = run.findings.get(host, Counter())[severity]
            most[host] = max(each.findings.get(host, Counter())[severity] for each in before)
        if now.total() > most.total() * (1 + bounds.rise) and now.total() - most.total() > _SMALL_RISE:
            worst = [f"{host} ({most[host]:,} to {now[host]:,})" for host, _ in (now - most).most_common(3)]
            problems.append(
                f"{now.total():,} findings are {severity}s, and the same hosts had {most.total():,} at most: "
                f"expected at most {bounds.rise:.0%} more. Most of it: {', '.join(worst)}."
            )
    return problems


def covered(run: EndedRun, before: Sequence[EndedRun], bounds: Bounds) -> list[str]:
    """Check that publishers give each field as often as usual."""
    now, then = total(run.accounts.values()), total(_accounts(before))
    if min(now.records, then.records) < bounds.records:
        return []
    problems = []
    for name in FIELDS:
        share, usual = (each.fields.get(name, 0) / each.records for each in (now, then))
        if share < usual - bounds.coverage:
            problems.append(
                f"{share:.0%} of {now.records:,} records have {name} from their publisher, "
                f"and {usual:.0%} is usual: expected at most {100 * bounds.coverage:.0f} points less. "
                "A publisher's software may have changed."
            )
    return problems


def _accounts(runs: Sequence[EndedRun]) -> Iterator[Account]:
    return (account for run in runs for account in run.accounts.values())


def _last(host: str, before: Sequence[EndedRun]) -> Account | None:
    """Return the account of the host in the last run that read the host to its end, or None."""
    for run in reversed(before):
        if (account := run.accounts.get(host)) is not None and account.complete is not None:
            return account
    return None


def _hours(time: timedelta) -> str:
    return f"{time.total_seconds() / 3600:.0f} hours"
