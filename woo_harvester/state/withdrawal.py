"""Which documents are gone, and which of them wait: a publisher's glitch must not become a withdrawal.

A document is withdrawn only when the last read of every host that is known to list it was complete and lacks
it. Source: "Gone" in the interface description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Connection

from woo_harvester.state.listings import HostListing, count_published, known_by, missing
from woo_harvester.urls import host_of


@dataclass(frozen=True, slots=True)
class Limits:
    """From when on so many documents are gone at once that it may be a mistake."""

    share: float = 0.2
    """Part of the host's documents; where more than this and more than ``documents`` are gone, they wait."""
    documents: int = 50
    all_of: int = 10
    """All documents of a host that has at least this many wait."""
    runs: int = 3
    """A document that waits is withdrawn when so many complete reads in a row have lacked it."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A document that the last complete read of a host lacked."""

    id: int
    loc: str
    misses: int
    """Complete reads in a row that lacked it: of the hosts that listed it, the least."""
    massive: bool
    """Whether it waits, since much went at once on one of its hosts."""
    since: int
    """Microseconds since 1970; the begin of the run that found it missing from the last of them."""
    hosts: frozenset[str]
    """The hosts that listed it."""


def missing_documents(
    connection: Connection, host_id: int, is_registered: Callable[[str], bool], limits: Limits
) -> Iterator[Missing]:
    """Give the documents that a host lacks and that no host is known to list.

    A host that left the register does not count. What another host lists, or may list since its last read was
    not complete, is left out.
    """
    rows = known_by(connection, missing(connection, host_id))
    for _, group in groupby(rows, key=attrgetter("document_id")):
        if (found := gone(list(group), is_registered, limits)) is not None:
            yield found


def listed_elsewhere(
    connection: Connection, host_id: int, is_registered: Callable[[str], bool], limits: Limits
) -> list[int]:
    """Return the documents that a host has lacked for long enough, and that another registered host lists.

    They are not gone, and this host no longer counts for them. The host of the loc itself always counts.
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


def gone(rows: Sequence[HostListing], is_registered: Callable[[str], bool], limits: Limits) -> Missing | None:
    """Return a document that is gone from each host that listed it; None where it is not sure of one."""
    counting = [row for row in rows if is_registered(row.host)]
    if not counting or any(not row.misses or not row.complete for row in counting):
        return None
    massive = any(row.massive and row.misses < limits.runs for row in counting)
    since = max(row.missing_since or 0 for row in counting)
    return Missing(
        id=rows[0].document_id,
        loc=rows[0].loc,
        misses=min(row.misses for row in counting),
        massive=massive,
        since=since,
        hosts=frozenset(row.host for row in rows),
    )


def is_massive(count: int, published: int, limits: Limits) -> bool:
    """Return whether so many documents of so many are gone at once that it may be a mistake."""
    many = count > limits.share * published and count > limits.documents
    return many or (count >= limits.all_of and count >= published)


def massive(connection: Connection, host_id: int, count: int, limits: Limits) -> bool:
    """Return whether *count* missing documents are so many of a host's that it may be a mistake."""
    return bool(count) and is_massive(count, count_published(connection, host_id), limits)
