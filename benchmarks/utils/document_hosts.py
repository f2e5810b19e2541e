"""Publishers of documents on loopback, in a separate process: one or hundreds, fast or slow.

::

    python -m benchmarks.utils.document_hosts FOLDER HOSTS DOCUMENTS SIZE DELAY [--each]

Each of HOSTS has its own port, and lists DOCUMENTS documents of SIZE bytes. They begin like a PDF, and differ
from each other. A document is sent after DELAY seconds; with ``--each``, so is every other file. The program
writes ``ca.pem``, ``register.xml`` and, last, ``host`` (the first one) into FOLDER, and serves until its
standard input closes.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterable
from pathlib import Path

from aiohttp import web

from woo_harvester.demo import sitemaps
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Location, RooEntry, register_xml
from woo_harvester.demo.sitemaps import DiWoo, Entry, Handeling, robots_txt, sitemap, sitemapindex

_INDEX = f"/{sitemaps.naam_van_index(16)}"
_PIECE = 64 * 1024


class _Publishers:
    """The pages of all hosts, by the header ``Host``."""

    def __init__(self, documents: int, size: int, delay: float, *, each: bool) -> None:
        self._documents = documents
        self._size = size
        self._delay = delay
        self._each = each
        self._sitemaps: dict[str, bytes] = {}

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Return one of the files of the host, or a document."""
        host, path = request.host, request.path
        if self._delay and (self._each or path.startswith("/documenten/")):
            await asyncio.sleep(self._delay)
        if path == "/robots.txt":
            return web.Response(text=robots_txt(f"https://{host}{_INDEX}"))
        if path == _INDEX:
            return _xml(sitemapindex([f"https://{host}/sitemap.xml"]))
        if path == "/sitemap.xml":
            if host not in self._sitemaps:
                self._sitemaps[host] = sitemap(*self._entries(host))
            return _xml(self._sitemaps[host])
        return await self._document(request)

    async def _document(self, request: web.BaseRequest) -> web.StreamResponse:
        head = b"%PDF-1.7\n%" + request.path.encode() + b"\n"
        if self._size <= _PIECE:
            return web.Response(body=head.ljust(self._size, b"x"), content_type="application/pdf")
        response = web.StreamResponse(headers={"Content-Type": "application/pdf"})
        response.content_length = self._size
        await response.prepare(request)
        await response.write(head.ljust(_PIECE, b"x"))
        for start in range(_PIECE, self._size, _PIECE):
            await response.write(b"x" * min(_PIECE, self._size - start))
        return response

    def _entries(self, host: str) -> Iterable[Entry]:
        for number in range(self._documents):
            yield Entry(
                loc=f"https://{host}/documenten/{number}.pdf",
                lastmod="2024-01-09T08:00:00+01:00",
                diwoo=DiWoo(
                    publisher=sitemaps.WATERSCHAP,
                    verantwoordelijke=sitemaps.WATERSCHAP,
                    titel=f"Watervergunning {number}",
                    informatiecategorieen=[sitemaps.categorie(16)],
                    documentsoorten=[sitemaps.BESLUIT],
                    creatiedatum="2024-01-08",
                    language=sitemaps.NEDERLANDS,
                    format=sitemaps.PDF,
                    handelingen=[
                        Handeling(sitemaps.ONDERTEKENING, "2024-01-08T09:00:00", sitemaps.WATERSCHAP)
                    ],
                ),
            )


def _xml(body: bytes | str) -> web.Response:
    content = body.encode() if isinstance(body, str) else body
    return web.Response(body=content, content_type="application/xml")


def _organisation(number: int, host: str) -> RooEntry:
    place = Location(f"https://{host}/", "Beschikkingen")
    return RooEntry(naam=f"Publicist {number}", systeem_id=str(90_000_000 + number), locations=[place])


async def _serve(folder: Path, hosts: int, publishers: _Publishers) -> None:
    """Serve until standard input closes."""
    authority = Authority()
    tls = authority.server_context()
    runner = web.ServerRunner(web.Server(publishers.answer, access_log=None), shutdown_timeout=0.2)
    await runner.setup()
    names = []
    for _ in range(hosts):
        sock = socket.create_server(("127.0.0.1", 0), backlog=256)
        names.append(f"localhost:{sock.getsockname()[1]}")
        await web.SockSite(runner, sock, ssl_context=tls).start()
    authority.write_bundle(folder / "ca.pem")
    register = register_xml([_organisation(number, name) for number, name in enumerate(names)])
    (folder / "register.xml").write_text(register, encoding="utf-8")
    (folder / "host.part").write_text(names[0], encoding="ascii")
    (folder / "host.part").rename(folder / "host")
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    _, where, hosts_wanted, documents_wanted, bytes_wanted, seconds, *options = sys.argv
    made = _Publishers(int(documents_wanted), int(bytes_wanted), float(seconds), each="--each" in options)
    asyncio.run(_serve(Path(where), int(hosts_wanted), made))
