"""Divides the hosts over runs, so that state and politeness of a host stay together."""

from __future__ import annotations

from hashlib import sha256


def shard_of(host: str, total: int) -> int:
    """The shard, from 1 to *total*, that a host belongs to: stable, by a hash of the host."""
    return int.from_bytes(sha256(host.encode()).digest()[:8]) % total + 1


def parse_shard(text: str) -> tuple[int, int]:
    """Number and total of a shard such as ``2/8``. Raises ValueError."""
    number, slash, total = text.partition("/")
    try:
        shard = (int(number), int(total))
    except ValueError:
        shard = (0, 0)
    if not slash or not 1 <= shard[0] <= shard[1]:
        raise ValueError(f"expected a shard such as 2/8 (the second of eight), got {text!r}")
    return shard
