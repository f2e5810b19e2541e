"""A set of document numbers, one bit each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: Numbers in one page. Small pages cost little where the numbers of a host's documents are far apart; in most
#: states they are close together.
_PAGE = 512


class DocumentSet:
    """A set of document numbers, in pages of bits.

    A million documents take some 400 kB, wherever their numbers start.
    """

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> bool:
        """Add a number; return False if the set already had it."""
        page = self._pages.get(number >> 9)
        if page is None:
            page = self._pages[number >> 9] = bytearray(_PAGE >> 3)
        index, bit = (number & 511) >> 3, 1 << (number & 7)
        if page[index] & bit:
            return False
        page[index] |= bit
        return True

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers in the order of their pages."""
        for number, page in self._pages.items():
            bits = int.from_bytes(page, "little")
            while bits:
                lowest = bits & -bits
                yield (number << 9) + lowest.bit_length() - 1
                bits ^= lowest

    def __bool__(self) -> bool:
        """Return whether a number was ever added."""
        return bool(self._pages)

    def __contains__(self, number: int) -> bool:
        page = self._pages.get(number >> 9)
        return page is not None and bool(page[(number & 511) >> 3] & 1 << (number & 7))

    def lacks(self, numbers: Iterable[int]) -> list[int]:
        """Return those of *numbers* that are not in the set."""
        return [number for number in numbers if number not in self]
