"""A server on loopback that speaks S3, a process of its own."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from subprocess import DEVNULL
from typing import Any
from urllib.error import HTTPError
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
