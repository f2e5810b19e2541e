"""Many hosts over many states: going from n to m shards, and what a host does not finish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, causes, numbered, publish
from tests.utils.disturbed_runs import latest, locs
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Site
from woo_harvester.register.register import shard_of

PDF = Page(b"%PDF-1.4", content_type="application/pdf")


@pytest.fixture
def sites(ca: Authority) -> Iterator[list[Site]]:
    """Five hosts, of which each shard of two and of three has one at least."""
    with ExitStack() as stack:
        made: list[Site] = []
        while len(made) < 5 or any(len({shard_of(site.host, n) for site in made}) < n for n in (2, 3)):
            made.append(stack.enter_context(Site(ca)))
        for site in made:
            site.pages["/d/*"] = PDF
            publish(site, numbered(4), {"meer": FIRST})
        yield made


@dataclass
class Sharded(Harvester):
    """An installation with a state for each shard."""

    runs: list[Run] = field(default_factory=list)

    def url(self, number: int, total: int) -> str:
        return f"sqlite:///{self.folder}/{number}-of-{total}.sqlite"

    def all_shards(self, total: int) -> list[Run]:
        """A day, in which each shard runs."""
        return [
            self.day(
                "-a", "documents=head", "-a", f"shard={number}/{total}", WOO_STATE_URL=self.url(number, total)
            )
            for number in range(1, total + 1)
        ]

    def state(self, *args: str, number: int, total: int) -> Run:
        done = run_scrapy(["state", *args], self.folder, settings={"WOO_STATE_URL": self.url(number, total)})
        assert done.returncode == 0, done.stderr
        return done

    def divide_anew(self, old: int, new: int) -> None:
        """As docs/scaling.md says."""
        for before in range(1, old + 1):
            for after in range(1, new + 1):
                part = f"{before}-{after}.jsonl"
                self.state("export", "--shard", f"{after}/{new}", part, number=before, total=old)
                self.state("import", part, number=after, total=new)


@pytest.mark.parametrize(("old", "new"), [(2, 3), (3, 1)])
def test_hosts_go_to_other_shards_without_one_document_fetched_again(
    old: int, new: int, sites: list[Site], tmp_path: Path, ca_bundle: Path
) -> None:
    harvester = Sharded(tmp_path, ca_bundle, sites)
    first = harvester.all_shards(old)
    assert sum(len(run.records) for run in first) == 5 * len(sites)
    harvester.divide_anew(old, new)
    for site in sites:
        site.requests.clear()
    again = harvester.all_shards(new)
    assert [run.records for run in again] == [[]] * new
    assert {request.method for site in sites for request in site.requests} == {"GET"}
    for site in sites:
        publish(site, {**numbered(3), "doc1": NEWER}, {"meer": FIRST, "nieuw": FIRST})
    third = harvester.all_shards(new)
    found = Counter(cause for run in third for cause in [r["versies"][0]["oorzaak"] for r in run.records])
    assert found == dict.fromkeys(["aanlevering", "wijziging", "intrekking"], len(sites))
    hosts = [
        line.split()[0]
        for n in range(new)
        for line in harvester.state(number=n + 1, total=new).stdout.splitlines()[1:-1]
    ]
    assert sorted(hosts) == sorted(site.host for site in sites)


def test_a_host_whose_time_is_used_up_is_left_where_it_is_and_says_when_it_will_be_done(
    site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    harvester = Harvester(tmp_path, ca_bundle, [site])
    site.pages["/d/*"] = replace(PDF, delay=0.3)
    publish(site, numbered(40), {"weg": FIRST})
    first = harvester.day("-a", "documents=head", WOO_HOST_BUDGET=2, WOO_HOST_BACKLOG=2)
    got = len(first.records)
    assert 0 < got < 41
    (finding,) = first.about("host.achterstand")
    left, days = 41 - got, -(-(41 - got) // got)
    assert finding["seen"] == f"{left} documenten over, {got} opgevraagd"
    assert finding["action"] == f"in een volgende oogst: bij een oogst per dag {days} dagen"
    assert first.stats["woo/documents/left"] == first.host(site.host)["backlog"] == left
    assert first.host(site.host)["backlog_days"] == days
    assert first.stats["woo/hosts/incomplete"] == 1
    assert first.stats["woo/entries"] == 41
    site.pages["/d/*"] = PDF
    rest = harvester.day("-a", "documents=head")
    assert len(rest.records) == left
    assert rest.stats["woo/hosts/complete"] == 1
    assert not set(first.locs) & set(rest.locs)
    assert len(locs(tmp_path.glob("records/*.jsonl"))) == len(latest(tmp_path.glob("records/*.jsonl"))) == 41


def test_a_host_whose_time_is_used_up_withdraws_nothing_until_it_is_done(
    site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    harvester = Harvester(tmp_path, ca_bundle, [site])
    site.pages["/d/*"] = PDF
    publish(site, {"weg": FIRST, "a": FIRST})
    harvester.day("-a", "documents=head")
    site.pages["/d/*"] = replace(PDF, delay=0.3)
    publish(site, {"a": FIRST, **numbered(30)})
    second = harvester.day("-a", "documents=head", WOO_HOST_BUDGET=1, WOO_HOST_BACKLOG=1)
    assert set(causes(second).values()) == {"aanlevering"}
    (finding,) = second.about("intrekking.onvolledig")
    assert finding["seen"] == "host.achterstand"
    site.pages["/d/*"] = PDF
    assert causes(harvester.day("-a", "documents=head"))["weg"] == "intrekking"
