"""A well-behaved HTTPS site on loopback, with pages and a log of requests."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

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


#: The namespace of the export. Its version changes now and then, so readers use local names.
ROO_NAMESPACE = "https://organisaties.overheid.nl/static/schema/oo/export/2.6.9"


class Location(NamedTuple):
    """A registered collection of documents of one informatiecategorie (a label)."""

    url: str
    informatiecategorie: str = "Andere documenten"
    toelichting: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RooEntry:
    """An ``organisatie`` in the export."""

    naam: str
    systeem_id: str
    tooi: str | None = None
    type: str = "Gemeente"
    locations: Sequence[Location] = ()
    einddatum: str | None = None
    """Day on which the organisation ended, as ``YYYY-MM-DD``."""

    def xml(self) -> str:
        """Return the element ``organisatie``."""
        tooi = "" if self.tooi is None else f" p:resourceIdentifierTOOI={quoteattr(self.tooi)}"
        einddatum = "" if self.einddatum is None else _element("eindDatum", self.einddatum)
        return (
            f"<p:organisatie p:systeemId={quoteattr(self.systeem_id)}{tooi}>"
            f"{_element('naam', self.naam)}<p:types>{_element('type', self.type)}</p:types>{einddatum}"
            f"{self._woo()}</p:organisatie>\n"
        )

    def _woo(self) -> str:
        if not self.locations:
            return ""
        locations = "".join(
            "<p:documentLocatie>"
            f"{_element('informatiecategorie', location.informatiecategorie)}{_element('url', location.url)}"
            f"{_element('toelichting', location.toelichting) if location.toelichting else ''}"
            "</p:documentLocatie>"
            for location in self.locations
        )
        return f"<p:woo><p:wooIndex>{locations}</p:wooIndex></p:woo>"


def register_xml(organisations: Iterable[RooEntry]) -> str:
    """Return the export with these organisations."""
    inside = "".join(organisation.xml() for organisation in organisations)
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        f'<p:overheidsorganisaties xmlns:p="{ROO_NAMESPACE}">\n'
        f"<p:organisaties>\n{inside}</p:organisaties>\n</p:overheidsorganisaties>\n"
    )


def _element(name: str, text: str) -> str:
    return f"<p:{name}>{escape(text)}</p:{name}>"
