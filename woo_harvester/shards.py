"""Divides the hosts over runs, so that state and politeness of a host stay together."""

from __future__ import annotations

from hashlib import sha256


def shard_of(host: str, total: int) -> int:
    """The shard, from 1 to *total*, that a host belongs to: stable, by a hash of the host."""
    return int.from_bytes(sha256(host.encode()).digest()[:8]) % total + 1
