from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.report.runs import HOST, about_document, about_host
from woo_harvester.findings import Finding
from woo_harvester.report.finding_counts import EXAMPLES, read_findings
from woo_harvester.report.run_folder import without_secrets


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


def test_the_first_few_are_kept_as_examples(tmp_path: Path) -> None:
    findings = [about_document("titel.ontbreekt", number=number) for number in range(1, 9)]
    tally = read_findings(write(tmp_path / "findings.jsonl", *findings))[HOST]
    examples = tally.examples(("titel.ontbreekt", True))
    assert [example["line"] for example in examples] == list(range(1, EXAMPLES + 1))


def test_more_examples_are_kept_of_messages(tmp_path: Path) -> None:
    findings = [about_document("ipm.schema", number=number) for number in range(1, 31)]
    tally = read_findings(write(tmp_path / "findings.jsonl", *findings))[HOST]
    assert [example["line"] for example in tally.examples(("ipm.schema", True))] == list(range(1, 21))


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        (
            "given",
            "<dcterms:identifier>https://naam:geheim@www.a.nl/1</dcterms:identifier>",
            "<dcterms:identifier>https://…@www.a.nl/1</dcterms:identifier>",
        ),
        ("sitemap", "https://naam:geheim@www.a.nl/sitemap.xml", "https://…@www.a.nl/sitemap.xml"),
    ],
)
def test_credentials_are_left_out_of_what_a_sender_wrote(name: str, given: str, shown: str) -> None:
    assert without_secrets({"code": "ipm.identifier", name: given})[name] == shown


@pytest.mark.parametrize(
    ("code", "url", "shown"),
    [
        ("loc.inloggegevens", "https://naam:geheim@www.a.nl/1.pdf", "https://…@www.a.nl/1.pdf"),
        ("loc.inloggegevens", "https://naam:ge@heim@www.a.nl/1.pdf", "https://…@www.a.nl/1.pdf"),
        (
            "loc.geen-https",
            "http://naam:geheim@www.a.nl/1.pdf?aan=a@a.nl",
            "http://…@www.a.nl/1.pdf?aan=a@a.nl",
        ),
        ("loc.ongeldig", "https://naam:ge heim@www.a.nl/1.pdf", "https://…@www.a.nl/1.pdf"),
        ("loc.ongeldig", "https://www.a.nl/een twee@a.pdf", "https://www.a.nl/een twee@a.pdf"),
    ],
)
def test_credentials_are_left_out_of_examples(code: str, url: str, shown: str, tmp_path: Path) -> None:
    path = write(tmp_path / "findings.jsonl", about_document(code, url=url, seen=url))
    (example,) = read_findings(path)[HOST].examples((code, True))
    assert (example["url"], example["seen"]) == (shown, shown)


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
    assert list(tallies[HOST].lines) == [(cause, False)]
