"""A proxy on loopback that leads every name to one site, for tests of public addresses."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Self

from woo_harvester.demo.server import Authority, Pages
from woo_harvester.demo.site import Site


class NamedSite(Site):
    """A site whose certificate is for these names."""

    def __init__(self, authority: Authority, names: Iterable[str], pages: Pages) -> None:
        super().__init__(authority, pages)
        self._tls = authority.server_context(names=names)


class Tunnel(ThreadingTCPServer):
    """A proxy that answers ``CONNECT`` for any name with a connection to one port (RFC 9110, 9.3.6)."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.target = ("127.0.0.1", port)
        self.names: list[str] = []
        """Host and port of each connection that was asked for, in order."""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of a command that uses the proxy for https."""
        return {"https_proxy": f"http://127.0.0.1:{self.server_address[1]}"}

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Connection(StreamRequestHandler):
    """One connection of a client."""

    server: Tunnel

    def handle(self) -> None:
        self.server.names.append(self.rfile.readline().split(b" ")[1].decode())
        while self.rfile.readline().strip():
            pass
        with socket.create_connection(self.server.target) as target:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_copy, args=(target, self.request), daemon=True)
            back.start()
            _copy(self.request, target)
            back.join()


def _copy(source: socket.socket, to: socket.socket) -> None:
    """Copy bytes until one side has ended, and end the other side."""
    with suppress(OSError):
        while data := source.recv(65_536):
            to.sendall(data)
    with suppress(OSError):
        to.shutdown(socket.SHUT_RDWR)
