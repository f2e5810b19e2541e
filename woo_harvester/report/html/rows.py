"""What the overview keeps of each host: a row of the table, and the heaviest faults of all hosts together."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from woo_harvester.findings import Severity
from woo_harvester.report.model import HostReport
from woo_harvester.report.model_base import OrganisationRef

#: The maximum number of hosts that a fault names.
_NAMED_HOSTS = 20

_ORDER = list(Severity)


@dataclass(frozen=True, slots=True)
class HostRow:
    """The row of a host in the overview. It is small, because 900 of them are in memory at the same time."""

    host: str
    organisations: list[OrganisationRef]
    listed: int
    harvested: int
    score: int | None
    share_lost: float
    errors: int
    warnings: int
    visited: bool
    worst: str | None
    """The code of the error or warning that costs the most points; None if it has none."""

    @classmethod
    def of(cls, host: HostReport) -> HostRow:
        """Return the row of a host."""
        faults = [row for row in host.findings if row.severity is not Severity.INFO]
        errors, warnings = (
            sum(row.count for row in faults if row.severity is severity)
            for severity in (Severity.ERROR, Severity.WARNING)
        )
        return cls(
            host.host,
            host.organisations,
            host.listed,
            host.harvested,
            host.score,
            host.share_lost,
            errors,
            warnings,
            bool(host.sections),
            faults[0].code if faults else None,
        )


@dataclass(slots=True)
class HeavyFault:
    """An error or warning, with what it costs all hosts together."""

    code: str
    severity: Severity
    hosts: list[str] = field(default_factory=list)
    """The first twenty, worst host first."""
    host_count: int = 0
    count: int = 0
    points: float = 0.0
    """The points that fixing it gives these hosts together."""
    is_maximum: bool = False
    """True if it kept parts of the score of a host from being reached, so that the points are a maximum."""


class HeavyFaults:
    """The errors and warnings of all hosts, by code."""

    def __init__(self) -> None:
        self._faults: dict[str, HeavyFault] = {}

    def add(self, host: HostReport) -> None:
        """Add the faults of one host. Add the worst host first."""
        at_most = maxima(host)
        for code in {row.code for row in host.findings if row.severity is not Severity.INFO}:
            rows = [row for row in host.findings if row.code == code]
            fault = self._faults.setdefault(code, HeavyFault(code, rows[0].severity))
            fault.host_count += 1
            fault.count += sum(row.count for row in rows)
            fault.points += sum(row.points for row in rows)
            fault.is_maximum |= code in at_most
            if len(fault.hosts) < _NAMED_HOSTS:
                fault.hosts.append(host.host)

    def heaviest(self, number: int) -> list[HeavyFault]:
        """Return the faults that cost the most points; then errors first, then those of the most hosts."""
        return sorted(self._faults.values(), key=_heaviest_first)[:number]


def _heaviest_first(fault: HeavyFault) -> tuple[float, int, int, str]:
    return -fault.points, _ORDER.index(fault.severity), -fault.host_count, fault.code


def maxima(host: HostReport) -> set[str]:
    """Return the codes whose cost is a maximum, because they kept parts of the score from being reached."""
    parts = chain.from_iterable(section.parts for section in host.sections)
    return {code for part in parts if part.state == "not_reached" for code in part.costs}
