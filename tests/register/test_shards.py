"""Dividing the hosts over runs."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.register.shards import shard_of

HOSTS = st.text(min_size=1)
TOTALS = st.integers(1, 1000)


@given(HOSTS, TOTALS)
def test_every_host_belongs_to_one_shard_from_1_to_the_total(host: str, total: int) -> None:
    assert 1 <= shard_of(host, total) <= total


@given(HOSTS)
def test_one_shard_has_every_host(host: str) -> None:
    assert shard_of(host, 1) == 1


def test_a_host_belongs_to_the_same_shard_on_every_machine_and_day() -> None:
    hosts = ["www.rijksoverheid.nl", "www.gemeente.nl", "www.gemeente.nl:8443", "xn--caf-dma.nl"]

    assert [shard_of(host, 8) for host in hosts] == [3, 5, 8, 6]


def test_shards_are_about_equally_large() -> None:
    shares = Counter(shard_of(f"www.gemeente{number}.nl", 8) for number in range(8000))

    assert sorted(shares) == list(range(1, 9))
    assert all(850 < share < 1150 for share in shares.values())


def test_a_port_makes_another_host() -> None:
    shards = {shard_of(f"www.gemeente.nl:{port}", 100) for port in range(8000, 8100)}

    assert len(shards) > 30
