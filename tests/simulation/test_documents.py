"""Thousands of days of publishers' mistakes, machines that are killed and hosts that share documents.

Runs the spider's own parts without a network. ``make simulate`` runs it for an hour; each failure prints the
steps that lead to it, and what to add to the test to play them again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.simulation.harvester import Day, Harvester, Outcome, SimulatedState
from tests.simulation.oracle import Oracle
from tests.simulation.publishers import FAULTS, HOSTS, Fault, Publisher, host_of_loc, is_own, loc_of
from woo_harvester.state.store import NOWHERE

EXAMPLES = int(os.environ.get("WOO_SIMULATE_EXAMPLES", "40"))
#: Where the real code asks for the time.
CLOCKS = (
    "woo_harvester.spiders.conditional.time",
    "woo_harvester.spiders.hostreader.time",
    "woo_harvester.extensions.state.time",
    "woo_harvester.spiders.lookup.time",
)
DAY = 86_400.0

host_names = st.sampled_from(HOSTS)
documents = st.builds(loc_of, host_names, st.integers(0, 5))
numbers = st.integers(0, 2)


@contextmanager
def at(now: float) -> Iterator[None]:
    """Have the harvester see this time."""
    patches = [patch(name, lambda: now) for name in CLOCKS]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


class Documents(RuleBasedStateMachine):
    """Days of publishers and runs."""

    state_url = NOWHERE

    def __init__(self) -> None:
        super().__init__()
        self.state = SimulatedState.open(self.state_url)
        self.publishers = {host: Publisher(host) for host in HOSTS}
        self.harvester = Harvester(self.state, self.publishers)
        self.oracle = Oracle()
        self.registered = frozenset(HOSTS)
        self.now = 1_800_000_000.0
        self.days = 0

    def teardown(self) -> None:
        self.state._connection.close()
        self.state._engine.dispose()

    @initialize(count=st.integers(1, 6))
    def begin(self, count: int) -> None:
        """Each host lists some documents of its own."""
        for host, publisher in self.publishers.items():
            for name in range(count):
                publisher.list(loc_of(host, name), name % 2, 1)

    # Publishers

    @rule(host=host_names, loc=documents, number=numbers, version=st.integers(0, 8))
    def list(self, host: str, loc: str, number: int, version: int) -> None:
        """A host lists a document, perhaps one of another's."""
        self.publishers[host].list(loc, number, version)

    @rule(host=host_names, loc=documents, version=st.integers(0, 8))
    def change(self, host: str, loc: str, version: int) -> None:
        """A host gives one of its documents another lastmod."""
        for sitemap in self.publishers[host].sitemaps.values():
            if loc in sitemap:
                sitemap[loc] = version

    @rule(host=host_names, loc=documents)
    def drop(self, host: str, loc: str) -> None:
        """A host lists a document no longer."""
        for number in self.publishers[host].sitemaps:
            self.publishers[host].drop(loc, number)

    @rule(host=host_names, number=numbers)
    def drop_all(self, host: str, number: int) -> None:
        """A sitemap is empty from now on."""
        if number in self.publishers[host].sitemaps:
            self.publishers[host].sitemaps[number] = {}

    @rule(host=host_names, number=numbers)
    def remove_sitemap(self, host: str, number: int) -> None:
        """An index lists a sitemap no longer."""
        self.publishers[host].sitemaps.pop(number, None)

    @rule(host=host_names, loc=documents, other=host_names)
    def move(self, host: str, loc: str, other: str) -> None:
        """A document moves to another host's sitemaps."""
        for sitemap in self.publishers[host].sitemaps.values():
            if loc in sitemap:
                self.publishers[other].list(loc, 0, sitemap.pop(loc))

    @rule(host=host_names, number=st.integers(0, 1))
    def toggle_index(self, host: str, number: int) -> None:
        """robots.txt names an index no longer, or again."""
        self.publishers[host].hidden_indexes ^= {number}

    @rule(
        host=host_names,
        path=st.sampled_from(["/robots.txt", "/sitemapindex-diwoo.xml", "/s0.xml", "/s1.xml", "/s2.xml"]),
        fault=st.sampled_from(FAULTS),
    )
    def break_file(self, host: str, path: str, fault: Fault) -> None:
        """A file is served wrongly from now on."""
        self.publishers[host].faults[path] = fault

    @rule(host=host_names)
    def repair(self, host: str) -> None:
        """A host serves all its files as it should."""
        self.publishers[host].faults.clear()

    @rule(host=host_names, number=numbers, count=st.integers(0, 2))
    def list_wrongly(self, host: str, number: int, count: int) -> None:
        """A sitemap has entries with an http loc."""
        if number in self.publishers[host].sitemaps:
            self.publishers[host].wrong[number] = count

    @rule(host=host_names)
    def toggle_etags(self, host: str) -> None:
        """A server answers 304 whatever has changed, or does so no longer."""
        self.publishers[host].fixed_etags ^= True

    @rule(host=host_names)
    def toggle_registered(self, host: str) -> None:
        """A host leaves the register, or returns."""
        registered = self.registered ^ {host}
        if registered:
            self.registered = registered

    # Runs

    @rule(days=st.integers(1, 9))
    def wait(self, days: int) -> None:
        """Time passes."""
        self.now += days * DAY

    @rule(random=st.randoms(use_true_random=False), chosen=st.sets(host_names, min_size=1))
    def harvest(self, random: Random, chosen: set[str]) -> None:
        """A run over some hosts."""
        self._run(sorted(chosen & self.registered), random)

    @rule(random=st.randoms(use_true_random=False))
    def harvest_all(self, random: Random) -> None:
        """A run over all hosts."""
        self._run(sorted(self.registered), random)

    @rule(random=st.randoms(use_true_random=False), order=st.permutations(HOSTS))
    def harvest_in_shards(self, random: Random, order: list[str]) -> None:
        """A run a host."""
        for host in order:
            if host in self.registered:
                self._run([host], random)

    @rule(random=st.randoms(use_true_random=False), kill_in=st.integers(0, 60))
    def harvest_and_kill(self, random: Random, kill_in: int) -> None:
        """A run that is killed before one of its transactions."""
        self._run(sorted(self.registered), random, kill_in=kill_in)

    @rule(random=st.randoms(use_true_random=False), fails=st.integers(0, 5))
    def harvest_with_a_full_disk(self, random: Random, fails: int) -> None:
        """A run whose output fails."""
        self._run(sorted(self.registered), random, output_fails_after=fails)

    @rule(random=st.randoms(use_true_random=False), locs=st.sets(documents, min_size=1, max_size=4))
    def harvest_without_documents(self, random: Random, locs: set[str]) -> None:
        """A run in which some documents cannot be fetched."""
        self._run(sorted(self.registered), random, unreachable=frozenset(locs))

    @precondition(lambda self: self.days)
    @rule(random=st.randoms(use_true_random=False), shards=st.booleans())
    def settle(self, random: Random, shards: bool) -> None:
        """All is well for some days: then all that is listed is known, and nothing else."""
        for publisher in self.publishers.values():
            publisher.faults.clear()
            publisher.hidden_indexes.clear()
            for number in (0, 1):  # so that each robots.txt names an index
                publisher.sitemaps.setdefault(number, {})
        outcomes: dict[str, Outcome] = {}
        for _ in range(6):
            self.now += 8 * DAY
            runs = [[host] for host in sorted(self.registered)] if shards else [sorted(self.registered)]
            for hosts in runs:
                outcome = self._run(hosts, random)
                outcomes.update(dict.fromkeys(hosts, outcome))
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
        self.now += DAY / 24
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
            for documents in self.publishers[host].sitemaps.values():
                for loc, version in documents.items():
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
        """Whether a host that is registered may be held to have listed a document."""
        on_registered = any(loc in self.oracle.perhaps[host] for host in self.registered)
        elsewhere = any(
            loc in documents
            for host in self.registered
            for documents in self.publishers[host].sitemaps.values()
        )
        return on_registered and not elsewhere

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

    def _check_foreign(self, listed: dict[str, dict[str, int]], outcomes: dict[str, Outcome]) -> None:
        """Each side is told how many documents a sitemap lists that another's host lists itself."""
        for host in self.registered:
            for number, documents in self.publishers[host].sitemaps.items():
                foreign = [
                    loc
                    for loc in documents
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


Documents.TestCase.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)
TestDocuments = Documents.TestCase
