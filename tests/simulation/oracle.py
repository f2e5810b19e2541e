"""What holds whatever publishers and machines do: the promises, from what was served and what was delivered.

The oracle does not ask the harvester, and knows no part of it. Of each document on each host it has a row
with bounds: what the harvester must know of it, and what it may. A run that was killed or stopped leaves them
apart. A document must not be withdrawn if the upper bounds forbid it, and must be if the lower bounds ask for
it.

Where a promise leaves the harvester a choice, a bound leaves room for it:

- A document with several entries comes to rest on the third day, or a day later for each entry beyond two:
  until then it may be delivered once a day, by any of the entries that may count; from then on the version is
  that of the entry that counts, and nothing is delivered.
- What is gone with much at once, with an index, or while entries have no usable address, must wait ``RUNS``
  reads if that was so in the first read that lacked it; with an index, if that is still not named. It may
  also wait if it was so in a later one, or shortly before.
- While the register lacks a host that lists a document, the document may stay for ever; it must stay for
  ``RUNS`` reads of the others.
- A host of the owner must have been read completely since the document was first missing, or have failed
  ``RUNS`` times. The last read of another host may have failed, if its last complete one lacked the document.
- An entry that is right but for its scheme may keep its document listed; if it does not, the document waits.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.simulation.publishers import (
    BEGIN,
    DAY,
    FIXED,
    ROBOTS,
    Entry,
    File,
    Owners,
    host_of,
    is_own,
    moment_of,
)
from tests.simulation.runs import SETTINGS, Record, Run, read_lines

RUNS, FULL_READ_DAYS, REFUSED_DAYS = 3, 7, 7
SHARE, DOCUMENTS, ALL_OF = (SETTINGS[f"WOO_WITHDRAW_{name}"] for name in ("SHARE", "DOCUMENTS", "ALL_OF"))
HOUR = 3_600.0
#: Complete reads that lacked a document whose withdrawal an operator has confirmed.
CONFIRMED = 1_000_000
#: What a record may follow, by oorzaak.
AFTER = {
    "aanlevering": None,
    "wijziging": "published",
    "intrekking": "published",
    "herpublicatie": "withdrawn",
}


@dataclass
class Known:
    """What a reader of all records knows of one document."""

    states: set[str | None] = field(default_factory=lambda: {None})
    """What the harvester may hold it to be: ``published``, ``withdrawn``, or None for never delivered."""
    entry: Entry | None = None
    """That of the last version."""
    host: str = ""
    """Whose entry that is."""
    was_own: bool = False
    """That was the owner's, by the register of that day."""
    owners: set[str] = field(default_factory=set)
    """Hosts that listed it and were the owner's then: the version may count as that of any of them."""
    at: float = 0.0
    sha256: str | None = None
    restored: bool = False
    """An operator has marked it to be restored."""
    may_return: bool = False
    """The mark may still be there."""
    may_repeat: bool = False
    """A run that was killed delivered it, and the state may not know that."""
    refused: float | None = None
    """When it may have been refused."""
    steady: Counter[str] = field(default_factory=Counter)
    """By host: the reads in a row in which the entries of all hosts for it were as they are."""
    signature: frozenset[tuple[str, str, Entry, bool]] = frozenset()
    """The entries of all hosts for it."""

    @property
    def is_published(self) -> bool:
        """For sure."""
        return self.states == {"published"}

    @property
    def moment(self) -> float | None:
        """What a lastmod is compared with: one in the future counts as the moment of the harvest."""
        moment = self.entry.moment if self.entry else None
        return None if moment is None else min(moment, self.at)


@dataclass
class Row:
    """What the harvester may hold of a document on a host."""

    sure: bool = False
    """It has this row; else a kill, or a rule that leaves room, may have prevented or ended it."""
    least: int = 0
    """Complete reads in a row that lacked it, as few as there may be."""
    most: int = 0
    """As many as there may be; 0 where the host lists it for sure."""
    since: int = 0
    """The run that first lacked it, as early as that may be."""
    latest: int = 0
    """As late."""
    paths: frozenset[str] = frozenset()
    """The sitemaps that listed it when the host last did."""
    must_wait: bool = False
    lost: frozenset[str] = frozenset()
    """It must wait while none of these indexes is named."""
    may_wait: bool = False
    relisted: int = 0
    """Complete reads of the host in a row that listed it, as few as there may be."""
    is_insecure: bool = False
    """An entry that is not usable may keep it listed."""


@dataclass
class Host:
    """What the harvester may hold of the last read of a host."""

    is_known: bool = False
    """The state knows it: a run that was killed at its beginning may not have written it."""
    complete: bool | None = False
    """None where a kill leaves that open."""
    began: int = 0
    """The last complete run, as late as that may be."""
    surely_began: int = 0
    """As early."""
    failed: int = 0
    """Runs in a row that did not read it completely, as many as there may be."""
    fewest_reads: int = 0
    """Complete reads, as few as there may be."""
    most_reads: int = 0
    named: frozenset[str] = frozenset()
    """The indexes that its last complete read found named."""
    listing: dict[str, frozenset[str]] = field(default_factory=dict)
    """By index: the sitemaps that it ever listed."""


@dataclass
class Knowledge:
    """What there is in a state, and in its back-up."""

    documents: dict[str, Known] = field(default_factory=dict)
    rows: dict[str, dict[str, Row]] = field(default_factory=dict)
    """By loc, by host."""
    hosts: dict[str, Host] = field(default_factory=dict)
    held: dict[tuple[str, str], list[File]] = field(default_factory=dict)
    """By host and path: the contents that the harvester may have, if a server says that it did not change."""
    full_reads: dict[str, list[float]] = field(default_factory=dict)
    """By URL: when a file or a document was received. Runs that were killed may not know of it."""
    absent: dict[str, dict[str, Host]] = field(default_factory=dict)
    """By host that the register does not have: what other hosts were when a run first found that."""
    claims: set[str] = field(default_factory=set)
    """Hosts whose run may have begun withdrawals that it did not deliver."""
    killed: list[tuple[Run, Record, Known, dict[str, Row]]] = field(default_factory=list)
    """Records in the files of killed runs, with what was known of their documents before, and their rows."""


class Place(NamedTuple):
    """An entry in a file that was read."""

    host: str
    path: str
    entry: Entry
    is_whole: bool


class Reading:
    """What a run was served, by host and path; several contents where a lie or a kill leaves that open."""

    def __init__(self, run: Run, number: int, *, is_alone: bool) -> None:
        self.run, self.number, self.is_alone = run, number, is_alone
        self.is_sure = run.ended == "well"
        self.files: dict[str, dict[str, list[File]]] = {host: {} for host in run.hosts}
        self.answers: dict[tuple[str, str], int] = {}
        self.closed = {
            one.host for one in run.asked if one.path == ROBOTS and one.status not in (200, 304, 404)
        }
        """Hosts whose documents nobody may ask for, since their robots.txt fails."""
        self.complete: dict[str, bool | None] = {}
        self.lost_indexes: set[tuple[str, str]] = set()
        self.published: frozenset[str] = frozenset()
        """The documents that were published for sure when it began."""

    @property
    def at_latest(self) -> int:
        return self.number if self.is_alone else self.number + 1

    def entries(self) -> Iterator[Place]:
        for host, files in self.files.items():
            for path, found in files.items():
                for file in found:
                    for entry in file.entries:
                        yield Place(host, path, entry, file.is_whole and len(found) == 1)


def _is_much(gone: int, published: int) -> bool:
    """Whether so many documents are gone at once that it may be a mistake."""
    return (gone > DOCUMENTS and gone > SHARE * published) or (gone >= ALL_OF and gone >= published)


class Oracle:
    """Follows what was served and what was delivered, and fails where a promise is broken."""

    def __init__(self) -> None:
        self.knows = Knowledge()
        self.runs = 0
        self.days: dict[int, int] = {}
        """By number of a run: its day."""
        self.changed = -math.inf
        """When the register or the clock last changed."""
        self.latest = -math.inf
        """The latest moment of a run, by clocks that may have been ahead."""
        self._reported: dict[str, set[str]] = defaultdict(set)
        """By host: the documents that it lists more than once, as was reported."""

    def known(self, loc: str) -> Known:
        return self.knows.documents.setdefault(loc, Known())

    def rows_of(self, loc: str) -> dict[str, Row]:
        return self.knows.rows.setdefault(loc, {})

    def rows_on(self, host: str) -> Iterator[tuple[str, Row]]:
        for loc, rows in self.knows.rows.items():
            if host in rows:
                yield loc, rows[host]

    def follow(self, *runs: Run) -> None:
        """Learn of runs that went on at the same time, and check each."""
        self.runs += 2
        self.days[self.runs] = int((runs[0].now - BEGIN.timestamp()) // DAY)
        self.latest = max(self.latest, *(run.now for run in runs))
        readings = [Reading(run, self.runs, is_alone=len(runs) == 1) for run in runs]
        for run in runs:
            twice = [loc for loc, count in Counter(each.loc for each in run.records).items() if count > 1]
            assert not twice, f"delivered twice in a run: {twice}"
        closed = set[str]().union(*(reading.closed for reading in readings))
        self._look_at_killed()
        for reading in readings:
            reading.closed |= closed  # which of the runs asked for a robots.txt is not known
            self._begin(reading)
            self._read(reading)
        for reading in readings:
            self._count(reading)
        made = [(reading, record) for reading in readings for record in reading.run.records]
        for reading, record in sorted(made, key=lambda each: each[1].at):
            self._deliver(reading, record)
        for reading in readings:
            self._check(reading)

    def _begin(self, reading: Reading) -> None:
        run = reading.run
        registered = {host for host, _ in run.owners}
        reading.published = frozenset(
            loc for loc, known in self.knows.documents.items() if known.is_published
        )
        for host in run.hosts:
            self.knows.hosts.setdefault(host, Host()).is_known |= run.ended != "killed" or bool(run.asked)
        absent = self.knows.hosts.keys() - registered
        self.knows.claims -= absent.union(run.hosts)
        self.knows.absent = {
            host: self.knows.absent.get(host) or deepcopy(self.knows.hosts) for host in absent
        }

    def _look_at_killed(self) -> None:
        """What a killed run wrote and the state does not know is cut off its file by the next run."""
        for run, record, before, rows in self.knows.killed:
            assert run.file is not None
            if record not in [Record.read(line) for line in read_lines(run.file)]:
                self.knows.documents[record.loc] = before
                self.knows.rows[record.loc] = rows
        self.knows.killed = []

    # What is served

    def _read(self, reading: Reading) -> None:
        """Learn of the files that a run was served, and what these list."""
        run, knows = reading.run, self.knows
        for asked in run.asked:
            if asked.host not in run.hosts:
                continue
            key = asked.host, asked.path
            reading.answers[key] = asked.status
            files = [asked.file]
            if asked.status == 304:
                self._check_age(run, f"https://{asked.host}{asked.path}")
                if asked.file.etag == FIXED:  # else it is what the server has
                    files = knows.held[key]
            if asked.status in (200, 304):
                reading.files[asked.host][asked.path] = files
            if asked.status == 200 and asked.file.is_whole:
                before = [] if reading.is_sure else knows.held.get(key, [])
                knows.held[key] = [*before, asked.file]
                self._note_full_read(run, f"https://{asked.host}{asked.path}")
        for loc, (status, _) in run.documents.items():
            if status == 304 and reading.is_alone:
                self._check_age(run, loc)
            elif status in (200, 304):  # another run of the moment may have received it
                self._note_full_read(run, loc)
        for host in run.hosts:
            self._read_host(reading, host)
        for host in run.hosts:  # another host of the run may be the first to list the document
            self._read_insecure(reading.files[host], host)

    def _note_full_read(self, run: Run, url: str) -> None:
        self.knows.full_reads[url] = [*self.knows.full_reads.get(url, [])[-4:], run.now]

    def _check_age(self, run: Run, url: str) -> None:
        """A server that says that nothing changed is believed for some days only."""
        ages = [run.now - moment for moment in self.knows.full_reads.get(url, [])]
        is_recent = any(0 <= age < FULL_READ_DAYS * DAY for age in ages)
        assert is_recent, f"{url} was not read in full for {[age / DAY for age in ages]} days"

    def _read_host(self, reading: Reading, host: str) -> None:
        """Learn which documents the files of a host list."""
        run, files = reading.run, reading.files[host]
        reading.complete[host] = None if run.since else self._is_complete(reading, host)
        insecure = {entry.loc for each in files.values() for file in each for entry in file.insecure}
        paths: dict[str, set[str]] = {}
        sure: set[str] = set()
        for path, found in files.items():
            every = [{entry.loc for entry in file.entries} for file in found]
            for loc in set().union(*every):
                paths.setdefault(loc, set()).add(path)
                if reading.is_sure and not run.since and all(loc in each for each in every):
                    sure.add(loc)
        for loc, where in paths.items():
            known, rows = self.known(loc), self.rows_of(loc)
            if (host_of(loc) not in {of for of, _ in run.owners}) and not (rows and known.is_published):
                sure.discard(loc)  # not harvested, and not kept if it is not known
            known.owners |= {host} if is_own(loc, host, run.owners) else set()
            row = rows.setdefault(host, Row())
            row.least, row.paths, row.is_insecure = 0, frozenset(where), loc in insecure
            row.must_wait, row.lost = False, frozenset()  # also if it may be noted as listed again
            if loc in sure:
                row.sure, row.most = True, 0
                if reading.complete[host]:
                    row.relisted += 1
                    row.may_wait &= row.relisted < RUNS

    def _read_insecure(self, files: Mapping[str, Sequence[File]], host: str) -> None:
        """Learn which known documents the files of a host list with http only."""
        every = [file for each in files.values() for file in each]
        listed = {entry.loc for file in every for entry in file.entries}
        for loc in {entry.loc for file in every for entry in file.insecure} - listed:
            if self.rows_of(loc):
                row = self.rows_of(loc).setdefault(host, Row())
                row.least, row.may_wait, row.is_insecure = 0, True, True
                row.must_wait, row.lost = False, frozenset()

    def _is_complete(self, reading: Reading, host: str) -> bool | None:
        """Whether robots.txt, each index that it names and each sitemap in these were read to the end."""
        files, last = reading.files[host], self.knows.hosts[host]
        for path, held in files.items():
            if path != ROBOTS and (named := {name for file in held for name in file.names}):
                last.listing[path] = last.listing.get(path, frozenset()) | named
        found, is_doubtful, names = [ROBOTS], False, [ROBOTS]
        while found:
            path = found.pop()
            was_asked = (host, path) in reading.answers or self._is_forbidden(reading, host, path)
            was_asked |= bool(reading.closed - {host})  # the file may have moved to one of these
            assert was_asked or is_doubtful or not reading.is_sure, f"{host}{path} was not asked for"
            if path not in files or not any(file.is_whole for file in files[path]):
                return None if is_doubtful else False
            is_doubtful |= len(files[path]) > 1
            more = [name for file in files[path] for name in file.names]
            if path == ROBOTS and not more:
                return False
            found += [name for name in more if name not in names]
            names += more
        return None if is_doubtful or not reading.is_sure else True

    @staticmethod
    def _is_forbidden(reading: Reading, host: str, path: str) -> bool:
        robots = reading.files[host].get(ROBOTS, [])
        return any(path in file.disallows for file in robots)

    # What is read completely

    def _count(self, reading: Reading) -> None:
        """Count the documents that complete reads lacked."""
        run = reading.run
        if run.since:
            return
        for host in run.hosts:
            last, complete = self.knows.hosts[host], reading.complete[host]
            last.failed = 0 if complete else last.failed + 1
            last.complete = complete
            if complete is not False:
                self._count_host(reading, host)
        if not reading.is_sure:
            self.knows.claims |= {host for host in run.hosts if reading.complete[host] is not False}

    def _count_host(self, reading: Reading, host: str) -> None:
        run, last, files = reading.run, self.knows.hosts[host], reading.files[host]
        is_sure = bool(reading.complete[host])
        listed = {entry.loc for each in files.values() for file in each for entry in file.entries}
        named = frozenset.intersection(*(frozenset(one.names) for one in files[ROBOTS]))
        lost = set(last.named) - named
        reading.lost_indexes |= {(host, index) for index in lost if is_sure}
        every = [file for each in files.values() for file in each]
        insecure = {entry.loc for file in every for entry in file.insecure}
        is_wrong = any(file.wrong for file in every)
        registered = {host for host, _ in run.owners}
        is_odd = any(file.wrong for file in every) or bool(insecure)
        is_odd |= any(host_of(loc) not in registered for loc in listed)
        fresh = set()
        for loc, row in self.rows_on(host):
            if loc in listed:
                continue
            if not row.most:
                fresh.add(loc)
            row.since = row.since if row.most else reading.number
            row.latest = row.latest if row.least else reading.at_latest
            row.most, row.relisted = row.most + 1, 0
            row.is_insecure = loc in insecure
            row.least += is_sure and not row.is_insecure
            row.sure &= not self._is_settled(loc, host)
        for loc, known in self.knows.documents.items():
            is_its = known.host == host or is_own(loc, host, run.owners)
            known.restored &= loc in listed or not is_its  # the mark ends with the next complete read
        rows = list(self.rows_on(host))
        # What the run has delivered may count as published by now.
        may = [row for loc, row in rows if "published" in self.known(loc).states or not row.least]
        must = [row for loc, row in rows if row.sure and self.known(loc).is_published]
        lacking = [loc for loc, row in rows if row.sure and row.least > 0 and row.most < RUNS]
        lost_here = [loc for loc in lacking if self.known(loc).is_published]
        is_much = _is_much(len(lost_here), len(may))
        may_be_much = _is_much(sum(row.most > 0 for row in may), len(must))
        for loc, row in rows:
            if not row.most:
                continue
            lacks = any(row.paths & last.listing.get(index, frozenset()) for index in lost)
            still = any(row.paths & last.listing.get(index, frozenset()) for index in named)
            row.may_wait |= may_be_much or is_odd or bool(lost or last.listing.keys() - named)
            if is_sure and loc in fresh and not row.is_insecure:
                row.must_wait |= is_much or is_wrong
                row.lost = frozenset(lost) if lacks and not still else frozenset()
        last.most_reads += 1
        last.began = reading.at_latest
        last.named = named if is_sure else named & last.named  # what else is gone may have been noted
        if is_sure:
            last.surely_began = reading.number
            last.fewest_reads += 1

    def _is_settled(self, loc: str, host: str) -> bool:
        """Whether a host may have lacked a document long enough while another one lists it."""
        rows = self.rows_of(loc)
        needed = RUNS if rows[host].must_wait or rows[host].lost else 2
        return rows[host].most >= needed and any(
            not row.least for other, row in rows.items() if other != host
        )

    # What is delivered

    def _deliver(self, reading: Reading, record: Record) -> None:
        """Learn of a record of a run."""
        run, known = reading.run, self.known(record.loc)
        after = AFTER[record.oorzaak]
        is_right = after in known.states or not reading.is_alone  # each of two runs at once may deliver it
        assert is_right, f"{record.oorzaak} of {record.loc}, which is {known.states}"
        before, rows = deepcopy(known), deepcopy(self.rows_of(record.loc))
        if record.oorzaak == "intrekking":
            self._check_not_too_early(reading, record.loc)
            known.states = {"withdrawn"}
            self._end_rows(record.loc)
        else:
            self._check_version(reading, record, known)
            known.states = {"published"}
        if not reading.is_sure or not reading.is_alone or run.since or known.refused is not None:
            known.steady.clear()
        known.refused = None
        if run.ended == "killed":
            known.states |= before.states
            before.steady, before.signature = Counter(), frozenset()
            self.knows.killed.append((run, record, before, rows))
        known.may_repeat = run.ended == "killed"
        known.restored = known.may_return = False

    def _end_rows(self, loc: str) -> None:
        for host, row in list(self.rows_of(loc).items()):
            if row.least:
                del self.rows_of(loc)[host]
            elif row.most:
                row.sure = False

    def _check_version(self, reading: Reading, record: Record, known: Known) -> None:
        """What is delivered was served in this run, is not older, and is the owner's if that lists it."""
        loc, run = record.loc, reading.run
        places = [one for one in reading.entries() if one.entry.loc == loc]
        found = [one for one in places if one.entry.title == record.title]
        assert found, f"{loc}: {record.title} was not served"
        host, entry = found[0].host, found[0].entry
        assert entry.lastmod == record.lastmod, f"{loc}: {record.title} has the lastmod of another entry"
        assert not run.since or (entry.moment or 0) >= (moment_of(run.since) or 0), f"{loc} is too old"
        own = is_own(loc, host, run.owners)
        if reading.is_alone and not own:
            before = {each[0] for each in known.signature}
            for other, row in self.rows_of(loc).items():
                is_listed = row.sure and not row.most and other in before and known.steady[other] > 0
                assert not (is_listed and is_own(loc, other, run.owners)), f"{loc}: {other} lists it itself"
        was_listed = known.host in {each[0] for each in known.signature}
        is_same_owner = own and all(is_own(loc, one, run.owners) for one in {known.host, *known.owners})
        is_compared = is_same_owner and was_listed and record.oorzaak == "wijziging"
        if reading.is_alone and is_compared and known.entry:
            then, now = known.moment, entry.moment
            is_older = then is not None and now is not None and min(now, run.now) + HOUR < then
            is_same = len(places) == len(known.signature) == 1 and entry == known.entry
            is_same &= record.sha256 == known.sha256 and not known.may_repeat
            assert not is_older, f"{loc}: {record.title} is older than {known.entry.title}"
            assert not is_same, f"{loc}: {record.title} is as new as {known.entry.title}"
        if reading.is_alone and is_same_owner and known.was_own and known.states == {"withdrawn"}:
            was_ahead = known.entry is None or (known.entry.moment or 0) > known.at
            is_newer = known.may_return or was_ahead or self._is_newer(entry, known, run.now)
            assert is_newer or (entry.moment or 0) > run.now, (
                f"{loc} is published again with {entry.lastmod}, and was withdrawn"
            )
        if run.downloads and reading.is_alone:
            assert loc in run.documents, f"{loc} is delivered, and was not asked for"
            status, digest = run.documents[loc]
            right = known.sha256 if status == 304 else digest
            assert record.sha256 == right, f"{loc} is delivered with another document's SHA-256"

        known.sha256 = record.sha256
        known.entry, known.host, known.was_own, known.at = entry, host, own, record.at

    def _check_not_too_early(self, reading: Reading, loc: str) -> None:
        """Every host that is known to list it was read completely, and lacked it, long enough."""
        all_rows, knows = self.rows_of(loc), self.knows
        registered = {host for host, _ in reading.run.owners}
        rows = {host: row for host, row in all_rows.items() if host in registered}
        is_left = all_rows and all(row.most for row in all_rows.values())  # lacked before its host left
        assert rows or is_left, f"{loc} is withdrawn, and nobody listed it"
        sure = {host: row for host, row in rows.items() if row.sure}
        for host, row in sure.items():
            since = self._since(row.since)
            assert row.most, f"{loc} is withdrawn, and {host} lists it in {sorted(row.paths)}"
            if row.most >= RUNS:
                continue
            is_named = row.lost & knows.hosts[host].named
            assert not row.lost or is_named, f"{loc} is withdrawn{since}, and {host} lost {sorted(row.lost)}"
            assert not row.is_insecure, f"{loc} is withdrawn, and {host} lists it with http"
            assert not row.must_wait, (
                f"{loc} is withdrawn after {row.most} reads of {host}{since}, with much else"
            )
            if is_own(loc, host, reading.run.owners):
                last = knows.hosts[host]
                is_read = last.complete is not False or last.failed >= RUNS
                assert is_read, f"{loc} is withdrawn{since}, and {host} was not read"
        for absent in all_rows.keys() & knows.absent.keys():
            before, is_listed = knows.absent[absent], all_rows[absent].sure and not all_rows[absent].most
            for host, row in sure.items() if is_listed else ():
                reads = knows.hosts[host].most_reads - before.get(host, Host()).fewest_reads
                is_long = reads >= RUNS or row.most >= CONFIRMED
                assert is_long, f"{loc} is withdrawn, and {absent} is missing from the register"
        if not sure or min(row.most for row in rows.values()) >= RUNS:
            return
        first = max(row.since for row in sure.values())
        for other in self._moved_to(loc, reading.run.owners, set(all_rows)):
            last = knows.hosts[other]
            if last.failed < RUNS:
                assert last.complete is not False, f"{loc} is withdrawn, and may have moved to {other}"
                assert last.began >= first, f"{loc} is withdrawn, and {other} was not read since"

    def _moved_to(self, loc: str, owners: Owners, listed: set[str]) -> list[str]:
        """The hosts of its owner that a document may have moved to: those that it is not *listed* on."""
        registered = {host for host, _ in owners}
        hosts = {host for host, each in self.knows.hosts.items() if each.is_known}
        known = sorted((hosts & registered) - listed)
        return [host for host in known if host_of(loc) in registered and is_own(loc, host, owners)]

    def _since(self, number: int) -> str:
        return f" since day {self.days[number]}" if number in self.days else ""

    # What must have been done

    def _check(self, reading: Reading) -> None:
        """What is true after a run."""
        run = reading.run
        self._note_refused(reading)
        for host in run.hosts:
            self._reported[host] |= run.found("loc.dubbel", host) | run.found("lastmod.ouder", host)
        for one in reading.entries() if run.ended == "killed" else ():  # it may have, and left no report
            self._reported[one.host].add(one.entry.loc)
        if reading.is_sure:
            self._check_listed(reading)
            for host in run.hosts:
                self._check_files(reading, host)
        if reading.is_alone and reading.is_sure and not run.since:
            self._check_rest(reading)
            self._check_in_time(reading)
            self._check_findings(reading)
        elif not run.since or not reading.is_alone:
            self._forget_rest(reading)

    def _forget_rest(self, reading: Reading) -> None:
        """What a run that did not come to its end did is not sure, so days are counted from the next one."""
        for loc in {one.entry.loc for one in reading.entries()}:
            self.known(loc).steady.clear()
            self.known(loc).signature = frozenset()

    def _note_refused(self, reading: Reading) -> None:
        for loc in reading.run.documents:
            if reading.run.bad.get(loc) == "html":
                self.known(loc).refused = reading.run.now

    @staticmethod
    def _is_refused(known: Known, now: float) -> bool:
        """Whether a document may have been refused, and need not be asked for again yet."""
        return known.refused is not None and 0 <= now - known.refused < REFUSED_DAYS * DAY

    def _check_listed(self, reading: Reading) -> None:
        """What is listed in a file that was read to its end, and counts, is delivered."""
        run = reading.run
        registered = {host for host, _ in run.owners}
        places = [one for one in reading.entries() if host_of(one.entry.loc) in registered]
        count = Counter(one.entry.loc for one in places)
        for host, path, entry, is_whole in places:
            loc, known = entry.loc, self.known(entry.loc)
            is_excused = loc in run.bad or host_of(loc) in reading.closed
            if not is_whole or is_excused or self._is_refused(known, run.now):
                continue
            if run.since and (entry.moment or 0) < (moment_of(run.since) or 0) + DAY:
                continue
            own = is_own(loc, host, run.owners)
            others = [one for one in self.rows_of(loc) if one != host and one in registered]
            if None in known.states and (own or not any(is_own(loc, one, run.owners) for one in others)):
                assert known.states != {None}, f"{loc} is in {host}{path}, and was never delivered"
                known.states = known.states - {None}
            if count[loc] > 1 or others or known.entry is None or not reading.is_alone:
                continue
            if not own and (known.was_own or known.host != host):
                continue
            if self._is_newer(entry, known, run.now):
                raise AssertionError(
                    f"{loc}: {host}{path} lists {entry.title} of {entry.lastmod or 'no day'}, "
                    f"and {known.entry.title} of {known.entry.lastmod or 'no day'} is delivered"
                )

    @staticmethod
    def _is_newer(entry: Entry, known: Known, now: float) -> bool:
        if entry.moment is None or entry.moment > now or known.entry is None:
            return False
        if entry.moment == known.entry.moment:
            return False
        if known.moment is None:
            return True
        return entry.moment > known.moment + HOUR

    def _check_rest(self, reading: Reading) -> None:
        """A document whose entries are as they were comes to rest with the entry that counts."""
        run = reading.run
        registered = {host for host, _ in run.owners}
        by_loc: dict[str, list[Place]] = {}
        for one in reading.entries():
            by_loc.setdefault(one.entry.loc, []).append(one)
        delivered = {record.loc: record for record in run.records}
        for loc in by_loc.keys() | self.knows.rows.keys():
            known = self.known(loc)
            places = by_loc.get(loc, [])
            here = {one.host for one in places}
            entries = [(one.host, one.path, one.entry, (one.entry.moment or 0) > run.now) for one in places]
            elsewhere = [each for each in known.signature if each[0] not in run.hosts]
            signature = frozenset([*entries, *elsewhere])
            is_open = loc in run.bad or host_of(loc) in reading.closed or known.refused is not None
            is_open |= not all(one.is_whole for one in places)
            is_open |= not all(reading.complete[host] for host in run.hosts if host in self.rows_of(loc))
            is_open |= 0 <= run.now - self.changed < FULL_READ_DAYS * DAY
            # A lastmod ahead of the clock counts as the present, which passes again what was delivered.
            is_open |= run.now < self.latest and any(is_ahead for *_, is_ahead in entries)
            if signature != known.signature or is_open:
                known.steady.clear()
            known.signature = signature
            for host in run.hosts:
                known.steady[host] += loc not in run.bad  # a day without the document is none
            hosts = {each[0] for each in signature}
            if is_open or not signature or not hosts <= registered or host_of(loc) not in registered:
                continue
            days = min(known.steady[host] for host in hosts)
            rest = max(3, len(signature) + 1)  # each run delivers one of them at most
            has_owner = any(is_own(loc, host, run.owners) for host in hosts)
            if days >= rest and here and has_owner:
                assert loc not in delivered, f"{loc} is delivered, and its entries are as for {days} days"
            own = [host for host in here if is_own(loc, host, run.owners)]
            if days >= 2 and own and known.states == {"withdrawn"}:
                assert not known.restored, f"{loc} is listed by {own}, to be restored, and withdrawn"
                offered = any(loc in run.found("lastmod.heraanbod", host) for host in own)
                assert offered, f"{loc} is offered again by {own}: not reported"
            if days >= rest:
                self._check_counts(known, [(each[0], each[2]) for each in signature], run)

    def _check_counts(self, known: Known, entries: list[tuple[str, Entry]], run: Run) -> None:
        """The version that is known is that of the entry that counts."""
        if known.states != {"published"} or known.entry is None:
            return
        loc = entries[0][1].loc
        own = [entry for host, entry in entries if is_own(loc, host, run.owners)]
        is_right = known.was_own or is_own(loc, known.host, run.owners) or not own
        assert is_right, f"{loc} is delivered as {known.entry.title}, not {own[0].title}"
        rows = [row for host, row in self.rows_of(loc).items() if is_own(loc, host, run.owners)]
        is_left = all(row.least > 1 for row in rows)  # an entry with http may keep it listed
        for entry in own or [entry for _, entry in entries if is_left]:
            is_newer = self._is_newer(entry, known, run.now)
            assert not is_newer, f"{loc}: {entry.title} of {entry.lastmod} is newer than {known.entry.title}"

    def _check_in_time(self, reading: Reading) -> None:
        """What is gone, and need not wait, is withdrawn."""
        run = reading.run
        registered = {host for host, _ in run.owners}
        for loc, all_rows in self.knows.rows.items():
            rows = {host: row for host, row in all_rows.items() if host in registered}
            here = [host for host, row in rows.items() if row.sure and reading.complete.get(host)]
            if not here or not self.known(loc).is_published or self.knows.claims & rows.keys():
                continue
            if all(row.least and self.knows.hosts[host].complete for host, row in rows.items()):
                number = min(row.since for row in rows.values())
                assert self._may_wait(run, loc, rows), (
                    f"{loc} is not withdrawn, and no host lists it{self._since(number)}"
                )

    def _may_wait(self, run: Run, loc: str, rows: Mapping[str, Row]) -> bool:
        if any(row.least < RUNS and row.may_wait for row in rows.values()):
            return True
        if self.rows_of(loc).keys() & self.knows.absent.keys() or host_of(loc) in self.knows.absent:
            return True
        if host_of(loc) not in {host for host, _ in run.owners}:
            return True  # its own host left the register, and may list it by now
        latest = max(row.latest for row in rows.values())
        sure = {host for host, row in rows.items() if row.sure}
        hosts = [self.knows.hosts[other] for other in {*rows, *self._moved_to(loc, run.owners, sure)}]
        return any(not last.complete or last.surely_began < latest for last in hosts)

    def _check_files(self, reading: Reading, host: str) -> None:
        """What is wrong with a file is reported; the entries that cannot be used are counted."""
        run, wrong = reading.run, 0
        for (of, path), status in reading.answers.items():
            if of != host:
                continue
            area = "robots" if path == ROBOTS else "index" if "index" in path else "sitemap"
            files = reading.files[host].get(path, [])
            codes: list[str] = [f"{area}.onbereikbaar"]
            if status == -1:
                codes = ["host.niet-geregistreerd"]
            elif status == 404 and area == "robots":
                codes = ["robots.ontbreekt"]
            elif files and files[0].code:
                codes = [files[0].code] if status == 200 else []
                wrong += files[0].wrong + len(files[0].insecure)
            elif files and not files[0].is_whole:
                codes = [f"{area}.afgebroken", f"{area}.ongeldig", f"{area}.is-html"]
            elif files:
                wrong += files[0].wrong + len(files[0].insecure)
                codes = []
            urls = {url for code in codes for url in run.found(code)}
            assert not codes or f"https://{host}{path}" in urls, f"{host}{path}: none of {codes} is reported"
        if reading.complete[host] and reading.is_alone:
            counts = Counter((one["code"], one.get("host")) for one in run.findings)
            count = counts["loc.geen-https", host]
            assert count == wrong, f"{host}: {wrong} entries have an http loc, not {count}"
            account = run.accounts[host]
            lost = sum(each["documents"] for stage in account["funnel"] for each in stage["lost"])
            assert account["listed"] == account["harvested"] + lost, f"{host}: its sums do not agree"

    def _check_findings(self, reading: Reading) -> None:
        """What waits is reported, with the reason; so is what is listed more than once."""
        run = reading.run
        for host in run.hosts:
            rows = [
                (loc, row)
                for loc, row in self.rows_on(host)
                if row.sure and loc in reading.published and self.known(loc).is_published
            ]
            if reading.complete[host] is False and rows:
                assert run.found("intrekking.onvolledig", host), f"{host}: intrekking.onvolledig is missing"
            waiting = [
                loc
                for loc, row in rows
                if row.must_wait
                and row.least
                and row.most < RUNS
                and not reading.lost_indexes
                and all(
                    each.least and self.knows.hosts[other].complete
                    for other, each in self.rows_of(loc).items()
                )
                and all(
                    self.knows.hosts[other].complete
                    for other in self._moved_to(loc, run.owners, set(self.rows_of(loc)))
                )
            ]
            if reading.complete[host] and waiting:
                found = run.found("intrekking.massaal", host) | run.found("index.verdwenen", host)
                assert found, f"{host}: intrekking.massaal is missing, and {waiting} waits"
        for loc in {line["url"] for line in run.pending}:
            listing = [host for host, row in self.rows_of(loc).items() if row.sure and not row.most]
            assert not listing, f"{loc} waits to be withdrawn, and is listed by {listing}"
        for host, index in reading.lost_indexes:
            found = run.found("index.verdwenen", host)
            assert f"https://{host}{index}" in found, f"{host}{index}: index.verdwenen is missing"
        self._check_repeated(reading)

    def _check_repeated(self, reading: Reading) -> None:
        """A document that a host lists more than once is reported; or that another host's entry counts."""
        run = reading.run
        for host in run.hosts:
            reported = self._reported[host]
            places = [one for one in reading.entries() if one.host == host and reading.complete[host]]
            passed_over = run.found("loc.andere-host", host)
            found = {one.entry.loc for one in places if f"https://{host}{one.path}" in passed_over}
            reported |= {loc for loc in found if len(self.rows_of(loc)) > 1}
            for loc, count in Counter(one.entry.loc for one in places).items():
                known = self.known(loc)
                is_resting = known.is_published and known.steady[host] >= 3 and known.refused is None
                if count > 1 and is_resting and is_own(loc, host, run.owners):
                    assert loc in reported, (
                        f"{loc} is listed {count} times by {host}, and that is not reported"
                    )

    # What operators do

    def back_up(self) -> Knowledge:
        return deepcopy(self.knows)

    def put_back(self, knowledge: Knowledge) -> None:
        """The state is what it was, and so are the records."""
        self.knows = deepcopy(knowledge)

    def confirm(self, host: str) -> None:
        """What a host lacks, and no other lists, is to be withdrawn by its next complete read."""
        if host in self.knows.absent:  # gone for good, with its indexes
            self.knows.hosts[host].named = frozenset()
        for loc, row in self.rows_on(host):
            counted = self.rows_of(loc).keys() - self.knows.absent.keys() - {host}
            others = [self.rows_of(loc)[other] for other in counted]
            is_missing = not any(each.sure and not each.most for each in others)
            if host in self.knows.absent or (row.most and is_missing):
                row.most = CONFIRMED
                is_pending = row.sure and row.least and all(each.least for each in others)
                row.least = CONFIRMED if is_pending and self.known(loc).is_published else row.least

    def restore(self, host: str) -> None:
        """What is withdrawn on a host is to be delivered again, where it is listed."""
        killed = [(record.loc, before) for _, record, before, _ in self.knows.killed]
        for loc, known in [*self.knows.documents.items(), *killed]:
            if known.states == {"withdrawn"} and host in (host_of(loc), known.host):
                known.restored, known.may_return = known.restored or host_of(loc) == host, True
                known.steady.clear()

    def forget_document(self, loc: str) -> None:
        self.knows.documents.pop(loc, None)
        self.rows_of(loc).clear()
        self.knows.killed = [each for each in self.knows.killed if each[1].loc != loc]

    def forget_host(self, host: str) -> None:
        """A host is as if it had never been visited, and the documents whose version is its own."""
        gone = {loc for loc, _ in self.rows_on(host)}
        gone |= {loc for loc, known in self.knows.documents.items() if known.host == host}
        found = [(self.known(loc), self.rows_of(loc)) for loc in gone]
        found += [(before, rows) for _, record, before, rows in self.knows.killed if record.loc in gone]
        for known, rows in found:
            rows.pop(host, None)
            known.states.add(None)
            known.steady.clear()
            for row in rows.values():
                row.sure = False
        self.knows.absent.pop(host, None)
        for hosts in (self.knows.hosts, *self.knows.absent.values()):
            hosts.pop(host, None)
        self.knows.held = {key: files for key, files in self.knows.held.items() if key[0] != host}

    def change(self, now: float) -> None:
        """The register or the clock changed: documents come to rest anew, once all files are read in full."""
        self.changed = now
        for known in self.knows.documents.values():
            known.steady.clear()
            known.signature = frozenset()
