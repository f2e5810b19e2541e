"""The server of the portal: uvicorn, with what strangers on the internet make necessary."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

#: The seconds in which the address and the headers of a request must come.
HEADER_SECONDS = 10.0
#: The largest address and headers, in bytes.
_MAX_HEADERS = 16 * 1024
#: The number of connections at the same time: less than the open files that a process may usually have.
_MAX_CONNECTIONS = 800
#: The seconds for which a connection without a request stays open, and those for answers when it stops.
_KEEP_ALIVE, _STOP = 5, 10


class ListenError(Exception):
    """The address cannot be used; the message is one line."""


@dataclass(frozen=True, slots=True)
class Site:
    """The address of the portal, and the proxies whose word on the visitor counts."""

    host: str = "127.0.0.1"
    port: int = 8080
    root_path: str = ""
    """The path at which a proxy has the portal, without a slash at its end."""
    proxies: str = "127.0.0.1"
    """The addresses of proxies, commas between, whose headers name the client of a request."""
    access_log: bool = False


def listen(site: Site) -> socket.socket:
    """Return a socket that listens at the address. Raises ListenError."""
    try:
        family = socket.getaddrinfo(site.host, site.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((site.host, site.port), family=family, backlog=2048)
    except (OSError, OverflowError, UnicodeError) as error:
        code = getattr(error, "errno", None) or 0
        why = os.strerror(code) if code > 0 else getattr(error, "strerror", None) or str(error)
        raise ListenError(
            f"cannot listen at {site.host} port {site.port} ({why}): choose another with --host and --port"
        ) from error


def serve(app: Starlette, site: Site, listener: socket.socket, started: Callable[[str], None]) -> None:
    """Answer requests until SIGTERM or Ctrl-C; *started* gets the address once it does."""
    if site.access_log:
        logging.getLogger("uvicorn.access").addHandler(logging.StreamHandler(sys.stderr))
    config = uvicorn.Config(
        app,
        http=_BoundedProtocol,
        ws="none",
        lifespan="on",
        root_path=site.root_path,
        proxy_headers=True,
        forwarded_allow_ips=site.proxies,
        server_header=False,
        access_log=site.access_log,
        log_config=None,
        log_level="info" if site.access_log else "error",
        h11_max_incomplete_event_size=_MAX_HEADERS,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_STOP,
    )
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    _Server(config, lambda: started(_address(site, listener))).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that says when it listens, and for which a signal is the usual way to stop."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._announce()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at a signal; uvicorn's own way would raise it again after that, as if the stop had failed."""
        earlier = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in earlier.items():
                signal.signal(each, handler)


class _BoundedProtocol(H11Protocol):
    """HTTP with a time in which a request must come: uvicorn waits for its headers for ever."""

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request; wait on if its headers are not complete."""
        super().data_received(data)
        if getattr(self.cycle, "response_complete", True):  # there is no cycle before the first request
            self._wait()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn closes the connection sooner if nothing at all comes."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._closing is None:
            self._closing = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None


def _address(site: Site, listener: socket.socket) -> str:
    host = f"[{site.host}]" if ":" in site.host else site.host
    return f"http://{host}:{listener.getsockname()[1]}{site.root_path}/"
