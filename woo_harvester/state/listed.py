"""Which documents were listed in this run: one bit a document."""

from __future__ import annotations


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

    def __contains__(self, number: int) -> bool:
        index = number >> 3
        return index < len(self._bits) and bool(self._bits[index] & (1 << (number & 7)))
