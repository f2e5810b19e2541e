"""Days of publishers that list, change and drop documents, as a state machine with its oracle."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)
from sqlalchemy import delete

from tests.simulation.clock import at
from tests.simulation.harvester import Day, Harvester, Outcome, SimulatedState
from tests.simulation.oracle import Known, Oracle
from tests.simulation.publishers import (
    CATEGORISED,
    DESCRIBED,
    FAULTS,
    HOSTS,
    Publisher,
    host_of_loc,
    is_own,
    loc_of,
    version_moment,
)
from woo_harvester.state.schema import documents, hosts, listings, repeated, resources
from woo_harvester.state.store import NOWHERE

#: Days and other steps of one history.
STEPS = 40
DAY = 86_400.0

PATHS = ("/robots.txt", "/sitemapindex-diwoo.xml", "/s0.xml", "/s1.xml", "/s2.xml")
#: What publishers do, and how often.
CHANGES, WEIGHTS = zip(
    *{
        "list": 3,
        "renew": 8,
        "drop": 4,
        "drop_everywhere": 3,
        "copy": 3,
        "move": 2,
        "relist": 3,
        "empty": 1,
        "remove_sitemap": 1,
        "toggle_index": 2,
        "break": 2,
        "repair": 3,
        "list_wrongly": 1,
        "toggle_etags": 1,
        "toggle_registered": 1,
    }.items(),
    strict=True,
)


class Documents(RuleBasedStateMachine):
    """Days of publishers and runs."""

    state_url = NOWHERE

    def __init__(self) -> None:
        super().__init__()
        self.state = SimulatedState.open(self.state_url)
        with self.state.begin() as connection:  # in a database on disk there is what the last example left
            for table in (repeated, listings, documents, resources, hosts):
                connection.execute(delete(table))
        self.publishers = {host: Publisher(host) for host in HOSTS}
        self.harvester = Harvester(self.state, self.publishers)
        self.oracle = Oracle()
        self.registered = frozenset(HOSTS)
        self.now = 1_800_000_000.0
        self.days = self.settled = 0

    def teardown(self) -> None:
        self.state._connection.close()
        self.state._engine.dispose()

    @initialize(count=st.integers(1, 6), shared=st.integers(0, 2))
    def begin(self, count: int, shared: int) -> None:
        """Each host lists some documents of its own, and perhaps of the host before it."""
        before = HOSTS[-1]
        for host, publisher in self.publishers.items():
            for name in range(count):
                publisher.list(loc_of(host, name), name % 2, 1)
            for name in range(min(shared, count)):
                publisher.list(loc_of(before, name), 0, 1 + 50 * (name % 2))
            before = host

    @rule(random=st.randoms(use_true_random=False))
    def day(self, random: Random) -> None:
        """Publishers change something, and there is a run, or one for each host."""
        for _ in range(random.choice((0, 1, 2, 3, 4))):
            change = random.choices(CHANGES, WEIGHTS)[0]
            host = random.choice(HOSTS)
            note(f"{change} {host}")
            getattr(self, f"_{change}")(self.publishers[host], random)
        self.now += random.choice((1, 1, 1, 2, 8)) * DAY
        self._harvest(random)

    # What publishers do

    def _list(self, publisher: Publisher, random: Random) -> None:
        """List a document anew, mostly one of its own."""
        host = random.choice((publisher.host, publisher.host, *HOSTS))
        publisher.list(loc_of(host, random.randrange(8)), random.randrange(3), random.randrange(1, 4))

    def _renew(self, publisher: Publisher, random: Random) -> None:
        """Give a document that is listed a newer lastmod; now and then one far ahead, or an older one."""
        if (found := self._any(publisher, random)) is not None:
            number, loc = found
            publisher.sitemaps[number][loc] += random.choice((1, 1, 1, 1, 50, -1))

    def _drop(self, publisher: Publisher, random: Random) -> None:
        """List a document no longer."""
        if (found := self._any(publisher, random)) is not None:
            publisher.drop(found[1], found[0])

    def _drop_everywhere(self, publisher: Publisher, random: Random) -> None:
        """A document is gone from all sitemaps of all hosts."""
        if (found := self._any(publisher, random)) is not None:
            for each in self.publishers.values():
                for number in each.sitemaps:
                    each.drop(found[1], number)

    def _copy(self, publisher: Publisher, random: Random) -> None:
        """List a document that another host lists, with a lastmod of its own."""
        if (found := self._any(self.publishers[random.choice(HOSTS)], random)) is not None:
            publisher.list(found[1], random.randrange(3), random.choice((1, 2, 3, 50)))

    def _move(self, publisher: Publisher, random: Random) -> None:
        """A document moves to another sitemap or host."""
        if (found := self._any(publisher, random)) is not None:
            version = publisher.sitemaps[found[0]].pop(found[1])
            other = random.choice((publisher, self.publishers[random.choice(HOSTS)]))
            other.list(found[1], random.randrange(3), version)

    def _relist(self, publisher: Publisher, random: Random) -> None:
        """List a document that was withdrawn, as it was or newer."""
        gone = sorted(loc for loc, known in self.oracle.known.items() if known.state == "withdrawn")
        if gone:
            loc = random.choice(gone)
            version = self.oracle.known[loc].version + random.choice((0, 0, 1))
            owner = self.publishers[host_of_loc(loc)]
            random.choice((owner, owner, publisher)).list(loc, random.randrange(3), version)

    def _empty(self, publisher: Publisher, random: Random) -> None:
        """A sitemap is empty from now on."""
        if publisher.sitemaps:
            publisher.sitemaps[random.choice(sorted(publisher.sitemaps))] = {}

    def _remove_sitemap(self, publisher: Publisher, random: Random) -> None:
        """An index lists a sitemap no longer."""
        publisher.sitemaps.pop(random.randrange(3), None)

    def _toggle_index(self, publisher: Publisher, random: Random) -> None:
        """robots.txt names an index no longer, or again."""
        publisher.hidden_indexes ^= {random.randrange(2)}

    def _break(self, publisher: Publisher, random: Random) -> None:
        """A file is served wrongly from now on."""
        publisher.faults[random.choice(PATHS)] = random.choice(FAULTS)

    def _repair(self, publisher: Publisher, random: Random) -> None:
        """A host serves all its files as it should."""
        publisher.faults.clear()
        publisher.hidden_indexes.clear()

    def _list_wrongly(self, publisher: Publisher, random: Random) -> None:
        """A sitemap has entries with an http loc, or none any more."""
        if publisher.sitemaps:
            publisher.wrong[random.choice(sorted(publisher.sitemaps))] = random.randrange(3)

    def _toggle_etags(self, publisher: Publisher, random: Random) -> None:
        """A server answers 304 whatever has changed, or does so no longer."""
        publisher.fixed_etags ^= True

    def _toggle_registered(self, publisher: Publisher, random: Random) -> None:
        """A host leaves the register, or returns."""
        self.registered = (self.registered ^ {publisher.host}) or self.registered

    @staticmethod
    def _any(publisher: Publisher, random: Random) -> tuple[int, str] | None:
        """One of the documents that a host lists, with the number of its sitemap."""
        found = [(number, loc) for number, locs in sorted(publisher.sitemaps.items()) for loc in sorted(locs)]
        return random.choice(found) if found else None

    # What operators and machines do

    def _harvest(self, random: Random) -> None:
        hosts = sorted(self.registered)
        match random.choice(
            ("all", "all", "shards", "shards", "some", "kill", "kill", "disk", "unreachable")
        ):
            case "all":
                self._run(hosts, random)
            case "shards":
                random.shuffle(hosts)
                for host in hosts:
                    self._run([host], random)
            case "some":
                self._run(sorted(random.sample(hosts, random.randint(1, len(hosts)))), random)
            case "kill":
                self._run(hosts, random, kill_in=random.randrange(60))
            case "disk":
                self._run(hosts, random, output_fails_after=random.randrange(4))
            case "unreachable":
                listed = {
                    loc for one in self.publishers.values() for locs in one.sitemaps.values() for loc in locs
                }
                gone = random.sample(sorted(listed), min(len(listed), 3))
                self._run(hosts, random, unreachable=frozenset(gone))

    @precondition(lambda self: self.days > self.settled + 20)
    @rule(random=st.randoms(use_true_random=False), shards=st.booleans())
    def settle(self, random: Random, shards: bool) -> None:
        """All is well for some days: then all that is listed is known, and nothing else."""
        for publisher in self.publishers.values():
            publisher.faults.clear()
            publisher.hidden_indexes.clear()
            for number in (0, 1):  # so that each robots.txt names an index
                publisher.sitemaps.setdefault(number, {})
        outcomes: dict[str, Outcome] = {}
        for days in (8, 1, 8, 1, 1, 1):
            self.now += days * DAY
            runs = [[host] for host in sorted(self.registered)] if shards else [sorted(self.registered)]
            for visited in runs:
                outcome = self._run(visited, random)
                outcomes.update(dict.fromkeys(visited, outcome))
        self.settled = self.days
        assert not any(outcome.records for outcome in outcomes.values()), "records on a day without changes"
        self._check_all(outcomes)

    def _run(
        self,
        hosts: list[str],
        random: Random,
        *,
        kill_in: int | None = None,
        output_fails_after: int | None = None,
        unreachable: frozenset[str] = frozenset(),
    ) -> Outcome:
        if not hosts:
            return Outcome([])
        self.days += 1
        self.now += 60
        note(f"run over {hosts}, kill_in={kill_in}, disk={output_fails_after}, {sorted(unreachable)}")
        day = Day(hosts, self.registered, random, self.now, kill_in, output_fails_after, unreachable)
        with at(self.now):
            outcome = self.harvester.run(day)
        self.oracle.learn(outcome, self.registered, unreachable)
        return outcome

    def _check_all(self, outcomes: dict[str, Outcome]) -> None:
        """Compare what is known with what is listed."""
        listed: dict[str, dict[str, int]] = {}
        for host in self.registered:
            assert host in outcomes[host].complete, f"{host} was not read completely"
            for sitemap in self.publishers[host].sitemaps.values():
                for loc, version in sitemap.items():
                    if host_of_loc(loc) in self.registered:
                        by_host = listed.setdefault(loc, {})
                        by_host[host] = max(by_host.get(host, 0), version)
        for loc, known in self.oracle.known.items():
            if loc not in listed and known.state == "published" and self._was_listed_here(loc):
                raise AssertionError(f"{loc} is not withdrawn, and nobody lists it")
        for loc, versions in listed.items():
            self._check_document(loc, versions, outcomes)
        for host in self.registered:
            wrong = sum(
                self.publishers[host].wrong.get(number, 0) for number in self.publishers[host].sitemaps
            )
            assert outcomes[host].count("loc.geen-https", host) == wrong
        self._check_foreign(listed, outcomes)

    def _was_listed_here(self, loc: str) -> bool:
        """Whether a host that is registered and still counts has listed a document for sure, and none now."""
        counts = [host for host in self.registered if (loc, host) not in self.oracle.released]
        was_listed = any(loc in self.oracle.held[host] for host in counts)
        sitemaps = [one for host in self.registered for one in self.publishers[host].sitemaps.values()]
        return was_listed and not any(loc in one for one in sitemaps)

    def _check_document(self, loc: str, versions: dict[str, int], outcomes: dict[str, Outcome]) -> None:
        known = self.oracle.known[loc]
        own = {host: version for host, version in versions.items() if is_own(loc, host)}
        assert known.state is not None, f"{loc} was never delivered"
        if known.state == "withdrawn":
            assert not own or is_own(loc, known.host), f"{loc}: its own host lists it, and it stays withdrawn"
            newest = max(own.values(), default=-1)
            assert newest <= known.own_version, f"{loc}: version {newest} is newer, and it stays withdrawn"
            for host in own or versions:
                urls = {one.url for one in outcomes[host].findings if one.code == "lastmod.heraanbod"}
                assert loc in urls, f"{loc} is offered again by {host}, and that is not reported"
        elif own:
            assert is_own(loc, known.host), f"{loc}: the entry of {known.host} counts"
            newest = max(own.values())
            if version_moment(newest) < datetime.now(UTC):
                assert known.version >= newest, f"{loc}: version {newest} is listed, not {known.version}"
            self._check_repeated(loc, known)

    def _check_repeated(self, loc: str, known: Known) -> None:
        """What only an entry that does not count gives is in the document all the same."""
        sitemaps = self.publishers[known.host].sitemaps
        listed = {number: documents[loc] for number, documents in sitemaps.items() if loc in documents}
        newest = {number for number, version in listed.items() if version == known.version}
        if newest and known.version == max(listed.values()):
            for field, given in ((known.described, DESCRIBED), (known.categorised, CATEGORISED)):
                only_elsewhere = given & listed.keys() and not given & newest
                assert field or not only_elsewhere, f"{loc}: {known} lacks what {known.host} gives in {given}"

    def _check_foreign(self, listed: dict[str, dict[str, int]], outcomes: dict[str, Outcome]) -> None:
        """Each side is told how many documents a sitemap lists that another's host lists itself."""
        for host in self.registered:
            for number, sitemap in self.publishers[host].sitemaps.items():
                foreign = [
                    loc
                    for loc in sitemap
                    if loc in listed
                    and not is_own(loc, host)
                    and any(is_own(loc, one) for one in listed[loc])
                ]
                first = min((one for one in self.publishers[host].sitemaps), default=number)
                found = [
                    finding
                    for finding in outcomes[host].findings
                    if finding.code == "loc.andere-host"
                    and finding.host == host
                    and finding.url == f"https://{host}/s{number}.xml"
                ]
                if foreign and number == first:
                    assert found, f"{host}: s{number}.xml lists {foreign}, and that is not reported"
                if not foreign:
                    assert not found, f"{host}: s{number}.xml: {found}"
