"""The connections that the harvester may make: how many, and to which addresses.

A publisher decides which addresses its names and redirects point to. So a check of names is not enough: the
address of the connection itself is checked.
"""

from __future__ import annotations

import asyncio
import re
import resource
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, cast

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError
from aiohttp.streams import StreamReader

from woo_harvester.downloader.heads import HEAD_END, HeadError, check_head, rewritten

#: Names that are resolved at once. A name server that does not answer blocks a thread for half a minute.
_THREADS = 32

#: A result of ``getaddrinfo``. Its last part is host and port, with two more numbers for IPv6.
_AddressInfo = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[Any, ...]]

#: IPv6 addresses with an IPv4 address in the last 32 bits (RFC 6052).
_NAT64 = IPv6Network("64:ff9b::/96")

#: The IPv6 addresses that are given out for the public internet (RFC 3587, 3). Python's ``is_global`` is also
#: true for addresses outside it, which nobody has, and which a network may use within.
_GIVEN_OUT = IPv6Network("2000::/3")

#: Special networks that no site on the public internet uses. Python's ``is_global`` knows some of them; which
#: ones depends on its version.
_SPECIAL = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # IETF protocol assignments (RFC 6890)
        "192.88.99.0/24",  # relays of 6to4 (RFC 7526)
        "2001::/23",  # IETF protocol assignments, Teredo among them (RFC 2928)
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4: any IPv4 address written as IPv6 (RFC 7526)
        "3fff::/20",  # documentation (RFC 9637)
    )
)

#: Notations of an IPv4 address that the C library accepts (inet_aton), besides four decimal numbers.
_OLD_ADDRESS = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)(?:\.(?:0[xX][0-9a-fA-F]*|[0-9]+)){0,3}\.?")


class PrivateAddressError(OSError):
    """The host has an address that is not public; the message is that address."""


def is_public(address: str) -> bool:
    """Return whether an IP address is public: not private, loopback, link-local or reserved.

    Raises ValueError if *address* is no IP address.
    """
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None:  # an address on one network only
            return False
        ip = ip.ipv4_mapped or _nat64(ip) or ip
    if isinstance(ip, IPv6Address) and ip not in _GIVEN_OUT:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _SPECIAL)


def _nat64(ip: IPv6Address) -> IPv4Address | None:
    return IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None


def private_literal(host: str) -> bool:
    """Return whether *host* is itself an IP address that is not public; names are checked when resolved.

    Old ways to write an address, such as 2130706433 or 127.1, count as not public: no name is all digits. So
    does anything else that aiohttp connects to without asking the resolver: digits and dots, or a colon.
    """
    try:
        return not is_public(host.strip("[]"))
    except ValueError:
        is_number = ":" in host or host.replace(".", "").isdigit()
        return is_number or _OLD_ADDRESS.fullmatch(host) is not None


class Resolver(AbstractResolver):
    """A resolver of names with threads of its own, for the hundreds of names at the start of a run.

    With *public_only*, it returns public addresses only. It raises :class:`PrivateAddressError` if a name has
    none. aiohttp connects to exactly these addresses, so a name cannot change after the check.
    """

    def __init__(self, *, public_only: bool) -> None:
        self._public_only = public_only
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="resolver")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        ask = partial(
            socket.getaddrinfo,
            host,
            port,
            family=family,
            type=socket.SOCK_STREAM,
            flags=socket.AI_ADDRCONFIG,
        )
        answers = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        # Leave out addresses with a scope: those are link-local.
        found = [_result(host, answer) for answer in answers if not (len(answer[4]) == 4 and answer[4][3])]
        if not self._public_only:
            return found
        public = [result for result in found if is_public(result["host"])]
        return public if public or not answers else self._private(host, found, str(answers[0][4][0]))

    def _private(self, host: str, found: list[ResolveResult], address: str) -> list[ResolveResult]:
        """Return the addresses to use of a name that has no public one."""
        raise PrivateAddressError(address)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class PrivateResolver(Resolver):
    """A resolver for hosts that may be private: it returns other addresses if a name has no public one."""

    def __init__(self) -> None:
        super().__init__(public_only=True)
        self.private_names: set[str] = set()
        """The names that were found to have no public address."""

    def _private(self, host: str, found: list[ResolveResult], address: str) -> list[ResolveResult]:
        self.private_names.add(host)
        return found


def _result(host: str, answer: _AddressInfo) -> ResolveResult:
    family, _, protocol, _, address = answer
    return ResolveResult(
        hostname=host,
        host=str(address[0]),
        port=int(address[1]),
        family=family,
        proto=protocol,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )


#: Number of files that are open for other purposes: state, feeds, report, libraries, workers, the 257 folders
#: of the store, and its documents that are not durable yet.
_OTHER_FILES = 500

#: Number of files to allow for each active connection, such as an idle connection and a temporary file.
_FILES_PER_CONNECTION = 4

#: Bytes that an answer may have besides its body, and so many more for each byte of the body: headers,
#: interim answers, and what is around chunks. aiohttp limits neither the number of interim answers, nor what
#: follows the size of a chunk.
_OVERHEAD, _OVERHEAD_RATIO = 1024 * 1024, 10


def most_connections(wanted: int) -> int:
    """Return *wanted*, or fewer if the limit of open files allows no more; at least one.

    Raise the soft limit of this process to the hard limit. The usual 1,024 is less than the hosts of a run
    can need, and an error about too many open files would look like the publisher's fault.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    allowed = wanted if hard == resource.RLIM_INFINITY else (hard - _OTHER_FILES) // _FILES_PER_CONNECTION
    return max(1, min(wanted, allowed))


class Connector(aiohttp.TCPConnector):
    """A connector whose connections end at once when they are closed, whatever the server still sends."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._factory = cast(
            "partial[ResponseHandler]", partial(_Connection, loop=asyncio.get_running_loop())
        )


class _Connection(ResponseHandler):
    """A connection that is aborted where aiohttp closes it, and where the server sends what nobody asked for.

    To close a connection in order is to wait for the server's end of TLS, for up to half a minute. uvloop
    goes on receiving until then: all of a body of which only the beginning was wanted.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._body: StreamReader | None = None
        self._received = 0
        self._head = bytearray()
        """The headers of an answer that are not complete yet."""

    def set_response_params(self, **params: Any) -> None:
        """Expect the answer to the next request."""
        self._body, self._received = None, 0
        super().set_response_params(**params)

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Receive the headers of an answer. An interim one (RFC 9110, 15.2) is not yet the answer."""
        message, body = data
        self._body = None if 100 <= message.code < 200 else body
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        if data and self._body is not None and not self.should_close:  # the answer is complete
            self.abort()
            return
        self._received += len(data)
        try:
            if data and self._body is None:
                self._receive_heads(data)
            else:  # without data, aiohttp goes on with what it has
                super().data_received(data)
        except HeadError as error:
            self.set_exception(error)
        size = self._body.total_bytes if self._body is not None else 0
        if self._received > _OVERHEAD + (1 + _OVERHEAD_RATIO) * size:
            self.set_exception(BadHttpMessage(f"{self._received} bytes with a body of {size} bytes in them"))

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        """End the answer by an error. If it is no HTTP, end the connection, and the body as well."""
        if isinstance(exc, HttpProcessingError):
            exc = aiohttp.ClientPayloadError(f"no HTTP answer: {' '.join(exc.message.split())}")
            if self._body is not None and not self._body.is_eof():  # later: what came before it is read first
                asyncio.get_running_loop().call_soon(self._body.set_exception, exc)
            if self.transport is not None:
                self.transport.abort()
        super().set_exception(exc, *cause)

    def _receive_heads(self, data: bytes) -> None:
        """Hand on the head of each answer once it is complete, and what came of a body after them."""
        while self._body is None and (head := self._complete_head(data)):
            super().data_received(head)
            data = bytes(self._head)
            self._head.clear()
        if data and self._body is not None:
            super().data_received(data)

    def _complete_head(self, data: bytes) -> bytes:
        """Return the head for aiohttp once it is complete; nothing before that. What follows it is left."""
        checked = max(0, len(self._head) - 3)
        self._head += data if self._head else data.lstrip(b"\r\n")
        end = HEAD_END.search(self._head, checked)
        head = self._head[: end.end()] if end else self._head
        check_head(head)
        if end is None:
            return b""
        del self._head[: len(head)]
        return rewritten(head)

    def close(self) -> None:
        self.abort()
