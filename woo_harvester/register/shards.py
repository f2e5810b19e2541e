"""Divide the hosts over runs. All of a host is in one run, so its state and its request rate are too."""

from __future__ import annotations

from hashlib import sha256


def shard_of(host: str, total: int) -> int:
    """Return the shard of a host, from 1 to *total*. It depends only on a hash of the host."""
    return int.from_bytes(sha256(host.encode()).digest()[:8]) % total + 1


def parse_shard(text: str) -> tuple[int, int]:
    """Return the number and total of a shard such as ``2/8``. Raises ValueError for any other text."""
    number, _, total = text.partition("/")
    try:
        shard = (int(number), int(total))
    except ValueError:
        shard = (0, 0)
    if not 1 <= shard[0] <= shard[1]:
        raise ValueError(f"expected a shard such as 2/8 (the second of eight), got {text!r}")
    return shard
