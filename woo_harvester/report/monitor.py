"""The checks of ``monitor``, and the runs that they compare, read from the folder of reports.

Each shard is checked apart, and each host is compared with the earlier runs that read it. A new host is not
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from woo_harvester.findings import Severity, explanations
from woo_harvester.findings.common_cause import OWN_FAULT
from woo_harvester.report.coverage import RunRegister
from woo_harvester.report.funnel import OWN_ERROR, Account
from woo_harvester.report.history import History
from woo_harvester.report.run_folder import (
    AUDIT,
    FINDINGS,
    FINISHED,
    OWN_ERROR_FIRST,
    ReportsFolder,
    RunFolder,
    parse_name,
)
from woo_harvester.utils.dates import AMSTERDAM
from woo_harvester.utils.program import counted

#: The number of earlier runs that are compared: they include the weekly full read, which makes all findings.
EARLIER_RUNS = 14

#: A host that listed fewer documents may have become empty because its publisher removed them.
_WELL = 10

#: A rise of at most this many findings is no problem, whatever the percentage.
_SMALL_RISE = 20

#: The maximum number of hosts that a line names.
_NAMED_HOSTS = 10

#: The time in which a run that has begun locks its folder.
_STARTING = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits beyond which something is a problem: the settings ``WOO_MONITOR_*`` of the same names."""

    age: timedelta
    drop: float
    rise: float


@dataclass(frozen=True, slots=True)
class Run:
    """A run that ended, for whatever reason."""

    name: str
    ended: datetime
    stats: Mapping[str, Any]
    accounts: Mapping[str, Account]
    """The accounts of the hosts that it read; empty for a spider that keeps none."""


@dataclass(frozen=True, slots=True)
class Runs:
    """What the checks of a spider compare, or those of one of its shards."""

    shard: tuple[int, int]
    """The number and total of the shard; (1, 1) for all hosts."""
    last: Run | None
    """The last run that ended; None if none did."""
    before: Sequence[Run]
    """The runs before it that ended, newest first."""
    killed: Sequence[str]
    """A line about each run that did not end, and that no later run made up for; newest first."""
    now: datetime
    limits: Limits

    @property
    def title(self) -> str:
        """The shard, the name of its last run that ended, and when."""
        ended = f"{self.last.name}, ended {_time(self.last.ended)}" if self.last else "no run ended"
        return ended if self.shard == (1, 1) else "shard {}/{}: {}".format(*self.shard, ended)


@dataclass(frozen=True, slots=True)
class RunCheck:
    """A check that the last runs did their work."""

    name: str
    find: Callable[[Runs], Iterable[str]]

    def problems(self, runs: Runs) -> list[str]:
        """Return the problems, a line each."""
        return list(self.find(runs))


@dataclass(frozen=True, slots=True)
class HostCheck:
    """A check that compares a count of the hosts of the last run with their earlier counts."""

    name: str
    noun: str
    count: Callable[[Account], int]
    is_rise: bool = False
    """Fails if the count rises above the highest of the earlier runs, and not if it drops below the last."""
    only_emptied: bool = False
    """Compares only the hosts that have nothing left."""

    def problems(self, runs: Runs) -> list[str] | None:
        """Return the problem, if there is one; None if there is nothing to compare with."""
        hosts: dict[str, tuple[int, int]] = {}
        for host, account in runs.last.accounts.items() if runs.last is not None else ():
            if earlier := [self.count(run.accounts[host]) for run in runs.before if host in run.accounts]:
                hosts[host] = max(earlier) if self.is_rise else earlier[0], self.count(account)
        if not hosts:
            return None
        if self.only_emptied:
            hosts = {host: each for host, each in hosts.items() if each[0] >= _WELL and not each[1]}
        then, now = (sum(each[place] for each in hosts.values()) for place in (0, 1))
        drop, rise = runs.limits.drop, runs.limits.rise
        if now <= max(then * (1 + rise), then + _SMALL_RISE) if self.is_rise else now >= then * (1 - drop):
            return []
        change = {host: each[1] - each[0] for host, each in hosts.items()}
        worst = sorted(change, key=lambda host: -change[host] if self.is_rise else change[host])
        named = ", ".join(
            f"{host} ({hosts[host][0]:,} to {hosts[host][1]:,})" for host in worst[:_NAMED_HOSTS]
        )
        expected = f"{rise:.0%} more" if self.is_rise else f"{drop:.0%} less"
        return [
            f"{counted(len(hosts), 'host')} with {then:,} {self.noun} before and {now:,} now: "
            f"expected at most {expected}. Most of it: {named}."
        ]


def _overdue(runs: Runs) -> Iterator[str]:
    expected = f"expected one in {_hours(runs.limits.age)}"
    if runs.last is None:
        yield f"no run has ended: {expected}."
    elif (passed := runs.now - runs.last.ended) > runs.limits.age:
        yield (
            f"no run has ended for {_hours(passed)}: {expected}; the last was {runs.last.name}. "
            "Look whether its timer is on, and at the log of its last start."
        )


def _out_of_reach(runs: Runs) -> Iterator[str]:
    if runs.last is not None and runs.last.stats.get(f"woo/findings/{OWN_FAULT}"):
        yield (
            "nearly all hosts were out of reach in the same way, so the cause is likely on this side: see "
            f"{OWN_FAULT} in {FINDINGS} of the run."
        )


def _not_finished(runs: Runs) -> Iterator[str]:
    yield from runs.killed
    if runs.last is not None and (reason := runs.last.stats["finish_reason"]) != FINISHED:
        yield f"the run ended early: expected the reason finished, got {reason}. Its log says more."


def _own_errors(runs: Runs) -> Iterator[str]:
    if runs.last is not None and (first := runs.last.stats.get(OWN_ERROR_FIRST)) is not None:
        yield (
            f"the harvester itself failed, first on {first}. What it failed on comes again in the next "
            f"run; {OWN_ERROR} in {FINDINGS} of the run names all of it."
        )


def _listed(account: Account) -> int:
    return account.listed


def _found(severity: Severity, account: Account) -> int:
    known = explanations("nl")
    return sum(
        count
        for code, count in account.findings.items()
        if code in known and known[code].severity is severity
    )


#: The checks, in the order in which their results are printed.
CHECKS: tuple[RunCheck | HostCheck, ...] = (
    RunCheck("a run each day", _overdue),
    RunCheck("hosts can be reached from here", _out_of_reach),
    RunCheck("the run came to its end", _not_finished),
    RunCheck("the harvester itself made no error", _own_errors),
    HostCheck("no drop in documents", "listed", _listed),
    HostCheck("no host is suddenly empty", "listed", _listed, only_emptied=True),
    HostCheck("no rise in errors", "errors", partial(_found, Severity.ERROR), is_rise=True),
    HostCheck("no rise in warnings", "warnings", partial(_found, Severity.WARNING), is_rise=True),
)


def spiders(reports: ReportsFolder) -> list[str]:
    """Return the names of the spiders that have runs, sorted."""
    return sorted({spider for spider, _ in reports.runs()})


def read_runs(reports: ReportsFolder, spider: str, now: datetime, limits: Limits) -> list[Runs]:
    """Return the runs of a spider, apart for each shard that has any, if it is one of as many as the last.

    Filtered runs count only if there are no others. Raises OSError, or ValueError if there is none to check.
    """
    history = History(reports.history).names()
    runs = [each for name, each in reports.runs() if name == spider]
    counting = [each for each in reversed(runs) if _counts(each, history, now, limits)]
    folders = [each for each in counting if not each.is_filtered] or counting
    shard_of = cache(_shard_of)
    _, total = next(filter(None, map(shard_of, folders)), (1, 1))
    every = [(number, total) for number in range(1, total + 1)]
    judged = [shard for shard in every if any(shard_of(each) == shard for each in folders)] or [(1, 1)]
    found = [
        _runs_of(shard, (each for each in folders if shard_of(each) in (shard, None)), now, limits)
        for shard in judged
    ]
    if not any(runs.last or runs.killed for runs in found):
        raise ValueError(f"no run of {spider} in {reports.path} has ended: expected one a day")
    return found


def _shard_of(folder: RunFolder) -> tuple[int, int] | None:
    """Return the shard of a run; None if it may be of any, because its register is not there or damaged."""
    try:
        register = RunRegister.read(folder.register)
    except (OSError, ValueError):
        return None
    return None if register is None else register.shards[0]


def _runs_of(shard: tuple[int, int], folders: Iterable[RunFolder], now: datetime, limits: Limits) -> Runs:
    """Return the last runs in *folders*, newest first, that ended, and those that did not end.

    A run that did not end counts until a run that began after its last write has finished.
    """
    ended: list[Run] = []
    killed: list[str] = []
    finished = datetime.min.replace(tzinfo=AMSTERDAM)  # when the last run that finished had begun
    for folder in folders:
        if len(ended) > EARLIER_RUNS:
            break
        try:
            run = read_run(folder)
            if run is not None:
                ended.append(run)
                named = parse_name(folder.name)
                if run.stats["finish_reason"] == FINISHED and named is not None:
                    finished = max(finished, named[1])
        except (OSError, ValueError) as error:
            wrote = folder.last_write()
            if wrote >= finished:
                killed.append(
                    f"{folder.name} did not end: it was killed, or its machine stopped. It wrote last at "
                    f"{_time(wrote)}; {' '.join(str(error).split())}. The next run makes up for it."
                )
    return Runs(shard, ended[0] if ended else None, ended[1:], killed, now, limits)


def _counts(folder: RunFolder, history: set[str], now: datetime, limits: Limits) -> bool:
    """Return whether a run counts: an active run does not, and neither does what the history leaves out.

    On a file system without locks, a run may be active for as long as runs may stay away. Raises OSError.
    """
    if not folder.stats.exists():
        if not folder.findings.exists() and any(folder.path.iterdir()):
            return False  # no run wrote what is in it
        active = folder.is_active()
        quiet = limits.age if active is None else _STARTING
        return not active and now - folder.last_write() >= quiet
    return not (history and folder.report.exists() and folder.name not in history)


def read_run(folder: RunFolder) -> Run | None:
    """Read the folder of a run; None for an audit. Raises OSError, and ValueError if the run did not end."""
    if not folder.stats.exists():
        raise ValueError(f"it has no {folder.stats.name}")
    try:
        stats = folder.read_stats()
        if AUDIT in stats:
            return None
        ended = datetime.fromisoformat(stats["finish_time"]).astimezone(AMSTERDAM)
        stats["finish_reason"]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{folder.stats} holds no statistics of a run: {type(error).__name__}: {error}"
        ) from error
    if folder.accounts.exists() and not folder.report.exists():
        raise ValueError(f"it has no {folder.report.name}")
    accounts = {each.host: each for each in folder.read_accounts() if each.complete is not None}
    return Run(folder.name, ended, stats, accounts)


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(AMSTERDAM):%Y-%m-%d %H:%M}"


def _hours(time: timedelta) -> str:
    return f"{time.total_seconds() / 3600:.0f} hours"
