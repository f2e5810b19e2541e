from __future__ import annotations

from sys import getsizeof

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.state.permit_history import DocumentSet


def test_a_number_is_new_only_once() -> None:
    numbers = DocumentSet()
    assert numbers.add(7)
    assert not numbers.add(7)
    assert numbers.lacks([7, 8]) == [8]


def test_a_new_set_is_empty() -> None:
    assert DocumentSet().lacks([0, 10**9]) == [0, 10**9]


def size_of(numbers: DocumentSet) -> int:
    """Return its size in memory, in bytes."""
    pages = numbers._pages
    return getsizeof(pages) + sum(getsizeof(key) + getsizeof(page) for key, page in pages.items())


def test_a_million_consecutive_numbers_take_half_a_byte_each() -> None:
    for first in (1, 10**12 + 1):
        numbers = DocumentSet()
        for number in range(first, first + 1_000_000):
            numbers.add(number)
        assert size_of(numbers) < 500_000


def test_numbers_that_are_far_apart_take_at_most_a_page_each() -> None:
    numbers = DocumentSet()
    for number in range(0, 10**9, 10**6):
        numbers.add(number)
    assert size_of(numbers) < 1000 * 300


def test_a_number_is_in_the_set_after_it_was_added() -> None:
    numbers = DocumentSet()
    numbers.add(511)
    assert 511 in numbers
    assert 512 not in numbers
    assert 10**15 not in numbers


@given(st.lists(st.integers(0, 5000) | st.integers(0, 2**62)))
def test_it_has_the_same_numbers_as_a_set(numbers: list[int]) -> None:
    documents, expected = DocumentSet(), set[int]()
    for number in numbers:
        assert documents.add(number) is (number not in expected)
        expected.add(number)
    asked = {*range(5100), *numbers, *(number + 1 for number in numbers)}
    assert asked.difference(documents.lacks(asked)) == expected
    assert {number for number in asked if number in documents} == expected


def test_a_number_that_is_discarded_can_be_added_again() -> None:
    numbers = DocumentSet()
    assert not numbers
    numbers.discard(7)
    for number in (7, 8, 511, 512):
        numbers.add(number)
    numbers.discard(7)
    numbers.discard(513)
    assert numbers
    assert numbers.lacks([7, 8, 511, 512]) == [7]
    assert numbers.add(7)
    assert not numbers.add(7)


@given(st.sets(st.integers(0, 10**12)))
def test_it_gives_back_the_numbers_that_were_added(given: set[int]) -> None:
    numbers = DocumentSet()
    for number in given:
        numbers.add(number)
    assert sorted(numbers) == sorted(given)
