from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.state.listed import Listed


def test_a_number_is_new_once() -> None:
    listed = Listed()
    assert listed.add(7)
    assert not listed.add(7)
    assert listed.lacks([7, 8]) == [8]


def test_nothing_is_listed_at_first() -> None:
    assert Listed().lacks([0, 10**9]) == [0, 10**9]


def test_a_million_documents_take_an_eighth_of_a_byte_each() -> None:
    listed = Listed()
    for number in range(0, 1_000_000, 1000):
        listed.add(number)
    listed.add(999_999)
    assert len(listed._bits) < 150_000


@given(st.lists(st.integers(0, 5000)))
def test_it_holds_what_a_set_holds(numbers: list[int]) -> None:
    listed, expected = Listed(), set[int]()
    for number in numbers:
        assert listed.add(number) is (number not in expected)
        expected.add(number)
    assert set(range(5100)).difference(listed.lacks(range(5100))) == expected
