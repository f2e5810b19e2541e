"""What a reader of all records knows, and what holds whatever publishers and machines do."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from tests.simulation.harvester import SETTINGS, Outcome
from tests.simulation.publishers import BEGIN, HOSTS, host_of_loc, index_path, is_own, number_of

RUNS = SETTINGS["WOO_WITHDRAW_RUNS"]
#: What a record may follow, by oorzaak.
AFTER = {
    "aanlevering": None,
    "wijziging": "published",
    "intrekking": "published",
    "herpublicatie": "withdrawn",
}


@dataclass
class Known:
    """What a reader knows of one document."""

    state: str | None = None
    """``published`` or ``withdrawn``; None where nothing was delivered."""
    host: str = ""
    """Whose entry the last version that was not a withdrawal came from, by its title."""
    own_version: int = -1
    """The newest version that came from an entry of the owner's."""
    version: int = -1
    """The last version that was not a withdrawal."""
    described: bool = False
    """That version has a description."""
    categorised: bool = False
    """That version has a category from the name of an index."""


def version_of(lastmod: str) -> int:
    return (datetime.fromisoformat(lastmod) - BEGIN).days


@dataclass
class Oracle:
    """Follows what was served and what was delivered, and fails where a promise is broken."""

    known: dict[str, Known] = field(default_factory=lambda: defaultdict(Known))
    listed: dict[str, set[str]] = field(default_factory=lambda: {host: set() for host in HOSTS})
    """By host: documents that its last read listed for sure, be it complete or not."""
    perhaps: dict[str, set[str]] = field(default_factory=lambda: {host: set() for host in HOSTS})
    """By host: documents that the harvester may hold to be listed by it, or to have been."""
    held: dict[str, set[str]] = field(default_factory=lambda: {host: set() for host in HOSTS})
    """The same, for sure: it listed them while their own host was registered. Other entries are skipped.

    What was never delivered, and what it lists no longer, is not held: the harvester forgets it.
    """
    misses: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """By document and host: complete reads in a row that lacked it, as many as there are at most."""
    sure: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """The same, as many as there are at least."""
    released: set[tuple[str, str]] = field(default_factory=set)
    """Document and host that perhaps no longer counts: it has lacked it long, and another listed it."""
    places: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """By document and host: the sitemaps that listed it when the host last did."""
    named: dict[str, set[str] | None] = field(default_factory=dict)
    """By host: the indexes that its last complete read found named; None where a kill leaves that open."""
    last_complete: dict[str, bool] = field(default_factory=dict)
    """By host: whether its last read was complete; absent where a kill leaves that open."""

    def learn(self, outcome: Outcome, registered: frozenset[str], unreachable: frozenset[str]) -> None:
        """Check one run, and learn what it delivered."""
        for host in outcome.hosts:
            self._read(outcome, host, registered)
        self._release(outcome, registered)
        for record in outcome.records:
            self._record(record, registered)
        if outcome.ended:
            self._check_sums(outcome, unreachable)
            self._check_withdrawn(outcome, registered)
            self._check_own_entries(outcome, registered, unreachable)
            self._check_offered_again(outcome, registered, unreachable)

    def _read(self, outcome: Outcome, host: str, registered: frozenset[str]) -> None:
        listed = set(outcome.lists(host))
        complete = host in outcome.complete
        concluded = outcome.ended or outcome.is_concluded
        if complete:
            gone = self.perhaps[host] - listed
            self.held[host] -= {loc for loc in gone if self.known[loc].state is None}
            for loc in gone:
                self.misses[loc, host] += 1
                self.sure[loc, host] += concluded
            self.listed[host] = listed if concluded else self.listed[host] & listed
        elif concluded:
            self.listed[host] |= listed
        if complete and concluded:
            for loc in listed:
                self.places[loc, host].clear()
        for path, documents in outcome.read.get(host, {}).items():
            for loc in documents:
                self.places[loc, host].add(path)
        if complete:
            self.named[host] = outcome.named[host] if concluded else None
        for loc in listed:
            self.sure[loc, host] = 0
            if concluded:
                self.misses[loc, host] = 0
        self.perhaps[host] |= listed
        if concluded:
            self.held[host] |= {loc for loc in listed if host_of_loc(loc) in registered}
            self.last_complete[host] = complete
        else:
            self.last_complete.pop(host, None)

    def _release(self, outcome: Outcome, registered: frozenset[str]) -> None:
        """Note which hosts perhaps no longer count for a document."""
        for host in outcome.hosts:
            for loc in outcome.lists(host):
                self.released.discard((loc, host))
            for loc in self.perhaps[host]:
                others = [other for other in registered if other != host and loc in self.perhaps[other]]
                if self.misses[loc, host] >= RUNS and others and host != host_of_loc(loc):
                    self.released.add((loc, host))

    def _record(self, record: dict[str, str], registered: frozenset[str]) -> None:
        loc, cause = record["loc"], record["oorzaak"]
        known = self.known[loc]
        assert known.state == AFTER[cause], f"{cause} of {loc}, which is {known.state}"
        if cause == "intrekking":
            self._check_withdrawal(loc, registered)
            known.state = "withdrawn"
            for host in HOSTS:
                if host not in registered and loc in self.listed[host]:
                    continue  # it is held to list the document still, and counts again if it returns
                self.perhaps[host].discard(loc)
                self.held[host].discard(loc)
                self.misses.pop((loc, host), None)
                self.sure.pop((loc, host), None)
                self.released.discard((loc, host))
            return
        known.state = "published"
        self.perhaps[record["host"]].add(loc)  # the sitemap may be one that was cut off after it
        host, _, version = record["titel"].partition(" ")
        assert version_of(record["lastmod"]) == int(version)
        known.host, known.version = host, int(version)
        known.described, known.categorised = bool(record["described"]), bool(record["categorised"])
        if is_own(loc, host):
            known.own_version = max(known.own_version, known.version)

    def _check_withdrawal(self, loc: str, registered: frozenset[str]) -> None:
        hosts = [host for host in HOSTS if loc in self.perhaps[host] and host in registered]
        assert hosts, f"{loc} is withdrawn, and nobody listed it"
        for host in hosts:
            if (loc, host) in self.released:
                continue
            assert loc not in self.listed[host], f"{loc} is withdrawn, and {host} lists it"
            assert self.last_complete.get(host, True), f"{loc} is withdrawn, and {host} was not read"
            self._check_others(loc, hosts, registered)
            if loc not in self.held[host]:
                continue  # a run that was killed has seen it there, and has perhaps not kept that
            assert self.misses[loc, host], f"{loc} is withdrawn, and {host} never lacked it"
            gone = self._gone_indexes(loc, host)
            if gone and all(gone):
                count = self.misses[loc, host]
                assert count >= RUNS, f"{loc} is withdrawn after {count} reads, and {host} lost its index"
            if self._is_massive(host, registered):
                # Only the reads of that host count: others may have listed the document until now.
                count = self.misses[loc, host]
                assert count >= RUNS, f"{loc} is withdrawn after {count} reads of {host}, with many others"

    def _check_others(self, loc: str, hosts: list[str], registered: frozenset[str]) -> None:
        """It may have moved to another host of its owner's that could not be read."""
        is_known = host_of_loc(loc) in registered  # else the register does not say whose it is
        if is_known and min(self.misses[loc, host] for host in hosts) < RUNS:
            for other in registered.difference(hosts):
                unread = is_own(loc, other) and self.last_complete.get(other) is False
                assert not unread, f"{loc} is withdrawn, and may have moved to {other}"

    def _is_massive(self, host: str, registered: frozenset[str]) -> bool:
        """Whether so much is gone from a host that it must wait, for sure."""
        if self.last_complete.get(host) is None:
            return False
        published = {loc for loc in self.perhaps[host] if self.known[loc].state == "published"}
        counting = {loc for loc in published if (loc, host) not in self.released}
        gone = {
            loc
            for loc in counting
            if self._is_gone(loc, registered) and not any(self._gone_indexes(loc, host))
        }
        share, count = SETTINGS["WOO_WITHDRAW_SHARE"], SETTINGS["WOO_WITHDRAW_DOCUMENTS"]
        return bool(len(gone) > count and len(gone) > share * len(published))

    def _gone_indexes(self, loc: str, host: str) -> list[bool]:
        """Whether the index of each sitemap that listed a document is gone; empty where that is not known."""
        named = self.named.get(host)
        if named is None:
            return []
        numbers = [number_of(path) or 0 for path in self.places[loc, host]]
        return [f"https://{host}{index_path(number % 2)}" not in named for number in numbers]

    def _is_gone(self, loc: str, registered: frozenset[str]) -> bool:
        return all(
            self.sure[loc, host] and self.last_complete.get(host)
            for host in HOSTS
            if host in registered and loc in self.perhaps[host]
        )

    def _check_withdrawn(self, outcome: Outcome, registered: frozenset[str]) -> None:
        """What all hosts stopped listing is withdrawn after so many complete reads."""
        for loc, known in list(self.known.items()):
            hosts = [host for host in HOSTS if host in registered and loc in self.perhaps[host]]
            if known.state != "published" or not set(hosts) & outcome.complete:
                continue
            if not any(loc in self.held[host] for host in hosts):
                continue
            if any((loc, host) in self.released for host in hosts):
                continue
            if all(self.sure[loc, host] >= RUNS and self.last_complete.get(host) for host in hosts):
                raise AssertionError(f"{loc} is not withdrawn, and no host lists it")

    def _check_own_entries(
        self, outcome: Outcome, registered: frozenset[str], unreachable: frozenset[str]
    ) -> None:
        """What its own host lists is delivered, with the metadata of its own host."""
        for host in outcome.complete:
            for loc, versions in outcome.lists(host).items():
                others = [
                    other
                    for other in HOSTS
                    if other != host
                    and other in registered
                    and is_own(loc, other)
                    and loc in self.perhaps[other]
                ]
                if not is_own(loc, host) or others or len(versions) > 1 or loc in unreachable:
                    continue
                if loc.split("/")[2] not in registered:
                    continue
                known, version = self.known[loc], max(versions)
                assert known.own_version >= version, f"{loc}: version {version} of {host} is not delivered"
                assert is_own(loc, known.host), f"{loc}: the entry of {known.host} counts, {host} lists it"

    def _check_offered_again(
        self, outcome: Outcome, registered: frozenset[str], unreachable: frozenset[str]
    ) -> None:
        """A withdrawn document that its own host lists is reported in each run."""
        for host in outcome.complete:
            expected = {
                loc
                for loc in outcome.lists(host).keys() - unreachable
                if is_own(loc, host)
                and self.known[loc].state == "withdrawn"
                and loc.split("/")[2] in registered
            }
            found = {
                finding.url
                for finding in outcome.findings
                if finding.code == "lastmod.heraanbod" and finding.host == host
            }
            assert expected <= found, f"{host}: not reported: {sorted(expected - found)}"

    def _check_sums(self, outcome: Outcome, unreachable: frozenset[str]) -> None:
        for account in outcome.accounts:
            if account.host not in outcome.complete:
                continue
            wrong = sum(outcome.wrong.get(account.host, {}).values())
            assert outcome.count("loc.geen-https", account.host) == wrong, f"{account.host}: {wrong} entries"
            assert account.unfinished == 0, (
                f"{account.host}: {account.unfinished} documents are not accounted for"
            )
