"""What holds whatever publishers and machines do: the promises, from what was served and what was delivered.

The oracle does not ask the harvester. Of each document on each host it has a row with bounds: what the
harvester must know of it, and what it may. A run that was killed leaves them apart. A document must not be
withdrawn if the upper bounds forbid it, and must be if the lower bounds ask for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256

from tests.simulation.harvester import SETTINGS, Record, Run
from tests.simulation.publishers import (
    INDEXES,
    ROBOTS,
    File,
    Owners,
    host_of_loc,
    is_in_index,
    is_own,
    moment_of,
    number_of,
)

RUNS: int = SETTINGS["WOO_WITHDRAW_RUNS"]
SHARE, DOCUMENTS, ALL_OF = (SETTINGS[f"WOO_WITHDRAW_{name}"] for name in ("SHARE", "DOCUMENTS", "ALL_OF"))
DAY = 86_400.0
HOUR = 3_600.0
#: Misses of a document whose withdrawal an operator has confirmed.
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
    host: str = ""
    """Whose entry the last version came from that was not a withdrawal."""
    was_own: bool = False
    """That was the owner's, by the register of that day."""
    version: int = -1
    at: float = 0.0
    described: bool = False
    sha256: str | None = None
    """Of the document in the last record."""
    contested: float = -math.inf
    """When two runs at once delivered it last: the later one may have the entry that does not count."""
    restored: bool = False
    """An operator has marked it to be restored."""

    @property
    def is_published(self) -> bool:
        """For sure."""
        return self.states == {"published"}

    @property
    def moment(self) -> float:
        """What a lastmod is compared with: one in the future counts as the moment of the harvest."""
        return min(moment_of(self.version).timestamp(), self.at)


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
    places: set[str] = field(default_factory=set)
    """The sitemaps that listed it when the host last did."""
    version: int | None = None
    """That the host listed last, if it was one."""
    is_usable: bool = True
    """Its loc may be harvested; else the entry only keeps the document listed."""
    is_repeated: bool = False
    """A run that ended well found it listed more than once."""
    waits: bool = False
    """It is gone, or was lately, with so much at once or with such entries that it must wait."""
    may_wait: bool = False
    """Perhaps so."""
    relisted: int = 0
    """Complete reads of the host when it listed the document again, as few as there may be."""
    relisted_latest: int = 0
    """As many; or when the document moved to another sitemap."""


@dataclass
class Host:
    """What the harvester may hold of the last read of a host."""

    complete: bool | None = False
    """None where a kill leaves that open."""
    began: int = 0
    """The last complete run, as late as that may be."""
    surely_began: int = 0
    """As early."""
    fewest_reads: int = 0
    """Complete reads, as few as there may be."""
    most_reads: int = 0
    named: tuple[str, ...] | None = None
    """The indexes that its last complete read found named."""


@dataclass
class Reading:
    """What a run was served."""

    number: int
    """Runs are ordered by their beginning; that of another run of the moment may be one later."""
    known: set[str] = field(default_factory=set)
    """The documents that the harvester knew for sure when it began."""
    files: dict[str, dict[str, list[File]]] = field(default_factory=dict)
    """By host and path: what the harvester has of a file; more than one where a kill leaves that open."""
    answers: dict[tuple[str, str], int] = field(default_factory=dict)
    fetched: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By loc: the status and the SHA-256 with which a server answered."""
    complete: dict[str, bool | None] = field(default_factory=dict)
    lacking: list[Row] = field(default_factory=list)
    """Rows whose misses this run counts."""
    lost_indexes: set[tuple[str, str]] = field(default_factory=set)
    is_alone: bool = True
    """No other run went on meanwhile; else each may have decided before it knew what the other did."""
    before: dict[str, set[str | None]] = field(default_factory=dict)
    """What documents were before another run of the moment delivered a record."""
    is_read: bool = False
    is_counted: bool = False

    @property
    def at_latest(self) -> int:
        return self.number if self.is_alone else self.number + 1


@dataclass
class Knowledge:
    """What there is in a state, and in its back-up."""

    documents: dict[str, Known] = field(default_factory=dict)
    rows: dict[str, dict[str, Row]] = field(default_factory=dict)
    """By loc, by host."""
    hosts: dict[str, Host] = field(default_factory=dict)
    named: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """By host and index: the sitemaps that it ever named."""
    held: dict[tuple[str, str], list[File]] = field(default_factory=dict)
    """By host and path: the content that the harvester has, if its server says that it did not change."""
    full_reads: dict[str, list[float]] = field(default_factory=dict)
    """By URL: when a file or a document was received. Runs that were killed may not know of it."""
    absent: dict[str, dict[str, Host]] = field(default_factory=dict)
    """By host that the register does not have: what other hosts were when a run first found that."""
    claims: set[str] = field(default_factory=set)
    """Hosts whose run may have claimed withdrawals that it did not deliver."""
    refused: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """Documents that were refused: the versions that may have been meant, and the moments."""


def _is_much(gone: int, published: int) -> bool:
    """Whether so many documents are gone at once that it may be a mistake."""
    return (gone > DOCUMENTS and gone > SHARE * published) or (gone >= ALL_OF and gone >= published)


class Oracle:
    """Follows what was served and what was delivered, and fails where a promise is broken."""

    def __init__(self) -> None:
        self.knows = Knowledge()
        self.readings: dict[Run, Reading] = {}
        self.runs = 0

    def known(self, loc: str) -> Known:
        return self.knows.documents.setdefault(loc, Known())

    def rows_of(self, loc: str) -> dict[str, Row]:
        return self.knows.rows.setdefault(loc, {})

    def rows_on(self, host: str) -> Iterator[tuple[str, Row]]:
        for loc, rows in self.knows.rows.items():
            if host in rows:
                yield loc, rows[host]

    # What is served

    def began(self, run: Run) -> None:
        """A run reads hosts: until it has, none of them is read completely."""
        self.runs += 0 if self.readings else 2  # runs of one moment have one number
        known = {
            loc
            for loc, rows in self.knows.rows.items()
            if any(row.sure for row in rows.values()) or None not in self.known(loc).states
        }
        self.readings[run] = Reading(self.runs, known, {host: {} for host in run.hosts})
        for reading in self.readings.values():
            reading.is_alone = len(self.readings) == 1
        for host in run.hosts:
            last = self.knows.hosts.setdefault(host, Host())
            if run.since is None:
                last.complete = False
        absent = {host for host in self.knows.hosts if host not in run.owners}
        self.knows.claims -= absent.union(run.hosts)
        self.knows.absent = {
            host: self.knows.absent.get(host) or deepcopy(self.knows.hosts) for host in absent
        }

    def served(self, run: Run, host: str, path: str, status: int, file: File) -> None:
        """A file is served; until it is processed a kill leaves open what the harvester has of it."""
        reading, key = self.readings[run], (host, path)
        reading.answers[key] = status
        if status == 304:
            self._check_age(run, f"https://{host}{path}")
        if status in (200, 304):
            files = [file] if status == 200 else self.knows.held[key]
            reading.files[host][path] = [*files, File(is_whole=False)]
            self._list(run, host, path)
        if status == 200 and file.is_whole:
            self.knows.named.setdefault(key, set()).update(file.names)
            self.knows.held[key] = [*self.knows.held.get(key, []), file]
            self._note_full_read(run, f"https://{host}{path}")

    def _note_full_read(self, run: Run, url: str) -> None:
        self.knows.full_reads[url] = [*self.knows.full_reads.get(url, [])[-4:], run.now]

    def _check_age(self, run: Run, url: str) -> None:
        """A server that says that nothing changed is believed for some days only."""
        ages = [run.now - moment for moment in self.knows.full_reads[url]]
        is_recent = any(0 <= age < SETTINGS["WOO_FULL_READ_DAYS"] * DAY for age in ages)
        assert is_recent, f"{url} was not read in full for {ages[-1] / DAY} days"

    def fetched(self, run: Run, loc: str, status: int, file: File) -> None:
        """A document is asked for, once in a run."""
        reading = self.readings[run]
        assert loc not in reading.fetched, f"{loc} is asked for twice in a run"
        reading.fetched[loc] = status, sha256(file.body).hexdigest()
        if status == 304:
            self._check_age(run, loc)
        elif status == 200 and file.body:
            self._note_full_read(run, loc)

    def processed(self, run: Run, host: str, path: str) -> None:
        """A file was read to its end."""
        reading, key = self.readings[run], (host, path)
        if path in reading.files[host]:
            del reading.files[host][path][-1]
            if reading.answers[key] == 200 and reading.files[host][path][0].is_whole:
                self.knows.held[key] = reading.files[host][path]
            self._list(run, host, path)

    def _list(self, run: Run, host: str, path: str, *, is_again: bool = False) -> None:
        """Learn which documents a sitemap lists."""
        files = self.readings[run].files[host][path]
        listed = [self._listed(file, host, run.owners) for file in files]
        for loc, versions in {loc: each for locs in listed for loc, each in locs.items()}.items():
            is_waiting = not is_own(loc, host, run.owners) and any(
                is_own(loc, other, run.owners) for other in run.hosts
            )
            is_chosen = run.since is None or min(versions) >= run.since
            sure = all(loc in locs for locs in listed) and is_chosen and (is_again or not is_waiting)
            rows = self.rows_of(loc)
            if host not in rows and host_of_loc(loc) not in run.owners:
                if not rows:
                    continue  # unknown, and not harvested
                sure = False
            is_usable = any(loc in file.listed() for file in files)
            sure &= is_usable or loc in self.readings[run].known
            row, last = rows.setdefault(host, Row()), self.knows.hosts[host]
            row.is_usable = is_usable
            row.relisted = last.fewest_reads if row.least else row.relisted
            if row.most or path not in row.places:
                row.relisted_latest = last.most_reads
            row.least, row.waits = 0, row.waits and row.sure
            row.places.add(path)
            if sure:
                row.sure, row.most = True, 0
                row.version = min(versions) if len(versions) == 1 else None

    def _listed(self, file: File, host: str, owners: Owners) -> dict[str, set[int]]:
        """The documents that a file lists: also with http, if they are known and the host's own."""
        found = file.listed()
        for loc, version in file.insecure:
            is_known = bool(self.rows_of(loc)) or self.known(loc).states != {None}
            if is_known and is_own(loc, host, owners):
                found.setdefault(loc, set()).add(version)
        return found

    # What is read completely

    def all_read(self, run: Run) -> None:
        """All files of a run have been read, and it counts what is gone."""
        reading = self.readings[run]
        reading.is_read = True
        for host in run.hosts:
            for path in reading.files[host]:
                self._list(run, host, path, is_again=True)
        for host in run.hosts:
            reading.complete[host] = is_complete = self._is_complete(reading, host)
            if run.since is None and is_complete is not False:
                self._count(reading, host, run.owners)

    def _is_complete(self, reading: Reading, host: str) -> bool | None:
        """Whether robots.txt, each index that it names and each sitemap in these were read to the end."""
        files = reading.files[host]
        found, is_sure, names = [ROBOTS], True, [ROBOTS]
        while found:
            path = found.pop()
            assert (host, path) in reading.answers, f"{host}{path} was not asked for"
            if path not in files or not any(file.is_whole for file in files[path]):
                return False
            is_sure &= len(files[path]) == 1
            new = [name for name in files[path][0].names if name not in names]
            if path == ROBOTS and not new:
                return False
            found += new
            names += new
        return True if is_sure else None

    def _count(self, reading: Reading, host: str, owners: Owners) -> None:
        """Count the documents that a complete read lacked."""
        last, files = self.knows.hosts[host], reading.files[host]
        last.complete = None
        listed = {
            path: {loc for file in each for loc in self._listed(file, host, owners)}
            for path, each in files.items()
        }
        for loc, known in self.knows.documents.items():
            is_its = known.host == host or is_own(loc, host, owners)  # its source may have become another
            if is_its and not any(loc in locs for locs in listed.values()):
                known.restored = False  # the mark ends with the next complete read
        for loc, row in self.rows_on(host):
            places = {path for path, locs in listed.items() if loc in locs}
            if places and reading.complete[host]:
                row.relisted_latest = last.most_reads if row.places - places else row.relisted_latest
                row.places = places
            elif not places:
                self.known(loc).restored = row.is_repeated = False
                row.waits &= row.least > 0 or last.most_reads - row.relisted < RUNS
                row.may_wait &= row.most > 0 or last.fewest_reads - row.relisted_latest < RUNS
                row.most += 1
                row.since = row.since or reading.number
                row.latest = row.latest if row.least else reading.at_latest
                reading.lacking.append(row)
        named = files[ROBOTS][0].names if reading.complete[host] else None
        if last.named is not None and named is not None:
            reading.lost_indexes |= {(host, name) for name in set(last.named) - set(named)}
        last.named, last.began = named, reading.at_latest
        last.most_reads += 1
        for _, row in self.rows_on(host):
            if not row.most:
                row.since = row.latest = 0

    def _counted(self, run: Run) -> None:
        """The counts are in the state for sure: the run goes on after them."""
        reading = self.readings[run]
        if reading.is_counted:
            return
        reading.is_counted = True
        for row in reading.lacking:
            row.least += 1
        if run.since is not None:
            return
        for host, is_complete in reading.complete.items():
            if is_complete is not False:
                self._note_much(run, host)
            if is_complete:
                last = self.knows.hosts[host]
                last.complete, last.surely_began = True, reading.number
                last.fewest_reads += 1
                self._release(host, run)

    def _note_much(self, run: Run, host: str, *, is_sure: bool = True) -> None:
        """Note what is gone with much at once, for sure and perhaps; what is gone for long need not count.

        What is gone while an entry cannot be used may be its document, however little it is.
        """
        rows, reading = list(self.rows_on(host)), self.readings[run]
        files = [file for each in reading.files[host].values() for file in each]
        insecure = {loc for file in files for loc, _ in file.insecure}
        is_wrong = any(file.wrong for file in files)
        is_wrong |= any(not is_own(loc, host, run.owners) for loc in insecure)
        is_odd = any(host_of_loc(loc) not in run.owners for file in files for loc in file.listed())
        may = [row for loc, row in rows if "published" in self.known(loc).states]
        must = [row for loc, row in rows if row.sure and self.known(loc).is_published and row.most < RUNS]
        is_much = _is_much(sum(row.least > 0 for row in must), len(may))
        may_be_much = _is_much(sum(row.most > 0 for row in may), len(must))
        for _, row in rows:
            waits = is_sure and (is_much or (is_wrong and bool(reading.complete[host])))
            row.waits |= row.least > 0 and waits
            row.may_wait |= row.most > 0 and (may_be_much or is_wrong or is_odd or bool(insecure))

    def _release(self, host: str, run: Run) -> None:
        """End rows of a host that no longer counts: it has lacked a document long, and another lists it."""
        number = self.readings[run].number
        for loc, row in list(self.rows_on(host)):
            rows = self.rows_of(loc)
            others = [each for other, each in rows.items() if other != host and other in run.owners]
            if row.most and self.known(loc).states == {None}:
                for each in self.rows_of(loc).values():
                    each.sure = False  # never delivered, it is forgotten when it is gone
            if host == host_of_loc(loc) or row.most < RUNS:
                continue
            if row.least >= RUNS and any(each.sure and not each.most for each in others):
                del self.rows_of(loc)[host]
            elif any(not each.least or each.latest >= number for each in others):
                row.sure = False  # the other host may be counted after this one

    # From where it is gone

    def _lacks_index(self, host: str, row: Row) -> bool:
        """Whether no index is named any more that listed a document, for sure."""
        named = self.knows.hosts[host].named
        if named is None or not row.places:
            return False
        return not any(self._is_in(host, path, index) for path in row.places for index in named)

    def _may_lack_index(self, host: str, row: Row) -> bool:
        named = self.knows.hosts[host].named
        if named is None:
            return True
        lost = [index for index in INDEXES if index not in named]
        return any(self._is_in(host, path, index) for path in row.places for index in lost)

    def _is_in(self, host: str, path: str, index: str) -> bool:
        return is_in_index(path, index) or path in self.knows.named.get((host, index), ())

    # What is delivered

    def delivered(self, run: Run, record: Record) -> None:
        """A record is durable."""
        known, reading = self.known(record.loc), self.readings[run]
        states = known.states | reading.before.get(record.loc, set())
        after = "published" if record.is_supplied else AFTER[record.oorzaak]
        assert after in states, f"{record.oorzaak} of {record.loc}, which is {states}"
        if record.loc in reading.before:
            known.contested = run.now
        for other in self.readings.values():
            if other is not reading:
                other.before.setdefault(record.loc, set()).update(known.states)
        if record.oorzaak == "intrekking":
            self._counted(run)
            self._check_not_too_early(run, record.loc)
            known.states, known.restored = {"withdrawn"}, False
            for host, row in list(self.rows_of(record.loc).items()):
                if row.least:
                    del self.rows_of(record.loc)[host]
                elif row.most:
                    row.sure = False
        else:
            self._check_version(run, record, known)
            self._check_content(run, record, known)
            known.states, known.host, known.version = {"published"}, record.host, record.version
            known.was_own = is_own(record.loc, record.host, run.owners)
            known.at, known.described, known.restored = record.at, record.described, False
            known.sha256 = record.sha256

    def _check_version(self, run: Run, record: Record, known: Known) -> None:
        """What is delivered was served in this run, is not older, and is the owner's if that lists it."""
        loc, reading = record.loc, self.readings[run]
        files = reading.files.get(record.host, {})
        served = {v for each in files.values() for file in each for v in file.listed().get(loc, ())}
        assert record.version in served, f"{loc}: version {record.version} of {record.host} was not served"
        assert run.since is None or record.version >= run.since, f"{loc} is older than was asked for"
        if not reading.is_alone:
            return
        if not is_own(loc, record.host, run.owners):
            for other, row in self.rows_of(loc).items():
                is_listed = row.sure and not row.most and other in run.owners and other != record.host
                is_listed &= row.is_usable or known.was_own
                assert not (is_listed and is_own(loc, other, run.owners)), f"{loc}: {other} lists it itself"
        is_same_side = known.was_own == is_own(loc, record.host, run.owners) and known.was_own
        if is_same_side and record.oorzaak == "wijziging":
            newest = max(moment_of(record.version).timestamp(), min(known.at, run.now))
            assert newest + HOUR >= known.moment, f"{loc}: version {record.version} is older"

    def _check_content(self, run: Run, record: Record, known: Known) -> None:
        """A record has the document that was received for it, or that of the version before if none was."""
        if not run.downloads:
            return
        assert record.loc in self.readings[run].fetched, f"{record.loc} is delivered, and was not asked for"
        status, sha256 = self.readings[run].fetched[record.loc]
        right = known.sha256 if status == 304 else sha256
        assert record.sha256 == right, f"{record.loc} is delivered with another document's SHA-256"
        is_new = record.version != known.version or record.host != known.host or right != known.sha256
        assert record.oorzaak != "wijziging" or record.is_supplied or is_new, (
            f"{record.loc} is delivered as changed, and nothing changed"
        )

    def _check_not_too_early(self, run: Run, loc: str) -> None:
        """The last read of every host that is known to list it was complete, and lacked it, long enough."""
        all_rows = self.rows_of(loc)
        rows = {host: row for host, row in all_rows.items() if host in run.owners}
        assert rows, f"{loc} is withdrawn, and nobody listed it"
        sure = {host: row for host, row in rows.items() if row.sure}
        for host, row in sure.items():
            assert row.most, f"{loc} is withdrawn, and {host} lists it"
            assert self.knows.hosts[host].complete is not False, (
                f"{loc} is withdrawn, and {host} was not read"
            )
            if row.most < RUNS:
                assert not row.waits, f"{loc} is withdrawn after {row.most} reads, with many others"
                assert not self._lacks_index(host, row), f"{loc} is withdrawn, and {host} lost its index"
        for absent in all_rows.keys() & self.knows.absent.keys():
            before, is_listed = self.knows.absent[absent], all_rows[absent].sure and not all_rows[absent].most
            for host, row in sure.items() if is_listed else ():
                reads = self.knows.hosts[host].most_reads - before.get(host, Host()).fewest_reads
                is_long = reads >= RUNS or row.most >= CONFIRMED
                assert is_long, f"{loc} is withdrawn, and {absent} is missing from the register"
        if not sure or min(row.most for row in rows.values()) >= RUNS:
            return
        since = max(row.since for row in sure.values())
        for other in self._moved_to(loc, run.owners, all_rows):
            last = self.knows.hosts[other]
            assert last.complete is not False, f"{loc} is withdrawn, and may have moved to {other}"
            assert last.began >= since, f"{loc} is withdrawn, and {other} was not read since"

    def _moved_to(self, loc: str, owners: Owners, listed: Container[str]) -> list[str]:
        """The hosts of its owner that a document may have moved to: those that it is not *listed* on."""
        known = [host for host in self.knows.hosts if host in owners and host not in listed]
        return [host for host in known if host_of_loc(loc) in owners and is_own(loc, host, owners)]

    # What must have been done

    def ended(self, run: Run) -> None:
        """A run has ended, in whatever way."""
        reading = self.readings.pop(run, None)
        if reading is None:
            return  # it was killed before it began
        self.readings[run] = reading
        if run.ended != "killed":
            self._counted(run)
        if run.ended != "well" and reading.is_read:
            self.knows.claims |= set(run.hosts)
            for host in run.hosts:
                # If it counted before it was killed.
                self._note_much(run, host, is_sure=False)
                self._release(host, run)
        for loc in run.refused:
            files = [file for paths in reading.files.values() for each in paths.values() for file in each]
            versions = {version for file in files for version in file.listed().get(loc, ())}
            if versions and not any(self._is_refused(loc, version, run.now) for version in versions):
                self.knows.refused[loc] = []  # else it may not have been asked for
            self.knows.refused.setdefault(loc, []).extend((version, run.now) for version in versions)
        if run.ended == "well":
            for host in run.hosts:
                if reading.complete[host] and reading.is_alone:
                    self._check_delivered(run, host)
                self._check_files(run, host)
            if run.since is None and reading.is_alone:
                self._check_in_time(run)
                self._check_findings(run)
        del self.readings[run]

    def _check_in_time(self, run: Run) -> None:
        """What is gone, and need not wait, is withdrawn."""
        reading = self.readings[run]
        for loc, all_rows in self.knows.rows.items():
            rows = {host: row for host, row in all_rows.items() if host in run.owners}
            here = [host for host, row in rows.items() if row.sure and reading.complete.get(host)]
            if not here or not self.known(loc).is_published or self.knows.claims & rows.keys():
                continue
            if all(row.least and self.knows.hosts[host].complete for host, row in rows.items()):
                assert self._may_wait(run, loc, rows), f"{loc} is not withdrawn, and no host lists it"

    def _may_wait(self, run: Run, loc: str, rows: dict[str, Row]) -> bool:
        for host, row in rows.items():
            if row.least < RUNS and (row.may_wait or self._may_lack_index(host, row)):
                return True
            for absent in self.rows_of(loc).keys() & self.knows.absent.keys():
                before = self.knows.absent[absent].get(host, Host())
                if self.knows.hosts[host].fewest_reads - before.most_reads < RUNS:
                    return True
        if min(row.least for row in rows.values()) >= RUNS:
            return False
        if host_of_loc(loc) not in run.owners:
            return True  # its own host left the register, and may list it by now
        latest = max(row.latest for row in rows.values())
        sure = [host for host, row in rows.items() if row.sure]
        hosts = [self.knows.hosts[other] for other in self._moved_to(loc, run.owners, sure)]
        return any(not last.complete or last.surely_began < latest for last in hosts)

    def _check_delivered(self, run: Run, host: str) -> None:
        """What counts and is new or newer is delivered; what was withdrawn and is not newer is reported."""
        offered = set(run.found("lastmod.heraanbod", host))
        for loc, version in self._listed_once(run, host):
            known = self.known(loc)
            if loc in run.unreachable | run.refused or self._is_refused(loc, version, run.now):
                continue
            if not self._counts(run, host, loc, known) or (run.since is not None and version < run.since):
                continue
            assert known.states != {None}, f"{loc} is listed by {host}, and was never delivered"
            moment = min(moment_of(version).timestamp(), run.now)
            rows = self.rows_of(loc)
            if moment == run.now and (len(rows) > 1 or (host in rows and rows[host].is_repeated)):
                continue  # one in the future is not newer than another that is listed, or was till now
            is_newer = version != known.version and moment > known.moment + HOUR
            if is_newer and 0 <= run.now - known.contested < SETTINGS["WOO_FULL_READ_DAYS"] * DAY:
                continue
            assert not is_newer, f"{loc}: {host} lists version {version}, delivered is {known.version}"
            if known.states == {"withdrawn"} and is_own(loc, host, run.owners):
                assert not known.restored, f"{loc} is listed, to be restored, and withdrawn"
                assert loc in offered, f"{loc} is offered again by {host}, and that is not reported"

        self._check_repeated(run, host)

    def _check_repeated(self, run: Run, host: str) -> None:
        """A publisher is told which of its own documents it lists more than once."""
        found = set(run.found("loc.dubbel", host))
        for loc, count in Counter(loc for loc, _ in self._entries(run, host)).items():
            row = self.rows_of(loc).setdefault(host, Row())
            is_counted = row.is_repeated and is_own(loc, host, run.owners) and self.known(loc).is_published
            is_read = all(self.readings[run].answers.get((host, path)) == 200 for path in row.places)
            is_excused = loc in run.unreachable | run.refused or loc in {each.loc for each in run.records}
            if count > 1 and is_counted and is_read and not is_excused and run.since is None:
                assert loc in found, f"{loc} is listed {count} times by {host}, and that is not reported"
            row.is_repeated = count > 1

    def _entries(self, run: Run, host: str) -> list[tuple[str, int]]:
        """The entries on a host whose loc is registered."""
        entries = [entry for (file,) in self.readings[run].files[host].values() for entry in file.documents]
        return [entry for entry in entries if host_of_loc(entry[0]) in run.owners]

    def _listed_once(self, run: Run, host: str) -> list[tuple[str, int]]:
        entries = self._entries(run, host)
        count = Counter(loc for loc, _ in entries)
        return [entry for entry in entries if count[entry[0]] == 1]

    def _counts(self, run: Run, host: str, loc: str, known: Known) -> bool:
        """Whether the entry of a host counts for a document, and no other entry may."""
        others = [other for other in self.rows_of(loc) if other != host and other in run.owners]
        if is_own(loc, host, run.owners):
            return not any(is_own(loc, other, run.owners) for other in others)
        return not others and not known.was_own and known.host in ("", host)

    def _is_refused(self, loc: str, version: int, now: float) -> bool:
        """Whether a document may have been refused, and need not be asked for again yet."""
        moment = min(moment_of(version).timestamp(), now)
        for refused, at in self.knows.refused.get(loc, ()):
            is_newer = version != refused and moment > min(moment_of(refused).timestamp(), at)
            if not is_newer and 0 <= now - at < SETTINGS["WOO_REFUSED_DAYS"] * DAY:
                return True
        return False

    def _check_files(self, run: Run, host: str) -> None:
        """What is wrong with a file is reported; the entries that cannot be used are counted."""
        reading = self.readings[run]
        wrong = 0
        for (of, path), status in reading.answers.items():
            if of != host:
                continue
            area = "robots" if path == ROBOTS else "index" if number_of(path) is None else "sitemap"
            files = reading.files[host].get(path, [])
            codes = [f"{area}.onbereikbaar"]
            if status == -1:
                codes = ["robots.verboden"]
            elif status == -2:
                codes = ["host.niet-geregistreerd"]
            elif status == 404 and area == "robots":
                codes = ["robots.ontbreekt"]
            elif files and files[0].code:
                codes = [files[0].code] if status == 200 else []
                wrong += files[0].wrong + len(files[0].insecure)
            elif files and not files[0].is_whole:
                codes = [f"{area}.afgebroken", f"{area}.ongeldig"]
            elif files:
                wrong += files[0].wrong + len(files[0].insecure)
                codes = []
            urls = {url for code in codes for url in run.found(code)}
            assert not codes or f"https://{host}{path}" in urls, f"{host}{path}: none of {codes} is reported"
        if reading.complete[host]:
            count = len(run.found("loc.geen-https", host))
            assert count == wrong or run.since is not None, (
                f"{host}: {wrong} entries have an http loc, not {count}"
            )
            account = next(one for one in run.accounts if one.host == host)
            assert not account.unfinished or run.since is not None, (
                f"{host}: {account.unfinished} are unfinished"
            )

    def _check_findings(self, run: Run) -> None:
        """What waits is reported, with the reason."""
        reading = self.readings[run]
        for host in run.hosts:
            rows = [
                (loc, row) for loc, row in self.rows_on(host) if row.sure and self.known(loc).is_published
            ]
            if reading.complete[host] is False and rows:
                assert run.found("intrekking.onvolledig", host), f"{host}: intrekking.onvolledig is missing"
            waiting = [
                loc
                for loc, row in rows
                if row.least
                and row.most < RUNS
                and row.waits
                and not self._may_lack_index(host, row)
                and all(
                    each.least and self.knows.hosts[other].complete
                    for other, each in self.rows_of(loc).items()
                    if other in run.owners
                )
            ]
            if reading.complete[host] and waiting:
                assert run.found("intrekking.massaal", host), f"{host}: intrekking.massaal is missing"
        for host, index in reading.lost_indexes:
            if reading.complete[host]:
                found = run.found("index.verdwenen", host)
                assert f"https://{host}{index}" in found, f"{host}{index}: index.verdwenen is missing"

    # What operators do

    def back_up(self) -> Knowledge:
        return deepcopy(self.knows)

    def put_back(self, knowledge: Knowledge) -> None:
        """The state is what it was, and so are the records."""
        self.knows = deepcopy(knowledge)

    def confirm(self, host: str) -> None:
        """What a host lacks, and no other lists, is to be withdrawn by its next complete read."""
        for loc, row in self.rows_on(host):
            counted = self.rows_of(loc).keys() - self.knows.absent.keys() - {host}
            others = [self.rows_of(loc)[other] for other in counted]
            if row.most and not any(each.sure and not each.most for each in others):
                row.most = CONFIRMED
                if (
                    row.sure
                    and row.least
                    and all(each.least for each in others)
                    and self.known(loc).is_published
                ):
                    row.least = CONFIRMED

    def restore(self, host: str) -> None:
        """What is withdrawn on a host is to be delivered again, where it is listed."""
        for loc, known in self.knows.documents.items():
            if known.states == {"withdrawn"} and host_of_loc(loc) == host:
                known.restored = True

    def forget_document(self, loc: str) -> None:
        self.known(loc).states = {None}
        self.rows_of(loc).clear()

    def forget_host(self, host: str) -> None:
        """A host is as if it had never been visited, and the documents whose version is its own."""
        for loc, _ in list(self.rows_on(host)):
            del self.rows_of(loc)[host]
            self._may_be_forgotten(loc)
        for loc, known in self.knows.documents.items():
            if known.host == host:
                self._may_be_forgotten(loc)
        self.knows.absent.pop(host, None)
        for hosts in (self.knows.hosts, *self.knows.absent.values()):
            hosts.pop(host, None)

    def _may_be_forgotten(self, loc: str) -> None:
        self.known(loc).states.add(None)
        for row in self.rows_of(loc).values():
            row.sure = False
