"""A document is confirmed to the state when the last output has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import Response
from sqlalchemy import Connection, select

from tests.state.knowledge import (
    DAY,
    HARVESTED,
    LASTMOD,
    harvest,
    locs,
    miss,
    see,
    sitemap_of,
)
from tests.state.processes import LOCKING, running
from tests.utils.crawlers import crawler_of, item_of
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.state import schema
from woo_harvester.state.deliveries import Delivery, Harvested, PendingRead
from woo_harvester.state.documents import look_up
from woo_harvester.state.resources import host_of_state, resource_of
from woo_harvester.state.store import StateError

HOST = "a.nl"
LOCS = locs(3)


class Runs:
    """Keepers of one state, one for each run."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._going_on: list[StateKeeper] = []

    def begin(
        self, *, outputs: int = 1, hosts: tuple[str, ...] = (HOST,), reset: bool = False, **given: Any
    ) -> StateKeeper:
        settings = {"WOO_STATE_URL": f"sqlite:///{self.file}", "DELTAFETCH_ENABLED": True, **given}
        keeper = StateKeeper.from_crawler(crawler_of(FEEDS={}, **settings))
        self._going_on.append(keeper)
        keeper.outputs = outputs
        keeper.open(hosts, reset=reset)
        return keeper

    def end(self) -> None:
        while self._going_on:
            self._going_on.pop().engine_stopped()


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path / "s.sqlite")
    yield made
    made.end()


def expected(keeper: StateKeeper, reading: PendingRead | None = None) -> list[Delivery]:
    """Deliveries of new documents, which the state waits for."""
    with keeper.begin() as connection:
        sitemap = sitemap_of(connection)
        ids = see(connection, sitemap, LOCS)
    deliveries = []
    for key, loc in zip(ids, LOCS, strict=True):
        delivery = Delivery(harvested=Harvested(key, LASTMOD, DAY, HARVESTED, sitemap), reading=reading)
        keeper.expect(item_of(loc=loc), delivery)
        deliveries.append(delivery)
    return deliveries


def harvested(keeper: StateKeeper) -> list[str]:
    with keeper.begin() as connection:
        found = look_up(connection, LOCS).values()
    return sorted(known.loc for known in found if known.harvested is not None)


def test_a_document_is_harvested_when_its_output_has_it_durably(runs: Runs) -> None:
    keeper = runs.begin()
    one, two, _ = expected(keeper)
    assert harvested(keeper) == []
    keeper.durable([one, two])
    assert harvested(keeper) == LOCS[:2]


def test_of_several_outputs_the_last_one_decides(runs: Runs) -> None:
    keeper = runs.begin(outputs=2)
    one, two, three = expected(keeper)
    keeper.durable([one, two])
    assert harvested(keeper) == []
    keeper.durable([two, three])
    assert harvested(keeper) == LOCS[1:2]


def test_what_is_confirmed_is_counted(runs: Runs) -> None:
    keeper = runs.begin()
    keeper.durable(expected(keeper))
    assert keeper._crawler.stats.get_value("deltafetch/stored") == 3


def test_without_any_output_what_was_scraped_is_delivered(runs: Runs) -> None:
    keeper = runs.begin(outputs=0)
    deliveries = expected(keeper)
    item = item_of(loc=LOCS[0])
    item.delivery = deliveries[0]
    keeper.item_scraped(item, None)
    assert harvested(keeper) == LOCS[:1]


def test_an_item_of_another_project_is_known_by_its_page(runs: Runs) -> None:
    keeper = runs.begin()
    response = Response("https://a.nl/")
    assert keeper.delivery_of({"naam": 1}, response) is None
    keeper.key_of = lambda given: given.url.encode()
    delivery = keeper.delivery_of({"naam": 1}, response)
    assert delivery == Delivery(waiting=1, visited=b"https://a.nl/")
    keeper.durable([delivery])
    with keeper.begin() as connection:
        assert connection.scalar(select(schema.visited.c.key)) == b"https://a.nl/"


def resource(connection: Connection) -> tuple[str | None, bytes | None, int | None]:
    host = host_of_state(connection, HOST).id
    found = resource_of(
        connection, host, f"https://{HOST}/s0.xml", "sitemap", f"https://{HOST}/sitemapindex-diwoo.xml"
    )
    return found.etag, found.digest, found.read_at


def reading_of(keeper: StateKeeper) -> PendingRead:
    with keeper.begin() as connection:
        reading = PendingRead(sitemap_of(connection), etag='"e"', digest=b"d", at=9)
    keeper.begin_reading(reading)
    return reading


def is_remembered(keeper: StateKeeper) -> bool:
    with keeper.begin() as connection:
        found = resource(connection)
    assert found in (('"e"', b"d", 9), (None, None, None))
    return found[0] is not None


def read_to_its_end(keeper: StateKeeper, reading: PendingRead, *lacking: int) -> None:
    with keeper.begin() as connection:
        keeper.read_completely(connection, reading, lacking)


def test_a_sitemap_is_remembered_when_it_was_read_and_all_its_documents_are_confirmed(runs: Runs) -> None:
    keeper = runs.begin()
    reading = reading_of(keeper)
    deliveries = expected(keeper, reading)
    read_to_its_end(keeper, reading)
    keeper.durable(deliveries[:2])
    assert not is_remembered(keeper)
    keeper.durable(deliveries[2:])
    assert is_remembered(keeper)


def test_a_sitemap_whose_documents_are_confirmed_first_is_remembered_at_its_end(runs: Runs) -> None:
    keeper = runs.begin()
    reading = reading_of(keeper)
    keeper.durable(expected(keeper, reading))
    assert not is_remembered(keeper)
    read_to_its_end(keeper, reading)
    assert is_remembered(keeper)


def test_a_sitemap_that_no_longer_lists_a_document_is_read_each_time(runs: Runs) -> None:
    keeper = runs.begin()
    reading = reading_of(keeper)
    with keeper.begin() as connection:
        (gone,) = harvest(connection, reading.resource_id, ["https://a.nl/weg.pdf"])
    read_to_its_end(keeper, reading, gone)
    assert not is_remembered(keeper)


def test_a_sitemap_whose_version_another_one_replaces_is_read_again(runs: Runs) -> None:
    keeper = runs.begin()
    reading = reading_of(keeper)
    with keeper.begin() as connection:
        other = sitemap_of(connection, "b.nl")
        (key,) = harvest(connection, reading.resource_id, ["https://a.nl/beide.pdf"])
    delivery = Delivery(harvested=Harvested(key, LASTMOD + 1, DAY, HARVESTED, other))
    keeper.expect(item_of(loc="https://a.nl/beide.pdf"), delivery)
    keeper.durable([delivery])
    read_to_its_end(keeper, reading)
    assert not is_remembered(keeper)


def test_a_document_is_withdrawn_when_its_output_has_that_durably(runs: Runs) -> None:
    keeper = runs.begin()
    with keeper.begin() as connection:
        sitemap = sitemap_of(connection)
        one, two, _ = harvest(connection, sitemap, LOCS)
        miss(connection, {sitemap: [one, two]})
    first, second = (Delivery(waiting=1, withdrawn=key, withdrawn_at=at) for key, at in ((one, 5), (two, 6)))
    keeper.durable([first])
    with keeper.begin() as connection:
        known = look_up(connection, LOCS)
        assert [known[loc].withdrawn for loc in LOCS] == [5, None, None]
    keeper.durable([second])
    with keeper.begin() as connection:
        known = look_up(connection, LOCS)
        assert [known[loc].withdrawn for loc in LOCS] == [5, 6, None]


def test_a_reset_forgets_the_hosts_of_the_run_and_no_others(runs: Runs) -> None:
    first = runs.begin(hosts=(HOST, "b.nl"))
    with first.begin() as connection:
        harvest(connection, sitemap_of(connection), LOCS)
        harvest(connection, sitemap_of(connection, "b.nl"), locs(1, "b.nl"))
    runs.end()
    keeper = runs.begin(reset=True)
    with keeper.begin() as connection:
        assert look_up(connection, [*LOCS, *locs(1, "b.nl")]).keys() == {*locs(1, "b.nl")}


def test_the_setting_of_scrapy_deltafetch_resets_too(runs: Runs) -> None:
    first = runs.begin()
    with first.begin() as connection:
        harvest(connection, sitemap_of(connection), LOCS)
    runs.end()
    assert harvested(runs.begin(DELTAFETCH_RESET=True)) == []


def test_a_second_run_on_a_host_is_refused_with_a_clear_line(runs: Runs, tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    with running(LOCKING, file, HOST):
        with pytest.raises(StateError) as caught:
            runs.begin()
        assert str(caught.value) == f"another run works on {HOST} with the state {file}: wait until it ends"
        runs.begin(hosts=("b.nl",))


def test_a_lock_that_cannot_be_made_is_one_clear_line(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "s.sqlite.lock").mkdir()
    with pytest.raises(StateError, match=r"the lock of the state .* cannot be used"):
        runs.begin()


def test_the_start_finishes_files_of_dead_runs_and_says_so(
    runs: Runs, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own, target = tmp_path / "own", tmp_path / "records.jsonl"
    first = runs.begin()
    with first.files.open(own, target, "jsonl") as file:
        file.write(b"{}\n")
        first.durable([], file)
        file.write(b"{")
    runs.end()
    runs.begin()
    assert target.read_bytes() == b"{}\n"
    assert f"Added to {target} what a run that died had delivered" in caplog.text


def test_without_deltafetch_nothing_is_kept(runs: Runs, tmp_path: Path) -> None:
    keeper = runs.begin(DELTAFETCH_ENABLED=False)
    keeper.durable(expected(keeper))
    assert harvested(keeper) == LOCS
    assert list(tmp_path.iterdir()) == []


def test_the_state_cannot_be_used_before_it_is_open() -> None:
    keeper = StateKeeper.from_crawler(crawler_of())
    assert not keeper.is_open
    with pytest.raises(RuntimeError, match=r"before StateKeeper\.open"), keeper.begin():
        pass
    keeper.engine_stopped()
