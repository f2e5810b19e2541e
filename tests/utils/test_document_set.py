"""The set of document numbers: its size, and that it is a set."""

from __future__ import annotations

from sys import getsizeof

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.utils.document_set import DocumentSet


def size_of(numbers: DocumentSet) -> int:
    """Return its size in memory, in bytes."""
    pages = numbers._pages
    return getsizeof(pages) + sum(getsizeof(key) + getsizeof(page) for key, page in pages.items())


@pytest.mark.parametrize(
    ("added", "size"),
    [
        (range(1, 1_000_001), 500_000),
        (range(10**12 + 1, 10**12 + 1_000_001), 500_000),
        (range(0, 10**9, 10**6), 1000 * 300),
    ],
)
def test_a_number_takes_half_a_byte_beside_others_and_at_most_a_page(added: range, size: int) -> None:
    numbers = DocumentSet()
    for number in added:
        numbers.add(number)
    assert size_of(numbers) < size


@given(st.lists(st.integers(0, 5000) | st.integers(0, 2**62)))
def test_it_has_the_same_numbers_as_a_set(numbers: list[int]) -> None:
    documents, expected = DocumentSet(), set[int]()
    for number in numbers:
        assert documents.add(number) is (number not in expected)
        expected.add(number)
    asked = {*range(5100), *numbers, *(number + 1 for number in numbers)}
    assert asked.difference(documents.lacks(asked)) == expected
    assert {number for number in asked if number in documents} == expected


@given(st.sets(st.integers(0, 10**12)))
def test_it_gives_back_the_numbers_that_were_added(given: set[int]) -> None:
    numbers = DocumentSet()
    for number in given:
        numbers.add(number)
    assert sorted(numbers) == sorted(given)
