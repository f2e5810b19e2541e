"""Documents that several hosts list: whose entry counts, and when they are withdrawn."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.utils.calendar import Calendar, Story
from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, XML, Harvester, causes, numbered, publish
from tests.utils.postgresql import postgresql_server, postgresql_url
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import PDF, DiWoo, Entry, categorie, sitemap


def listing(*entries: Entry) -> Page:
    return Page(sitemap(*entries), content_type=XML)


def entry(site: Site, name: str, lastmod: str | None = FIRST, title: str = "Besluit") -> Entry:
    metadata = DiWoo(titel=title, informatiecategorieen=[categorie(14)], format=PDF)
    return Entry(loc=site.url(f"/d/{name}.pdf"), lastmod=lastmod, diwoo=metadata)


def host(site: Site) -> str:
    return f"localhost:{site.port}"


@dataclass
class Day:
    """What the runs of one day gave together."""

    runs: list[Run] = field(default_factory=list)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [record for run in self.runs for record in run.records]

    @property
    def causes(self) -> dict[str, str]:
        """The last oorzaak of each document by its name; fails where one is given twice."""
        found = [cause for run in self.runs for cause in causes(run).items()]
        assert len(set(found)) == len(found), found
        return dict(found)

    def about(self, code: str) -> list[dict[str, Any]]:
        return [finding for run in self.runs for finding in run.about(code)]

    def record(self, name: str) -> dict[str, Any]:
        """The last record of a document."""
        return [one for one in self.records if one["document"]["weblocatie"].endswith(f"/{name}.pdf")][-1]

    def title(self, name: str) -> str:
        title: str = self.record(name)["document"]["titelcollectie"]["officieleTitel"]
        return title


@dataclass
class Arranged(Harvester):
    """An installation in one of the arrangements that operators use, for stories of two hosts each."""

    arrangement: str
    database: str | None = None
    joined: list[list[Site]] = field(default_factory=list)
    """Sites that are of one organisation; all others have one each."""
    wanted: list[Site] = field(default_factory=list)
    """The sites that the next run harvests."""

    @property
    def runs_a_day(self) -> int:
        """The runs in which two hosts are harvested."""
        return 1 if self.arrangement == "one run" else 2

    def day(self, *args: str, **settings: object) -> Run:
        """Do the next run: over all hosts in the register, or over those that the stories want."""
        alone = [[site] for site in self.sites if not any(site in sites for sites in self.joined)]
        self.organisations = {f"Gemeente {sites[0].port}": sites for sites in (*self.joined, *alone)}
        if self.database:
            settings["WOO_STATE_URL"] = self.database
        if self.runs_a_day > 1:
            args = (*args, "-a", f"domains={','.join(map(host, self.wanted))}")
        self.wanted.clear()
        run = super().day(*args, **settings)
        assert run.returncode == 0, run.stderr
        return run


@dataclass
class Hosts:
    """The two hosts of a story."""

    one: Site
    two: Site
    installation: Arranged

    def join(self) -> None:
        """Have both be of one organisation."""
        self.installation.joined.append([self.one, self.two])

    def day(self, first: Site | None = None) -> Generator[None, Run, Day]:
        """Harvest both hosts; *first* is the one whose run comes first, where each has its own."""
        order = [self.one, self.two] if first in (None, self.one) else [self.two, self.one]
        if self.installation.runs_a_day == 1:
            return Day([(yield)])
        runs = []
        for site in order:
            self.installation.wanted.append(site)
            runs.append((yield))
        return Day(runs)

    def days(self, count: int, first: Site | None = None) -> Generator[None, Run, list[Day]]:
        """Harvest both hosts on so many days."""
        found: list[Day] = []
        while len(found) < count:
            found.append((yield from self.day(first)))
        return found

    def causes(self, first: Site | None = None) -> Generator[None, Run, dict[str, str]]:
        """Harvest both hosts; return the oorzaak of each document."""
        day = yield from self.day(first)
        return day.causes


__all__ = ["postgresql_server", "postgresql_url"]

#: The arrangements that operators use, with the fixtures that each needs. A host that fails does so all day.
calendar = Calendar(
    Arranged,
    kinds={"one run": [], "a run a host": [], "postgresql": ["postgresql_url"]},
    RETRY_TIMES=0,
)


# Withdrawals


@calendar.story
def test_what_a_stranger_lists_and_drops_is_not_withdrawn_while_its_own_host_lists_it(
    one: Site, two: Site, installation: Arranged
) -> Story:
    hosts = Hosts(one, two, installation)
    victim, hostile = hosts.one, hosts.two
    publish(victim, numbered(40))
    own = [entry(hostile, f"eigen{number}") for number in range(300)]
    publish(hostile, {})
    hostile.pages["/s0.xml"] = listing(*own)
    assert len((yield from hosts.causes())) == 340
    hostile.pages["/s0.xml"] = listing(*own, *(entry(victim, f"doc{number}") for number in range(40)))
    assert (yield from hosts.causes()) == {}
    hostile.pages["/s0.xml"] = listing(*own)
    for _ in range(3):
        assert (yield from hosts.causes(hostile)) == {}


@pytest.mark.parametrize("dropped", ["one", "two"])
@calendar.story
def test_what_one_host_drops_waits_while_the_other_that_lists_it_cannot_be_read(
    one: Site, two: Site, installation: Arranged, dropped: str
) -> Story:
    hosts = Hosts(one, two, installation)
    publish(hosts.one, {"a": FIRST, "x": FIRST})
    publish(hosts.two, {"b": FIRST})
    hosts.two.pages["/s0.xml"] = listing(entry(hosts.two, "b"), entry(hosts.one, "x"))
    assert (yield from hosts.causes()) == dict.fromkeys("abx", "aanlevering")
    yield from hosts.causes()  # in one run the other host may have been read first: now the owner's counts
    without = listing(entry(hosts.one, "a")) if dropped == "one" else listing(entry(hosts.two, "b"))
    dropping, other = (hosts.one, hosts.two) if dropped == "one" else (hosts.two, hosts.one)
    lists = other.pages["/s0.xml"]
    dropping.pages["/s0.xml"] = without
    other.pages["/s0.xml"] = Page(b"", status=503)
    for _ in range(4):
        assert (yield from hosts.causes()) == {}
    other.pages["/s0.xml"] = lists
    assert (yield from hosts.causes()) == {}
    other.pages["/s0.xml"] = listing(entry(other, "a" if other is hosts.one else "b"))
    # Each host must be read after the first miss: in runs of their own that may take a day more.
    found = [day.causes for day in (yield from hosts.days(3))]
    assert found in ([{"x": "intrekking"}, {}, {}], [{}, {"x": "intrekking"}, {}])


@calendar.story
def test_what_moves_to_another_host_of_its_organisation_while_that_cannot_be_read_is_not_withdrawn(
    one: Site, two: Site, installation: Arranged
) -> Story:
    hosts = Hosts(one, two, installation)
    hosts.join()
    publish(hosts.one, {"a": FIRST, "x": FIRST})
    publish(hosts.two, {"b": FIRST})
    yield from hosts.day()
    publish(hosts.one, {"a": FIRST})
    hosts.two.pages["/s0.xml"] = Page(b"", status=404)
    day = yield from hosts.day()
    assert day.causes == {}
    (finding,) = [one for one in day.about("intrekking.onvolledig") if one["host"] == host(hosts.one)]
    assert host(hosts.two) in finding["seen"]
    hosts.two.pages["/s0.xml"] = listing(entry(hosts.two, "b"), entry(hosts.one, "x"))
    for _ in range(3):
        assert (yield from hosts.causes()) == {}


def test_what_a_host_that_left_the_register_lists_stays_until_an_operator_confirms(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    one, two = make_site(), make_site()
    harvester = Harvester(tmp_path, ca_bundle, [one, two])
    publish(one, {"a": FIRST, "x": FIRST})
    publish(two, {})
    two.pages["/s0.xml"] = listing(entry(two, "b"), entry(one, "x"))
    harvester.day()
    harvester.sites.remove(two)
    publish(one, {"a": FIRST})
    for _ in range(4):
        run = harvester.day()
        assert causes(run) == {}
        assert f"{host(two)} is not in the register" in run.stderr
    assert run_scrapy(["state", "confirm", host(two)], tmp_path).returncode == 0
    assert causes(harvester.day()) == {"b": "intrekking", "x": "intrekking"}
    assert causes(harvester.day()) == {}


# Whose entry counts


@pytest.mark.parametrize("first", ["stranger", "owner"])
@calendar.story
def test_the_own_hosts_entry_counts_and_a_strangers_does_not(
    one: Site, two: Site, installation: Arranged, first: str
) -> Story:
    hosts = Hosts(one, two, installation)
    owner, stranger = hosts.one, hosts.two
    publish(owner, {})
    publish(stranger, {})
    owner.pages["/s0.xml"] = listing(entry(owner, "x", FIRST, "Van de eigenaar"))
    stranger.pages["/s0.xml"] = listing(entry(owner, "x", "2099-01-01", "Vals"))
    began = stranger if first == "stranger" else owner
    days = yield from hosts.days(3, began)
    # In runs of their own the stranger may be read first: then the owner's entry takes its place.
    last = [day for day in days if day.causes][-1]
    assert last.title("x") == "Van de eigenaar"
    assert last.record("x")["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"
    assert days[-1].causes == {}
    for side, seen in ((stranger, "1 document"), (owner, "1 document in een sitemap van")):
        (finding,) = [one for one in days[-1].about("loc.andere-host") if one["host"] == host(side)]
        assert finding["seen"].startswith(seen)
        assert finding["url"] == stranger.url("/s0.xml")
    owner.pages["/s0.xml"] = listing(entry(owner, "x", NEWER, "Gewijzigd"))
    changed = yield from hosts.day(began)
    assert changed.causes == {"x": "wijziging"}
    assert changed.title("x") == "Gewijzigd"


def test_a_strangers_newer_version_that_could_not_be_stored_comes_with_the_next_run(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    owner, stranger = make_site(), make_site()
    harvester = Harvester(tmp_path, ca_bundle, [owner, stranger])
    publish(owner, {"x": FIRST})
    publish(stranger, {})
    harvester.day()
    stranger.pages["/s0.xml"] = listing(entry(owner, "x", NEWER, "Van een ander"))
    assert harvester.day().records == []
    owner.pages["/s0.xml"] = listing()
    assert harvester.day().records == []
    stranger.pages["/s0.xml"] = listing(entry(owner, "x", "2024-06-01", "Nog nieuwer"))
    feeds = json.dumps({"broken://now": {"format": "jsonlines"}})
    storages = json.dumps({"broken": "tests.utils.feeds.BrokenStorage"})
    broken = {"FEEDS": feeds, "FEED_STORAGES": storages}
    assert run_scrapy(harvester.arguments(), tmp_path, ca_bundle, settings=broken).returncode == 1
    assert causes(harvester.day()) == {"x": "wijziging"}
    assert causes(harvester.day()) == {}


@calendar.story
def test_the_sums_of_both_sides_close_each_day(one: Site, two: Site, installation: Arranged) -> Story:
    hosts = Hosts(one, two, installation)
    owner, stranger = hosts.one, hosts.two
    publish(owner, {"a": FIRST, "x": FIRST})
    publish(stranger, {"b": FIRST})
    stranger.pages["/s0.xml"] = listing(entry(stranger, "b"), entry(owner, "x", NEWER, "Vals"))
    yield from hosts.days(2, owner)  # in one run the stranger may be read first: quiet from the third day
    for day in (yield from hosts.days(2, owner)):
        accounts = [account for run in day.runs for account in accounts_of(run, owner, stranger)]
        assert {one["host"]: (one["listed"], one["harvested"]) for one in accounts} == {
            host(owner): (2, 2),
            host(stranger): (1, 1),
        }


def accounts_of(run: Run, *sites: Site) -> list[dict[str, Any]]:
    """Return those of the sites in a run's report.json that the run harvested."""
    assert run.report is not None
    hosts: list[dict[str, Any]] = json.loads((run.report / "report.json").read_text())["hosts"]
    own = {host(site) for site in sites}
    return [one for one in hosts if one["host"] in own and one["score"] is not None]
