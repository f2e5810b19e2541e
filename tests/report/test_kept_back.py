"""Findings that are kept back until it is known whose fault they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.runs import about_host
from woo_harvester.findings import Finding
from woo_harvester.findings.common_cause import Cause, CommonCause
from woo_harvester.report.kept_back import KeptBack, explanation
from woo_harvester.report.run_folder import finding_line

ONE, TWO = (about_host("tls.ongeldig", host=host, seen="expired") for host in ("www.a.nl", "www.b.nl"))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[KeptBack]:
    kept = KeptBack(tmp_path / "kept-back.jsonl")
    yield kept
    kept.close()


def test_what_is_kept_back_is_in_the_file_at_once(kept: KeptBack) -> None:
    assert not kept.path.exists()
    for number, finding in enumerate((ONE, TWO), start=1):
        kept.add(finding)
        assert kept.path.read_text(encoding="utf-8").splitlines(keepends=True) == [
            finding_line(each) for each in (ONE, TWO)[:number]
        ]
    assert kept.findings == [ONE, TWO]


def test_what_is_ready_is_taken_out_and_the_rest_stays_in_the_file(kept: KeptBack) -> None:
    for finding in (ONE, TWO):
        kept.add(finding)
    assert kept.take(lambda finding: finding.host == "www.b.nl") == [TWO]
    assert kept.findings == [ONE]
    assert kept.path.read_text(encoding="utf-8") == finding_line(ONE)


def test_the_file_goes_with_the_last_finding_and_comes_back_with_the_next(kept: KeptBack) -> None:
    kept.add(ONE)
    assert kept.take(lambda _: False) == []
    assert kept.path.exists()
    assert kept.take(lambda _: True) == [ONE]
    assert not kept.path.exists()
    assert kept.take(lambda _: True) == []
    kept.add(TWO)
    kept.close()
    kept.close()
    assert kept.path.read_text(encoding="utf-8") == finding_line(TWO)


def common(cause: Cause) -> CommonCause:
    """Ten hosts, of which nine failed in the same way."""
    counted = CommonCause()
    hosts = [f"www{number}.nl" for number in range(10)]
    counted.expect(hosts)
    for host in hosts:
        counted.tried(host, None if host == "www9.nl" else cause)
    return counted


def explained(kept: KeptBack, cause: Cause, *findings: Finding) -> tuple[Finding, str]:
    for finding in findings:
        kept.add(finding)
    return explanation(common(cause), cause, kept)


def test_one_finding_stands_for_all_kept_back(kept: KeptBack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    consequence = about_host("intrekking.onvolledig", seen="robots.txt")
    others = [about_host("tls.ongeldig", seen="self-signed"), about_host("tls.ongeldig")]
    finding, line = explained(kept, "tls", *others, ONE, TWO, *[consequence] * 3)
    assert finding == Finding(
        code="oogst.eigen-verbinding",
        seen="9 van 10 hosts: TLS, zoals: expired",
        action="bevindingen over deze hosts apart gehouden in kept-back.jsonl",
    )
    assert line == (
        "9 of 10 hosts were out of reach in the same way (TLS: expired), so the cause is likely on this "
        "side: check SSL_CERT_FILE, SSL_CERT_DIR, this machine's clock, and proxies that open TLS. "
        f"What was found of these hosts is in {kept.path}"
    )


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy", "all_proxy", None])
def test_a_proxy_of_the_environment_is_named_since_it_is_not_used(
    kept: KeptBack, monkeypatch: pytest.MonkeyPatch, variable: str | None
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    if variable:
        monkeypatch.setenv(variable, "http://proxy:3128")
    finding, line = explained(kept, "dns")
    assert finding.seen == "9 van 10 hosts: geen adres bij de naam"
    assert "(no address for the name), so" in line
    assert ("without the proxy that the environment names" in line) is bool(variable)
