from __future__ import annotations

import pytest

from tests.report.runs import HOST, host_report, row
from woo_harvester.report.funnel import Account
from woo_harvester.report.json_file import MAX_NAMED_HOSTS, MAX_ROWS, SharedFindings, pattern_of
from woo_harvester.report.model import HostReport


def host(name: str, pattern: str | None, *codes: str, points: float = 2.0) -> HostReport:
    return host_report(name, *(row(code, 3, points) for code in codes), pattern=pattern)


def test_the_same_fault_at_hosts_that_look_alike_is_one_row() -> None:
    faults = SharedFindings()
    for name in ("www.b.nl", "www.a.nl"):
        faults.add(host(name, "/api/#.xml", "titel.ontbreekt"))
    faults.add(host("www.c.nl", "/other/#.xml", "titel.ontbreekt"))
    (shared,) = faults.rows()
    assert (shared.code, shared.pattern, shared.hosts) == (
        "titel.ontbreekt",
        "/api/#.xml",
        ["www.a.nl", "www.b.nl"],
    )
    assert (shared.host_count, shared.count, shared.points) == (2, 6, 4.0)


def test_points_are_added_up_to_one_decimal() -> None:
    faults = SharedFindings()
    for name in ("a", "b"):
        faults.add(host(name, None, "titel.ontbreekt", points=1.23))
    assert [each.points for each in faults.rows()] == [2.5]


def test_hosts_without_a_path_pattern_are_grouped_together() -> None:
    faults = SharedFindings()
    for name in ("a", "b"):
        faults.add(host(name, None, "robots.ontbreekt"))
    (shared,) = faults.rows()
    assert shared.pattern is None


def test_notices_and_faults_of_one_host_are_left_out() -> None:
    faults = SharedFindings()
    faults.add(host("a", "/x/#", "creatiedatum.ontbreekt", "titel.ontbreekt"))
    faults.add(host("b", "/x/#", "creatiedatum.ontbreekt"))
    assert list(faults.rows()) == []


def test_the_largest_gain_comes_first() -> None:
    faults = SharedFindings()
    for name in ("a", "b"):
        faults.add(host(name, "/x/#", "titel.ontbreekt", points=1))
        faults.add(host(name, "/x/#", "loc.geen-https", points=9))
    assert [each.code for each in faults.rows()] == ["loc.geen-https", "titel.ontbreekt"]


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
