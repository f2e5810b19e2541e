"""Servers and answers that are slow, broken or malicious.

A :class:`RawSite` writes bytes to the connection itself, so that it can break every rule of HTTP; its
other pages are plain ones. Every behaviour ends by itself (``limit``) and at the end of the test.
What is wrong in content only (bombs, encodings) needs no such server: those are functions that give bytes.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from http import HTTPStatus

from woo_harvester.demo.server import Authority, Certificate, Handler, LoopbackServer, Page, Request
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE, XML_DECLARATION

MEGABYTE = 1024 * 1024
_URLSET = f'{XML_DECLARATION}<urlset xmlns="{SITEMAP_NAMESPACE}">'.encode()
_LINGER_NOTHING = struct.pack("ii", 1, 0)


class Exchange:
    """One request, and the connection on which to answer it."""

    def __init__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        self.request = request
        self._writer = writer

    async def send(self, data: bytes) -> None:
        """Send bytes as they are; waits while the client does not read."""
        self._writer.write(data)
        await self._writer.drain()

    async def head(self, status: int = 200, **headers: str | int) -> None:
        """Send a status line and headers; ``content_length=3`` is sent as ``Content-Length: 3``."""
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        await self.head_of(status, {"Content-Type": "application/xml", **named})

    async def head_of(self, status: int, headers: Mapping[str, str | int]) -> None:
        """Send a status line and exactly these headers, with ``Connection: close``."""
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def reset(self) -> None:
        """Break the connection off with a TCP reset instead of an orderly end."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOTHING)
        self._writer.transport.abort()


Behaviour = Callable[[Exchange], Awaitable[None]]
"""Answers a request, well or badly; the connection is closed after it."""


class RawSite(LoopbackServer):
    """A host of which some pages misbehave. ``limit``: seconds after which a connection is closed anyhow."""

    def __init__(
        self,
        authority: Authority,
        behaviours: Mapping[str, Behaviour],
        pages: Mapping[str, Page | Handler] | None = None,
        *,
        certificate: Certificate = Certificate.VALID,
        limit: float = 30.0,
    ) -> None:
        super().__init__(authority, pages, certificate=certificate)
        self.behaviours = dict(behaviours)
        self._limit = limit
        self._writers: set[asyncio.StreamWriter] = set()

    async def _serve(
        self, sock: socket.socket, tls: ssl.SSLContext, stopped: Callable[[], Awaitable[None]]
    ) -> None:
        server = await asyncio.start_server(self._connected, sock=sock, ssl=tls, ssl_shutdown_timeout=1)
        await stopped()
        server.close()
        for writer in list(self._writers):
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                async with asyncio.timeout(self._limit):
                    await self._exchange(await reader.readuntil(b"\r\n\r\n"), writer)
        finally:
            writer.close()
            with suppress(OSError, TimeoutError):
                await writer.wait_closed()
            self._writers.discard(writer)

    async def _exchange(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        first, *lines = head.decode("latin-1").splitlines()
        method, target, _ = first.split(" ")
        pairs = (line.partition(":") for line in lines if line)
        request = self._begin(method, target, [(name, value.strip()) for name, _, value in pairs])
        try:
            behaviour = self.behaviours.get(request.path, self._send_page)
            await behaviour(Exchange(request, writer))
        finally:
            self._end()

    async def _send_page(self, exchange: Exchange) -> None:
        page = self.find(exchange.request)
        await asyncio.sleep(page.delay)
        body = b"".join(page.chunks())
        headers = page.headers_for(exchange.request.path)
        await exchange.head_of(page.status, {**headers, "Content-Length": str(len(body))})
        if exchange.request.method != "HEAD":
            await exchange.send(body)


def truncated(body: bytes, missing: int = 1000, *, is_reset: bool = False) -> Behaviour:
    """The end of the connection, orderly or by a reset, while the Content-Length promised more."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(content_length=len(body) + missing)
        await exchange.send(body)
        if is_reset:
            await asyncio.sleep(0.1)  # a reset overtakes what is still on its way
            exchange.reset()

    return behave


def truncated_chunks(body: bytes) -> Behaviour:
    """A chunked body without its last chunk."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(transfer_encoding="chunked")
        await exchange.send(_chunk(body))

    return behave


async def reset_before_headers(exchange: Exchange) -> None:
    """A reset of the connection instead of an answer."""
    exchange.reset()


async def silent(exchange: Exchange) -> None:
    """A connection that stays open without an answer."""
    await asyncio.Event().wait()


def dripping(body: bytes, interval: float = 1.0) -> Behaviour:
    """A byte of the body every so many seconds."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(content_length=len(body))
        for byte in body:
            await exchange.send(bytes([byte]))
            await asyncio.sleep(interval)

    return behave


def dripping_headers(interval: float = 1.0) -> Behaviour:
    """A header that never ends, a byte every so many seconds."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\nX-Traag: ")
        while True:
            await exchange.send(b"x")
            await asyncio.sleep(interval)

    return behave


def endless(start: bytes = b"", more: bytes = b" " * 65536, interval: float = 0.0) -> Behaviour:
    """A chunked body without end: first ``start``, then ``more`` for ever."""

    async def behave(exchange: Exchange) -> None:
        await exchange.head(transfer_encoding="chunked")
        if start:  # an empty chunk would be the last one
            await exchange.send(_chunk(start))
        while True:
            await exchange.send(_chunk(more))
            await asyncio.sleep(interval)

    return behave


def raw(answer: bytes) -> Behaviour:
    """These bytes as the whole answer, HTTP or not."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send(answer)

    return behave


def busy(page: Page, times: int = 1, status: int = 503, retry_after: str | int = 1) -> Handler:
    """The first requests get this status with Retry-After, the next ones the page."""
    left = iter(range(times))
    refusal = Page(status=status, headers={"Retry-After": str(retry_after)}, content_type="text/plain")

    def handle(_: Request) -> Page:
        return page if next(left, None) is None else refusal

    return handle


@cache
def gzip_bomb(size: int = 300 * MEGABYTE) -> bytes:
    """A sitemap of one long run of spaces: ``size`` when unpacked, a thousandth of it before."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(_URLSET)]
    parts += [packer.compress(b" " * MEGABYTE) for _ in range(size // MEGABYTE)]
    return b"".join([*parts, packer.compress(b"</urlset>"), packer.flush()])


def entity_bomb(loc: str) -> bytes:
    """A sitemap whose title is ten thousand million words once its entities are expanded."""
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 11))
    return _with_doctype(f'<!ENTITY e0 "lol">{entities}', f"<url><loc>{loc}?&e10;</loc></url>")


def external_entity(loc: str, target: str = "file:///etc/passwd") -> bytes:
    """A sitemap that asks its reader for a file (or a URL) of the reader's own machine."""
    return _with_doctype(f'<!ENTITY x SYSTEM "{target}">', f"<url><loc>{loc}?&x;</loc></url>")


#: Ways to write a right sitemap that a strict reader may refuse, by name; each takes its bytes in UTF-8.
ODD_BYTES: Mapping[str, Callable[[bytes], bytes]] = {
    "byte order mark": lambda body: b"\xef\xbb\xbf" + body,
    "white space first": lambda body: b"\r\n  " + body,
    "UTF-16": lambda body: body.decode().replace('"UTF-8"', '"UTF-16"').encode("utf-16"),
    "declared UTF-16, is UTF-8": lambda body: body.replace(b'"UTF-8"', b'"UTF-16"'),
    "declared UTF-8, is Latin-1": lambda body: body.replace(b"</loc>", b"?\xe9</loc>"),
    "unknown encoding": lambda body: body.replace(b'"UTF-8"', b'"klingon"'),
    "NUL bytes": lambda body: body.replace(b"<url>", b"\x00<url>"),
    "control characters": lambda body: body.replace(b"<loc>", b"<loc>\x08"),
    "gzip": gzip.compress,
    "gzip twice": lambda body: gzip.compress(gzip.compress(body)),
    "gzip cut short": lambda body: gzip.compress(body)[:-20],
    "rubbish after the end": lambda body: body + b"</div>\x00\xff<?php",
    "only zeros": lambda body: bytes(len(body)),
    "nothing": lambda body: b"",
}


def _with_doctype(entities: str, entry: str) -> bytes:
    doctype = f"<!DOCTYPE urlset [{entities}]>"
    return f'{XML_DECLARATION}{doctype}<urlset xmlns="{SITEMAP_NAMESPACE}">{entry}</urlset>'.encode()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)
