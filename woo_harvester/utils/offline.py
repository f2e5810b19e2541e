"""Whether this machine has a connection with the internet."""

from __future__ import annotations

import socket
from contextlib import suppress

#: Addresses that nobody has (RFC 5737, RFC 3849): nothing is sent to them, they only need a route.
_ADDRESSES = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))

#: A public name, which only a name server that does not answer leaves without an answer.
_NAME = "organisaties.overheid.nl"


def is_offline() -> bool:
    """Return whether there is no route to public addresses, or no name server that answers."""
    if not any(_has_route(*address) for address in _ADDRESSES):
        return True
    try:
        socket.getaddrinfo(_NAME, 443)
    except socket.gaierror as error:
        return error.errno == socket.EAI_AGAIN
    return False


def _has_route(family: socket.AddressFamily, address: str) -> bool:
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 443))
        return True
    return False
