from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider

from tests.report.runs import record
from tests.utils.command import read_lines
from tests.utils.crawlers import crawler_of
from woo_harvester.extensions.findings import Findings, feed_uri_params
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.kinds import Kind
from woo_harvester.report.findings_file import WRITTEN_MAX
from woo_harvester.report.json_file import read_hosts


def opened(folder: Path) -> Findings:
    extension = Findings.from_crawler(crawler_of(WOO_REPORT_DIR=str(folder)))
    extension.spider_opened()
    return extension


def stats_of(extension: Findings) -> dict[str, Any]:
    extension.spider_closed(Spider("proef"))
    asyncio.run(extension.engine_stopped())
    stats: dict[str, Any] = json.loads((extension.folder / "stats.json").read_text(encoding="utf-8"))
    return stats


def test_a_finding_is_a_line_that_is_there_at_once(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    extension.report(Finding(code="loc.geen-https", host="www.a.nl", url="http://www.a.nl/één.pdf", line=12))
    (line,) = read_lines(extension.folder / "findings.jsonl")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00", line.pop("at"))
    assert line == {
        "code": "loc.geen-https",
        "severity": "error",
        "url": "http://www.a.nl/één.pdf",
        "host": "www.a.nl",
        "line": 12,
    }
    stats_of(extension)


def test_findings_that_are_only_counted_are_in_the_statistics_and_the_accounts(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    account = extension.accounts.of("www.a.nl")
    account.count_entries(WRITTEN_MAX + 500, 0)
    finding = Finding(code="loc.ontbreekt", host="www.a.nl", url="", sitemap="https://www.a.nl/1.xml")
    for _ in range(WRITTEN_MAX + 500):
        extension.report(finding)
    assert stats_of(extension)["woo/findings/loc.ontbreekt"] == WRITTEN_MAX + 500
    assert account.findings == {"loc.ontbreekt": WRITTEN_MAX + 500}
    *_, last = lines = read_lines(extension.folder / "findings.jsonl")
    assert (len(lines), last["count"]) == (WRITTEN_MAX + 1, 500)
    (host,) = read_hosts(extension.run_folder.report)
    assert [row.count for row in host.findings] == [WRITTEN_MAX + 500]


def test_lines_are_readable_and_in_the_order_of_the_findings(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    for code in ("index.naam", "loc.dubbel", "index.naam"):
        extension.report(Finding(code=code, seen="é\n€"))
    assert [line["code"] for line in read_lines(extension.folder / "findings.jsonl")] == [
        "index.naam",
        "loc.dubbel",
        "index.naam",
    ]
    assert r'"seen": "é\n€"' in (extension.folder / "findings.jsonl").read_text(encoding="utf-8")
    stats_of(extension)


def test_findings_are_counted_by_code_in_the_statistics_and_by_host_in_the_accounts(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    for host in ("www.a.nl", "open.b.nl:8443", "www.a.nl", None):
        extension.report(Finding(code="loc.dubbel", host=host))
    early, permits = (
        extension.accounts.of("www.a.nl"),
        extension.accounts.of("open.b.nl:8443", Kind.vergunningen),
    )
    extension.report(Finding(code="loc.dubbel", host="www.a.nl"))
    assert (early.findings, permits.findings) == ({"loc.dubbel": 3}, {"loc.dubbel": 1})
    stats = stats_of(extension)
    assert stats["woo/findings/loc.dubbel"] == 5
    assert not [key for key in stats if "www.a.nl" in key]


def test_the_statistics_are_written_at_the_end(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    extension._crawler.stats.set_value("start_time", datetime(2026, 7, 1, 10, tzinfo=UTC))
    extension._crawler.stats.set_value("iets/anders", {"een"})
    assert not (extension.folder / "stats.json").exists()
    assert stats_of(extension) == {"start_time": "2026-07-01T12:00:00+02:00", "iets/anders": "{'een'}"}


def test_two_runs_that_start_together_have_a_folder_each(tmp_path: Path) -> None:
    first, second = opened(tmp_path), opened(tmp_path)
    assert first.folder != second.folder
    assert {path.name for path in tmp_path.iterdir()} == {first.run_name, second.run_name}
    stats_of(first)
    stats_of(second)


def test_a_finding_before_the_run_has_begun_is_a_fault_of_ours(tmp_path: Path) -> None:
    extension = Findings.from_crawler(crawler_of(WOO_REPORT_DIR=str(tmp_path)))
    with pytest.raises(RuntimeError, match=r"index\.naam was made before the spider was opened"):
        extension.report(Finding(code="index.naam"))


def test_the_name_of_a_run_is_spider_and_time(tmp_path: Path) -> None:
    extension = Findings.from_crawler(crawler_of(WOO_REPORT_DIR=str(tmp_path)))
    assert re.fullmatch(r"proef-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}", extension.run_name)


def test_a_feed_gets_the_name_of_the_run() -> None:
    crawler = crawler_of(EXTENSIONS={Findings: 1})
    spider = Spider.from_crawler(crawler, "proef")
    findings = crawler.get_extension(Findings)
    assert findings is not None
    assert feed_uri_params({"time": "nu"}, spider) == {"time": "nu", "run": findings.run_name}


def test_a_feed_of_a_project_without_the_extension_gets_spider_and_time() -> None:
    spider = Spider.from_crawler(crawler_of(), "proef")
    assert feed_uri_params({"time": "nu"}, spider) == {"time": "nu", "run": "proef-nu"}


def test_an_item_counts_for_the_host_that_lists_it_and_a_report_is_made(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    extension.accounts.of("www.a.nl").count_entries(1, 0)
    report = Reporter(extension.report, url="https://www.a.nl/1.pdf", host="www.a.nl")
    extension.item_scraped(WooItem(record(), None, report))
    extension.item_scraped({"another": "item"})
    stats_of(extension)
    (host,) = read_hosts(extension.folder / "report.json")
    assert (host.host, host.listed, host.harvested) == ("www.a.nl", 1, 1)
    assert (extension.folder / "index.html").exists()
    assert (tmp_path / "history" / f"{extension.run_name}.json.gz").exists()


def test_a_run_without_hosts_has_no_report(tmp_path: Path) -> None:
    extension = opened(tmp_path)
    stats_of(extension)
    assert {path.name for path in extension.folder.iterdir()} == {"findings.jsonl", "stats.json"}


def test_an_error_in_the_report_is_one_line_and_loses_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    extension = opened(tmp_path)
    extension.accounts.of("www.a.nl").organisations = [{"id": "without a name"}]
    stats_of(extension)
    (line,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert line.getMessage().startswith(f"No report was made of {extension.folder}: ")
    assert line.exc_info is None
    assert (extension.folder / "hosts.jsonl").exists()
