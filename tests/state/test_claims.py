"""Sets of document numbers that processes share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from woo_harvester.state.claims import Claims


@pytest.fixture
def claims() -> Iterator[Claims]:
    with closing(Claims()) as made:
        yield made


def test_a_number_is_added_once(claims: Claims) -> None:
    expected, supplied = claims.of_bit(0), claims.of_bit(1)
    assert 7 not in expected
    assert expected.add(7)
    assert not expected.add(7)
    assert (7 in expected, 7 in supplied, 8 in expected) == (True, False, False)
    assert supplied.add(7)
    assert 2**40 not in expected


def test_of_several_processes_one_gets_each_number(claims: Claims) -> None:
    expected = claims.of_bit(0)
    pipes = []
    for _ in range(4):
        reading, writing = os.pipe()
        if not os.fork():
            os.write(writing, bytes(number for number in range(200) if expected.add(number)))
            os._exit(0)
        os.close(writing)
        pipes.append(reading)
    got: list[int] = []
    for reading in pipes:
        while block := os.read(reading, 4096):
            got.extend(block)
        os.close(reading)
    for _ in pipes:
        os.wait()
    assert sorted(got) == list(range(200))
