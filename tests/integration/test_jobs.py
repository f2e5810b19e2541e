"""A run in several processes (``--jobs``) gives what a run of one process gives."""

from __future__ import annotations

import csv
import json
from collections import Counter
from contextlib import ExitStack
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Self
from xml.etree import ElementTree

import pytest

from tests.integration.growing_sites import sites
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
from woo_harvester.report import run_folder

__all__ = ["sites"]

JOBS = "--jobs", "3"


@pytest.fixture
def both(sites: list[Site], tmp_path: Path, ca_bundle: Path) -> tuple[Harvester, Harvester]:
    """Two installations that harvest the same hosts, one after another."""
    made = []
    for name in ("one", "jobs"):
        (tmp_path / name).mkdir()
        made.append(Harvester(tmp_path / name, ca_bundle, sites))
    return made[0], made[1]


@pytest.fixture
def harvester(sites: list[Site], tmp_path: Path, ca_bundle: Path) -> Harvester:
    return Harvester(tmp_path, ca_bundle, sites)


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

    run_folder.__dict__["datetime"] = Stopped


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


def feed_options(folder: Path, *names: str, **options: object) -> str:
    """Return the setting FEEDS for files, whose formats are their extensions."""
    given = {str(folder / name): {"format": name.rpartition(".")[2], **options} for name in names}
    return json.dumps(given)


FORMATS = "a.jsonl", "a.csv", "a.json", "a.xml"


@pytest.mark.parametrize("indent", [None, 2])
def test_each_format_is_one_file_with_each_record_once(
    indent: int | None, both: tuple[Harvester, Harvester]
) -> None:
    for each, args in zip(both, ((), JOBS), strict=True):
        given = feed_options(each.folder, *FORMATS, overwrite=True, indent=indent)
        assert each.day(*args, FEEDS=given).returncode == 0
    texts: dict[str, list[list[str]]] = {name: [] for name in FORMATS}
    for each in both:
        lines = (each.folder / "a.jsonl").read_text(encoding="utf-8").splitlines()
        texts["a.jsonl"].append(sorted(json.loads(line)["id"] for line in lines))
        with (each.folder / "a.csv").open(encoding="utf-8-sig", newline="") as rows:
            texts["a.csv"].append([row["id"] for row in csv.DictReader(rows)])
        whole = json.loads((each.folder / "a.json").read_bytes())
        texts["a.json"].append([record["id"] for record in whole])
        items = ElementTree.parse(each.folder / "a.xml").getroot().findall("item")
        texts["a.xml"].append([str(item.findtext("id")) for item in items])
    for one, jobs in texts.values():
        assert sorted(one) == sorted(jobs)
        assert len(set(jobs)) == len(jobs) == 30
    sizes = [(each.folder / "a.json").stat().st_size for each in both]
    assert sizes[0] == sizes[1]
    assert (both[1].folder / "a.csv").read_bytes().startswith(b"\xef\xbb\xbfid,")


def test_a_file_grows_from_day_to_day_or_is_replaced(harvester: Harvester, sites: list[Site]) -> None:
    feeds = "grows.jsonl", "grows.csv"
    for name in feeds:
        assert harvester.day(*JOBS, FEEDS=feed_options(harvester.folder, *feeds)).returncode == 0, name
        publish(sites[1], {**numbered(4), "doc2": NEWER}, {"meer": FIRST})
    lines = [(harvester.folder / name).read_text(encoding="utf-8-sig").splitlines() for name in feeds]
    assert [len(each) for each in lines] == [31, 32]
    assert [line.startswith("id,") for line in lines[1]].count(True) == 1
    again = harvester.day(*JOBS, "-O", "all.jsonl", DELTAFETCH_ENABLED=0)
    more = harvester.day(*JOBS, "-O", "all.jsonl", DELTAFETCH_ENABLED=0)
    assert len(again.records) == len(more.records) == 30
    assert "all.jsonl is overwritten" not in again.stderr
    warned = harvester.day(*JOBS, "-O", "all.jsonl")
    assert warned.stderr.count("all.jsonl is overwritten with only what is new") == 1
    # Without news, a feed of -O is emptied, as by one process.
    assert warned.records == []


def test_a_csv_file_with_other_columns_is_left_as_it_is(harvester: Harvester) -> None:
    path = harvester.folder / "other.csv"
    path.write_text("a,b\r\n1,2\r\n", encoding="utf-8")
    run = harvester.day(*JOBS, FEEDS=feed_options(harvester.folder, "other.csv"))
    assert run.returncode == 1
    assert "has other columns than this run writes" in run.stderr.splitlines()[-1]
    assert path.read_text(encoding="utf-8") == "a,b\n1,2\n"
    assert len(harvester.day().records) == 30


def test_a_run_without_news_leaves_no_file(harvester: Harvester, tmp_path: Path) -> None:
    harvester.day(*JOBS)
    before = set(tmp_path.glob("records/*"))
    assert harvester.day(*JOBS).returncode == 0
    assert set(tmp_path.glob("records/*")) == before


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
