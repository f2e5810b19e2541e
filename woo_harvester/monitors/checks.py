"""The checks of a run, most of them against the runs before it. Each returns its problems as lines.

Runs may visit different hosts (shards, ``domains``). So each host is compared with the earlier runs that
visited it, and a new host is not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from woo_harvester.dates import AMSTERDAM
from woo_harvester.findings import Severity
from woo_harvester.monitors.runs import EndedRun, UnendedRun
from woo_harvester.report.assemble import OWN_FAULT
from woo_harvester.report.funnel import FIELDS, Account, total
from woo_harvester.report.run_folder import FINDINGS

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
    if run is not None and run.reason != "finished":
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
        f"{_hosts(len(empty))} listed {run.noun} the last time and none now: "
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


def _hosts(count: int) -> str:
    return "1 host" if count == 1 else f"{count} hosts"


def _hours(time: timedelta) -> str:
    return f"{time.total_seconds() / 3600:.0f} hours"
