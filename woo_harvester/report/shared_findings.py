"""Findings that several hosts share, one row each: one fix by a software supplier helps all its customers.

No publisher names its supplier. The paths of the sitemaps are a clue: hosts with sitemaps at
``/api/sitemap/#/#.xml`` likely run the same software. A sitemap in the root of a host, as the guide suggests,
is no clue. Of permits, the paths of the entry pages count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from woo_harvester.findings import Severity
from woo_harvester.report.funnel import Account
from woo_harvester.report.model import HostReport, SharedFinding

#: The maximum number of hosts that a row names, and of rows in a report.
MAX_NAMED_HOSTS = 20
MAX_ROWS = 50


def pattern_of(account: Account) -> str | None:
    """Return the most frequent path pattern of a host, or None if all its files are in the root."""
    outside_root = [
        (count, pattern)
        for pattern, count in account.patterns.items()
        if pattern.count("/") > 1 or "?" in pattern
    ]
    return max(outside_root)[1] if outside_root else None


@dataclass(slots=True)
class _Group:
    hosts: set[str] = field(default_factory=set)
    named: list[str] = field(default_factory=list)
    count: int = 0
    points: float = 0.0


class SharedFindings:
    """The errors and warnings of all hosts, grouped by code and by the hosts' path pattern."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, Severity, str | None], _Group] = {}

    def add(self, host: HostReport) -> None:
        """Add the findings of one host."""
        for row in host.findings:
            if row.severity != Severity.INFO:
                group = self._groups.setdefault((row.code, row.severity, host.pattern), _Group())
                if host.host not in group.hosts and len(group.named) < MAX_NAMED_HOSTS:
                    group.named.append(host.host)
                group.hosts.add(host.host)
                group.count += row.count
                group.points += row.points

    def rows(self) -> Iterable[SharedFinding]:
        """Return the groups of two or more hosts, at most fifty, those that cost the most points first."""
        rows = [
            SharedFinding(
                code=code,
                severity=severity,
                pattern=pattern,
                hosts=sorted(group.named),
                host_count=len(group.hosts),
                count=group.count,
                points=round(group.points, 1),
            )
            for (code, severity, pattern), group in self._groups.items()
            if len(group.hosts) > 1
        ]
        return sorted(rows, key=lambda row: (-row.points, -row.host_count, row.code))[:MAX_ROWS]
