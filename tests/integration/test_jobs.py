"""A run in several processes (``--jobs``) gives what a run of one process gives."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from tests.integration.growing_sites import both, feed_options, harvester, sites
from tests.integration.shared_hosts import entry, listing
from tests.utils.command import Line, Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, causes, numbered, publish
from tests.utils.disturbed_runs import Fallible, timeless
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, Permits, Town
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.demo.certificates import Authority
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.report import run_name

__all__ = ["both", "harvester", "sites"]

JOBS = "--jobs", "3"


def found(run: Run) -> list[Line]:
    """Return the records without the moments of their run, in the order of their identifiers."""
    assert run.returncode == 0, run.stderr
    return sorted(map(timeless, run.records), key=lambda record: str(record["id"]))


def counts(run: Run) -> dict[str, Any]:
    """Return what a run counted of hosts, documents and findings."""
    prefixes = ("woo/hosts", "woo/documents", "woo/entries", "woo/findings", "item_scraped_count")
    return {name: value for name, value in run.stats.items() if name.startswith(prefixes)}


def findings(run: Run) -> Counter[str]:
    """Return the findings without their moments."""
    return Counter(json.dumps({**finding, "at": ""}, sort_keys=True) for finding in run.findings)


def assert_same(jobs: Run, one: Run) -> None:
    """Three jobs have done what one process has done."""
    assert found(jobs) == found(one)
    assert counts(jobs) == counts(one)
    assert findings(jobs) == findings(one)
    by_host = [sorted(run.hosts, key=lambda line: str(line["host"])) for run in (jobs, one)]
    assert by_host[0] == by_host[1]


def test_three_days_of_jobs_are_those_of_one_process(
    both: tuple[Harvester, Harvester], sites: list[Site]
) -> None:
    one, jobs = both
    first = jobs.day(*JOBS)
    assert_same(first, one.day())
    assert len(first.records) == 30
    publish(sites[0], {**numbered(2), "doc1": NEWER}, {"meer": FIRST, "nieuw": FIRST})
    second = jobs.day(*JOBS)
    assert_same(second, one.day())
    assert Counter(causes(second).values()) == {"aanlevering": 1, "wijziging": 1, "intrekking": 1}
    publish(sites[0], numbered(40))  # now the largest, so that another job reads it
    third = jobs.day(*JOBS)
    assert_same(third, one.day())
    for site in sites:
        publish(site, numbered(3))
    assert_same(jobs.day(*JOBS), one.day())


def test_one_report_one_summary_and_one_file_of_records_are_left(
    harvester: Harvester, sites: list[Site], tmp_path: Path
) -> None:
    run = harvester.day(*JOBS, WOO_PROGRESS_INTERVAL=0.1)
    assert run.returncode == 0, run.stderr
    (records,) = tmp_path.glob("records/*")
    assert [path.name for path in tmp_path.glob("reports/woo-*")] == [records.stem]
    assert run.stderr.count("woo: finished in") == 1
    assert "5 of 5 hosts: 5 complete" in run.stderr
    assert run.stats["finish_reason"] == "finished"
    assert {line["host"] for line in run.hosts} == {site.host for site in sites}
    assert run.report is not None
    assert (run.report / "index.html").exists()
    assert (tmp_path / "reports" / "latest").resolve() == run.report
    assert not list(tmp_path.glob("reports/*.part"))


def stop_the_clock() -> None:
    """Have all processes of a run begin in the same microsecond, by their clock."""
    now = datetime.now().astimezone()

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(now.timestamp(), tz)

    run_name.__dict__["datetime"] = Stopped


def test_jobs_that_begin_in_the_same_moment_have_a_folder_each(
    sites: list[Site], tmp_path: Path, ca_bundle: Path
) -> None:
    run = Fallible(tmp_path, ca_bundle, sites).run(*JOBS, fault=stop_the_clock)
    assert run.returncode == 0, run.stderr
    assert len(run.records) == 30
    assert {line["host"] for line in run.hosts} == {site.host for site in sites}


def test_quiet_jobs_print_nothing(harvester: Harvester) -> None:
    run = harvester.day(*JOBS, "--quiet")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert len(run.records) == 30


@pytest.mark.parametrize("args", [(), ("--jobs", "1")])
def test_one_job_is_an_ordinary_run(args: tuple[str, ...], harvester: Harvester) -> None:
    run = harvester.day(*args)
    assert "[1] " not in run.stderr
    assert "woo_harvester.jobs" not in run.stderr
    assert len(run.records) == 30


def test_one_host_is_read_by_an_ordinary_run(harvester: Harvester, sites: list[Site]) -> None:
    run = harvester.day(*JOBS, "-a", f"domains={sites[0].host}")
    assert "[1] " not in run.stderr
    assert len(run.records) == 4


def test_there_are_no_more_jobs_than_hosts(harvester: Harvester) -> None:
    run = harvester.day("--jobs", "20")
    assert "5 jobs, with so many hosts each: 1, 1, 1, 1, 1" in run.stderr
    assert len(run.records) == 30


@pytest.mark.parametrize("given", ["0", "-1", "x", "1.5", "257", "", "²"])
def test_a_wrong_number_of_jobs_is_refused(given: str, tmp_path: Path) -> None:
    run = run_scrapy(["crawl", "woo", f"--jobs={given}"], tmp_path)
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "expected auto, or a number from 1 to 256" in line


@pytest.mark.parametrize(
    ("args", "settings", "said"),
    [
        (["-a", "organisation=nergens"], {}, "nergens"),
        (["-a", "shard=3/2"], {}, "argument shard"),
        (["-O", "-:jsonl"], {}, "--jobs writes to local files"),
        (["-O", "ftp://localhost/woo.jsonl"], {}, "--jobs writes to local files"),
        (["-O", "woo.pickle"], {}, "has the format pickle"),
        ([], {"WOO_STATE_URL": "sqlite://"}, "--jobs needs a state"),
        ([], {"FEEDS": '{"a.jsonl": {"format": "jsonl", "postprocessing": ["x"]}}'}, "has postprocessing"),
    ],
)
def test_what_jobs_cannot_do_is_said_before_one_starts(
    args: list[str], settings: dict[str, Any], said: str, harvester: Harvester, sites: list[Site]
) -> None:
    run = run_scrapy(
        harvester.arguments(*JOBS, *args), harvester.folder, harvester.ca_bundle, settings=settings
    )
    assert run.returncode == 2, run.stderr
    (line,) = run.stderr.splitlines()
    assert line.startswith("scrapy crawl: error: ")
    assert said in line
    assert not any(site.requests for site in sites)


def test_a_document_that_hosts_of_several_jobs_list_has_one_record_and_one_withdrawal(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    sites = [make_site() for _ in range(6)]
    harvester = Harvester(tmp_path, ca_bundle, sites, organisations={"Gemeente A": sites})
    for site in sites:
        publish(site, {})
        site.pages["/s0.xml"] = listing(*(entry(sites[0], f"gedeeld{number}") for number in range(8)))
    first = harvester.day("--jobs", "6")
    assert Counter(causes(first).values()) == {"aanlevering": 8}
    assert len(first.records) == 8
    for site in sites:
        site.pages["/s0.xml"] = listing(*(entry(sites[0], f"gedeeld{number}", NEWER) for number in range(8)))
    second = harvester.day("--jobs", "6")
    assert [record["versies"][0]["oorzaak"] for record in second.records] == ["wijziging"] * 8
    for site in sites[:-1]:
        site.pages["/s0.xml"] = listing(
            *(entry(sites[0], f"gedeeld{number}", NEWER) for number in range(1, 8))
        )
    assert harvester.day("--jobs", "6").records == []  # the last host still lists it
    sites[-1].pages["/s0.xml"] = listing(*(entry(sites[0], f"gedeeld{n}", NEWER) for n in range(1, 8)))
    assert causes(harvester.day("--jobs", "6")) == {"gedeeld0": "intrekking"}


def test_the_entry_of_the_owner_counts_whichever_job_is_first(
    make_site: MakeSite, tmp_path: Path, ca_bundle: Path
) -> None:
    owner, other = make_site(), make_site()
    harvester = Harvester(tmp_path, ca_bundle, [owner, other])
    publish(owner, {})
    publish(other, {})
    slow = listing(entry(owner, "eigen", title="Van de eigenaar"))
    owner.pages["/s0.xml"] = Page(slow.body, content_type=slow.content_type, delay=0.5)
    other.pages["/s0.xml"] = listing(
        entry(owner, "eigen", title="Van een ander"), entry(owner, "alleen-hier", title="Van een ander")
    )
    run = harvester.day("--jobs", "2")
    titles = [record["document"]["titelcollectie"]["officieleTitel"] for record in run.records]
    assert sorted(titles) == ["Van de eigenaar", "Van een ander"]
    assert [finding["host"] for finding in run.about("loc.andere-host")].count(other.host) == 1


def test_a_fault_on_our_own_side_is_that_of_all_jobs_together(make_site: MakeSite, tmp_path: Path) -> None:
    sites = [make_site() for _ in range(12)]
    wrong = Authority().write_bundle(tmp_path / "other.pem")
    run = Harvester(tmp_path, wrong, sites).day(*JOBS, RETRY_TIMES=0)
    assert run.returncode == 1
    assert "12 of 12 hosts were out of reach in the same way" in run.stderr.splitlines()[-1]
    assert run.stderr.count("scrapy crawl: error:") == 1
    (own,) = run.about("oogst.eigen-verbinding")
    assert "12 van 12 hosts" in own["seen"]
    assert not [finding for finding in run.findings if "host" in finding]
    assert run.report is not None
    kept = (run.report / "kept-back.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["host"] for line in kept} == {site.host for site in sites}


def test_publishers_that_cannot_be_reached_are_not_our_fault_if_others_can(
    ca: Authority, harvester: Harvester
) -> None:
    with Site(ca) as one, Site(ca) as other:
        gone = [one, other]
    harvester.sites = [*harvester.sites, *gone]
    run = harvester.day(*JOBS, RETRY_TIMES=0)
    assert run.returncode == 0
    assert len(run.records) == 30
    assert {finding["host"] for finding in run.about("robots.onbereikbaar")} == {site.host for site in gone}


def test_permits_are_harvested_by_jobs_too(ca: Authority, tmp_path: Path, ca_bundle: Path) -> None:
    with ExitStack() as stack:
        towns = [stack.enter_context(Town(ca)) for _ in range(4)]
        for town in towns:
            publish_permits(town, {f"c{number}.xml": town.about(number) for number in range(5)})
        entries = ",".join(town.url(FOLDER) for town in towns)
        runs = []
        for name, args in (("one", ()), ("jobs", JOBS)):
            (tmp_path / name).mkdir()
            permits = Permits(tmp_path / name, ca_bundle)
            runs.append([permits.run(entries, *args) for _ in range(2)])
            given = feed_options(permits.folder, "permits.geojson", overwrite=True)
            (permits.folder / "again").mkdir()
            again = Permits(permits.folder / "again", ca_bundle)
            again.run(entries, *args, FEEDS=given)
        for one, jobs in zip(*runs, strict=True):
            assert jobs.returncode == 0, jobs.stderr
            cases = [sorted(record["id"] for record in run.records) for run in (one, jobs)]
            assert cases[0] == cases[1]
        assert len(runs[1][0].records) == 20
        assert "3 jobs" in runs[1][0].stderr
        features = json.loads((tmp_path / "jobs" / "permits.geojson").read_bytes())["features"]
        assert len({feature["id"] for feature in features}) == len(features) == 20
        refused = Permits(tmp_path / "jobs", ca_bundle).run(entries, *JOBS, DELTAFETCH_ENABLED=0)
        assert refused.returncode == 2
        assert "--jobs needs a state that its processes share" in refused.stderr
        single = Permits(tmp_path / "jobs", ca_bundle).run(towns[0].url(FOLDER), *JOBS)
        assert (single.returncode, "[1] " in single.stderr) == (0, False)


def test_hosts_are_forgotten_once_before_a_job_reads_one(harvester: Harvester) -> None:
    harvester.day(*JOBS)
    again = harvester.day(*JOBS, "-a", "deltafetch_reset=1")
    assert (again.returncode, len(again.records)) == (0, 30)
    assert harvester.day(*JOBS, DELTAFETCH_RESET=1).stats["woo/documents/new"] == 30
    assert harvester.day(*JOBS).records == []
