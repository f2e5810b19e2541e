"""A set of documents: one bit a document."""

from __future__ import annotations

from collections.abc import Iterable

#: Documents whose bits lie in one piece: few, since the documents of one host lie together in most states,
#: and one piece for each of a host's documents would be too much where they do not.
PAGE = 512


class Listed:
    """A set of numbers of documents, an eighth of a byte each where they lie close together.

    A million documents are some 400 kB, whatever number the first of them has.
    """

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> bool:
        """Add a number; return False where it was there already."""
        page = self._pages.get(number >> 9)
        if page is None:
            page = self._pages[number >> 9] = bytearray(PAGE >> 3)
        index, bit = (number & 511) >> 3, 1 << (number & 7)
        if page[index] & bit:
            return False
        page[index] |= bit
        return True

    def __contains__(self, number: int) -> bool:
        page = self._pages.get(number >> 9)
        return page is not None and bool(page[(number & 511) >> 3] & 1 << (number & 7))

    def lacks(self, numbers: Iterable[int]) -> list[int]:
        """Return those of *numbers* that were not added."""
        return [number for number in numbers if number not in self]
