"""A well-behaved HTTPS site on loopback, with pages and a log of requests."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable

from aiohttp import web

from woo_harvester.demo.server import LoopbackServer, Page

#: Seconds that an answer in progress gets when the site stops.
_SHUTDOWN_TIMEOUT = 0.2


class Site(LoopbackServer):
    """A host with pages.

    ::

        with Site(authority, {"/robots.txt": Page("User-agent: *")}) as site:
            site.pages["/a.pdf"] = Page(b"%PDF-1.4 ...")
            site.url("/a.pdf")     # https://localhost:40321/a.pdf
            site.requests          # what came in, in order
    """

    async def _serve(
        self, sock: socket.socket, tls: ssl.SSLContext, stopped: Callable[[], Awaitable[None]]
    ) -> None:
        server = web.Server(self._answer, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=_SHUTDOWN_TIMEOUT)
        await runner.setup()
        await web.SockSite(runner, sock, ssl_context=tls).start()
        await stopped()
        for connection in server.connections:  # connections that clients keep open would outlive the loop
            if connection.transport is not None:
                connection.transport.abort()
        await runner.cleanup()

    async def _answer(self, raw: web.BaseRequest) -> web.StreamResponse:
        request = self._begin(raw.method, raw.raw_path, raw.headers.items())
        try:
            page = self.find(request)
            if page.delay:
                await asyncio.sleep(page.delay)
            return await self._send(raw, page)
        finally:
            self._end()

    async def _send(self, raw: web.BaseRequest, page: Page) -> web.StreamResponse:
        headers = page.headers_for(raw.raw_path.partition("?")[0])
        content = page.content
        if content is not None:
            return web.Response(body=content, status=page.status, headers=headers)
        response = web.StreamResponse(status=page.status, headers=headers)
        await response.prepare(raw)
        if raw.method != "HEAD":
            for chunk in page.chunks():
                await response.write(chunk)
        await response.write_eof()
        return response
