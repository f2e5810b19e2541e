"""A publisher of permit messages on loopback, in a separate process.

::

    python -m benchmarks.utils.permit_host FOLDER MESSAGES

Its entry page is ``/xml/``. The program writes ``ca.pem``, ``register.xml`` and, last, ``host`` into FOLDER,
and serves until its standard input closes.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

from aiohttp import web

from benchmarks.utils.permit_messages import listing_parts, messages
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Location, RooEntry, register_xml


async def _serve(folder: Path, count: int) -> None:
    """Serve until standard input closes."""
    sock = socket.create_server(("127.0.0.1", 0), backlog=256)
    host = f"localhost:{sock.getsockname()[1]}"
    bodies = messages(count, f"https://{host}")
    pages = {f"/xml/zaak-{number:06}.xml": body for number, body in enumerate(bodies)}
    listing = b"".join(listing_parts(count))

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/xml/":
            return web.Response(body=listing, content_type="text/html")
        if (body := pages.get(request.path)) is None:
            return web.Response(status=404)
        return web.Response(body=body, content_type="application/xml")

    authority = Authority()
    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.2)
    await runner.setup()
    await web.SockSite(runner, sock, ssl_context=authority.server_context()).start()
    authority.write_bundle(folder / "ca.pem")
    place = Location(f"https://{host}/", "Beschikkingen")
    entry = RooEntry(naam="Gemeente Voorbeeldstad", systeem_id="90000000", locations=[place])
    (folder / "register.xml").write_text(register_xml([entry]), encoding="utf-8")
    (folder / "host.part").write_text(host, encoding="ascii")
    (folder / "host.part").rename(folder / "host")
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
