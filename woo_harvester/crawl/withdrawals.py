"""The withdrawals of a run: the documents that are gone, and those that wait with the reason why."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple, TextIO

from woo_harvester.crawl.hosts import Visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.record import Herkomst, Oorzaak, Versie, bare_record
from woo_harvester.register import Register
from woo_harvester.report.run_folder import json_line
from woo_harvester.state import documents, listings
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.resources import forget_unread, gone_indexes, last_reads
from woo_harvester.state.sql import batches
from woo_harvester.state.withdrawal import (
    CompleteRead,
    Gone,
    Missing,
    WithdrawalLimits,
    end_reads,
    exceeds_limits,
    gone_documents,
    hosts_with_differences,
    hosts_with_published,
    missing_documents,
    unregistered_hosts,
)
from woo_harvester.utils.dates import moment_after
from woo_harvester.utils.program import counted, program

logger = logging.getLogger(__name__)

_NOTHING_LOST = "niets ingetrokken: er zijn geen documenten die alleen in deze index stonden"

_UNREGISTERED = (
    "%(host)s is not in the register, so no run reads it: %(documents)s that it listed stay published. "
    "If they are gone for good: %(program)s state confirm %(host)s"
)


class ReadHost(NamedTuple):
    """A host whose missing documents may be withdrawn: it was read, or an operator says that it is gone."""

    host: str
    id: int
    report: Reporter
    named: Collection[str]
    """The indexes that its robots.txt names."""
    published: int
    """Number of published documents that it lists or lacks."""
    unusable: int = 0
    """Number of its entries whose loc cannot be used."""
    gone: Sequence[str] = ()
    """The indexes that were read before and are not named since this run."""


class PendingWithdrawals:
    """The pending withdrawals of one host, which are appended to the file at *path*."""

    def __init__(self, host: ReadHost, path: Path) -> None:
        self._host = host
        self._path = path
        self._lines: TextIO | None = None
        self._massive = _Waiting()
        self._by_index: dict[str, _Waiting] = {}
        """The documents of each index that the host no longer names, by its URL."""
        self._others = Counter[str]()
        """Number of documents that wait for another host, by what is wrong there."""

    def add(self, one: Missing, unread: Iterable[str]) -> bool:
        """Add a document if it waits for more reads, or for the hosts *unread*. Raises OSError.

        Returns False if it does not wait: it is withdrawn now.
        """
        own = [place for place in one.pending if place.host == self._host.host]
        others = {place.host for place in one.pending} - {self._host.host}
        reasons = [f"{host} is niet volledig gelezen" for host in unread]
        reasons += [f"bij {host} zijn documenten misschien bij vergissing weg" for host in sorted(others)]
        indexes = {place.index_url for place in own if place.index_url is not None} - {*self._host.named}
        for index in indexes:
            self._by_index.setdefault(index, _Waiting()).add(one)
        if own and not indexes:
            self._massive.add(one)
        elif not own and not reasons:
            return False
        self._others.update(reasons)
        self._write(one)
        return True

    def _write(self, one: Missing) -> None:
        if self._lines is None:
            self._lines = self._path.open("a", encoding="utf-8")
        line = {"host": self._host.host, "url": one.loc, "rondes": one.misses}
        self._lines.write(json_line(line))

    def close(self) -> None:
        """Close the file. Raises OSError."""
        if self._lines is not None:
            self._lines.close()

    def report(self, runs: int) -> None:
        """Report why documents wait, and which indexes are gone since this run; *runs* is the limit."""
        url, name, report = f"https://{self._host.host}/", self._path.name, self._host.report
        if self._massive.count:
            seen = f"{self._massive.count} van {self._host.published} documenten"
            if self._host.unusable:
                seen += f"; vermeldingen zonder bruikbaar adres: {self._host.unusable}"
            report("intrekking.massaal", url=url, seen=seen, action=self._massive.action(runs, name))
        for index in sorted({*self._by_index, *self._host.gone}):
            waiting = self._by_index.get(index)
            count = waiting.count if waiting is not None else 0
            action = waiting.action(runs, name) if waiting is not None else _NOTHING_LOST
            report("index.verdwenen", url=index, seen=counted(count, "document", "documenten"), action=action)
        for seen, count in sorted(self._others.items()):
            action = f"{counted(count, 'document', 'documenten')} nog niet ingetrokken; zie {name}"
            report("intrekking.onvolledig", url=url, seen=seen, action=action)


class _Waiting:
    """The number of documents that wait for more complete reads, and how many reads have lacked them."""

    def __init__(self) -> None:
        self.count = 0
        self._rounds: set[int] = set()

    def add(self, one: Missing) -> None:
        """Add a document."""
        self.count += 1
        self._rounds.add(one.misses)

    def action(self, runs: int, file: str) -> str:
        """Return what is done with them: they wait for *runs* reads, and *file* lists them."""
        first, last = min(self._rounds), max(self._rounds)
        which = f"{first}" if first == last else f"{first} tot {last}"
        return f"nog niet ingetrokken: volledige ronde {which} van {runs}; zie {file}"


class Withdrawals:
    """The withdrawals of a run; *pending* is the file that lists those that wait.

    *began* is the beginning of the run, as :func:`~woo_harvester.state.resources.begin_run` returns it.
    """

    def __init__(
        self,
        register: Register,
        keeper: StateKeeper,
        report: Reporter,
        limits: WithdrawalLimits,
        pending: Path,
        began: int,
    ) -> None:
        self._register = register
        self._keeper = keeper
        self._report = report
        self._limits = limits
        self._pending = pending
        self._begun_at = began

    def items(self, visits: Sequence[Visit]) -> Iterator[WooItem]:
        """Yield the withdrawals of a run.

        The misses of all hosts are counted first, because a document may have been on several hosts. How many
        are needed is noted with them, so a run that is killed after that withdraws nothing too early.
        """
        changed = self._end_unchanged(self._complete(visits))
        read = [self._end_read(visit) for visit in changed]
        with self._keeper.begin() as connection:
            reads = last_reads(connection)
        for host in read:
            yield from self._withdraw(host, reads)

    def items_of_unregistered(self) -> Iterator[WooItem]:
        """Yield the withdrawals of hosts that the register lacks, if an operator has confirmed them.

        Name those that still list published documents.
        """
        with self._keeper.begin() as connection:
            hosts = [
                (one, listings.count_lacking(connection, one.id)) for one in unregistered_hosts(connection)
            ]
            reads = last_reads(connection)
        for one, (_, published) in hosts:
            if one.documents:
                what = counted(one.documents, "document")
                logger.warning(_UNREGISTERED, {"host": one.host, "documents": what, "program": program()})
            report = self._report.about(host=one.host)
            yield from self._withdraw(ReadHost(one.host, one.id, report, (), published), reads)

    def _complete(self, visits: Sequence[Visit]) -> list[Visit]:
        """Return the visits to hosts that were read completely; report the others that have documents."""
        for visit in visits:
            if not visit.reading_done:
                visit.incomplete.append("niet uitgelezen")
        incomplete = [visit for visit in visits if visit.incomplete]
        with self._keeper.begin() as connection:
            published = hosts_with_published(connection, [visit.known.id for visit in incomplete])
        for visit in incomplete:
            if visit.known.id in published:
                reasons = ", ".join(dict.fromkeys(visit.incomplete))
                visit.report("intrekking.onvolledig", url=f"https://{visit.host}/", seen=reasons)
        # A visit that is not complete without a reason: the spider has left out a file, as it was meant to.
        return [visit for visit in visits if visit.is_complete]

    def _end_unchanged(self, complete: Sequence[Visit]) -> list[Visit]:
        """End the reading of all hosts of which nothing is gone, in one transaction; return the others."""
        reads = [CompleteRead(visit.known.id, visit.selection.named, visit.read) for visit in complete]
        with self._keeper.begin() as connection:
            differing = hosts_with_differences(connection, reads)
            changed, unchanged = list[Visit](), list[int]()
            for visit in complete:
                if visit.known.id in differing or any(visit.lacking.values()):
                    changed.append(visit)
                else:
                    unchanged.append(visit.known.id)
            end_reads(connection, unchanged, int(datetime.now(UTC).timestamp()), self._begun_at)
        return changed

    def _end_read(self, visit: Visit) -> ReadHost:
        """Count the documents that a completely read host no longer lists, and how many reads they need."""
        with self._keeper.begin() as connection:
            host_id, named = visit.known.id, visit.selection.named
            gone = gone_indexes(connection, host_id, named)
            forget_unread(connection, host_id, visit.read)
            listings.missed(connection, host_id, visit.read, visit.lacking, self._begun_at)
            self._keeper.read_again(connection, listings.passed_over_for(connection, host_id))
            listings.drop_settled(connection, host_id)
            lacking, published = listings.count_lacking(connection, host_id)
            is_much = exceeds_limits(lacking, published, self._limits)
            may_be_mistake = is_much or bool(gone) or visit.unusable > 0
            listings.need(connection, host_id, self._limits.runs if may_be_mistake else 1)
            end_reads(connection, [host_id], int(datetime.now(UTC).timestamp()), self._begun_at)
        return ReadHost(visit.host, host_id, visit.report, named, published, visit.unusable, gone)

    def _withdraw(self, host: ReadHost, reads: Mapping[str, int]) -> Iterator[WooItem]:
        """Yield the withdrawals of one host; list the documents that wait, and report why."""
        now, waiting = datetime.now(UTC), PendingWithdrawals(host, self._pending)
        ready, unknown = list[int](), list[int]()
        with closing(waiting), self._keeper.begin() as connection:
            for one in missing_documents(connection, host.id):
                unread = self._unread(one, reads)
                if not one.is_harvested:
                    unknown += [] if unread or one.pending else [one.id]
                elif not waiting.add(one, unread):
                    ready.append(one.id)
        waiting.report(self._limits.runs)
        with self._keeper.begin() as connection:
            documents.forget(connection, unknown)
        for part in batches(ready):  # no transaction is open while records are written
            with self._keeper.begin() as connection:
                found = list(gone_documents(connection, part, host.id))
            for one_gone in found:
                if self._keeper.delivered.add(one_gone.id):  # no other host of this run has withdrawn it
                    yield self._item(one_gone, host, now)

    def _unread(self, one: Missing, reads: Mapping[str, int]) -> list[str]:
        """Return the hosts that a document waits for: those that listed it, and those of its owner.

        Each of these must have been read completely by a run that began no earlier than the run that first
        missed the document. It waits for them at most as long as for anything else. Hosts that the state does
        not know are left out, because this installation does not harvest them, and those that the register
        does not have, because no run reads them.
        """
        if one.misses >= self._limits.runs:
            return []
        mattering = one.hosts.union(self._register.own_hosts(one.loc)).intersection(reads)
        return sorted(
            host for host in mattering if reads[host] < one.since and self._register.is_registered(host)
        )

    def _item(self, gone: Gone, host: ReadHost, now: datetime) -> WooItem:
        match = self._register.organisation_of(gone.loc, host.host)
        organisation = match.organisation.identifier if match.organisation else None
        published = date.fromisoformat(gone.published) if gone.published else None
        at = moment_after(datetime.fromtimestamp(gone.harvested, UTC), now)
        origin = Herkomst(index=gone.index, sitemap=gone.sitemap, opgehaald=at, organisatie=organisation)
        record = bare_record(gone.loc, Versie(Oorzaak.INTREKKING, published, at), origin)
        report = self._report.about(
            url=gone.loc, host=host.host, organisation=organisation, sitemap=gone.sitemap
        )
        item = WooItem(record, None, report)
        self._keeper.expect(item, Delivery(withdrawn=gone.id, withdrawn_at=int(at.timestamp())))
        return item
