"""Finds the documents to withdraw, and those whose withdrawal has to wait.

A document is withdrawn only if the last read of every host that is known to list it was complete and lacked
it. Many documents that are gone at once may be a publisher's mistake: their withdrawal waits. So does that of
the documents of an index that robots.txt no longer names, however few they are.

Source: "Gone" in the interface description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Connection

from woo_harvester.state.indexes import is_named
from woo_harvester.state.listings import HostListing, count_published, known_by, missing
from woo_harvester.urls import host_of


@dataclass(frozen=True, slots=True)
class WithdrawalLimits:
    """Limits above which documents that are gone at once may be a mistake, so that their withdrawal waits."""

    share: float = 0.2
    """Share of a host's documents. They wait if more than this and more than ``documents`` are gone."""
    documents: int = 50
    """Number of documents; see ``share``."""
    all_of: int = 10
    """Number of documents of a host from which they wait if all of them are gone."""
    runs: int = 3
    """Complete reads in a row that must lack a document that waits, before it is withdrawn."""


class GoneIndex(NamedTuple):
    """An index that listed a missing document, and that robots.txt of its host no longer names."""

    host: str
    url: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A document that the last complete read of a host lacked."""

    id: int
    loc: str
    misses: int
    """Complete reads in a row that lacked it: the smallest number of the hosts that listed it."""
    massive: bool
    """True if its withdrawal waits, because much was gone at once from one of its hosts."""
    since: int
    """Start of the run that found it missing from the last of those hosts, in microseconds since 1970."""
    hosts: frozenset[str]
    """The hosts that listed it."""
    indexes: frozenset[GoneIndex] = frozenset()
    """The indexes that listed it and that are no longer named."""
    waits_for_index: bool = False
    """True if its withdrawal waits, because one of these may be gone by a mistake."""


def missing_documents(
    connection: Connection, host_id: int, is_registered: Callable[[str], bool], limits: WithdrawalLimits
) -> Iterator[Missing]:
    """Yield the documents that a host lacks and that no other host lists.

    A host that is no longer registered does not count. Documents that another host lists are left out, and
    those that it may list because its last read was not complete.
    """
    rows = known_by(connection, missing(connection, host_id))
    for _, group in groupby(rows, key=attrgetter("document_id")):
        if (found := missing_everywhere(list(group), is_registered, limits)) is not None:
            yield found


def listed_elsewhere(
    connection: Connection, host_id: int, is_registered: Callable[[str], bool], limits: WithdrawalLimits
) -> list[int]:
    """Return the documents that a host has lacked for long enough, and that another registered host lists.

    They are not withdrawn, and this host no longer counts for them. The host of the loc always counts.
    """
    rows = known_by(connection, missing(connection, host_id))
    found: list[int] = []
    for document_id, group in groupby(rows, key=attrgetter("document_id")):
        known = list(group)
        here = [row for row in known if row.host_id == host_id]
        is_long = min(row.misses for row in here) >= limits.runs and here[0].host != host_of(here[0].loc)
        if is_long and any(not row.misses and is_registered(row.host) for row in known):
            found.append(document_id)
    return found


def missing_everywhere(
    rows: Sequence[HostListing], is_registered: Callable[[str], bool], limits: WithdrawalLimits
) -> Missing | None:
    """Return the document of *rows* if each host that listed it lacks it; None if one may still list it."""
    counting = [row for row in rows if is_registered(row.host)]
    if not counting or any(not row.misses or not row.complete for row in counting):
        return None
    waiting = [row for row in counting if row.misses < limits.runs]
    since = max(row.missing_since or 0 for row in counting)
    return Missing(
        id=rows[0].document_id,
        loc=rows[0].loc,
        misses=min(row.misses for row in counting),
        massive=any(row.massive and row.index_gone is None for row in waiting),
        since=since,
        hosts=frozenset(row.host for row in rows),
        indexes=frozenset(GoneIndex(row.host, row.index_gone) for row in counting if row.index_gone),
        waits_for_index=any(row.index_gone for row in waiting),
    )


def exceeds_limits(count: int, published: int, limits: WithdrawalLimits) -> bool:
    """Return whether *count* missing documents out of *published* exceed the limits."""
    many = count > limits.share * published and count > limits.documents
    return many or (count >= limits.all_of and count >= published)


def is_massive(connection: Connection, host_id: int, count: int, limits: WithdrawalLimits) -> bool:
    """Return whether *count* missing documents of a host are so many that it may be a mistake.

    The documents of indexes that are no longer named are left out, here and by the caller: they wait anyway.
    """
    return bool(count) and exceeds_limits(count, count_published(connection, host_id, is_named()), limits)
