"""The same fault at several hosts, in one row: what is mended once at a supplier helps all its customers.

Nothing tells who made a host's software. What can be seen is the shape of the paths of its sitemaps: hosts
whose sitemaps stand at ``/api/sitemap/#/#.xml`` likely run the same. A path in the root of the host, as the
guide itself suggests, tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from woo_harvester.findings import Severity
from woo_harvester.report.funnel import Account
from woo_harvester.report.model import Host, SharedFinding

#: Hosts that a row names, and rows that a report has.
NAMED_HOSTS = 20
ROWS = 50


def pattern_of(account: Account) -> str | None:
    """The shape of paths that tells most of a host; None where all of them stand in the root."""
    telling = [
        (count, pattern)
        for pattern, count in account.patterns.items()
        if pattern.count("/") > 1 or "?" in pattern
    ]
    return max(telling)[1] if telling else None


@dataclass(slots=True)
class _Group:
    hosts: set[str] = field(default_factory=set)
    named: list[str] = field(default_factory=list)
    count: int = 0
    points: float = 0.0


class SharedFindings:
    """Gathers errors and warnings by code and by the shape of the hosts' paths."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, Severity, str | None], _Group] = {}

    def add(self, host: Host) -> None:
        """Count the findings of one host."""
        for row in host.findings:
            if row.severity != Severity.INFO:
                group = self._groups.setdefault((row.code, row.severity, host.pattern), _Group())
                if host.host not in group.hosts and len(group.named) < NAMED_HOSTS:
                    group.named.append(host.host)
                group.hosts.add(host.host)
                group.count += row.count
                group.points += row.points

    def rows(self) -> Iterable[SharedFinding]:
        """Faults at two hosts or more, those that cost most first; at most fifty."""
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
        return sorted(rows, key=lambda row: (-row.points, -row.host_count, row.code))[:ROWS]
