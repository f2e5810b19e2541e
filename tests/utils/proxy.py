"""A proxy on loopback before a server, which does to bulk requests what a test asks for."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

Bulk = Callable[[int], int | None]
"""Called with the number of the bulk request, from 1. A status it returns is answered for the server."""


class Proxy(ThreadingHTTPServer):
    """Passes requests on; *bulk* is called before each bulk request."""

    daemon_threads = True

    def __init__(
        self, target: str, bulk: Bulk = lambda number: None, *, authority: Path | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.target = urlsplit(target)
        self.authority = authority
        self.bulk = bulk
        self.sent: Callable[[int], None] = lambda number: None
        """Called when the server has been sent a bulk request and has not answered it yet."""
        self.before: Callable[[int], None] = lambda number: None
        """Called with the number of each request, from 1, before the server has it."""
        self.asked = 0
        self.bulks = 0
        self.lost: tuple[str, str] | None = None
        """Method and path of a request that the server does, and whose answer becomes 504."""
        self.bodies: list[bytes] = []
        """The bulk requests that the server acknowledged, in order."""

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client or a server that goes away is what the tests are about."""


class Passing(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_POST(self) -> None:
        """Pass it on."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status = None
        self.server.asked += 1
        self.server.before(self.server.asked)
        bulk = "/_bulk" in self.path
        if bulk:
            self.server.bulks += 1
            status = self.server.bulk(self.server.bulks)
        if status is None:
            status, kind, content = self._ask(body, bulk=bulk)
            if (self.command, urlsplit(self.path).path) == self.server.lost:
                status = 504
        else:
            kind, content = "application/json", b'{"error": {"type": "busy", "reason": "too busy"}}'
        if bulk and status == 200:
            self.server.bodies.append(body)
        self.send_response(status)
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST  # noqa: N815  -- names of the standard library

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _ask(self, body: bytes, *, bulk: bool) -> tuple[int, str, bytes]:
        connection = self._connection()
        try:
            connection.request(self.command, self.path, body, dict(self.headers))
            if bulk:
                self.server.sent(self.server.bulks)
            answer = connection.getresponse()
            return answer.status, answer.headers.get("Content-Type", ""), answer.read()
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        target = self.server.target
        if target.scheme == "http":
            return http.client.HTTPConnection(str(target.hostname), target.port, timeout=60)
        context = ssl.create_default_context(cafile=self.server.authority)
        return http.client.HTTPSConnection(str(target.hostname), target.port, timeout=60, context=context)
