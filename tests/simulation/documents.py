"""Days of publishers that list, change and drop documents, of runs, and of operators between these."""

from __future__ import annotations

from hashlib import sha256
from random import Random

from sqlalchemy import delete

from tests.simulation.harvester import TABLES, BackUp, Harvester, Run
from tests.simulation.oracle import Knowledge, Known, Oracle
from tests.simulation.play import Simulation
from tests.simulation.publishers import (
    BEGIN,
    FAULTS,
    HOSTS,
    NUMBERS,
    OWNERS,
    PATHS,
    TODAY,
    Publisher,
    host_of_loc,
    is_own,
    loc_of,
    moment_of,
)
from woo_harvester.state import NOWHERE
from woo_harvester.state.resources import forget_host
from woo_harvester.state.store import State
from woo_harvester.state.upkeep import confirm_withdrawals, forget_document, restore

DAY = 86_400.0
#: What may happen, and how often. A run is what comes after the underscore.
KINDS = {
    "list": 6, "renew": 14, "replace": 3, "drop": 8, "drop_everywhere": 6, "copy": 6, "move": 4, "relist": 6,
    "empty": 2, "remove_sitemap": 2, "toggle_index": 4, "list_twice": 3, "list_in_both": 1, "break": 5,
    "repair": 6, "list_wrongly": 2, "list_insecurely": 3, "leave_out": 6,
    "toggle_etags": 2, "leave_register": 2, "change_owner": 2, "set_clock_back": 1,
    "confirm": 1, "restore": 1, "forget": 1, "back_up": 1, "put_back": 1,
    "run_all": 10, "run_shards": 10, "run_some": 4, "run_killed": 9, "run_on_a_full_disk": 3,
    "run_refused": 3, "run_two_at_once": 4, "run_since": 2,
}  # fmt: skip


class Documents:
    """Publishers, an installation that harvests them, and the oracle that follows it."""

    def __init__(self, random: Random, url: str = NOWHERE) -> None:
        self.story: list[str] = []
        self.state = State.open(url)
        with self.state.begin() as connection:  # in a database on disk there is what the last history left
            for table in reversed(TABLES):
                connection.execute(delete(table))
        self.publishers = {host: Publisher(host) for host in HOSTS}
        self.oracle = Oracle()
        self.harvester = Harvester(self.state, self.publishers, self.oracle)
        self.owners = dict(OWNERS)
        self.now = BEGIN.timestamp() + TODAY * DAY
        self.backed_up: tuple[BackUp, Knowledge] | None = None
        self.has_split = False
        """A host has got another owner."""
        self.downloads = random.random() < 0.3
        self.changed: dict[str, int | None] = {}
        """With which version the bytes of a document changed; None if with none."""
        self.settles = random.random() < 0.3  # it takes as long as ten other days
        count, shared, before = random.randint(1, 6), random.randint(0, 2), HOSTS[-1]
        for host, publisher in self.publishers.items():
            for name in range(count):
                publisher.list(loc_of(host, name), name % 2, TODAY - 1)
            for name in range(min(shared, count)):
                publisher.list(loc_of(before, name), 0, TODAY - 1 + 50 * (name % 2))
            before = host
        self.tell(
            f"each host lists {count} documents of its own and {min(shared, count)} of the host before it"
        )

    @property
    def today(self) -> int:
        """The number of the day: the version of a document that changes today."""
        return int((self.now - BEGIN.timestamp()) // DAY)

    def tell(self, line: str) -> None:
        self.story.append(f"day {self.today - TODAY}: {line}")

    def do(self, kind: str, random: Random) -> None:
        if kind.startswith("run_"):
            self.now += random.choice((1, 1, 1, 2, 8)) * DAY
        getattr(self, f"_{kind}")(self.publishers[random.choice(HOSTS)], random)

    def end(self) -> None:
        if self.settles:
            self._settle(self.publishers[HOSTS[0]], Random(0))

    def close(self) -> None:
        self.state.close()

    # What publishers do

    def _list(self, publisher: Publisher, random: Random) -> None:
        """List a document anew, mostly one of its own."""
        host = random.choice((publisher.host, publisher.host, *HOSTS))
        self._put(publisher, loc_of(host, random.randrange(8)), random, self.today - random.randrange(3))

    def _put(self, publisher: Publisher, loc: str, random: Random, version: int) -> None:
        number = random.choice(NUMBERS)
        publisher.list(loc, number, version)
        self.tell(f"{publisher.host} lists {loc} in s{number}, with the lastmod of day {version - TODAY}")

    def _renew(self, publisher: Publisher, random: Random) -> None:
        """Give a document that is listed a newer lastmod; now and then one ahead, or an older one."""
        if (found := self._any(publisher, random)) is not None:
            number, loc = found
            before = publisher.sitemaps[number][loc]
            version = random.choice((self.today, self.today, self.today + 3, self.today + 50, before - 1))
            publisher.sitemaps[number][loc] = version
            if publisher.host == host_of_loc(loc):
                self._change(loc, version if version != before else None)
            self.tell(f"{publisher.host} gives {loc} in s{number} the lastmod of day {version - TODAY}")

    def _replace(self, publisher: Publisher, random: Random) -> None:
        """The bytes of a document change, and its lastmod does not."""
        if (found := self._any(publisher, random)) is not None:
            self._change(found[1], None)
            self.tell(f"{found[1]} has other bytes")

    def _change(self, loc: str, version: int | None) -> None:
        """Have a document have other bytes, with a new version in a sitemap or without."""
        self.changed[loc] = version
        contents = self.publishers[host_of_loc(loc)].contents
        contents[loc] = contents.get(loc, 0) + 1

    def _drop(self, publisher: Publisher, random: Random) -> None:
        """List a document no longer."""
        if (found := self._any(publisher, random)) is not None:
            publisher.drop(found[1], found[0])
            self.tell(f"{publisher.host} drops {found[1]} from s{found[0]}")

    def _drop_everywhere(self, publisher: Publisher, random: Random) -> None:
        """A document is gone from all sitemaps of all hosts."""
        if (found := self._any(publisher, random)) is not None:
            for each in self.publishers.values():
                for number in each.sitemaps:
                    each.drop(found[1], number)
            self.tell(f"all hosts drop {found[1]}")

    def _copy(self, publisher: Publisher, random: Random) -> None:
        """List a document that another host lists, with a lastmod of its own."""
        if (found := self._any(self.publishers[random.choice(HOSTS)], random)) is not None:
            version = self.today + random.choice((0, -1, -2, 50))
            self._put(publisher, found[1], random, version)

    def _move(self, publisher: Publisher, random: Random) -> None:
        """A document moves to another sitemap or host."""
        if (found := self._any(publisher, random)) is not None:
            version = publisher.sitemaps[found[0]][found[1]]
            publisher.drop(found[1], found[0])
            self.tell(f"{publisher.host} drops {found[1]} from s{found[0]}")
            self._put(
                random.choice((publisher, self.publishers[random.choice(HOSTS)])), found[1], random, version
            )

    def _relist(self, publisher: Publisher, random: Random) -> None:
        """List a document that was withdrawn, as it was or newer."""
        known = self.oracle.knows.documents
        if gone := sorted(loc for loc, one in known.items() if one.states == {"withdrawn"}):
            loc = random.choice(gone)
            owner = self.publishers[host_of_loc(loc)]
            version = random.choice((known[loc].version, known[loc].version, self.today))
            self._put(random.choice((owner, owner, publisher)), loc, random, version)

    def _empty(self, publisher: Publisher, random: Random) -> None:
        """A sitemap is empty from now on."""
        if publisher.sitemaps:
            number = random.choice(sorted(publisher.sitemaps))
            publisher.sitemaps[number] = {}
            self.tell(f"{publisher.host} empties s{number}")

    def _remove_sitemap(self, publisher: Publisher, random: Random) -> None:
        """An index lists a sitemap no longer."""
        number = random.choice(NUMBERS)
        publisher.sitemaps.pop(number, None)
        self.tell(f"{publisher.host} has no s{number} any more")

    def _toggle_index(self, publisher: Publisher, random: Random) -> None:
        """robots.txt names an index no longer, or again."""
        publisher.hidden_indexes ^= {random.randrange(2)}
        self.tell(f"{publisher.host}: robots.txt leaves out the indexes {sorted(publisher.hidden_indexes)}")

    def _list_twice(self, publisher: Publisher, random: Random) -> None:
        """A sitemap has a second entry for a document, with another lastmod."""
        if (found := self._any(publisher, random)) is not None:
            number, loc = found
            version = publisher.sitemaps[number][loc] + random.choice((-1, 0, 1))
            publisher.twice.setdefault(number, {})[loc] = version
            self.tell(f"{publisher.host} lists {loc} in s{number} twice, also of day {version - TODAY}")

    def _list_in_both(self, publisher: Publisher, random: Random) -> None:
        """A sitemap is in both indexes, or no longer."""
        publisher.in_both ^= {random.choice(NUMBERS)}
        self.tell(f"{publisher.host}: both indexes list the sitemaps {sorted(publisher.in_both)}")

    def _break(self, publisher: Publisher, random: Random) -> None:
        """A file is served wrongly from now on."""
        path = random.choice(PATHS)
        publisher.faults[path] = random.choice(FAULTS)
        self.tell(f"{publisher.host}{path}: {publisher.faults[path]}")

    def _repair(self, publisher: Publisher, random: Random) -> None:
        """A host serves all its files as it should."""
        publisher.mend()
        self.tell(f"{publisher.host} is well")

    def _list_wrongly(self, publisher: Publisher, random: Random) -> None:
        """A sitemap has entries with an http loc, or none any more."""
        if publisher.sitemaps:
            number = random.choice(sorted(publisher.sitemaps))
            publisher.wrong[number] = random.randrange(3)
            self.tell(f"{publisher.host}: {publisher.wrong[number]} entries of s{number} have an http loc")

    def _list_insecurely(self, publisher: Publisher, random: Random) -> None:
        """The entries of a document have an http loc, or no longer."""
        if (found := self._any(publisher, random)) is not None:
            publisher.insecure ^= {found[1]}
            self.tell(f"{publisher.host} lists {sorted(publisher.insecure)} with http")

    def _leave_out(self, publisher: Publisher, random: Random) -> None:
        """All documents are without an entry, or half of them, or the other half."""
        half = random.choice((set(), {0}, {1}, {0, 1}, {0, 1}))
        listed = {loc for locs in publisher.sitemaps.values() for loc in locs}
        publisher.left_out = {loc for loc in listed if ord(loc[-5]) % 2 in half}
        self.tell(f"{publisher.host} leaves out {sorted(publisher.left_out)}")

    def _toggle_etags(self, publisher: Publisher, random: Random) -> None:
        """A server answers 304 whatever has changed, or does so no longer."""
        publisher.fixed_etags ^= True
        self.tell(
            f"{publisher.host}: the ETags are {'always the same' if publisher.fixed_etags else 'right'}"
        )

    @staticmethod
    def _any(publisher: Publisher, random: Random) -> tuple[int, str] | None:
        """One of the documents that a host lists, with the number of its sitemap."""
        found = [(number, loc) for number, locs in sorted(publisher.sitemaps.items()) for loc in sorted(locs)]
        return random.choice(found) if found else None

    # What operators and machines do

    def _leave_register(self, publisher: Publisher, random: Random) -> None:
        """A host leaves the register, or returns."""
        host = publisher.host
        if self.owners.pop(host, None) is None or not self.owners:
            self.owners[host] = OWNERS[host]
        self.tell(f"{host} is {'in' if host in self.owners else 'missing from'} the register")

    def _change_owner(self, publisher: Publisher, random: Random) -> None:
        """Organisations merge or split: a host is another one's, or its first one's again."""
        if publisher.host in self.owners:
            of = random.choice((OWNERS[publisher.host], *sorted(set(OWNERS.values())), "D"))
            self.owners[publisher.host], self.has_split = of, True
            self.tell(f"{publisher.host} is registered for {of}")

    def _set_clock_back(self, publisher: Publisher, random: Random) -> None:
        """The clock of the machine was ahead."""
        self.now -= random.choice((0.1, 1.5, 3)) * DAY
        self.tell("the clock is set back")

    def _confirm(self, publisher: Publisher, random: Random) -> None:
        with self.state.begin() as connection:
            count = confirm_withdrawals(connection, publisher.host)
        self.oracle.confirm(publisher.host)
        self.tell(f"scrapy state confirm {publisher.host}: {count}")

    def _restore(self, publisher: Publisher, random: Random) -> None:
        with self.state.begin() as connection:
            count = restore(connection, publisher.host)
        self.oracle.restore(publisher.host)
        self.tell(f"scrapy state restore {publisher.host}: {count}")

    def _forget(self, publisher: Publisher, random: Random) -> None:
        loc = loc_of(publisher.host, random.randrange(4))
        is_host = random.random() < 0.3
        with self.state.begin() as connection:
            if is_host:
                forget_host(connection, publisher.host)
            else:
                forget_document(connection, loc)
        if is_host:
            self.oracle.forget_host(publisher.host)
        else:
            self.oracle.forget_document(loc)
        self.tell(f"scrapy state forget {publisher.host if is_host else loc}")

    def _back_up(self, publisher: Publisher, random: Random) -> None:
        self.backed_up = self.harvester.back_up(), self.oracle.back_up()
        self.tell("the state is backed up")

    def _put_back(self, publisher: Publisher, random: Random) -> None:
        if self.backed_up is not None:
            rows, knowledge = self.backed_up
            self.harvester.put_back(rows)
            self.oracle.put_back(knowledge)
            self.tell("the back-up of the state is put back")

    # Runs

    def _run_all(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(sorted(self.owners), random))

    def _run_shards(self, publisher: Publisher, random: Random) -> None:
        hosts = sorted(self.owners)
        random.shuffle(hosts)
        for host in hosts:
            self._run(self._make([host], random))

    def _run_some(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._some(random), random))

    def _run_killed(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._some(random), random, kill_in=random.randrange(60)))

    def _run_on_a_full_disk(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._some(random), random, output_fails_after=random.randrange(4)))

    def _run_refused(self, publisher: Publisher, random: Random) -> None:
        """Some documents cannot be fetched, and others are refused when they are."""
        listed = {loc for one in self.publishers.values() for locs in one.sitemaps.values() for loc in locs}
        gone = random.sample(sorted(listed), min(len(listed), 5))
        run = self._make(self._some(random), random)
        run.unreachable, run.refused = frozenset(gone[:2]), frozenset(gone[2:])
        self._run(run)

    def _run_two_at_once(self, publisher: Publisher, random: Random) -> None:
        """Two runs on hosts of their own, one of which may be killed."""
        hosts = sorted(self.owners)
        random.shuffle(hosts)
        middle = random.randint(1, max(1, len(hosts) - 1))
        killed = random.choice((None, None, random.randrange(60)))
        runs = [self._make(part, random) for part in (hosts[:middle], hosts[middle:]) if part]
        runs[-1].kill_in = killed
        self._run(*runs)

    def _run_since(self, publisher: Publisher, random: Random) -> None:
        run = self._make(self._some(random), random)
        run.since = self.today - random.randrange(5)
        self._run(run)

    def _some(self, random: Random) -> list[str]:
        hosts = sorted(self.owners)
        return hosts if random.random() < 0.6 else random.sample(hosts, random.randint(1, len(hosts)))

    def _make(self, hosts: list[str], random: Random, **how: int) -> Run:
        run = Run(hosts, dict(self.owners), Random(random.random()), self.now, **how)  # type: ignore[arg-type]
        run.downloads = self.downloads
        return run

    def _run(self, *runs: Run) -> None:
        self.now += 60
        for run in runs:
            run.now = self.now
        try:
            self.harvester.run(*runs)
        finally:
            for run in runs:
                did = [f"{one.oorzaak} {one.loc} of {one.host}" for one in run.records]
                codes = sorted({f"{one.code} {one.host}" for one in run.findings if "intrekking" in one.code})
                how = {"since": run.since, "unreachable": [*run.unreachable], "refused": [*run.refused]}
                given = {name: value for name, value in how.items() if value}
                self.tell(f"a run over {', '.join(run.hosts)} {given or ''} ended {run.ended}: {did} {codes}")

    # What is true when all is well

    def _settle(self, publisher: Publisher, random: Random) -> None:
        """All is well for some days: then all that is listed is known, and nothing else."""
        for each in self.publishers.values():
            each.mend()
            each.fixed_etags = False
            for number in (0, 1):  # so that each robots.txt names an index
                each.sitemaps.setdefault(number, {})
        self.tell("all hosts are well")
        is_in_shards, runs = random.random() < 0.5, list[Run]()
        for days in (8, 1, 8, 1, 1):
            self.now += days * DAY
            hosts = [[host] for host in sorted(self.owners)] if is_in_shards else [sorted(self.owners)]
            runs = [self._make(each, random) for each in hosts]
            for run in runs:
                self._run(run)
        listed = {
            v for each in self.publishers.values() for locs in each.sitemaps.values() for v in locs.values()
        }
        if not any(self.now - 1.1 * DAY <= moment_of(version).timestamp() <= self.now for version in listed):
            assert not any(run.records for run in runs), "records on a day without changes"
        self._check_settled(runs)

    def _check_settled(self, runs: list[Run]) -> None:
        """Compare what is known with what is listed."""
        registered = [self.publishers[host] for host in sorted(self.owners)]
        for loc, known in self.oracle.knows.documents.items():
            is_listed = any(each.lists(loc) for each in registered)
            rows = {
                host for host, row in self.oracle.rows_of(loc).items() if row.sure and host in self.owners
            }
            if known.is_published and rows:
                assert is_listed, f"{loc} is not withdrawn, and nobody lists it"
        for each in registered:
            for number, sitemap in each.sitemaps.items():
                for loc in sitemap:
                    if host_of_loc(loc) in self.owners:
                        known = self.oracle.known(loc)
                        assert known.states != {None}, f"{loc} was never delivered"
                        self._check_content(each, loc, known)
                self._check_foreign(each, number, runs)

    def _check_content(self, publisher: Publisher, loc: str, known: Known) -> None:
        """The record of a document that changed with its lastmod has the bytes of today."""
        versions = {
            locs[loc] for each in self.publishers.values() for locs in each.sitemaps.values() if loc in locs
        }
        is_said = self.changed.get(loc, known.version) == known.version
        if self.downloads and known.is_published and versions == {known.version} and is_said:
            right = sha256(self.publishers[host_of_loc(loc)].document(loc).body).hexdigest()
            assert known.sha256 == right, f"{loc} is delivered with an earlier document"

    def _check_foreign(self, publisher: Publisher, number: int, runs: list[Run]) -> None:
        """A publisher is told that a sitemap lists documents that their own hosts list."""
        host = publisher.host
        foreign = [
            loc
            for loc in publisher.sitemaps[number]
            if host_of_loc(loc) in self.owners
            and not is_own(loc, host, self.owners)
            and any(
                self.publishers[other].lists(loc) and is_own(loc, other, self.owners) for other in self.owners
            )
        ]
        found = {url for run in runs for url in run.found("loc.andere-host", host)}
        url, first = f"https://{host}/s{number}.xml", min(publisher.sitemaps)
        assert foreign or url not in found, f"{url} lists no document of others, and that is reported"
        is_told = url in found or self.has_split  # an entry that did not change is not looked at again
        assert not foreign or number != first or is_told, f"{url} lists {foreign}: not reported"


def documents(url: str = NOWHERE) -> Simulation:
    """The simulation of documents, with the state at *url*."""
    return Simulation(lambda random: Documents(random, url), KINDS, 40)
