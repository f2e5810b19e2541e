"""The pending withdrawals of a host: the file that lists them, and the findings that say why they wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple, TextIO

from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.repeated_entries import end_visit
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.record import Herkomst, Oorzaak, Versie, bare_record
from woo_harvester.register import Register
from woo_harvester.report.run_folder import json_line
from woo_harvester.state import documents, listings
from woo_harvester.state.contents import Delivery
from woo_harvester.state.resources import end_read, forget_unread, last_reads, note_named_indexes, read_counts
from woo_harvester.state.sql import batches
from woo_harvester.state.withdrawal import (
    CompleteRead,
    Gone,
    Missing,
    Registration,
    WithdrawalLimits,
    claim,
    end_reads,
    end_restore,
    gone_documents,
    hosts_with_differences,
    hosts_with_published,
    listed_elsewhere,
    missing_documents,
    note_massive,
)
from woo_harvester.utils.dates import moment_after
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import host_of

_NOTHING_LOST = "niets ingetrokken: er zijn geen documenten die alleen in deze index stonden"


class Awaited(NamedTuple):
    """The hosts that a missing document waits for: it may be there."""

    unread: frozenset[str]
    """Hosts that were not read completely."""
    unregistered: frozenset[str]
    """Hosts that the register does not have."""

    def reasons(self) -> list[str]:
        """Return what is wrong with each host."""
        return [
            *(f"{host} is niet volledig gelezen" for host in self.unread),
            *(f"{host} staat niet meer in het register" for host in self.unregistered),
        ]


class PendingWithdrawals:
    """The pending withdrawals of one host, which are appended to the file at *path*.

    *gone_indexes* are the indexes of the host that are not named since this run.
    """

    def __init__(self, visit: Visit, path: Path, gone_indexes: Iterable[str] = ()) -> None:
        self._visit = visit
        self._path = path
        self._lines: TextIO | None = None
        self._massive = _Waiting()
        self._by_index: dict[str, _Waiting] = {index: _Waiting() for index in gone_indexes}
        """The documents of each index that the host no longer names, by its URL."""
        self._withdrawn = Counter[str]()
        """Number of documents that are withdrawn now, by the URL of such an index."""
        self._nowhere = 0
        """Number of documents that wait for this host, for a mark or an index, and that no host lists."""
        self._others = Counter[str]()
        """Number of documents that wait for another host, by what is wrong there."""

    def add(self, one: Missing, awaited: Awaited) -> bool:
        """Add a document if it waits for hosts or an index, or is marked as massive. Raises OSError.

        Returns False if it does not wait: it is withdrawn now.
        """
        reasons = awaited.reasons()
        reasons += [
            f"bij {host} zijn documenten misschien bij vergissing weg"
            for host in one.massive - {self._visit.host}
        ]
        own = [index for host, index in one.indexes if host == self._visit.host]
        if one.waits_for_index:
            for index in own:
                self._by_index.setdefault(index, _Waiting()).add(one)
            reasons += [
                f"robots.txt van {host} noemt {index} niet meer"
                for host, index in one.indexes
                if host != self._visit.host
            ]
        is_massive = self._visit.host in one.massive
        self._nowhere += is_massive or (one.waits_for_index and bool(own))
        if is_massive:
            self._massive.add(one)
        elif not reasons and not one.waits_for_index:
            self._withdrawn.update(own)
            return False
        self._others.update(reasons)
        self._write(one)
        return True

    def _write(self, one: Missing) -> None:
        if self._lines is None:
            self._lines = self._path.open("a", encoding="utf-8")
        line = {"host": self._visit.host, "url": one.loc, "rondes": one.misses}
        self._lines.write(json_line(line))

    def close(self) -> None:
        """Close the file. Raises OSError."""
        if self._lines is not None:
            self._lines.close()

    def report(self, missing: int, published: int, runs: int) -> None:
        """Report why documents wait; *runs* is the limit.

        *missing* is the number of documents that the host lacked at once, *published* that of all that it
        listed. Other hosts may still list some of those that are missing.
        """
        url, name = f"https://{self._visit.host}/", self._path.name
        if self._massive.count:
            seen = f"{missing} van {published} documenten"
            if self._nowhere < missing:
                seen += f"; {self._nowhere} daarvan staan nergens meer"
            if self._visit.unusable:
                seen += f"; vermeldingen zonder bruikbaar adres: {self._visit.unusable}"
            action = self._massive.action(runs, name)
            self._visit.report("intrekking.massaal", url=url, seen=seen, action=action)
        for index, waiting in sorted(self._by_index.items()):
            count = waiting.count or self._withdrawn[index]
            if waiting.count:
                action = waiting.action(runs, name)
            else:
                action = "ingetrokken" if count else _NOTHING_LOST
            self._visit.report(
                "index.verdwenen", url=index, seen=counted(count, "document", "documenten"), action=action
            )
        for seen, count in sorted(self._others.items()):
            action = f"{counted(count, 'document', 'documenten')} nog niet ingetrokken; zie {name}"
            self._visit.report("intrekking.onvolledig", url=url, seen=seen, action=action)


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
            end_restore(connection, host_id)
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
            claimed = sorted(claim(connection, ready, host_id))
            counts = listings.count_massive(connection, host_id, self._limits.runs)
        waiting.report(*counts, self._limits.runs)
        with self._keeper.begin() as connection:
            documents.forget(connection, unknown)
        for part_claimed in batches(claimed):  # no transaction is open while records are written
            with self._keeper.begin() as connection:
                gone = list(gone_documents(connection, part_claimed, host_id))
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
