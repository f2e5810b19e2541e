"""Counts whether nearly all hosts of a run fail in the same way: then the cause is likely on this side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

Cause = Literal["tls", "dns", "refused", "timeout", "address", "proxy", "lost"]
"""The way in which the connection with a host failed, if that may have one cause for all hosts."""

#: With fewer hosts in a run there is no verdict: a few publishers may share one server.
LEAST_HOSTS = 10

#: The share of the hosts of a run that must fail in the same way, in percent.
SHARE = 90


class CommonCause:
    """Counts the hosts of a run by the outcome of the first request to each.

    Memory grows with the number of hosts.
    """

    def __init__(self) -> None:
        self._expected: set[str] = set()
        self._outcomes: dict[str, Cause | None] = {}
        self._counts: Counter[Cause | None] = Counter()

    def expect(self, hosts: Iterable[str]) -> None:
        """Add the hosts that the run visits; only these count."""
        self._expected.update(hosts)
        self._counts = Counter(outcome for host, outcome in self._outcomes.items() if host in self._expected)

    def tried(self, host: str, cause: Cause | None) -> bool:
        """Note the outcome of a request to *host*: how it failed, or None if not or in a way of its own.

        The first failure counts, and an answer comes before any failure. Returns whether
        :meth:`is_possible` may have changed for a host that failed before.
        """
        if host in self._outcomes:
            if cause is not None or self._outcomes[host] is None:
                return False
            self._count(host, -1)
        possible, failed = self._possible(), host in self._outcomes
        self._outcomes[host] = cause
        self._count(host, 1)
        return failed or not possible <= self._possible()

    def is_possible(self, host: str) -> bool:
        """Return whether *host* failed in a way that may still turn out to be that of 90% of all hosts."""
        cause = self._outcomes.get(host)
        if cause is None or host not in self._expected:
            return False
        return cause in self._possible()

    def verdict(self) -> Cause | None:
        """Return how at least 90% of at least ten hosts that were tried failed; None if they did not."""
        tried = self._counts.total()
        for cause, count in self._counts.items():
            if cause is not None and _is_common(count, tried):
                return cause
        return None

    def hosts(self, cause: Cause) -> list[str]:
        """Return the hosts of the run that failed in this way."""
        return [host for host, found in self._outcomes.items() if found == cause and host in self._expected]

    def _possible(self) -> set[Cause]:
        """Return the ways in which 90% of all hosts may have failed when all have been tried."""
        expected, tried = len(self._expected), self._counts.total()
        return {
            cause
            for cause, count in self._counts.items()
            if cause is not None and _is_common(expected - tried + count, expected)
        }

    def _count(self, host: str, change: int) -> None:
        if host in self._expected:
            self._counts[self._outcomes[host]] += change

    @property
    def hosts_tried(self) -> int:
        """The number of hosts of the run that were tried."""
        return self._counts.total()


def _is_common(count: int, hosts: int) -> bool:
    return hosts >= LEAST_HOSTS and 100 * count >= SHARE * hosts
