"""Makes withdrawals of documents that are gone, once all hosts of a run have been read.

A document is gone if the last read of every host that listed it was complete and lacked it. If much is gone
from a host at once, each document waits until several complete reads lack it. A document also waits that long
if its index is no longer named, or if it may have moved to a host that was not read completely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

from sqlalchemy import Connection

from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.pending_withdrawals import PendingWithdrawals
from woo_harvester.crawl.repeated_entries import end_visit
from woo_harvester.dates import moment_after, to_microseconds
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
from woo_harvester.state.indexes import is_named, note_named_indexes
from woo_harvester.state.resources import end_read, forget_unread, keep_massive, last_reads
from woo_harvester.state.withdrawal import (
    Missing,
    WithdrawalLimits,
    is_massive,
    listed_elsewhere,
    missing_documents,
)


class Withdrawals:
    """The withdrawals of a run that began at *began*; *pending* is the file that lists those that wait."""

    def __init__(
        self,
        register: Register,
        keeper: StateKeeper,
        report: Reporter,
        limits: WithdrawalLimits,
        pending: Path,
        began: datetime,
    ) -> None:
        self._register = register
        self._keeper = keeper
        self._report = report
        self._limits = limits
        self._pending = pending
        self._begun_at = to_microseconds(began)
        """The start of the run, in microseconds since 1970."""
        self._gone_indexes: dict[str, list[str]] = {}
        """By host: the indexes that were read before, and that robots.txt does not name since this run."""

    def items(self, visits: Sequence[Visit]) -> Iterator[WooItem]:
        """Yield the withdrawals of a run.

        The misses of all hosts are counted first, because a document may have been on several hosts.
        """
        changed = self._end_unchanged(self._complete(visits))
        for visit in changed:
            self._end_read(visit)
        for visit in changed:
            self._note_massive(visit)
        with self._keeper.begin() as connection:
            reads = last_reads(connection)
        for visit in changed:
            yield from self._withdraw(visit, reads)

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
        """Count the documents that a completely read host no longer lists."""
        with self._keeper.begin() as connection:
            host_id = visit.known.id
            gone = note_named_indexes(connection, host_id, visit.selection.named)
            self._gone_indexes[visit.host] = gone
            forget_unread(connection, host_id, visit.read)
            listings.missed(connection, host_id, visit.read, visit.lacking, self._begun_at)
            end_visit(connection, visit)
            listings.drop_missing_withdrawn(connection, host_id)
            others = listed_elsewhere(connection, host_id, self._register.is_registered, self._limits)
            listings.drop(connection, host_id, others)
            documents.end_restore(connection, host_id)
            end_read(connection, host_id, int(datetime.now(UTC).timestamp()), self._begun_at)

    def _note_massive(self, visit: Visit) -> None:
        """Write to the state whether much is gone from a host at once. Forget documents never harvested."""
        with self._keeper.begin() as connection:
            count, unknown = 0, list[int]()
            for part in batches(self._missing(connection, visit)):
                harvested = documents.harvested_of(connection, [one.id for one in part])
                count += sum(one.id in harvested and not _is_of_gone_index(one, visit) for one in part)
                unknown += [one.id for one in part if one.id not in harvested]
            documents.forget(connection, unknown)
            massive = is_massive(connection, visit.known.id, count, self._limits)
            keep_massive(connection, visit.known.id, massive=massive)

    def _missing(self, connection: Connection, visit: Visit) -> Iterator[Missing]:
        """Yield the documents that are gone from a host."""
        return missing_documents(connection, visit.known.id, self._register.is_registered, self._limits)

    def _withdraw(self, visit: Visit, reads: Mapping[str, int]) -> Iterator[WooItem]:
        """Yield the withdrawals of one host; list the documents that wait, and report why."""
        now = datetime.now(UTC)
        waiting = PendingWithdrawals(visit, self._pending, self._gone_indexes[visit.host])
        ready: list[int] = []
        with closing(waiting), self._keeper.begin() as connection:
            for one in self._missing(connection, visit):
                hosts = self._unread(one, reads)
                if one.massive or one.waits_for_index or hosts:
                    waiting.add(one, hosts)
                else:
                    waiting.withdraws(one)
                    ready.append(one.id)
            claimed = sorted(documents.claim(connection, ready, visit.known.id))
            published = listings.count_published(connection, visit.known.id, is_named()) if waiting else 0
        waiting.report(published, self._limits.runs)
        for part in batches(claimed):  # no transaction is open while records are written
            with self._keeper.begin() as connection:
                gone = list(documents.gone(connection, part, visit.known.id))
            for one_gone in gone:
                yield self._item(one_gone, visit, now)

    def _unread(self, one: Missing, reads: Mapping[str, int]) -> list[str]:
        """Return the hosts to which a document may have moved and that were not read completely since.

        Hosts that listed it are left out, because they were read completely. So are hosts that the state does
        not know, because this installation does not harvest them.
        """
        if one.misses >= self._limits.runs:
            return []
        others = set(self._register.own_hosts(one.loc)).intersection(reads) - one.hosts
        return sorted(host for host in others if reads[host] < one.since)

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


def _is_of_gone_index(one: Missing, visit: Visit) -> bool:
    """Return whether an index that the host no longer names has listed a document."""
    return any(index.host == visit.host for index in one.indexes)
