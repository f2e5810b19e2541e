"""What a run leaves behind: records, findings and statistics, also when it is broken off."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import read_lines, start_forked
from tests.utils.disturbed_runs import GatedSite
from tests.utils.publishers import Harvest, Hosts, Publishers, publish
from tests.utils.sites import MakeSite, write_register
from tests.utils.waiting import STUCK, wait_until
from woo_harvester.demo.server import Page

RUN = r"woo-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}"
hosts = Hosts()


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=download")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_findings_are_counted_by_code_in_the_statistics_and_by_host_in_hosts_jsonl(harvest: Harvest) -> None:
    stats = harvest.run.stats
    by_code = Counter(found["code"] for found in harvest.run.findings)
    hosts = {line["host"]: line["findings"] for line in harvest.run.hosts}
    by_host = Counter((found["host"], found["code"]) for found in harvest.run.findings)
    assert {code: stats[f"woo/findings/{code}"] for code in by_code} == by_code
    assert {(host, code): count for host in hosts for code, count in hosts[host].items()} == by_host
    assert not [key for key in stats if any(host in key for host in hosts)]


def test_statistics_count_hosts_documents_and_defaults(harvest: Harvest) -> None:
    stats = harvest.run.stats
    assert stats["finish_reason"] == "finished"
    assert (stats["woo/hosts/selected"], stats["woo/hosts/done"]) == (3, 3)
    assert (stats["woo/hosts/complete"], stats["woo/hosts/incomplete"]) == (2, 1)
    assert stats["woo/entries"] == 5
    assert stats["item_scraped_count"] == 3
    assert stats["woo/defaults/document.publisher"] >= 2


def test_records_and_report_of_a_run_have_the_same_name(harvest: Harvest) -> None:
    assert harvest.run.report is not None
    assert re.fullmatch(RUN, harvest.run.report.name)
    folder = harvest.run.report.parents[1]
    assert [path.name for path in (folder / "records").iterdir()] == [f"{harvest.run.report.name}.jsonl"]
    assert {path.name for path in harvest.run.report.iterdir()} >= {"findings.jsonl", "stats.json"}


def test_runs_that_start_together_do_not_overwrite_each_other(
    ca_bundle: Path, make_site: MakeSite, tmp_path: Path
) -> None:
    sites = [make_site() for _ in range(3)]
    for site in sites:
        publish(site, "/besluit.pdf")
    register = write_register(tmp_path / "register.xml", {"Gemeente": [site.url() for site in sites]})
    given = ["crawl", "woo", "-a", f"register={register}", "-a", "documents=none"]
    started = [start_forked([*given, "-a", f"domains={site.host}"], tmp_path, ca_bundle) for site in sites]
    for process in started:
        done = process.done(STUCK)
        assert done.returncode == 0, done.stderr
    written = sorted((tmp_path / "records").iterdir())
    assert [len(read_lines(path)) for path in written] == [1, 1, 1]
    assert len(list((tmp_path / "reports").glob("woo-*"))) == 3


def test_findings_are_written_as_they_occur(
    ca_bundle: Path, make_site: MakeSite, gated: GatedSite, tmp_path: Path
) -> None:
    quick, slow = make_site(), gated
    slow.pages["/robots.txt"] = Page("User-agent: *\n")
    slow.gates.add("/robots.txt")
    register = write_register(tmp_path / "register.xml", {"Gemeente": [quick.url(), slow.url()]})
    process = start_forked(["crawl", "woo", "-a", f"register={register}"], tmp_path, ca_bundle)

    def told() -> list[str]:
        return [path.read_text() for path in tmp_path.glob("reports/woo-*/findings.jsonl")]

    wait_until(lambda: any("robots.ontbreekt" in text for text in told()), "the finding is written")
    wait_until(lambda: "/robots.txt" in slow.waiting, "the other host is asked")
    assert not process.ended
    process.send(signal.SIGINT)
    slow.gates.clear()
    process.done(STUCK)
    assert [line["code"] for line in lines(told()[0])] == ["robots.ontbreekt", "robots.geen-diwoo-index"]
