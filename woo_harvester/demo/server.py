"""HTTPS servers on loopback, with certificates of a private authority that is made for one run."""

from __future__ import annotations

import asyncio
import mimetypes
import socket
import ssl
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Self

import trustme

#: Names under which a loopback site can be reached.
_LOOPBACK_NAMES = ("localhost", "*.localhost", "127.0.0.1", "::1")
#: A name that no loopback site has (RFC 2606 reserves ``.example``).
_OTHER_NAME = "een-andere-naam.example"


class Certificate(Enum):
    """The kind of certificate that a site sends."""

    VALID = "valid"
    EXPIRED = "expired"
    """A certificate with the right name and authority that has expired."""
    WRONG_NAME = "wrong name"
    """A certificate of the right authority for another host."""
    UNKNOWN_AUTHORITY = "unknown authority"
    """A certificate with the right name from an untrusted authority."""
    COMPLETE_CHAIN = "complete chain"
    """A certificate of an intermediate authority, whose certificate the server sends too."""
    INCOMPLETE_CHAIN = "incomplete chain"
    """A certificate of an intermediate authority, whose certificate the server does not send."""
    SELF_SIGNED = "self-signed"
    """A certificate signed with its own key."""


class Authority:
    """A certificate authority for one run. A client that trusts its bundle trusts its sites."""

    def __init__(self) -> None:
        self._ca = trustme.CA(organization_name="woo-harvester demo")

    def server_context(
        self, certificate: Certificate = Certificate.VALID, names: Iterable[str] = _LOOPBACK_NAMES
    ) -> ssl.SSLContext:
        """Return the TLS context of a server with this kind of certificate, for these names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate is Certificate.SELF_SIGNED:
            own = trustme.CA()
            _load(context, [own.private_key_pem.bytes(), own.cert_pem.bytes()])
            return context
        issued = self._issue(certificate, *names)
        if certificate is Certificate.INCOMPLETE_CHAIN:
            _load(context, [issued.private_key_pem.bytes(), issued.cert_chain_pems[0].bytes()])
        else:
            issued.configure_cert(context)
        return context

    def client_context(self) -> ssl.SSLContext:
        """Return the TLS context of a client that trusts only this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._ca.configure_trust(context)
        return context

    def write_bundle(self, path: Path) -> Path:
        """Write the authority's certificate as PEM, for ``SSL_CERT_FILE``; return the path."""
        self._ca.cert_pem.write_to_path(str(path))
        return path

    def write_certificate(self, path: Path) -> Path:
        """Write a valid certificate with its key as PEM, for another server; return the path."""
        self._issue(Certificate.VALID, *_LOOPBACK_NAMES).private_key_and_cert_chain_pem.write_to_path(
            str(path)
        )
        return path

    def _issue(self, certificate: Certificate, *names: str) -> trustme.LeafCert:
        match certificate:
            case Certificate.VALID:
                return self._ca.issue_cert(*names)
            case Certificate.EXPIRED:
                return self._ca.issue_cert(*names, not_after=datetime(2020, 1, 1, tzinfo=UTC))
            case Certificate.WRONG_NAME:
                return self._ca.issue_cert(_OTHER_NAME)
            case Certificate.UNKNOWN_AUTHORITY:
                return trustme.CA().issue_cert(*names)
            case Certificate.COMPLETE_CHAIN | Certificate.INCOMPLETE_CHAIN:
                return self._ca.create_child_ca().issue_cert(*names)
            case Certificate.SELF_SIGNED:
                raise ValueError("No authority issues it")


def _load(context: ssl.SSLContext, pems: list[bytes]) -> None:
    """Load keys and certificates by way of a file, since Python reads them only from files."""
    with NamedTemporaryFile(suffix=".pem") as file:
        file.write(b"".join(pems))
        file.flush()
        context.load_cert_chain(file.name)


#: Seconds in which a server must start or stop.
_START_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a server received it."""

    method: str
    target: str
    """Path and query as received, percent-encoding included."""
    headers: Mapping[str, str]
    """Values by lower-case name."""
    at: float
    """Moment on the monotonic clock, in seconds."""

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True, slots=True)
class Page:
    """An answer. Its body is bytes, text (sent as UTF-8), or a function that returns its chunks."""

    body: bytes | str | Callable[[], Iterable[bytes]] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = None
    """Media type; None for that of the path's extension."""
    delay: float = 0.0
    """Seconds between the request and the first byte of the answer."""

    @property
    def content(self) -> bytes | None:
        """The complete body, or None for one that is streamed."""
        if isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body in pieces."""
        content = self.content
        yield from self.body() if callable(self.body) else (content or b"",)

    def headers_for(self, path: str) -> dict[str, str]:
        """Return the headers with a Content-Type, which is guessed from the path if none was given."""
        headers = dict(self.headers)
        if not any(name.lower() == "content-type" for name in headers):
            guessed = mimetypes.guess_type(path)[0] or "application/octet-stream"
            headers["Content-Type"] = self.content_type or guessed
        return headers

    def is_known_by(self, request: Request) -> bool:
        """Return whether the client has this version already, by ETag or Last-Modified (RFC 9110, 13.1)."""
        etag, modified = self.headers.get("ETag"), self.headers.get("Last-Modified")
        if "if-none-match" in request.headers:
            return etag is not None and request.headers["if-none-match"] == etag
        return modified is not None and request.headers.get("if-modified-since") == modified


Handler = Callable[[Request], Page]
"""A function that makes the page for a request."""
Pages = dict[str, Page | Handler]
"""Pages by path. A key with a query (``/x?page=1``) goes first, one that ends in ``*`` (a prefix) last."""

_NOT_FOUND = Page("Niet gevonden\n", status=404, content_type="text/plain; charset=utf-8")


def redirect(to: str, status: int = 302) -> Page:
    """Return a page that redirects the client."""
    return Page(status=status, headers={"Location": to}, content_type="text/plain")


class LoopbackServer(ABC):
    """A server on 127.0.0.1 in a thread of its own; ``with`` starts and stops it."""

    def __init__(
        self,
        authority: Authority,
        pages: Mapping[str, Page | Handler] | None = None,
        *,
        certificate: Certificate = Certificate.VALID,
        name: str = "localhost",
    ) -> None:
        self.pages: Pages = dict(pages or {})
        self.requests: list[Request] = []
        self.most_at_once = 0
        """The largest number of requests in progress at the same time."""
        self._now_busy = 0
        self._name = name
        self._tls = authority.server_context(certificate)
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._socket.getsockname()[1]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name=f"{self._name}:{self.port}", daemon=True)

    @property
    def host(self) -> str:
        """Name and port, as in the register and in reports."""
        return f"{self._name}:{self.port}"

    def url(self, path: str = "/") -> str:
        """Return the URL of a page on this server."""
        return f"https://{self.host}{path}"

    def requested(self, path: str) -> list[Request]:
        """Return the requests for a path. The query is compared only if *path* has one."""
        return [request for request in list(self.requests) if path in (request.path, request.target)]

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(_START_TIMEOUT):
            raise RuntimeError(f"The server on {self.host} did not start")
        return self

    def __exit__(self, *_: object) -> None:
        loop, self._loop = self._loop, None
        if loop is not None:  # None if it has stopped already
            loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_START_TIMEOUT)
        self._socket.close()

    def find(self, request: Request) -> Page:
        """Return the page for this request: 404 if there is none, 304 if the client has it already."""
        page = self._lookup(request)
        if not isinstance(page, Page):
            page = page(request)
        if page.status == 200 and page.is_known_by(request):
            return Page(
                status=304, headers={k: v for k, v in page.headers.items() if k in ("ETag", "Last-Modified")}
            )
        return page

    def _lookup(self, request: Request) -> Page | Handler:
        for key in (request.target, request.path):
            if key in self.pages:
                return self.pages[key]
        prefixes = [
            key for key in list(self.pages) if key.endswith("*") and request.target.startswith(key[:-1])
        ]
        return self.pages[max(prefixes, key=len)] if prefixes else _NOT_FOUND

    def _begin(self, method: str, target: str, headers: Iterable[tuple[str, str]]) -> Request:
        """Log a request. Each call is followed by one of ``_end``."""
        request = Request(method, target, {k.lower(): v for k, v in headers}, time.monotonic())
        self.requests.append(request)
        self._now_busy += 1
        self.most_at_once = max(self.most_at_once, self._now_busy)
        return request

    def _end(self) -> None:
        self._now_busy -= 1

    def _main(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._run())

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(lambda *_: None)  # clients that hang up are no errors here
        await self._serve(self._socket, self._tls, self._stopped)
        await asyncio.sleep(0)  # in this turn the loop closes aborted connections

    async def _stopped(self) -> None:
        """Report that the server accepts connections, and wait until it must stop."""
        self._ready.set()
        await self._stop.wait()

    @abstractmethod
    async def _serve(
        self, sock: socket.socket, tls: ssl.SSLContext, stopped: Callable[[], Awaitable[None]]
    ) -> None:
        """Accept connections on the socket, await ``stopped()``, and end every connection."""
