"""In processes of their own, since a limit that was lowered cannot be raised again."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from threading import Thread

import pytest
from aiohttp.helpers import is_ip_address
from hypothesis import given
from hypothesis import strategies as st

from tests.downloader.conftest import streamed
from tests.utils.command import Line, run_scrapy
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Authority
from woo_harvester.downloader.connections import (
    PrivateAddressError,
    PrivateResolver,
    Resolver,
    is_public,
    private_literal,
)

PROGRAM = """
import resource, sys
wanted, soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from woo_harvester.downloader.connections import most_connections
print(most_connections(wanted), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def test_connections_fit_into_the_files_that_may_be_open() -> None:
    for wanted, soft, hard, connections, limit in [
        (100, 1000, 1000, 100, 1000),
        (500, 300, 4000, 500, 4000),
        (1000, 256, 1000, 125, 1000),
        (1000, 64, 64, 1, 64),
        (0, 600, 600, 1, 600),
    ]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(wanted), str(soft), str(hard)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == [str(connections), str(limit)], (wanted, soft)


def test_addresses_of_the_public_internet_may_be_visited() -> None:
    for address in [
        *("145.100.190.243", "8.8.8.8", "192.0.1.1", "192.88.98.1", "223.255.255.255"),
        *("2001:4860:4860::8888", "2000::1", "2001:200::1", "2a02:1::1", "3ffe::1", "3fff:1000::1"),
        *("::ffff:8.8.8.8", "64:ff9b::808:808"),
    ]:
        assert is_public(address), address


def test_other_addresses_may_not() -> None:
    for address in [
        *("127.0.0.1", "127.255.0.9", "::1", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
        *("fd00::1", "169.254.1.1", "169.254.169.254", "fd00:ec2::254", "fe80::1"),
        *("fe80::1%eth0", "100.64.0.1", "0.0.0.0", "::", "255.255.255.255", "224.0.0.1"),
        *("239.1.2.3", "ff02::1", "ff0e::1", "240.0.0.1", "192.0.2.1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::7f00:1"),
        *("64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "::127.0.0.1", "2002:7f00:1::"),
        *("2002:a9fe:a9fe::1", "2002:808:808::1", "2001:0:7f00:1::", "2001:0:808:808::"),
        *("2001:1::1", "2001:2::1", "2001:20::1", "2001:1ff:ffff::1", "::8.8.8.8"),
        *("::ffff:0:7f00:1", "::ffff:0:808:808", "64:ff9b:1::808:808", "64:ff9b::c000:1"),
        *("fec0::1", "feff::1", "fe00::1", "5f00::1", "4000::1", "1fff::1", "100::1"),
        *("100:0:0:1::1", "200::1", "3fff::1", "3fff:fff::1", "2a02:1::1%eth0"),
        *("::ffff:8.8.8.8%1", "0.1.2.3", "192.0.0.1", "192.0.0.9", "192.88.99.1", "198.18.0.1"),
        *("198.19.255.255", "198.51.100.1", "203.0.113.1", "100.127.255.255"),
        "255.255.255.254",
    ]:
        assert not is_public(address), address


def test_a_host_that_is_itself_a_private_address_is_known_without_asking() -> None:
    for host in [
        *("127.0.0.1", "10.0.0.8", "[::1]", "::1", "169.254.169.254", "[::ffff:7f00:1]"),
        *("2130706433", "127.1", "0177.0.0.1", "0x7f000001", "0x7F.1", "127.0.0.1.", "017700000001"),
        *("[::ffff:0:7f00:1]", "[fec0::1]", "[4000::1]", "[2a02:1::1%25eth0]", "[v1.fe80::1]", "1.2.3.4.5"),
        *("\uff11\uff12\uff17.0.0.1", "\u00b9\u00b2\u2077.0.0.1", "8.8.8.8:53", "..1"),
    ]:
        assert private_literal(host), host


def test_names_and_public_addresses_are_judged_later_or_fine() -> None:
    for host in [
        *("8.8.8.8", "[2001:4860:4860::8888]", "www.a.nl", "localhost", "", "112.nl", "0x.nl"),
        "a.b.1x",
    ]:
        assert not private_literal(host), host


@given(st.from_regex(r"[0-9a-fA-FxX.:%\[\]v\uff11²]{1,20}", fullmatch=True))
def test_what_is_connected_to_without_asking_the_resolver_is_a_public_address(host: str) -> None:
    if is_ip_address(host) and not private_literal(host):
        assert is_public(host.strip("[]"))


def resolve(host: str) -> list[str]:
    async def run() -> list[str]:
        resolver = Resolver(public_only=True)
        try:
            return [result["host"] for result in await resolver.resolve(host, 443)]
        finally:
            await resolver.close()

    return asyncio.run(run())


def test_a_name_with_private_addresses_only_is_refused_with_the_address() -> None:
    with pytest.raises(PrivateAddressError, match=r"^127\.0\.0\.1$"):
        resolve("localhost")


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1"])
def test_an_address_in_disguise_is_judged_by_what_it_means(host: str) -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1|not known|resolve"):
        resolve(host)


def test_a_public_address_is_resolved_to_itself() -> None:
    assert resolve("8.8.8.8") == ["8.8.8.8"]


def test_a_resolver_of_hosts_that_may_be_private_notes_those_that_are() -> None:
    async def resolve() -> tuple[list[str], set[str]]:
        resolver = PrivateResolver()
        try:
            found = await resolver.resolve("localhost", 443)
        finally:
            await resolver.close()
        return [result["host"] for result in found], resolver.private_names

    addresses, names = asyncio.run(resolve())
    assert "127.0.0.1" in addresses
    assert names == {"localhost"}


# What is not wanted does not arrive: the connection is closed at once, whatever the server sends.


MEGABYTE = 1024 * 1024
SIZE = 260 * MEGABYTE
#: What may be on its way when the connection is closed: mostly the buffers of the two sockets.
UNDER_WAY = 12 * MEGABYTE
SETTINGS = """
STREAMING = "woo_harvester.downloader.streaming.StreamingDownloadHandler"
DOWNLOAD_HANDLERS = {"http": STREAMING, "https": STREAMING}
EXTENSIONS = {"woo_harvester.extensions.stopping.Stopping": 0}
COOKIES_ENABLED = RETRY_ENABLED = REDIRECT_ENABLED = TELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False
"""
#: A spider whose run does not end before the server says that it sends no more.
SPIDER = """
import asyncio, json, os, pathlib
from scrapy import Request, Spider

class Proef(Spider):
    name = "proef"

    async def start(self):
        given = json.load(open("request.json"))
        stops = given.pop("stops")
        yield Request(callback=self.parse, errback=self.failed, dont_filter=True, **given)
        if stops:
            await self.until("waiting")
            asyncio.create_task(self.crawler.stop_async())

    def parse(self, response):
        yield {"status": response.status, "size": response.size, "flags": response.flags}
        response.close()

    def failed(self, failure):
        pathlib.Path("failed").touch()
        yield {"error": failure.type.__name__}

    async def closed(self, reason):
        await self.until("ended")

    async def until(self, name):
        while not os.path.exists(name):
            await asyncio.sleep(0.05)
"""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
WITH_LENGTH = OK + b"Content-Length: %d\r\n\r\n" % SIZE
UNTIL_CLOSED = OK.replace(b"1.1", b"1.0") + b"\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BODY = b" " * 65536
CHUNK = b"10000\r\n%s\r\n" % BODY


@dataclass(frozen=True)
class Case:
    """A request, what the server sends to it without end, and what the spider is given."""

    outcome: Line | None
    """None for one that depends on what comes together."""
    start: bytes = WITH_LENGTH
    more: bytes = BODY
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    meta: Line = field(default_factory=dict)
    stops: bool = False
    tls: bool = True
    loop: str = "uvloop.Loop"


FAILED = {"error": "DownloadFailedError"}
SAMPLE = Case(
    {"status": 200, "size": 4096, "flags": ["maxsize"]},
    headers={"Range": "bytes=0-4095"},
    meta={"download_maxsize": 4096},
)
#: A line that is no header, many headers, and a long one, after an interim answer.
ODD = (
    b"HTTP/1.1 103 Early\r\nX=1;\r\n\r\n"
    + OK
    + b"X-XSS-Protection=1;\r\n"
    + b"X-A: b\r\n" * 130
    + b"X-B: %b\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhallo" % (b"x" * 9000)
)
CASES = {
    "sample": SAMPLE,
    "limit": Case(
        {"status": 200, "size": 100_000, "flags": ["maxsize"]},
        start=UNTIL_CLOSED,
        meta={"download_maxsize": 100_000},
    ),
    "headers only": Case(
        {"status": 200, "size": 0, "flags": []}, start=CHUNKED, more=CHUNK, meta={"woo_headers_only": True}
    ),
    "stop": Case({"error": "StoppedError"}, stops=True),
}
CASES |= {f"{name}, http": replace(case, tls=False) for name, case in CASES.items()} | {
    "sample, asyncio": replace(SAMPLE, loop="asyncio.SelectorEventLoop"),
    "coding": Case(
        {"status": 200, "size": 0, "flags": ["coding"]},
        start=OK + b"Content-Encoding: br\r\n\r\n",
        meta={"woo_decompress": True},
    ),
    **{
        f"body of status {status}": Case(
            {"status": status, "size": 256 * 1024, "flags": []},
            start=WITH_LENGTH.replace(b"200 OK\r\n", f"{status} X\r\nLocation: /\r\n".encode()),
            meta={"download_maxsize": SIZE, "woo_digest": True},
        )
        for status in (302, 404, 503)
    },
    "body after HEAD": Case(None, method="HEAD"),
    "odd headers": Case({"status": 200, "size": 5, "flags": []}, start=ODD),
    "chunk without a size": Case(FAILED, start=CHUNKED + b"zz\r\n", more=b"\r\n"),
    "second chunk without a size": Case(
        {"status": 200, "size": 1, "flags": ["dataloss"]}, start=CHUNKED + b"1\r\nx\r\nzz\r\n", more=b"\r\n"
    ),
    "header without end": Case(FAILED, start=OK + b"X: "),
    "headers without end": Case(FAILED, start=OK, more=b"X: y\r\n" * 10000),
    "no HTTP": Case(FAILED, start=b""),
    **{
        f"{name} without end": Case(
            {"status": 200, "size": 1, "flags": ["dataloss"]}, start=CHUNKED + start, more=more
        )
        for name, start, more in (
            ("chunk extension", b"1\r\nx\r\n1;", b"x" * 65536),
            ("size of a chunk", b"1\r\nx\r\n", b"0" * 65536),
            ("trailer", b"1\r\nx\r\n0\r\nX: ", BODY),
        )
    },
    "interim answers without end": Case(FAILED, start=b"", more=b"HTTP/1.1 102 Busy\r\n\r\n" * 3000),
}


class Talkative:
    """A server that sends all it wants to send, also to a client that ends TLS, and counts it."""

    def __init__(self, folder: Path, tls: ssl.SSLContext | None, case: Case) -> None:
        self.sent = 0
        """Bytes of the body, or of what comes in its place."""
        self._folder, self._tls, self._case = folder, tls, case
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        self.url = f"{'https' if tls else 'http'}://localhost:{self._socket.getsockname()[1]}/x"

    def serve(self) -> None:
        """Answer one request, until the client has gone or has all."""
        with self._socket, suppress(OSError):
            accepted, _ = self._socket.accept()
            with self._tls.wrap_socket(accepted, server_side=True) if self._tls else accepted as connection:
                connection.settimeout(30)
                connection.recv(65536)
                self._send(connection)
        (self._folder / "ended").touch()

    def _send(self, connection: socket.socket) -> None:
        connection.sendall(self._case.start)
        if self._case.stops:
            connection.sendall(self._case.more)
            (self._folder / "waiting").touch()
            wait_until((self._folder / "failed").exists, "the request is given up")
        while self.sent < SIZE:
            connection.sendall(self._case.more)
            self.sent += len(self._case.more)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_not_wanted_does_not_go_on_arriving(
    case: Case, tmp_path: Path, ca: Authority, ca_bundle: Path
) -> None:
    import_module(case.loop.partition(".")[0])
    server = Talkative(tmp_path, ca.server_context() if case.tls else None, case)
    request = streamed(server.url, method=case.method, headers=case.headers, **case.meta)
    (tmp_path / "request.json").write_text(json.dumps({**request, "stops": case.stops}))
    (tmp_path / "proef.py").write_text(SPIDER)
    (tmp_path / "instellingen.py").write_text(SETTINGS)
    thread = Thread(target=server.serve)
    thread.start()
    done = run_scrapy(
        ["runspider", "proef.py", "-O", "uit.jsonl"],
        tmp_path,
        ca_bundle,
        settings={"WOO_STOP_TIMEOUT": 2, "ASYNCIO_EVENT_LOOP": case.loop},
        env={"SCRAPY_SETTINGS_MODULE": "instellingen"},
    )
    thread.join()
    assert done.records == [case.outcome] or (case.outcome is None and done.records), done.stderr
    assert server.sent < UNDER_WAY
