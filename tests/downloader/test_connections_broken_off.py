"""What is not wanted does not arrive: the connection is closed at once, whatever the server sends."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import pytest

from tests.downloader.conftest import streamed
from tests.utils.command import Line, run_scrapy
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Authority

MEGABYTE = 1024 * 1024
SIZE = 260 * MEGABYTE
#: What may be on its way when the connection is closed: mostly the buffers of the two sockets.
UNDER_WAY = 12 * MEGABYTE
UVLOOP = "uvloop.Loop"
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


SAMPLE = Case(
    {"status": 200, "size": 4096, "flags": ["maxsize"]},
    headers={"Range": "bytes=0-4095"},
    meta={"download_maxsize": 4096},
)
LIMIT = Case(
    {"status": 200, "size": 100_000, "flags": ["maxsize"]},
    start=UNTIL_CLOSED,
    meta={"download_maxsize": 100_000},
)
HEADERS = Case(
    {"status": 200, "size": 0, "flags": []}, start=CHUNKED, more=CHUNK, meta={"woo_headers_only": True}
)
STOP = Case({"error": "StoppedError"}, stops=True)
FAILED = {"error": "DownloadFailedError"}


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


@pytest.mark.parametrize(
    ("case", "tls", "loop"),
    [
        *(
            pytest.param(case, tls, UVLOOP, id=f"{name}, {'https' if tls else 'http'}")
            for name, case in {
                "sample": SAMPLE,
                "limit": LIMIT,
                "headers only": HEADERS,
                "stop": STOP,
            }.items()
            for tls in (True, False)
        ),
        pytest.param(SAMPLE, True, "asyncio.SelectorEventLoop", id="sample, asyncio"),
        pytest.param(
            Case(
                {"status": 200, "size": 0, "flags": ["coding"]},
                start=OK + b"Content-Encoding: br\r\n\r\n",
                meta={"woo_decompress": True},
            ),
            True,
            UVLOOP,
            id="coding",
        ),
        *(
            pytest.param(
                Case(
                    {"status": status, "size": 256 * 1024, "flags": []},
                    start=WITH_LENGTH.replace(b"200 OK\r\n", f"{status} X\r\nLocation: /\r\n".encode()),
                    meta={"download_maxsize": SIZE, "woo_digest": True},
                ),
                True,
                UVLOOP,
                id=f"body of status {status}",
            )
            for status in (302, 404, 503)
        ),
        pytest.param(Case(None, method="HEAD"), True, UVLOOP, id="body after HEAD"),
        pytest.param(Case(FAILED, start=OK + b"X: "), True, UVLOOP, id="header without end"),
        pytest.param(
            Case(FAILED, start=OK, more=b"X: y\r\n" * 10000), True, UVLOOP, id="headers without end"
        ),
        pytest.param(Case(FAILED, start=b""), True, UVLOOP, id="no HTTP"),
        *(
            pytest.param(
                Case({"status": 200, "size": 1, "flags": ["dataloss"]}, start=CHUNKED + start, more=more),
                True,
                UVLOOP,
                id=name,
            )
            for name, start, more in (
                ("chunk extension without end", b"1\r\nx\r\n1;", b"x" * 65536),
                ("size of a chunk without end", b"1\r\nx\r\n", b"0" * 65536),
                ("trailer without end", b"1\r\nx\r\n0\r\nX: ", BODY),
            )
        ),
        pytest.param(
            Case(FAILED, start=b"", more=b"HTTP/1.1 102 Busy\r\n\r\n" * 3000),
            True,
            UVLOOP,
            id="interim answers without end",
        ),
    ],
)
def test_what_is_not_wanted_does_not_go_on_arriving(
    case: Case, tls: bool, loop: str, tmp_path: Path, ca: Authority, ca_bundle: Path
) -> None:
    server = Talkative(tmp_path, ca.server_context() if tls else None, case)
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
        settings={"WOO_STOP_TIMEOUT": 2, "ASYNCIO_EVENT_LOOP": loop},
        env={"SCRAPY_SETTINGS_MODULE": "instellingen"},
    )
    thread.join()
    assert done.records == [case.outcome] or (case.outcome is None and done.records), done.stderr
    assert server.sent < UNDER_WAY
