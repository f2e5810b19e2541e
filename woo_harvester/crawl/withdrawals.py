"""Makes withdrawals of documents that are gone, once all hosts of a run have been read.

A document is gone if the last read of every host that listed it was complete and lacked it. If much is gone
from a host at once, or the host has entries that cannot be used, each document waits until several complete
reads lack it. A document also waits that long if its index is no longer named, if a host that listed it is
not in the register any more, or if it may have moved to a host that was not read completely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.pending_withdrawals import Awaited, PendingWithdrawals
from woo_harvester.crawl.repeated_entries import end_visit
from woo_harvester.dates import moment_after
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.record import Herkomst, Oorzaak, Versie, bare_record
from woo_harvester.register import Register
from woo_harvester.state import documents, listings
from woo_harvester.state.batches import batches
from woo_harvester.state.delivery import Delivery
from woo_harvester.state.documents import Gone
from woo_harvester.state.ended_reads import (
    CompleteRead,
    end_reads,
    hosts_with_differences,
    hosts_with_published,
)
from woo_harvester.state.indexes import note_named_indexes
from woo_harvester.state.resources import end_read, forget_unread, last_reads, read_counts
from woo_harvester.state.withdrawal import (
    Missing,
    Registration,
    WithdrawalLimits,
    listed_elsewhere,
    missing_documents,
    note_massive,
)
from woo_harvester.urls import host_of


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
        self._gone_indexes: dict[str, list[str]] = {}
        """By host: the indexes that were read before, and that robots.txt does not name since this run."""

    def items(self, visits: Sequence[Visit]) -> Iterator[WooItem]:
        """Yield the withdrawals of a run.

        The misses of all hosts are counted first, because a document may have been on several hosts. What is
        much at once is noted with them, so a run that is killed after that withdraws nothing too early.
        """
        changed = self._end_unchanged(self._complete(visits))
        for visit in changed:
            self._end_read(visit)
        if not changed:
            return
        with self._keeper.begin() as connection:
            reads = last_reads(connection)
            registration = Registration(self._register.is_registered, read_counts(connection))
        for visit in changed:
            yield from self._withdraw(visit, reads, registration)

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
                if visit.known.id in differing or visit.repeated or any(visit.lacking.values()):
                    changed.append(visit)
                else:
                    unchanged.append(visit.known.id)
            end_reads(connection, unchanged, int(datetime.now(UTC).timestamp()), self._begun_at)
        return changed

    def _end_read(self, visit: Visit) -> None:
        """Count the documents that a completely read host no longer lists, and note whether they are many."""
        with self._keeper.begin() as connection:
            host_id = visit.known.id
            gone = note_named_indexes(connection, host_id, visit.selection.named)
            self._gone_indexes[visit.host] = gone
            forget_unread(connection, host_id, visit.read)
            listings.missed(connection, host_id, visit.read, visit.lacking, self._begun_at, self._limits.runs)
            end_visit(connection, visit)
            listings.drop_missing_withdrawn(connection, host_id)
            note_massive(connection, host_id, self._limits, may_be_listed=visit.unusable > 0)
            others = listed_elsewhere(connection, host_id, self._register.is_registered, self._limits)
            listings.drop(connection, host_id, others)
            documents.end_restore(connection, host_id)
            end_read(connection, host_id, int(datetime.now(UTC).timestamp()), self._begun_at)

    def _withdraw(
        self, visit: Visit, reads: Mapping[str, int], registration: Registration
    ) -> Iterator[WooItem]:
        """Yield the withdrawals of one host; list the documents that wait, and report why."""
        now, host_id = datetime.now(UTC), visit.known.id
        waiting = PendingWithdrawals(visit, self._pending, self._gone_indexes[visit.host])
        ready, unknown = list[int](), list[int]()
        with closing(waiting), self._keeper.begin() as connection:
            for part in batches(missing_documents(connection, host_id, registration, self._limits)):
                harvested = documents.harvested_of(connection, [one.id for one in part])
                unknown += [one.id for one in part if one.is_gone and one.id not in harvested]
                for one in part:
                    if one.id in harvested and not waiting.add(one, self._awaited(one, reads)):
                        ready.append(one.id)
            claimed = sorted(documents.claim(connection, ready, host_id))
            counts = listings.count_massive(connection, host_id, self._limits.runs)
        waiting.report(*counts, self._limits.runs)
        with self._keeper.begin() as connection:
            documents.forget(connection, unknown)
        for part_claimed in batches(claimed):  # no transaction is open while records are written
            with self._keeper.begin() as connection:
                gone = list(documents.gone(connection, part_claimed, host_id))
            for one_gone in gone:
                yield self._item(one_gone, visit, now)

    def _awaited(self, one: Missing, reads: Mapping[str, int]) -> Awaited:
        """Return the hosts that a document waits for: those that listed it, and those it may have moved to.

        It waits for the latter until they were read completely by a run that began no earlier than the run
        that first missed it, and at most as long as for anything else. Hosts that the state does not know are
        left out, because this installation does not harvest them.
        """
        if one.misses >= self._limits.runs:
            return Awaited(one.unread, one.unregistered)
        others = set(self._register.own_hosts(one.loc)).intersection(reads) - one.hosts
        unread = one.unread.union(host for host in others if reads[host] < one.since)
        own = host_of(one.loc)
        is_gone = own in reads and own not in one.hosts and not self._register.is_registered(own)
        return Awaited(unread, one.unregistered.union([own] if is_gone else []))

    def _item(self, gone: Gone, visit: Visit, now: datetime) -> WooItem:
        match = self._register.organisation_of(gone.loc, visit.host)
        organisation = match.organisation.identifier if match.organisation else None
        published = date.fromisoformat(gone.published) if gone.published else None
        at = moment_after(datetime.fromtimestamp(gone.harvested, UTC), now)
        origin = Herkomst(index=gone.index, sitemap=gone.sitemap, opgehaald=at, organisatie=organisation)
        record = bare_record(gone.loc, Versie(Oorzaak.INTREKKING, published, at), origin)
        report = self._report.about(
            url=gone.loc, host=visit.host, organisation=organisation, sitemap=gone.sitemap
        )
        item = WooItem(record, None, report)
        self._keeper.expect(item, Delivery(withdrawn=gone.id, withdrawn_at=int(at.timestamp())))
        return item
