"""Permits simulated: days of entry pages; and organisations, strangers, runs and kills in any order.

``WOO_SIMULATE_EXAMPLES`` and ``WOO_SIMULATE_SECONDS`` say for how long (``play``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
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
from tests.simulation.play import EXAMPLES, Kill, KilledError, Killer, Simulation, counted, simulate
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


#: What may happen, and how often: several messages come between two runs.
KINDS = {
    "offer": 12, "list_file": 3, "change_register": 1, "register_host": 2, "run_once": 4, "run_shards": 2,
    "run_with_kills": 2,
}  # fmt: skip


def _pages(random: Random) -> list[str]:
    """Draw the entry pages of a run: all of them, or some."""
    return list(URLS) if random.random() < 0.5 else random.sample(URLS, random.randint(1, len(URLS)))


def _kill(random: Random) -> Kill | None:
    return random.choice((None, Kill("statement", random.randrange(61)), Kill("record", random.randrange(3))))


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


class Permits:
    """Days of entry pages and runs."""

    def __init__(self, state: State, random: Random) -> None:
        self.story: list[str] = []
        self.state = state
        self.cases = random.sample(CASES, random.randint(1, 2))
        with state.begin() as connection:
            for table in (permit_cases, permit_messages, permit_files, permit_entries):
                connection.execute(table.delete())
        self.contested = random.random() < 0.5
        """Organisations with the same right offer one case; no run is killed then."""
        self.oracle = Oracle()
        self.outputs = Outputs()
        self.files: dict[str, File] = {}
        self.used: set[tuple[tuple[Soort, str], int, int]] = set()
        self.unsure: set[str | None] = set()
        """Cases and documents of which a run that the oracle does not follow had messages."""
        self.now = MORNING

    def do(self, kind: str, random: Random) -> None:
        getattr(self, f"_{kind}")(random)

    def end(self) -> None:
        """Nothing is left open: each run has been checked."""

    def close(self) -> None:
        """The next history has the same state."""

    # What publishers do.

    def _offer(self, random: Random) -> None:
        """Put a message in a new file, or in the place of an old one; no two messages tie."""
        draft = Draft(
            random.randrange(6), random.randrange(2), random.choice((None, *DOCUMENTS)), random.choice("CUD"),
            random.randint(1, 5), random.randint(8, 12), random.choice("abcd"), random.random() < 0.5,
        )  # fmt: skip
        case = self.cases[draft.case % len(self.cases)]
        pages = URLS if self.contested else UNCONTESTED[case]
        page = pages[draft.page % len(pages)]
        offer = draft.offer(case, f"{page}{draft.name}")
        if (offer.key, offer.day, offer.number) not in self.used:
            self.used.add((offer.key, offer.day, offer.number))
            self.files[page + draft.name] = File(page, draft.name, offer)
            self.story.append(f"{page}{draft.name} is {offer}")

    def _list_file(self, random: Random) -> None:
        if self.files:
            file = random.choice(list(self.files.values()))
            file.listed = random.random() < 0.5
            self.story.append(f"{file.url} is {'listed' if file.listed else 'not listed'}")

    def _change_register(self, random: Random) -> None:
        self._register("een.nl", random.choice("ab"))

    def _register_host(self, random: Random) -> None:
        """Give the host of a case to others, or to nobody; whose the page on samen.nl is stays unknown."""
        of = host(random.choice(self.cases))
        if self.contested and of != "samen.nl":
            self._register(of, random.choice(("", "a", "b", "ab")))

    def _register(self, of: str, owners: str) -> None:
        self.oracle.owners.pop(of, None)
        if owners:
            self.oracle.owners[of] = set(owners)
        self.story.append(f"{of} is registered for {owners or 'nobody'}")

    # What the harvester does.

    def _run_once(self, random: Random) -> None:
        self.check_run(_pages(random), random)

    def _run_shards(self, random: Random) -> None:
        shards, size = random.sample(URLS, len(URLS)), random.randint(1, 3)
        for start in range(0, len(shards), size):
            self.check_run(shards[start : start + size], random)

    def _run_with_kills(self, random: Random) -> None:
        """Runs that are killed, and then runs that are not, each of some of the pages."""
        if self.contested:
            return
        pages, size = _pages(random), random.randint(1, 6)
        for kill in [_kill(random) for _ in range(random.randint(1, 3))]:
            self.story.append(f"a run over {pages} with {kill}")
            with suppress(KilledError):
                self.run(pages, random, Killer(kill))
        for file in self.files.values():
            self.unsure |= {file.offer.url, file.offer.case}
        parts = random.sample(pages, len(pages))
        for start in range(0, len(parts), size):
            self.run_to_end(parts[start : start + size], random)
        self.check_what_is_shown()

    # How.

    def check_run(self, pages: Sequence[str], random: Random) -> None:
        """A run that ends by itself, with what is true then."""
        reported, refused = self.run_to_end(pages, random)
        # A delete that names no case is about another's document or about none: by what came before it.
        sure = {url: file.offer for url, file in self.files.items() if file.offer.case is not None}
        clear = {url for url, offer in sure.items() if not {offer.url, offer.case} & self.unsure}
        assert reported & clear == refused & clear
        self.check_what_is_shown()

    def run_to_end(self, pages: Sequence[str], random: Random) -> tuple[set[str], set[str]]:
        """A run that ends by itself; return the files that it reports as refused, and what the oracle says.

        After a run that was killed the two may differ: that one may have refused or applied some already.
        """
        self.story.append(f"a run over {pages}")
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
    examples = EXAMPLES if "sqlite" in request.node.name else max(1, EXAMPLES // 10)
    simulate(Simulation(lambda random: Permits(state, random), KINDS, 40), examples)


@pytest.mark.simulation
def test_every_message_that_entry_pages_offer_is_read() -> None:
    simulate(entry_days(), EXAMPLES)


@pytest.mark.simulation
def test_every_message_is_read_with_a_state_in_postgresql(postgresql_server: str) -> None:
    with new_database(postgresql_server) as url:
        simulate(entry_days(url), max(1, EXAMPLES // 10))
