"""Which addresses the harvester may connect to: those of the public internet.

A publisher decides what its names and redirects point to, so a check of names is not enough: what counts
is the address to which the connection is made.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

#: RFC 6052: an IPv4 address in the last 32 bits.
NAT64 = IPv6Network("64:ff9b::/96")

#: Ways to write any IPv4 address as IPv6 that no site on the public internet uses: IPv4-compatible (RFC 4291,
#: 2.5.5.1), local NAT64 (RFC 8215) and 6to4 (RFC 7526). Python's ``is_global`` does not know them everywhere.
OBSOLETE = (IPv6Network("::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("2002::/16"))


class PrivateAddressError(OSError):
    """The host has an address that is not public; the message is that address."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet: not private, loopback, link-local or reserved."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        if any(ip in network for network in OBSOLETE):
            return False
        ip = ip.ipv4_mapped or _nat64(ip) or ip
    return ip.is_global and not ip.is_multicast


def _nat64(ip: IPv6Address) -> IPv4Address | None:
    return IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else None


def private_literal(host: str) -> bool:
    """Whether *host* is itself an IP address that is not public; names are judged when they are resolved."""
    try:
        return not is_public(host.strip("[]"))
    except ValueError:
        return False


class PublicResolver(AbstractResolver):
    """Resolves names to public addresses only; raises :class:`PrivateAddressError` where there is none."""

    def __init__(self) -> None:
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        public = [result for result in found if is_public(result["host"])]
        if found and not public:
            raise PrivateAddressError(found[0]["host"])
        return public

    async def close(self) -> None:
        await self._resolver.close()
