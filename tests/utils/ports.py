"""Ports of this machine, for servers that must know theirs before they start."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def closed_ports(count: int) -> Iterator[list[int]]:
    """Keep ports of 127.0.0.1 that refuse each connection, so that no other process answers there."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        yield [int(each.getsockname()[1]) for each in taken]
