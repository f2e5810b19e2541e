"""The summary of an audit in a terminal."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tests.report.runs import HOST, about_document, about_host, read, write_run
from woo_harvester.findings import Finding, Severity, explain
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.audit_summary import mistake, print_summary
from woo_harvester.report.funnel import Account
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.model import Example, FindingRow

TEXTS = Texts("en")


def summary(
    folder: Path, *findings: Finding, hosts: tuple[str, ...] = (HOST,), width: int = 500
) -> list[str]:
    """Return the lines that are printed."""
    accounts = [read(host, harvested=2, findings=findings) for host in hosts]
    run = write_run(folder / "woo-1", accounts, findings)
    assemble_report(run, lang="en")
    output = StringIO()
    print_summary(run, Console(file=output, width=width), "en")
    lines = output.getvalue().splitlines()
    assert lines[-1] == str(run.page) or width < 500
    return lines


def numbered(lines: list[str]) -> list[str]:
    """Return the first line of each finding."""
    return [line for line in lines if re.match(r" ?\d+\. ", line)]


def test_what_keeps_a_whole_host_from_being_read_comes_first(tmp_path: Path) -> None:
    # It costs no points, since the host has no score.
    late = [about_document("lastmod.ongeldig", number=number) for number in range(2)]
    dead = about_host("robots.onbereikbaar", host="www.dood.nl", seen="time-out")
    accounts = [read(harvested=2, findings=late), Account("www.dood.nl", visited=True, complete=False)]
    run = write_run(tmp_path / "woo-1", accounts, [*late, dead])
    assemble_report(run, lang="en")
    output = StringIO()
    print_summary(run, Console(file=output, width=500), "en")
    assert [line.split()[2] for line in numbered(output.getvalue().splitlines())] == [
        "robots.onbereikbaar",
        "lastmod.ongeldig",
    ]


def test_a_host_without_findings_is_a_score_and_a_sentence(tmp_path: Path) -> None:
    lines = summary(tmp_path)
    assert lines[:2] == [
        f"{HOST}  {TEXTS('score')}: {TEXTS('score_of', n=100)}",
        TEXTS("audit_headline", harvested=2, listed=2),
    ]
    assert lines[2:-1] == ["", TEXTS("audit_report")]


def test_a_finding_is_explained_with_its_place_and_what_was_there(tmp_path: Path) -> None:
    finding = about_document("loc.ongeldig", number=7, url="https://www.a.nl/een twee.pdf", seen="een\ttwee")
    lines = summary(tmp_path, finding)
    explained = explain("loc.ongeldig", "en")
    start = next(number for number, line in enumerate(lines) if line.startswith(" 1. "))
    assert "loc.ongeldig (" in lines[start]
    assert TEXTS("severity_error") in lines[start]
    assert HOST not in lines[start]
    assert lines[start + 1 : start + 5] == [
        f"    {explained.what}",
        "    https://www.a.nl/een twee.pdf"
        + TEXTS("audit_in", sitemap="https://www.a.nl/api/sitemap/2025/5.xml")
        + TEXTS("audit_line", n="7"),
        "    " + TEXTS("audit_seen", seen="een twee"),
        f"    → {explained.mend}",
    ]


def test_what_was_seen_is_left_out_if_it_is_the_url(tmp_path: Path) -> None:
    url = "https://www.a.nl/een twee.pdf"
    lines = summary(tmp_path, about_document("loc.ongeldig", url=url, seen=url))
    assert "    " + TEXTS("audit_seen", seen=url) not in lines


def test_the_most_costly_finding_comes_first(tmp_path: Path) -> None:
    findings = [
        about_document("creatiedatum.ontbreekt"),
        about_document("titel.ontbreekt"),
        *(about_document("loc.ongeldig", number=number) for number in (1, 2)),
    ]
    lines = numbered(summary(tmp_path, *findings))
    assert [line.partition("(")[0].split()[-1] for line in lines] == [
        "loc.ongeldig",
        "titel.ontbreekt",
        "creatiedatum.ontbreekt",
    ]
    assert TEXTS.count(2, "time") in lines[0]
    assert "points" in lines[1]
    assert "points" not in lines[2]


def test_each_different_mistake_of_a_code_is_shown_with_its_number(tmp_path: Path) -> None:
    often = [about_document("metadata.schema", number=n, seen="<role> ontbreekt") for n in range(40)]
    once = about_document("metadata.schema", element="handeling", seen="<atTime> ontbreekt")
    lines = [line.strip() for line in summary(tmp_path, *often, once)]
    shown = [line for line in lines if "ontbreekt" in line]
    assert [line.split(":")[0] for line in shown] == ["1 time", "40 times"]
    assert shown[0].endswith(f"{TEXTS('audit_element', element='handeling')}; seen: <atTime> ontbreekt")


def test_of_many_different_mistakes_the_rarest_and_the_most_frequent_are_shown(tmp_path: Path) -> None:
    once = [about_document("metadata.schema", element=f"e{n}", seen="fout") for n in range(20)]
    twice = [about_document("metadata.schema", element="vaak", seen="fout")] * 2
    lines = [line.strip() for line in summary(tmp_path, *once, *twice)]
    shown = [line for line in lines if "seen: fout" in line]
    assert [line.partition("element: ")[2].partition(";")[0] for line in shown] == [
        *[f"e{n}" for n in range(9)],
        "vaak",
    ]
    assert TEXTS("finding_others", times="11 times") in lines


def test_a_long_url_is_cut(tmp_path: Path) -> None:
    url = "https://www.a.nl/" + "x" * 400
    lines = summary(tmp_path, about_host("robots.te-groot", url=url))
    assert f"    {url[:299]}…" in lines


def test_a_file_that_could_not_be_read_is_named_beside_the_count(tmp_path: Path) -> None:
    url = "https://www.a.nl/sitemap-1.xml"
    lines = summary(tmp_path, about_host("sitemap.ongeldig", url=url))
    assert TEXTS("unread") in lines
    assert f"  sitemap.ongeldig: {url}" in lines
    action = "ongeveer 3 documenten niet gelezen"
    lines = summary(tmp_path / "counted", about_host("sitemap.ongeldig", url=url, action=action))
    assert f"  sitemap.ongeldig: {url}; about 3 documents not read" in lines


def test_ten_findings_and_twenty_hosts_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    hosts = tuple(f"www{number}.a.nl" for number in range(21))
    findings = [about_host("robots.te-groot", host=host) for host in hosts[:11]]
    lines = summary(tmp_path, *findings, hosts=hosts)
    assert sum(TEXTS("score") + ":" in line for line in lines) == 20
    assert TEXTS("audit_more_hosts", n=1) in lines
    assert [line.split()[-1] for line in numbered(lines)] == sorted(hosts[:11])[:10]
    assert TEXTS("audit_more_findings", n=1) in lines


def test_a_long_line_is_broken_with_its_indent(tmp_path: Path) -> None:
    lines = summary(tmp_path, about_document("loc.ongeldig"), width=60)
    assert max(map(len, lines)) <= 60
    shown = explain("loc.ongeldig", "en").mend.split()
    start = next(number for number, line in enumerate(lines) if line.startswith("    →"))
    assert lines[start].split()[1:] == shown[: len(lines[start].split()) - 1]
    assert lines[start + 1].startswith("    ")


def test_on_a_very_narrow_screen_lines_are_twenty_wide_all_the_same(tmp_path: Path) -> None:
    lines = summary(tmp_path, width=12)
    assert TEXTS("audit_headline", harvested=2, listed=2)[:12] not in lines
    assert 12 < max(map(len, lines)) <= 20


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (Example(), "–"),
        (Example(url="https://a.nl/1.pdf"), "https://a.nl/1.pdf"),
        (
            Example(url="https://a.nl/1.pdf", sitemap="a.xml", line=1200),
            "https://a.nl/1.pdf (in a.xml), regel 1200",
        ),
        (Example(url="a.xml", sitemap="a.xml", line=3), "a.xml, regel 3"),
        (Example(sitemap="a.xml"), "a.xml"),
        (
            Example(url="b", element="creatieDatum", seen="creatieDatum", suggestion="creatiedatum"),
            "b; element: creatieDatum; Bedoelde u creatiedatum?",
        ),
        (Example(url="b", seen="een\n  regel"), "b; gezien: een regel"),
    ],
)
def test_a_mistake_has_its_place_and_what_was_seen(example: Example, said: str) -> None:
    row = FindingRow(code="x", severity=Severity.ERROR, count=1, about_document=True, points=0, examples=[])
    assert "; ".join(mistake(row, example, Texts("nl"))) == said


def test_a_sample_is_named(tmp_path: Path) -> None:
    findings = [about_document("document.leeg", number=1), about_document("loc.ongeldig", number=2)]
    account = read(harvested=8, findings=findings)
    account.listed += 990
    account.requested, account.not_requested = 9, 990
    run = write_run(tmp_path / "woo-1", [account], findings)
    assemble_report(run, lang="en")
    output = StringIO()
    print_summary(run, Console(file=output, width=500), "en")
    lines = output.getvalue().splitlines()
    assert lines[1] == "9 of the 1,000 documents requested; 8 of them are harvested"
