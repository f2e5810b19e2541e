"""Which documents were listed in this run: one bit a document."""

from __future__ import annotations

from collections.abc import Iterable


class Listed:
    """A set of document ids of the state, an eighth of a byte each: a million documents are 125 kB."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, number: int) -> bool:
        """Add an id; False where it was there already."""
        index, bit = number >> 3, 1 << (number & 7)
        if index >= len(self._bits):
            # Grown in steps, since ids come in ascending order.
            self._bits.extend(bytes(max(index + 1 - len(self._bits), len(self._bits) // 8, 1024)))
        if self._bits[index] & bit:
            return False
        self._bits[index] |= bit
        return True

    def lacks(self, numbers: Iterable[int]) -> list[int]:
        """Those of *numbers* that were not added. All documents of a host come by here."""
        bits = self._bits
        size = len(bits) << 3
        return [number for number in numbers if number >= size or not bits[number >> 3] & (1 << (number & 7))]
