from __future__ import annotations

from collections.abc import Mapping

import pytest

from woo_harvester.findings.common_cause import OWN_FAULT, Cause, CommonCause


def counted(expected: int, outcomes: Mapping[str, Cause | None]) -> CommonCause:
    common = CommonCause()
    common.expect(f"host{number}" for number in range(expected))
    for host, cause in outcomes.items():
        common.tried(host, cause)
    return common


def outcomes(start: int, count: int, cause: Cause | None) -> dict[str, Cause | None]:
    return {f"host{number}": cause for number in range(start, start + count)}


@pytest.mark.parametrize(
    ("failing", "answering", "verdict"),
    [
        (9, 1, "dns"),
        (8, 2, None),
        (10, 0, "dns"),
        (9, 0, None),
        (0, 10, None),
        (89, 11, None),
        (90, 10, "dns"),
        (899, 101, None),
        (900, 100, "dns"),
    ],
)
def test_nine_of_ten_hosts_have_one_cause(failing: int, answering: int, verdict: Cause | None) -> None:
    common = counted(failing + answering, outcomes(0, failing, "dns") | outcomes(failing, answering, None))
    assert common.verdict() == verdict


def test_a_run_that_ends_early_is_judged_by_the_hosts_that_were_tried() -> None:
    assert counted(1000, outcomes(0, 12, "refused")).verdict() == "refused"
    assert counted(1000, outcomes(0, 9, "refused")).verdict() is None


def test_a_host_that_answered_once_counts_as_one_that_answers() -> None:
    common = counted(10, outcomes(0, 10, "timeout"))
    for host in ("host0", "host1"):
        common.tried(host, None)
        common.tried(host, "timeout")
    assert common.verdict() is None
    assert common.hosts("timeout") == [f"host{number}" for number in range(2, 10)]


def test_only_hosts_of_the_run_count_also_those_that_are_expected_later() -> None:
    common = counted(0, outcomes(0, 11, "tls"))
    assert common.verdict() is None
    common.expect(f"host{number}" for number in range(10))
    assert common.verdict() == "tls"
    assert "host10" not in common.hosts("tls")


def test_a_run_without_hosts_has_no_verdict() -> None:
    assert CommonCause().verdict() is None


def test_one_finding_names_the_way_and_the_most_frequent_example() -> None:
    common = counted(10, outcomes(0, 9, "tls") | outcomes(9, 1, None))
    finding, line = common.explanation("tls", ["self-signed", None, "expired", "expired"])
    assert (finding.code, finding.seen) == (OWN_FAULT, "9 van 10 hosts: TLS, zoals: expired")
    assert line == (
        "9 of 10 hosts were out of reach in the same way (TLS: expired), so the cause is likely on this "
        "side: check this machine's network, proxies and firewall, name server, clock and certificates "
        "(SSL_CERT_FILE). The report leaves these hosts out"
    )
