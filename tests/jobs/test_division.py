"""The hosts of a run are divided over its jobs by their size."""

from __future__ import annotations

from woo_harvester.jobs.division import divide


def test_the_largest_host_comes_first_and_the_next_goes_to_the_job_with_least() -> None:
    sizes = {"a": 9000, "b": 5000, "c": 4000, "d": 1000}
    hosts = [(host,) for host in ("d", "c", "b", "a")]
    assert divide(hosts, sizes, 2) == (frozenset("ad"), frozenset("bc"))


def test_hosts_without_a_known_size_are_spread() -> None:
    hosts = [(f"h{number}",) for number in range(6)]
    assert [len(part) for part in divide(hosts, {}, 3)] == [2, 2, 2]
    with_large = divide(hosts, {"h0": 100_000}, 3)
    assert sorted(len(part) for part in with_large) == [1, 2, 3]
    assert frozenset({"h0"}) in with_large


def test_a_group_of_hosts_stays_together() -> None:
    assert divide([("a", "b"), ("c",), ("d",)], {}, 2) == (frozenset("ab"), frozenset("cd"))


def test_the_division_does_not_depend_on_the_order_of_the_hosts() -> None:
    hosts = [(f"h{number}",) for number in range(20)]
    assert divide(hosts, {}, 3) == divide(hosts[::-1], {}, 3)


def test_there_are_at_most_as_many_jobs_as_groups() -> None:
    assert divide([("a",)], {}, 8) == (frozenset("a"),)
    assert divide([], {}, 8) == ()
