from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.runs import HOST, about_document, about_host
from woo_harvester.findings import Finding
from woo_harvester.report.finding_counts import MISTAKES_MAX, VALUES_MAX, read_findings
from woo_harvester.report.run_folder import finding_line


def write(path: Path, *findings: Finding) -> Path:
    path.write_text("".join(json.dumps(each.as_dict()) + "\n" for each in findings), encoding="utf-8")
    return path


def test_findings_are_counted_by_host_code_and_what_they_are_about(tmp_path: Path) -> None:
    path = write(
        tmp_path / "findings.jsonl",
        about_document("tls.ongeldig"),
        about_host("tls.ongeldig"),
        about_host("tls.ongeldig"),
        about_host("robots.ontbreekt", host="www.b.nl"),
        Finding(code="register.onbereikbaar"),
    )
    tallies = read_findings(path)
    assert {host: dict(tally.counts) for host, tally in tallies.items()} == {
        HOST: {("tls.ongeldig", True): 1, ("tls.ongeldig", False): 2},
        "www.b.nl": {("robots.ontbreekt", False): 1},
        "": {("register.onbereikbaar", False): 1},
    }


SCHEMA = "metadata.schema"


def examples(path: Path, *findings: Finding) -> list[tuple[str | None, str | None, int]]:
    """Return the element, the text and the number of each example."""
    found = read_findings(write(path / "findings.jsonl", *findings))[HOST].examples((SCHEMA, True))
    return [(each.get("element"), each.get("seen"), each["alike"]) for each in found]


def test_a_mistake_is_an_example_with_its_number_and_two_other_places(tmp_path: Path) -> None:
    findings = [about_document("titel.ontbreekt", number=number) for number in (1, 1, 2, 3, 4)]
    tally = read_findings(write(tmp_path / "findings.jsonl", *findings))[HOST]
    (example,) = tally.examples(("titel.ontbreekt", True))
    assert (example["line"], example["alike"]) == (1, 5)
    assert example["also"] == [findings[2].url, findings[3].url]


def test_a_frequent_mistake_hides_no_other_under_its_code(tmp_path: Path) -> None:
    frequent = [about_document(SCHEMA, number=n, element="rel", seen="<role> ontbreekt") for n in range(40)]
    others = [
        about_document(SCHEMA, element="rel", seen="<relation> ontbreekt"),
        about_document(SCHEMA, element="handeling", seen="<atTime> ontbreekt"),
        about_document(SCHEMA, element="handeling", seen="<atTime> ontbreekt"),
    ]
    assert examples(tmp_path, *frequent, *others) == [
        ("rel", "<relation> ontbreekt", 1),
        ("handeling", "<atTime> ontbreekt", 2),
        ("rel", "<role> ontbreekt", 40),
    ]


def test_what_differs_in_each_document_hides_no_other_element(tmp_path: Path) -> None:
    different = [about_document(SCHEMA, element="datum", seen=f"{n} is geen datum") for n in range(500)]
    found = examples(tmp_path, *different, about_document(SCHEMA, element="titel", seen="ontbreekt"))
    assert found == [
        *[("datum", f"{n} is geen datum", 1) for n in range(VALUES_MAX)],
        ("titel", "ontbreekt", 1),
    ]


def test_the_number_of_examples_of_a_code_is_bounded(tmp_path: Path) -> None:
    different = [about_document(SCHEMA, element=f"x{number}") for number in range(MISTAKES_MAX + 50)]
    assert len(examples(tmp_path, *different)) == MISTAKES_MAX


def test_a_line_that_stands_for_several_findings_counts_as_many(tmp_path: Path) -> None:
    path = tmp_path / "findings.jsonl"
    alike = about_document(SCHEMA, element="rel", seen="fout")
    mixed = replace(alike, url=None, element=None, seen=None)
    path.write_text(finding_line(alike) + finding_line(alike, 5) + finding_line(mixed, 30), encoding="utf-8")
    tally = read_findings(path)[HOST]
    key = (SCHEMA, True)
    assert (tally.counts[key], tally.only_counted[key]) == (36, 35)
    assert [(each["seen"], each["alike"]) for each in tally.examples(key)] == [("fout", 6)]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://naam:geheim@www.a.nl/1.pdf", "https://…@www.a.nl/1.pdf"),
        ("https://naam:ge@heim@www.a.nl/1.pdf", "https://…@www.a.nl/1.pdf"),
        ("http://naam:geheim@www.a.nl/1.pdf?aan=a@a.nl", "http://…@www.a.nl/1.pdf?aan=a@a.nl"),
        ("https://naam:ge heim@www.a.nl/1.pdf", "https://…@www.a.nl/1.pdf"),
        ("https://www.a.nl/een twee@a.pdf", "https://www.a.nl/een twee@a.pdf"),
    ],
)
def test_credentials_are_left_out_of_what_is_written(url: str, shown: str) -> None:
    written = json.loads(finding_line(Finding(code="loc.ongeldig", url=url, sitemap=url, seen=url)))
    assert (written["url"], written["sitemap"], written["seen"]) == (shown,) * 3


def test_a_last_line_that_a_killed_run_did_not_end_does_not_count(tmp_path: Path) -> None:
    path = write(tmp_path / "findings.jsonl", about_host("robots.ontbreekt"))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"code": "robots.on')
    assert read_findings(path)[HOST].counts.total() == 1


@pytest.mark.parametrize("line", ["{", "[]", "{}", '"text"'])
def test_a_line_that_is_no_finding_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "findings.jsonl", about_host("robots.ontbreekt"))
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"findings\.jsonl, line 2: expected a finding"):
        read_findings(path)


@pytest.mark.parametrize("cause", ["index.naam", "index.infocat-onbekend"])
def test_a_finding_that_follows_from_another_of_its_host_is_left_out(tmp_path: Path, cause: str) -> None:
    follows = "robots.geen-diwoo-index"
    findings = [about_host(cause), about_host(follows), about_host(follows, host="www.b.nl")]
    tallies = read_findings(write(tmp_path / "findings.jsonl", *findings))
    assert {host: list(tally.counts) for host, tally in tallies.items()} == {
        HOST: [(cause, False)],
        "www.b.nl": [(follows, False)],
    }
    assert list(tallies[HOST].mistakes) == [(cause, False)]
