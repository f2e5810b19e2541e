"""Permits simulated: days of entry pages; and organisations, strangers, runs and kills in any order.

``WOO_SIMULATE_EXAMPLES`` and ``WOO_SIMULATE_SECONDS`` say for how long (``play``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from sqlalchemy import Connection, func, select

from tests.simulation.entry_days import entry_days
from tests.simulation.permits import (
    CASES,
    DOCUMENTS,
    UNCONTESTED,
    URLS,
    Draft,
    File,
    Oracle,
    Shown,
    host,
)
from tests.simulation.play import EXAMPLES, Kill, KilledError, Killer, counted, simulate, simulate_machine
from tests.state.kept_files import keep_file
from tests.utils.postgresql import new_database, postgresql_server
from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.messages import Message, Soort
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.transactions import Outcome
from woo_harvester.record import Oorzaak
from woo_harvester.state import NOWHERE, applying
from woo_harvester.state.permits import PermitFile, entry_page_id, look_up_files, wait_again
from woo_harvester.state.schema import permit_cases, permit_entries, permit_files, permit_messages
from woo_harvester.state.store import State

__all__ = ["postgresql_server"]

#: Messages that are applied at once: few, so that a run of few messages takes several transactions.
AT_ONCE = 3
MORNING = datetime(2026, 4, 2, 6, tzinfo=UTC)


DRAFTS = st.lists(st.builds(
    Draft, page=st.integers(0, 5), case=st.integers(0, 1), document=st.none() | st.sampled_from(DOCUMENTS),
    letter=st.sampled_from("CUD"), day=st.integers(1, 5), number=st.integers(8, 12),
    name=st.sampled_from("abcd"), named=st.booleans(),
), max_size=5)  # fmt: skip
PAGES = st.one_of(st.just(list(URLS)), st.lists(st.sampled_from(URLS), min_size=1, unique=True))
KILL = st.one_of(
    st.builds(Kill, st.just("statement"), st.integers(0, 60)),
    st.builds(Kill, st.just("record"), st.integers(0, 2)),
)
KILLS = st.lists(st.none() | KILL, min_size=1, max_size=3)
CHANCE = st.integers(0, 1000)


class Outputs:
    """What readers of the records have; a record is there as soon as it is written."""

    def __init__(self) -> None:
        self.shown: dict[str, Shown] = {}
        self.confirmed: dict[str, Shown | None] = {}
        """By case the last version that the state knows to be delivered; None for a withdrawn one."""
        self.moments: dict[str, datetime] = {}

    def write(self, outcome: Outcome) -> None:
        case, version = outcome.identifier, version_of(outcome)
        if case in self.confirmed:
            assert version != self.confirmed[case], f"{case} is delivered twice"
            assert outcome.opgehaald > self.moments[case]
            expected = Oorzaak.HERPUBLICATIE if self.confirmed[case] is None else Oorzaak.WIJZIGING
        else:
            assert version is not None, "what was never delivered is not withdrawn"
            expected = Oorzaak.AANLEVERING
        assert outcome.oorzaak is (Oorzaak.INTREKKING if version is None else expected)
        if version is None:
            self.shown.pop(case, None)
        else:
            self.shown[case] = version

    def confirm(self, outcome: Outcome) -> None:
        self.confirmed[outcome.identifier] = version_of(outcome)
        self.moments[outcome.identifier] = outcome.opgehaald


def version_of(outcome: Outcome) -> Shown | None:
    """What a record shows of its case; None where it is withdrawn."""
    if outcome.oorzaak is Oorzaak.INTREKKING:
        return None
    documents: list[Message] = [each.message.undated() for each in outcome.documenten]
    return Shown(outcome.zaak.organisatie, outcome.zaak.message.undated(), documents)


class Permits(RuleBasedStateMachine):
    """Days of entry pages and runs."""

    state: State

    @initialize(
        contested=st.booleans(),
        cases=st.lists(st.sampled_from(CASES), min_size=1, max_size=2, unique=True),
    )
    def begin(self, contested: bool, cases: list[str]) -> None:
        """Begin with nothing; *contested*: whether organisations with the same right offer one case."""
        self.cases = cases
        with self.state.begin() as connection:
            for table in (permit_cases, permit_messages, permit_files, permit_entries):
                connection.execute(table.delete())
        self.contested = contested
        self.oracle = Oracle()
        self.outputs = Outputs()
        self.files: dict[str, File] = {}
        self.used: set[tuple[tuple[Soort, str], int, int]] = set()
        self.now = MORNING

    # What publishers do.

    @precondition(lambda self: self.files)
    @rule(place=st.integers(0, 30), listed=st.booleans())
    def list_file(self, place: int, listed: bool) -> None:
        list(self.files.values())[place % len(self.files)].listed = listed

    @rule(owner=st.sampled_from("ab"))
    def change_register(self, owner: str) -> None:
        self.oracle.owners["een.nl"] = {owner}

    @precondition(lambda self: self.contested)
    @rule(place=st.integers(0, 1), owner=st.sampled_from(["", "a", "b", "ab"]))
    def register_host(self, place: int, owner: str) -> None:
        """Give the host of a case to others, or to nobody; whose the page on samen.nl is stays unknown."""
        of = host(self.cases[place % len(self.cases)])
        if of == "samen.nl":
            return
        self.oracle.owners.pop(of, None)
        if owner:
            self.oracle.owners[of] = set(owner)

    # What the harvester does.

    # Each run begins with what is new, since not every history has each of the rules.
    @rule(drafts=DRAFTS, pages=PAGES, chance=CHANCE)
    def run_once(self, drafts: list[Draft], pages: list[str], chance: int) -> None:
        self.offer(drafts)
        self.check_run(pages, Random(chance))

    @rule(drafts=DRAFTS, shards=st.permutations(URLS), size=st.integers(1, 3), chance=CHANCE)
    def run_shards(self, drafts: list[Draft], shards: list[str], size: int, chance: int) -> None:
        self.offer(drafts)
        for start in range(0, len(shards), size):
            self.check_run(shards[start : start + size], Random(chance))

    @precondition(lambda self: not self.contested)
    @rule(drafts=DRAFTS, pages=PAGES, kills=KILLS, size=st.integers(1, 6), chance=CHANCE)
    def run_with_kills(
        self, drafts: list[Draft], pages: list[str], kills: list[Kill | None], size: int, chance: int
    ) -> None:
        """Runs that are killed, and then runs that are not, each of some of the pages."""
        self.offer(drafts)
        random = Random(chance)
        for kill in kills:
            try:
                self.run(pages, random, Killer(kill))
            except KilledError:
                continue
        for file in self.files.values():
            file.unsure = True
        parts = random.sample(pages, len(pages))
        for start in range(0, len(parts), size):
            self.run_to_end(parts[start : start + size], random)
        self.check_what_is_shown()

    # How.

    def check_run(self, pages: Sequence[str], random: Random) -> None:
        """A run that ends by itself, with what is true then."""
        reported, refused = self.run_to_end(pages, random)
        # A delete that names no case is about another's document or about none: by what came before it.
        clear = {url for url, file in self.files.items() if file.offer.case is not None and not file.unsure}
        assert reported & clear == refused & clear
        self.check_what_is_shown()

    def offer(self, drafts: list[Draft]) -> None:
        """Put messages in new files, or in the place of old ones; no two messages tie."""
        for draft in drafts:
            case = self.cases[draft.case % len(self.cases)]
            pages = URLS if self.contested else UNCONTESTED[case]
            page = pages[draft.page % len(pages)]
            offer = draft.offer(case, f"{page}{draft.name}")
            if (offer.key, offer.day, offer.number) not in self.used:
                self.used.add((offer.key, offer.day, offer.number))
                self.files[page + draft.name] = File(page, draft.name, offer)

    def run_to_end(self, pages: Sequence[str], random: Random) -> tuple[set[str], set[str]]:
        """A run that ends by itself; return the files that it reports as refused, and what the oracle says.

        After a run that was killed the two may differ: that one may have refused or applied some already.
        """
        listed = [file for file in self.files.values() if file.page in pages and file.listed]
        random.shuffle(listed)
        reported = self.run(pages, random, Killer(None), listed)
        open_files = [file for file in listed if not file.done]
        refused = self.oracle.run(open_files)
        for file in open_files:
            file.done = file.url not in refused
        for url in self.oracle.reopened:
            self.files[url].done = False
        self.check_nothing_is_half_done(pages)
        return reported, refused

    def check_what_is_shown(self) -> None:
        assert self.outputs.shown == self.oracle.shown()
        assert {case: shown for case, shown in self.outputs.confirmed.items() if shown} == self.outputs.shown

    def check_nothing_is_half_done(self, pages: Sequence[str]) -> None:
        with self.state.begin() as connection:
            numbers = [entry_page_id(connection, url, host(url)) for url in pages]
            count = select(func.count()).select_from(permit_messages)
            assert connection.scalar(count.where(permit_messages.c.entry_id.in_(numbers))) == 0

    def run(
        self, pages: Sequence[str], random: Random, killer: Killer, listed: list[File] | None = None
    ) -> set[str]:
        """What the spider does: read what is listed, apply, deliver, confirm; returns what was reported."""
        if listed is None:
            listed = [file for file in self.files.values() if file.page in pages and file.listed]
        findings: list[Finding] = []
        with counted(self.state, killer):
            self._run(pages, random, killer, listed, findings)
        return {str(each.url) for each in findings if each.code == "ipm.andere-organisatie"}

    def _run(
        self,
        pages: Sequence[str],
        random: Random,
        killer: Killer,
        listed: list[File],
        findings: list[Finding],
    ) -> None:
        ingangen = self.oracle.pages()
        rights = Rights(self.oracle.register, {url: page.organisation for url, page in ingangen.items()})
        self.now += timedelta(hours=random.choice([-1, 0, 1, 24]))  # clocks go back now and then
        with self.state.begin() as connection:
            numbers = {url: entry_page_id(connection, url, host(url)) for url in pages}
            applying.undo_unconfirmed(connection, list(numbers.values()))
        for file in listed:
            with self.state.begin() as connection:
                self.read(connection, numbers[file.page], file)
        under_way: list[applying.Batch] = []
        made: list[applying.Batch] | None = []
        while made is not None:
            under_way += made
            if random.random() < 0.5:
                self.deliver(under_way, random, killer)
            with self.state.begin() as connection:
                made = applying.apply_next(
                    connection, list(numbers.values()), rights, Reporter(findings.append), self.now
                )
        self.deliver(under_way, random, killer)

    def read(self, connection: Connection, number: int, file: File) -> None:
        """A file that is listed: its message where it is new, else what was refused of it."""
        known = look_up_files(connection, number, [file.url]).get(file.url)
        if known is not None and known.known.digest == file.offer.digest:
            if known.refused:
                wait_again(connection, number, [file.url])
            return
        mutation = file.offer.mutation(self.oracle.pages()[file.page], file.url)
        keep_file(connection, number, file.url, PermitFile(RememberedFile(file.offer.digest), 1), mutation)

    def deliver(self, under_way: list[applying.Batch], random: Random, killer: Killer) -> None:
        """Write the records of some made, and then confirm them together."""
        random.shuffle(under_way)
        done = [under_way.pop() for _ in range(len(under_way))]
        for batch in done:
            for outcome in batch.outcomes:
                killer.record()
                self.outputs.write(outcome)
        killer.record()
        with self.state.begin() as connection:
            applying.confirm(connection, [batch.number for batch in done])
        for batch in done:
            for outcome in batch.outcomes:
                self.outputs.confirm(outcome)


@pytest.fixture(params=["sqlite", "postgresql"])
def state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[State]:
    monkeypatch.setattr(applying, "AT_ONCE", AT_ONCE)
    if request.param == "sqlite":
        opened = State.open(NOWHERE)
        yield opened
        opened.close()
        return
    with new_database(request.getfixturevalue("postgresql_server")) as url:
        opened = State.open(url)
        yield opened
        opened.close()


@pytest.mark.simulation
def test_the_cases_are_what_the_messages_of_their_owners_come_to(
    state: State, request: pytest.FixtureRequest
) -> None:
    # PostgreSQL takes ten times as long for the same history.
    machine = type("Permits", (Permits,), {"state": state})
    simulate_machine(machine, EXAMPLES if "sqlite" in request.node.name else max(1, EXAMPLES // 10))


@pytest.mark.simulation
def test_every_message_that_entry_pages_offer_is_read() -> None:
    simulate(entry_days(), EXAMPLES)


@pytest.mark.simulation
def test_every_message_is_read_with_a_state_in_postgresql(postgresql_server: str) -> None:
    with new_database(postgresql_server) as url:
        simulate(entry_days(url), max(1, EXAMPLES // 10))
