"""Dividing the hosts over runs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.register.register import parse_shard, shard_of

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


def test_a_shard_is_written_as_its_number_and_the_total() -> None:
    assert parse_shard("1/1") == (1, 1)
    assert parse_shard("2/8") == (2, 8)


@pytest.mark.parametrize("text", ["", "2", "/", "2/", "/8", "0/8", "9/8", "-1/8", "a/8", "2/b", "1/2/3"])
def test_another_text_is_no_shard(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected a shard such as 2/8 .*, got '" + text):
        parse_shard(text)
