"""``scrapy state`` that is killed while it changes a state in PostgreSQL: all of it is done, or nothing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from tests.utils.command import Run, read_lines, run_scrapy, start_forked
from tests.utils.daily import FIRST, Harvester, numbered, publish
from tests.utils.postgresql import OTHERS, postgresql_server, postgresql_url, query
from tests.utils.sites import MakeSite
from tests.utils.waiting import STUCK, wait_until

__all__ = ["postgresql_server", "postgresql_url"]

pytestmark = pytest.mark.integration

WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


class Installation(Harvester):
    """One whose state is in PostgreSQL."""

    url: str = ""

    def run(self) -> Run:
        return self.day(WOO_STATE_URL=self.url)

    def state(self, *args: str) -> Run:
        return run_scrapy(["state", *args], self.folder, settings={"WOO_STATE_URL": self.url})

    def known(self, name: str) -> list[dict[str, object]]:
        """Everything that the state knows."""
        file = self.folder / name
        assert self.state("export", str(file)).returncode == 0
        return read_lines(file)

    def killed(self, *args: str) -> None:
        """Kill ``scrapy state`` in the middle: it waits to write while somebody else keeps it from that."""
        engine = create_engine(self.url, poolclass=NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql("LOCK TABLE documents, hosts, listings, resources IN SHARE MODE")
            started = start_forked(["state", *args], self.folder, settings={"WOO_STATE_URL": self.url})
            wait_until(lambda: query(self.url, WAITING) == [(1,)], "waits", lambda: not started.ended)
            started.send(signal.SIGKILL)
            started.done(STUCK)
        wait_until(lambda: query(self.url, OTHERS) == [(0,)], "its session ends")


@pytest.fixture
def installation(make_site: MakeSite, tmp_path: Path, ca_bundle: Path, postgresql_url: str) -> Installation:
    """With two hosts of three documents each."""
    made = Installation(tmp_path, ca_bundle, [make_site(), make_site()])
    made.url = postgresql_url
    for site in made.sites:
        publish(site, numbered(3))
    assert len(made.run().records) == 6
    return made


def test_a_host_is_forgotten_whole_or_not_at_all(installation: Installation) -> None:
    host = installation.sites[0].host
    before = installation.known("before.jsonl")
    installation.killed("forget", host)
    assert installation.known("after.jsonl") == before
    assert installation.run().records == []
    done = installation.state("forget", host)
    assert done.returncode == 0, done.stderr
    assert host not in installation.state().stdout
    assert {loc.split("/")[2] for loc in installation.run().locs} == {host}


def test_an_import_is_there_whole_or_not_at_all(installation: Installation) -> None:
    before = installation.known("before.jsonl")
    for site in installation.sites:
        publish(site, numbered(5))
    assert len(installation.run().records) == 4
    later = installation.known("later.jsonl")
    assert later != before
    installation.killed("import", str(installation.folder / "before.jsonl"))
    assert installation.known("after.jsonl") == later
    done = installation.state("import", str(installation.folder / "before.jsonl"))
    assert done.returncode == 0, done.stderr
    assert installation.known("again.jsonl") == before
    assert len(installation.run().records) == 4


def test_pending_withdrawals_are_confirmed_whole_or_not_at_all(installation: Installation) -> None:
    site = installation.sites[0]
    publish(site, numbered(60))
    assert len(installation.run().records) == 57
    publish(site, {"doc0": FIRST})
    assert "intrekking.massaal" in installation.run().codes
    before = installation.known("before.jsonl")
    installation.killed("confirm", site.host)
    assert installation.known("after.jsonl") == before
    done = installation.state("confirm", site.host)
    assert done.returncode == 0, done.stderr
    run = installation.run()
    assert len(run.records) == 59
    assert {record["versies"][0]["oorzaak"] for record in run.records} == {"intrekking"}
