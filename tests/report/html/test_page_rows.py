from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.runs import about_document, about_host, read, write_run
from woo_harvester.findings import Finding
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.funnel import Account
from woo_harvester.report.json_file import Faults, read_hosts
from woo_harvester.report.model import Fault, HostReport


def hosts(tmp_path: Path, accounts: list[Account], *findings: Finding) -> list[HostReport]:
    folder = write_run(tmp_path / "woo-1", accounts, findings)
    assemble_report(folder)
    return list(read_hosts(folder.report))


def heavy(reports: list[HostReport]) -> list[Fault]:
    faults = Faults()
    for report in reports:
        faults.add(report)
    return faults.heaviest_first()


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (
            ["titel.ontbreekt", "titel.ontbreekt", "loc.geen-https", "creatiedatum.ontbreekt"],
            (1, 2, "loc.geen-https"),
        ),
        (["creatiedatum.ontbreekt"], (0, 0, None)),
    ],
)
def test_a_host_counts_errors_and_warnings_and_names_the_most_costly_of_them(
    tmp_path: Path, codes: list[str], expected: tuple[int, int, str | None]
) -> None:
    findings = [about_document(code, number=number) for number, code in enumerate(codes)]
    (report,) = hosts(tmp_path, [read(harvested=9, findings=findings)], *findings)
    worst = report.worst and report.worst.code
    assert (report.count("error"), report.count("warning"), worst) == expected


def test_a_fault_is_added_up_over_all_hosts_and_notices_do_not_count(tmp_path: Path) -> None:
    names = ["www.a.nl", "www.b.nl"]
    findings = [about_document("titel.ontbreekt", host, number) for host in names for number in (1, 2)]
    findings.append(about_document("creatiedatum.ontbreekt", "www.a.nl"))
    reports = hosts(tmp_path, [read(name, harvested=4, findings=findings) for name in names], *findings)
    (fault,) = heavy(reports)
    assert (fault.code, fault.hosts, fault.host_count, fault.count) == ("titel.ontbreekt", names, 2, 4)
    assert fault.points == sum(row.points for report in reports for row in report.findings)


def test_a_code_about_a_document_and_about_the_host_is_one_fault_of_one_host(tmp_path: Path) -> None:
    findings = [about_host("tls.ongeldig"), about_document("tls.ongeldig")]
    reports = hosts(tmp_path, [read(harvested=1, findings=findings)], *findings)
    (fault,) = heavy(reports)
    assert (fault.host_count, fault.count) == (1, 2)


def test_the_heaviest_fault_comes_first_and_without_points_the_error(tmp_path: Path) -> None:
    cost = [about_host("robots.ontbreekt", "www.b.nl"), about_document("titel.ontbreekt", "www.a.nl")]
    free = [about_document("loc.andere-host", f"www.{name}.nl") for name in "acd"]
    accounts = [read(f"www.{name}.nl", harvested=3, findings=[*cost, *free]) for name in "acd"]
    accounts.append(Account("www.b.nl", visited=True, complete=False))
    faults = heavy(hosts(tmp_path, accounts, *cost, *free))
    assert [fault.code for fault in faults[:2]] == ["robots.ontbreekt", "titel.ontbreekt"]
    assert [fault.code for fault in faults[2:]] == ["loc.andere-host"]


def test_a_fault_names_twenty_hosts_and_counts_all(tmp_path: Path) -> None:
    names = [f"www.{number}.nl" for number in range(25)]
    findings = [about_host("robots.ontbreekt", name) for name in names]
    accounts = [Account(name, visited=True, complete=False) for name in names]
    (fault,) = heavy(hosts(tmp_path, accounts, *findings))
    assert (len(fault.hosts), fault.host_count) == (20, 25)
