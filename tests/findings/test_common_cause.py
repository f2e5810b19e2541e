from __future__ import annotations

from collections.abc import Mapping

import pytest

from woo_harvester.findings.common_cause import Cause, CommonCause


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


def test_a_cause_stays_possible_until_too_many_hosts_have_another_outcome() -> None:
    common = counted(20, outcomes(0, 1, "dns"))
    assert common.is_possible("host0")
    for host in ("host10", "host11"):
        common.tried(host, None)
        assert common.is_possible("host0")
    common.tried("host12", "timeout")
    assert not common.is_possible("host0")
    assert not common.is_possible("host12")


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
    assert common.hosts_tried == 10


def test_only_hosts_of_the_run_count_also_those_that_are_expected_later() -> None:
    common = counted(0, outcomes(0, 11, "tls"))
    assert common.verdict() is None
    assert not common.is_possible("host0")
    common.expect(f"host{number}" for number in range(10))
    assert common.verdict() == "tls"
    assert common.hosts_tried == 10
    assert common.is_possible("host0")
    assert not common.is_possible("host10")
    assert "host10" not in common.hosts("tls")


def test_a_run_without_hosts_has_no_verdict() -> None:
    assert CommonCause().verdict() is None


def test_an_outcome_says_whether_an_earlier_failure_may_now_be_seen_otherwise() -> None:
    common = counted(20, {})
    assert not common.tried("host0", "dns")
    assert not common.tried("host1", "dns")
    assert not common.tried("host1", "timeout")
    assert common.tried("host1", None)
    assert not common.tried("host1", None)
    assert not common.tried("host2", None)
    assert common.tried("host3", None)
    assert not common.is_possible("host0")
