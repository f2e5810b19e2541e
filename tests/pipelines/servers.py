"""Servers on loopback that speak S3 and FTP, each a process of its own."""

from __future__ import annotations

import socket
import socketserver
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tests.conftest import skip_or_fail
from tests.utils.guard import Server
from tests.utils.ports import free_port
from tests.utils.waiting import wait_until

USER, PASSWORD = "woo", "geheim"


@dataclass(frozen=True)
class S3Server:
    """One bucket, ``woo``."""

    url: str

    @property
    def settings(self) -> dict[str, Any]:
        """Those of Scrapy that lead to it."""
        return {
            "FILES_STORE": "s3://woo/documenten",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": USER,
            "AWS_SECRET_ACCESS_KEY": PASSWORD,
            "AWS_REGION_NAME": "eu-west-1",
            "FILES_STORE_S3_ACL": "public-read",  # so that a test can look
        }

    def read(self, key: str) -> tuple[bytes, str] | None:
        """What is stored, and its media type; None where nothing is."""
        with suppress(HTTPError), urlopen(f"{self.url}/woo/{key}") as answer:
            return answer.read(), answer.headers["Content-Type"]
        return None

    def make_bucket(self) -> None:
        urlopen(Request(f"{self.url}/woo", method="PUT")).close()


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A server that speaks S3 and has its bucket."""
    for module in ("moto", "flask", "botocore"):
        if find_spec(module) is None:
            skip_or_fail(f"needs the package {module}")
    port = free_port()
    with _process(["moto.server", "-H", "127.0.0.1", "-p", str(port)], port):
        server = S3Server(f"http://127.0.0.1:{port}")
        server.make_bucket()
        yield server


@contextmanager
def ftp_server(folder: Path, *, writable: bool = True) -> Iterator[str]:
    """A server whose files are those of *folder*; return its URL, with user and password."""
    if find_spec("pyftpdlib") is None:
        skip_or_fail("needs the package pyftpdlib")
    folder.mkdir(exist_ok=True)
    port = free_port()
    access = ["-d", str(folder), "-u", USER, "-P", PASSWORD, *(["-w"] if writable else [])]
    with _process(["pyftpdlib", "-i", "127.0.0.1", "-p", str(port), *access], port):
        yield f"ftp://{USER}:{PASSWORD}@127.0.0.1:{port}/documenten"


class Door:
    """Stands before an FTP server, and hangs up on the first clients instead of letting them in."""

    def __init__(self, url: str, *, hang_ups: int) -> None:
        self._url = urlsplit(url)
        left = iter(range(hang_ups))
        inside = ("127.0.0.1", self._url.port or 0)

        class Client(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                if next(left, None) is not None:
                    return
                with socket.create_connection(inside) as server:
                    answers = threading.Thread(target=_pass_on, args=(server, self.request), daemon=True)
                    answers.start()
                    _pass_on(self.request, server)
                    answers.join()

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Client)
        self._server.daemon_threads = True

    def __enter__(self) -> str:
        """The URL that leads through it."""
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        address = self._url.netloc.rpartition(":")[0]
        return self._url._replace(netloc=f"{address}:{self._server.server_address[1]}").geturl()

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def _process(module: Sequence[str], port: int) -> Iterator[None]:
    process = Server([sys.executable, "-m", *module], stdout=DEVNULL, stderr=DEVNULL)
    try:
        wait_until(lambda: _answers(port), f"{module[0]} comes up", lambda: process.poll() is None)
        yield
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
