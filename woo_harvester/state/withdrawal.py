"""Which documents are gone, and whether so many may be: a publisher's glitch must not become a deletion."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from sqlalchemy import Connection

from woo_harvester.state.documents import count_published, not_withdrawn
from woo_harvester.state.listed import Listed
from woo_harvester.state.resources import Host, sitemap_ids


@dataclass(frozen=True, slots=True)
class Limits:
    """From when on so many documents are gone at once that it may be a mistake."""

    share: float = 0.2
    """Part of the host's documents; more than this and more than ``documents`` are held back."""
    documents: int = 50
    all_of: int = 10
    """All documents of a host that has at least this many are held back."""
    runs: int = 3
    """In this complete run running they are withdrawn after all."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a complete read of a host did not list."""

    harvested: list[int]
    """Ids of documents that were harvested: these may be withdrawn."""
    only_seen: list[int]
    """Ids of documents that never were: these are forgotten."""
    published: int
    """How many documents the host had before."""


class Judgement(Enum):
    """What happens to what is missing."""

    NOTHING = "nothing is missing"
    WITHDRAW = "withdrawn"
    HOLD = "held back"


def missing(connection: Connection, host_id: int, listed: Listed, whole: Collection[int]) -> Missing:
    """The documents of a host that this run did not list.

    *whole* are the sitemaps of which it is known already that none is missing.
    """
    harvested: list[int] = []
    only_seen: list[int] = []
    for sitemap_id in sitemap_ids(connection, host_id):
        if sitemap_id not in whole:
            harvested += listed.lacks(not_withdrawn(connection, sitemap_id, harvested=True))
            only_seen += listed.lacks(not_withdrawn(connection, sitemap_id, harvested=False))
    return Missing(harvested, only_seen, count_published(connection, host_id) if harvested else 0)


def judge(found: Missing, host: Host, limits: Limits) -> Judgement:
    """Whether what is missing is withdrawn now, or held back until it is sure."""
    count = len(found.harvested)
    if not count:
        return Judgement.NOTHING
    many = count > limits.share * found.published and count > limits.documents
    everything = count >= limits.all_of and count == found.published
    if not (many or everything):
        return Judgement.WITHDRAW
    long_enough = runs_running(found, host) >= limits.runs
    confirmed = host.confirmed and count <= host.held_documents
    return Judgement.WITHDRAW if long_enough or confirmed else Judgement.HOLD


def runs_running(found: Missing, host: Host) -> int:
    """In how many complete runs running, this one included, so much is missing.

    Where more is missing than was held back, that is another glitch, and counting begins anew: nobody has
    waited for those documents, and nobody has confirmed them.
    """
    return host.held_runs + 1 if len(found.harvested) <= host.held_documents else 1
