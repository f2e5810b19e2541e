"""Towns whose sitemaps a run has read, with a state that is real: what is left to do is to withdraw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import cast

from sqlalchemy import Connection

from tests.state.knowledge import harvest, list_in, see
from tests.utils.command import Line, read_lines
from woo_harvester.crawl.hosts import Visit
from woo_harvester.crawl.withdrawals import Withdrawals
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.register import Location, Organisation, Register
from woo_harvester.report.funnel import Account
from woo_harvester.state import listings
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.documents import confirm_withdrawn, look_up
from woo_harvester.state.resources import (
    begin_reads,
    begin_run,
    forget_read,
    host_of_state,
    keep_read,
    note_unregistered,
    resource_of,
)
from woo_harvester.state.store import State
from woo_harvester.state.upkeep import confirm_withdrawals
from woo_harvester.state.withdrawal import WithdrawalLimits
from woo_harvester.utils.dates import to_microseconds
from woo_harvester.utils.document_set import DocumentSet

Listed = dict[str, Sequence[str]]
"""The documents in each index of a host, by the path of the index."""
INDEX = "/sitemapindex-diwoo.xml"
SECOND = "/sitemapindex-diwoo-infocat002.xml"
LIMITS = WithdrawalLimits(share=0.2, documents=3, all_of=5, runs=3)


def pdfs(host: str, *numbers: int) -> list[str]:
    """Return the locs of documents on a host."""
    return [f"https://{host}/{number}.pdf" for number in numbers]


@dataclass
class Day:
    """What the runs of a day gave."""

    withdrawn: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    pending: list[Line] = field(default_factory=list)

    def seen(self, code: str) -> list[tuple[str | None, str | None]]:
        """Return the host of each finding with this code, and what was seen."""
        return [(finding.host, finding.seen) for finding in self.findings if finding.code == code]


@dataclass
class Keeper:
    """What the withdrawals use of the extension that writes the state."""

    state: State
    deliveries: list[Delivery] = field(default_factory=list)
    delivered: DocumentSet = field(default_factory=DocumentSet)

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        with self.state.begin() as connection:
            yield connection

    def read_again(self, connection: Connection, sitemaps: Iterable[int]) -> None:
        for sitemap_id in sitemaps:
            forget_read(connection, sitemap_id)

    def expect(self, item: WooItem, delivery: Delivery) -> None:
        self.deliveries.append(delivery)


@dataclass
class Towns:
    """Hosts, what each lists, and an installation that comes by; *apart*: in a run for each host."""

    state: State
    folder: Path
    apart: bool = False
    limits: WithdrawalLimits = LIMITS
    lists: dict[str, Listed] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    """The organisation of each host; by default each host is that of one of its own."""
    unusable: set[str] = field(default_factory=set)
    """Hosts with an entry whose loc cannot be used, and does not say which document it is of."""
    unreadable: set[str] = field(default_factory=set)
    unregistered: set[str] = field(default_factory=set)
    now: datetime = datetime(2026, 4, 2, tzinfo=UTC)

    def publish(self, host: str, *locs: str) -> None:
        """Have a host list these documents in its only index."""
        self.lists[host] = {INDEX: locs}

    def day(self, *hosts: str, killed: bool = False) -> Day:
        """Harvest hosts, by default all that are registered; with *killed*, up to the first withdrawal."""
        self.now += timedelta(days=1)
        chosen = hosts or [host for host in sorted(self.lists) if host not in self.unregistered]
        day = Day()
        for run in [[host] for host in chosen] if self.apart else [chosen]:
            self.now += timedelta(minutes=1)
            self._run(run, day, killed=killed)
        return day

    def days(self, count: int, *hosts: str) -> list[set[str]]:
        """Harvest on so many days; return what is withdrawn on each."""
        return [self.day(*hosts).withdrawn for _ in range(count)]

    def confirm(self, host: str) -> int:
        """Confirm the pending withdrawals of a host."""
        with self.state.begin() as connection:
            return confirm_withdrawals(connection, host)

    def _register(self) -> Register:
        known = [host for host in self.lists if host not in self.unregistered]
        names = {self.bodies.get(host, host) for host in known}
        bodies = {name: Organisation(name, name) for name in sorted(names)}
        places = [Location(bodies[self.bodies.get(host, host)], f"https://{host}/") for host in known]
        return Register(bodies.values(), places)

    def _run(self, hosts: Sequence[str], day: Day, *, killed: bool) -> None:
        register, keeper = self._register(), Keeper(self.state)
        report = Reporter(day.findings.append)
        pending = self.folder / f"{self.now:%Y%m%d%H%M}.jsonl"
        with self.state.begin() as connection:
            known = [host_of_state(connection, host) for host in hosts]
            visits = [
                Visit(host, None, one, 1, report, register.is_registered, Account(host))
                for host, one in zip(hosts, known, strict=True)
            ]
            began = begin_run(connection, to_microseconds(self.now))
            begin_reads(connection, [one.id for one in known])
            note_unregistered(connection, register.is_registered)
            for visit in visits:
                self._read(connection, visit)
        withdrawals = Withdrawals(register, cast("StateKeeper", keeper), report, self.limits, pending, began)
        made = chain(withdrawals.items(visits), withdrawals.items_of_unregistered())
        if killed:
            next(made, None)
            return
        day.withdrawn |= {str(item.record.document.weblocatie) for item in made}
        with self.state.begin() as connection:
            confirm_withdrawn(connection, {one.withdrawn or 0: one.withdrawn_at for one in keeper.deliveries})
        day.pending += read_lines(pending) if pending.exists() else []

    def _read(self, connection: Connection, visit: Visit) -> None:
        """Read a host as the spider does."""
        if visit.host in self.unreadable:
            visit.report("sitemap.onbereikbaar", url=f"https://{visit.host}/s.xml", seen="503")
            return
        visit.unusable = int(visit.host in self.unusable)
        indexes, host_id = self.lists[visit.host], visit.known.id
        lines = "".join(f"Sitemap: https://{visit.host}{path}\n" for path in indexes)
        list(visit.selection.indexes(lines.encode(), f"https://{visit.host}/robots.txt"))
        for path, locs in indexes.items():
            index = f"https://{visit.host}{path}"
            index_id = resource_of(connection, host_id, index, "index").id
            keep_read(connection, index_id, etag=None, last_modified=None, digest=None, at=1)
            name = f"https://{visit.host}{path}/s.xml"
            sitemap = resource_of(connection, host_id, name, "sitemap", index).id
            known = look_up(connection, locs)
            fresh = [loc for loc in locs if loc not in known]
            harvest(connection, sitemap, [loc for loc in fresh if "gezien" not in loc])
            see(connection, sitemap, [loc for loc in fresh if "gezien" in loc])
            ids = [one.id for one in known.values()]
            list_in(connection, sitemap, ids)
            listed = {one.id for one in look_up(connection, locs).values()}
            visit.read.add(sitemap)
            visit.lacking[sitemap] = [
                key for key in listings.ids_of(connection, sitemap) if key not in listed
            ]
