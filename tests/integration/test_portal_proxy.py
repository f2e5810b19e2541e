"""A real nginx with the configuration of ``deploy/nginx/portal.conf`` and docs/portal.md.

The pages and headers of the portal have tests of their own: here a small server stands in its place.
"""

from __future__ import annotations

import gzip
import http.client
import json
import os
import re
import socket
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

from tests.conftest import ROOT
from tests.utils.ports import free_port
from tests.utils.waiting import STUCK
from tests.utils.webservers import program, running

pytestmark = pytest.mark.integration

CONF = (ROOT / "deploy" / "nginx" / "portal.conf").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "portal.md").read_text(encoding="utf-8")
#: The parts of the page that are for nginx: TLS, and a path of another site.
SHOWN = re.findall(r"^```nginx\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

MAIN = """\
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  include {folder}/portal.conf;
}}
"""

ANSWERED = {
    "ETag": 'W/"0123abcd"',
    "Cache-Control": "public, max-age=300",
    "Vary": "Accept-Language",
    "Content-Security-Policy": "default-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Portal(BaseHTTPRequestHandler):
    """Answers with what it was asked, and the headers of a page."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.headers["If-None-Match"] == ANSWERED["ETag"]:
            self.answer(304, b"")
        else:
            self.answer(200, json.dumps({"path": self.path, **self.headers}).encode() + b" " * 2000)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        for name, value in ANSWERED.items():
            self.send_header(name, value)
        if status == 200:
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


class Proxy:
    """nginx that listens on a port of loopback."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, path: str, headers: Mapping[str, str] | None = None, *, body: bytes | None = None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Return the response to a request, and its body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(
            "GET" if body is None else "POST", path, body, {"Host": "woo.example.nl", **(headers or {})}
        )
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response, content

    def seen(self, path: str, headers: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the path and the headers that reached the portal."""
        response, body = self.ask(path, headers)
        assert response.status == 200
        found: dict[str, str] = json.loads(body)
        return found


@contextmanager
def proxy(config: str) -> Iterator[Proxy]:
    """Run nginx with this configuration, which ``nginx -t`` accepts, before a small server."""
    nginx = program("nginx", package="nginx-light")
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), Portal) as portal,
        TemporaryDirectory(prefix="woo-proxy-") as name,
    ):
        Thread(target=portal.serve_forever, daemon=True).start()
        folder, port = Path(name), free_port()
        folder.chmod(0o755)
        here = {
            "127.0.0.1:8080": f"127.0.0.1:{portal.server_port}",
            "listen 80;": f"listen 127.0.0.1:{port};",
        }
        for given, own in here.items():
            assert config.count(given) == 1
            config = config.replace(given, own)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "portal.conf").write_text(config, encoding="utf-8")
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), encoding="utf-8")
        command = [nginx, "-p", name, "-c", f"{name}/nginx.conf", "-e", f"{name}/error.log"]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert (checked.returncode, "[warn]" in checked.stderr) == (0, False), checked.stderr
        with running(command, port):
            yield Proxy(port)
        portal.shutdown()


@pytest.fixture(scope="module")
def whole() -> Iterator[Proxy]:
    """Return the proxy of a site that is the portal only."""
    with proxy(CONF) as made:
        yield made


def test_the_portal_learns_what_the_visitor_asked_for(whole: Proxy) -> None:
    seen = whole.seen("/document/1?a=%2F%20b")
    assert seen["path"] == "/document/1?a=%2F%20b"
    assert (seen["Host"], seen["X-Forwarded-Host"]) == ("woo.example.nl", "woo.example.nl")
    assert (seen["X-Forwarded-Proto"], seen["X-Forwarded-For"]) == ("http", "127.0.0.1")
    assert whole.seen("/", {"Host": "woo.example.nl:8443"})["X-Forwarded-Host"] == "woo.example.nl:8443"


def test_a_visitor_cannot_pretend_to_be_another(whole: Proxy) -> None:
    false = {
        "X-Forwarded-For": "10.0.0.1",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
    }
    seen = whole.seen("/", false)
    assert not set(false.values()) & set(seen.values())


def test_headers_for_caches_and_for_safety_go_on_as_they_are(whole: Proxy) -> None:
    response, packed = whole.ask("/", {"Accept-Encoding": "gzip"})
    asked = {**ANSWERED, "Vary": "Accept-Encoding, Accept-Language"}
    assert {name: response.getheader(name) for name in asked} == asked
    assert "Accept-Encoding" not in json.loads(
        gzip.decompress(packed)
    )  # nginx compresses, and the portal not
    assert response.getheader("Server", "").startswith(("nginx", "BaseHTTP"))
    assert "/" not in response.getheader("Server", ""), "no version"
    again, body = whole.ask("/", {"If-None-Match": ANSWERED["ETag"]})
    assert (again.status, again.getheader("ETag"), body) == (304, ANSWERED["ETag"], b"")


def test_a_question_is_posted_and_a_large_one_is_refused(whole: Proxy) -> None:
    assert whole.ask("/api/v0/zoek", body=b"{}")[0].status == 200
    assert whole.ask("/api/v0/zoek", body=b" " * 70_000)[0].status == 413


def test_who_asks_too_much_gets_429() -> None:
    slow = CONF.replace("rate=10r/s", "rate=1r/m")  # so that no machine is too slow for it
    assert slow != CONF
    with proxy(slow) as limited:
        statuses = Counter(limited.ask("/")[0].status for _ in range(60))
    assert statuses == {200: 41, 429: 19}


def test_a_request_that_does_not_come_is_ended_before_the_portal() -> None:
    short = CONF.replace("client_header_timeout 10s", "client_header_timeout 1s")
    assert short != CONF
    with proxy(short) as impatient, socket.create_connection(("127.0.0.1", impatient.port), STUCK) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: woo.example.nl\r\nX: ")
        assert slow.recv(1000) in (b"", b"HTTP/1.1 408 Request Time-out\r\n")


def test_below_a_path_of_another_site_the_portal_gets_its_own_addresses() -> None:
    _, prefixed = SHOWN
    begin = CONF.index("    location / {")
    site = f"{CONF[:begin]}{prefixed}}}\n"
    with proxy(site) as below:
        moved, _ = below.ask("/zoeken")
        assert (moved.status, moved.getheader("Location")) == (308, "/zoeken/")
        seen = below.seen("/zoeken/document/1?x=1")
        assert seen["path"] == "/document/1?x=1"
        assert seen["X-Forwarded-Host"] == "woo.example.nl"
        assert below.ask("/anders")[0].status == 404


def test_with_the_lines_for_tls_it_is_a_configuration_too(tmp_path: Path) -> None:
    from woo_harvester.demo.server import Authority

    pem = tmp_path / "server.pem"
    Authority().write_certificate(pem)
    tmp_path.chmod(0o755)
    lines = re.sub(r"/etc/letsencrypt/\S+\.pem", str(pem), SHOWN[0]).replace("443", str(free_port()))
    with proxy(CONF.replace("listen 80;", f"listen 80;\n{lines}")) as secured:
        assert secured.ask("/")[0].getheader("Strict-Transport-Security") == "max-age=31536000"
