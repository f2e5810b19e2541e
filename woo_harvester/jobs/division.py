"""Divides the hosts of a run over its jobs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

#: What a host costs besides its documents, as a number of documents: its robots.txt, indexes and sitemaps. A
#: host that the state does not know counts as this, too.
_HOST = 100


def divide(
    groups: Iterable[Sequence[str]], sizes: Mapping[str, int], jobs: int
) -> tuple[frozenset[str], ...]:
    """Return the hosts of each job: *jobs* sets, or as many as there are groups of hosts.

    The largest group comes first, and each goes to the job that has least so far. *sizes* has the number of
    documents of the hosts that are known.
    """
    weights = [(sum(_HOST + sizes.get(host, 0) for host in group), sorted(group)) for group in groups]
    weights.sort(key=lambda each: (-each[0], each[1]))
    parts: list[set[str]] = [set() for _ in range(min(jobs, len(weights)))]
    least = [(0, number) for number in range(len(parts))]
    for weight, hosts in weights:
        before, number = least[0]
        parts[number].update(hosts)
        heapq.heapreplace(least, (before + weight, number))
    return tuple(frozenset(part) for part in parts)
