from __future__ import annotations

import pytest

from tests.report.runs import HOST, host_report, row
from woo_harvester.report.funnel import Account
from woo_harvester.report.json_file import MAX_NAMED_HOSTS, MAX_ROWS, SharedFindings, pattern_of
from woo_harvester.report.model import HostReport, SharedFinding


def shared(*reports: HostReport) -> list[SharedFinding]:
    """Return the rows of the faults that these hosts share."""
    faults = SharedFindings()
    for report in reports:
        faults.add(report)
    return list(faults.rows())


def host(name: str, pattern: str | None, *codes: str, points: float = 2.0) -> HostReport:
    return host_report(name, *(row(code, 3, points) for code in codes), pattern=pattern)


@pytest.mark.parametrize("pattern", ["/api/#.xml", None])
def test_the_same_fault_at_hosts_that_look_alike_is_one_row(pattern: str | None) -> None:
    alike = [host(name, pattern, "titel.ontbreekt", points=1.23) for name in ("www.b.nl", "www.a.nl")]
    (found,) = shared(*alike, host("www.c.nl", "/other/#.xml", "titel.ontbreekt"))
    assert (found.code, found.pattern, found.hosts) == ("titel.ontbreekt", pattern, ["www.a.nl", "www.b.nl"])
    assert (found.host_count, found.count, found.points) == (2, 6, 2.5)


def test_notices_and_faults_of_one_host_are_left_out() -> None:
    one = host("a", "/x/#", "creatiedatum.ontbreekt", "titel.ontbreekt")
    assert shared(one, host("b", "/x/#", "creatiedatum.ontbreekt")) == []


def test_the_largest_gain_comes_first() -> None:
    gains = (("titel.ontbreekt", 1), ("loc.geen-https", 9))
    hosts = [host(name, "/x/#", code, points=points) for name in ("a", "b") for code, points in gains]
    assert [each.code for each in shared(*hosts)] == ["loc.geen-https", "titel.ontbreekt"]


def test_a_row_names_a_few_hosts_and_there_are_not_too_many_rows() -> None:
    faults = SharedFindings()
    for number in range(2 * MAX_NAMED_HOSTS):
        faults.add(host(f"{number:03}", "/x/#", "titel.ontbreekt"))
        for pattern in range(MAX_ROWS + 5):
            faults.add(host(f"{number:03}", f"/{pattern}/", "loc.geen-https"))
    rows = list(faults.rows())
    assert len(rows) == MAX_ROWS
    assert {len(each.hosts) for each in rows} == {MAX_NAMED_HOSTS}
    assert {each.host_count for each in rows} == {2 * MAX_NAMED_HOSTS}


@pytest.mark.parametrize(
    ("patterns", "telling"),
    [
        ({"/sitemapindex-diwoo.xml": 9, "/api/#.xml": 2}, "/api/#.xml"),
        ({"/a/#.xml": 1, "/b/#.xml": 5}, "/b/#.xml"),
        ({"/sitemap.xml": 3}, None),
        ({"/sitemap.ashx?page": 3}, "/sitemap.ashx?page"),
        ({}, None),
    ],
)
def test_files_in_the_root_of_a_host_give_no_pattern(patterns: dict[str, int], telling: str | None) -> None:
    assert pattern_of(Account(HOST, patterns=patterns)) == telling
