"""Downloads robots.txt, indexes, sitemaps and documents as a stream, with a limit on their size."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from functools import cached_property, lru_cache
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, cast

import aiohttp
import yarl
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

from woo_harvester.downloader.bodies import SPOOL_SIZE, Intake, SpoolError, UnknownCodingError, decoder_for
from woo_harvester.downloader.connections import (
    Connector,
    PrivateAddressError,
    PrivateResolver,
    Resolver,
    most_connections,
    private_literal,
)
from woo_harvester.downloader.heads import HEAD_MAXSIZE
from woo_harvester.extensions.stopping import Interruptible, Stopping
from woo_harvester.items import StreamedResponse
from woo_harvester.running.ending import end_run
from woo_harvester.utils.fetch import TrustError, trusted_context
from woo_harvester.utils.statuses import PARTIAL_CONTENT, is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Bytes of a body that are buffered in memory, before the server has to wait.
_BUFFER_SIZE = 256 * 1024

#: Limit in bytes of a body that nobody reads: that of a redirect or an error. A complete one leaves its
#: connection open for the next request.
_UNREAD_SIZE = 256 * 1024

#: Errors of ``getaddrinfo`` for a name that does not exist, and for one that has no address.
_NO_SUCH_NAME = frozenset({socket.EAI_NONAME, socket.EAI_NODATA})

#: Timeouts in seconds: for name, connection and TLS handshake together, and between two pieces of a body.
_CONNECT_TIMEOUT = 30
_READ_TIMEOUT = 60


class TlsError(Exception):
    """The certificate is invalid for the host, or the TLS handshake fails; a retry would not help.

    The message is that of OpenSSL.
    """

    def __init__(self, message: str, verify_code: int | None = None) -> None:
        super().__init__(message)
        self.verify_code = verify_code
        """OpenSSL's number of the error in the certificate."""


class PrivateHostError(Exception):
    """The host is an address that is not public, or has no public address."""


class NoSuchHostError(CannotResolveHostError):
    """The name of the host does not exist, or has no address; a name server that fails is another error."""


class StreamingDownloadHandler(HTTP11DownloadHandler):
    """The download handler for requests with ``woo_stream`` in their meta; Scrapy handles all others.

    It writes the body to a file. Other keys of the meta:

    - ``download_maxsize``: limit of the body in bytes; the rest is not received.
    - ``download_timeout``: seconds for the whole response.
    - ``woo_digest``: the response has the SHA-256 of the body.
    - ``woo_decompress``: gzip is decoded too. Sitemaps go without: they are unpacked when read.
    - ``woo_headers_only``: the connection is closed after the headers.
    - ``woo_refused_types``: beginnings of media types; of these the connection is closed after the headers.
    - ``woo_host``: the host whose file or document it is. If that is one of ``WOO_PRIVATE_HOSTS``, requests
      to itself may go to a private address. The handler then sets ``woo_private``.

    A response with an incomplete body has one of these flags:

    - ``maxsize``: the body is larger than the limit. That of a redirect or an error has no flag.
    - ``dataloss``: the body was broken off after its beginning, which is in the file.
    - ``coding``: the Content-Encoding is unknown, or the body does not have it.
    - ``expansion``: the decoded body is far larger than the received bytes: a decompression bomb.

    The handler uses aiohttp, which yields a body piece by piece, can stop in the middle, and raises different
    errors for certificates and connections. It uses no proxy of the environment. Scrapy's signals
    ``headers_received`` and ``bytes_received`` are not sent for streamed requests.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._allow_private = crawler.settings.getbool("WOO_ALLOW_PRIVATE_HOSTS")
        self._timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._connections = asyncio.Semaphore(
            most_connections(crawler.settings.getint("WOO_CONNECTIONS", 1000))
        )
        self._private_hosts = frozenset(crawler.settings.getlist("WOO_PRIVATE_HOSTS"))
        self._resolver = Resolver(public_only=not self._allow_private)
        self._private_resolver = PrivateResolver()
        self._clients: dict[Resolver, aiohttp.ClientSession] = {}
        """A session for each resolver, so that no request uses a connection that another resolver allowed."""

    @cached_property
    def _stopping(self) -> Stopping | None:
        return self.crawler.get_extension(Stopping)

    async def download_request(self, request: Request) -> Response:
        """Return a :class:`StreamedResponse` to *request*. Raises StoppedError if the run is stopped."""
        async with Interruptible(self._stopping):
            return await self._download(request)

    async def _download(self, request: Request) -> Response:
        if not request.meta.get("woo_stream"):
            return await super().download_request(request)
        url = yarl.URL(request.url, encoded=True)
        resolver = self._resolver_for(request)
        is_private = not self._allow_private and private_literal(url.host or "")
        if is_private and resolver is self._resolver:
            raise PrivateHostError(url.host)
        try:
            async with self._connections:
                return await self._answer(request, url, resolver)
        except SpoolError as error:
            end_run(self.crawler, "no_room", str(error))
            raise
        except TrustError as error:
            end_run(self.crawler, "no_certificates", str(error))
            raise
        finally:
            names = self._private_resolver.private_names if resolver is self._private_resolver else ()
            if is_private or url.host in names:
                request.meta["woo_private"] = True

    async def close(self) -> None:
        """Close the idle connections."""
        for client in self._clients.values():
            await client.close()
        for resolver in (self._resolver, self._private_resolver):  # aiohttp does not close those it was given
            await resolver.close()
        await super().close()

    def _resolver_for(self, request: Request) -> Resolver:
        """Return the resolver for a request: a host of ``WOO_PRIVATE_HOSTS`` may be asked for its own files.

        No other host may lead to a private address, also not by a redirect.
        """
        host = request.meta.get("woo_host")
        if self._allow_private or host not in self._private_hosts:
            return self._resolver
        asked = (request.url, *request.meta.get("redirect_urls", ()))
        return self._private_resolver if all(host_of(url) == host for url in asked) else self._resolver

    async def _answer(self, request: Request, url: yarl.URL, resolver: Resolver) -> StreamedResponse:
        started = monotonic()
        try:
            async with self._session(resolver).request(
                request.method,
                url,
                headers=_headers_to_send(request),
                timeout=_timeout(request.meta.get("download_timeout") or self._timeout),
                allow_redirects=False,
            ) as answer:
                request.meta["download_latency"] = monotonic() - started
                return await _received(answer, request)
        except Exception as error:
            translated = _translated(error, request)
            if translated is None:
                raise
            raise translated from error

    def _session(self, resolver: Resolver) -> aiohttp.ClientSession:
        """Return a session. It is made at its first request, because it needs the running event loop."""
        if (client := self._clients.get(resolver)) is None:
            connector = Connector(
                limit=0,  # the semaphore limits all connections, the downloader slot those of a host
                limit_per_host=0,
                resolver=resolver,
                ssl=trusted_context(),
            )
            client = self._clients[resolver] = aiohttp.ClientSession(
                connector=connector,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=_BUFFER_SIZE,
                max_field_size=HEAD_MAXSIZE,  # of each header, and their number: all together have this limit
                max_headers=HEAD_MAXSIZE,
                skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
                trust_env=False,  # no proxy, and no passwords from ~/.netrc
            )
        return client


@lru_cache(maxsize=8)
def _timeout(total: float) -> aiohttp.ClientTimeout:
    """Return the timeouts of a request; there are only a few, and each document has one."""
    return aiohttp.ClientTimeout(total=total, sock_connect=_CONNECT_TIMEOUT, sock_read=_READ_TIMEOUT)


async def _received(answer: aiohttp.ClientResponse, request: Request) -> StreamedResponse:
    """Return the response with its body, unless the request asks for the headers only."""
    response = _response(answer, request)
    if request.meta.get("woo_headers_only") or _is_refused(answer, request):
        answer.close()
    elif request.method != "HEAD":
        try:
            await _receive(answer, response, request)
        except BaseException:
            response.close()
            raise
    return response


def _is_refused(answer: aiohttp.ClientResponse, request: Request) -> bool:
    """Return whether the media type is one of which the request wants no body."""
    types = tuple(request.meta.get("woo_refused_types", ()))
    return answer.content_type.startswith(types) and not answer.content_type.endswith("+xml")


def _headers_to_send(request: Request) -> list[tuple[str, str]]:
    """Return the headers of a request without those for a proxy, which a publisher must not see."""
    return [
        (name.decode(), value.decode())
        for name, values in dict.items(request.headers)  # names are in title case
        if name != b"Proxy-Authorization"
        for value in values
    ]


def _response(answer: aiohttp.ClientResponse, request: Request) -> StreamedResponse:
    """Return the response without its body."""
    file = SpooledTemporaryFile(SPOOL_SIZE)  # noqa: SIM115  -- see StreamedResponse
    headers = list(answer.raw_headers)  # as bytes, because some are not text
    response = StreamedResponse(request.url, answer.status, headers, file=file, request=request)
    response.headers.pop("Content-Encoding", None)  # the body of the response is empty
    response.coding = answer.headers.get("Content-Encoding", "")
    if response.coding and request.meta.get("woo_decompress"):
        response.headers.pop("Content-Length", None)  # it is the length of the coded body
    return response


async def _receive(answer: aiohttp.ClientResponse, response: StreamedResponse, request: Request) -> None:
    """Write the body into the response's file, up to the limit of the request."""
    try:
        decoder = decoder_for(response.coding, gzip=bool(request.meta.get("woo_decompress")))
    except UnknownCodingError:
        if request.meta.get("woo_kind") != "robots":
            response.flags.append("coding")
            answer.close()
            return
        decoder = None  # the file may not have the coding
    maxsize = cast("int", request.meta.get("download_maxsize") or 0)
    is_read = is_complete(response.status) or response.status == PARTIAL_CONTENT
    if not is_read:
        maxsize = min(maxsize or _UNREAD_SIZE, _UNREAD_SIZE)
    digest = is_read and bool(request.meta.get("woo_digest"))
    intake = Intake(response.file, maxsize=maxsize, digest=digest, decoder=decoder)
    try:
        async for chunk in answer.content.iter_any():
            await intake.add(chunk)
            if intake.flag is not None:
                answer.close()
                break
    except (aiohttp.ClientPayloadError, aiohttp.ClientOSError, ConnectionResetError):
        if is_read and not intake.received:
            raise
        response.flags.append("dataloss")
    finally:
        await intake.finish()
    response.size = intake.size
    response.is_decoded = decoder is not None and decoder.inflater is not None
    if intake.flag is not None and intake.flag not in response.flags and is_read:
        response.flags.append(intake.flag)
    if intake.digest and not response.flags:
        response.sha256 = intake.digest.hexdigest()


def _translated(error: Exception, request: Request) -> Exception | None:
    """Return Scrapy's exception for one of aiohttp, since its middlewares retry by type; None for others."""
    match error:
        case OSError(errno=errno.ENOMEM | errno.EMFILE | errno.ENFILE):
            return None  # this machine is at fault
        case TimeoutError():
            return DownloadTimeoutError(f"no complete answer from {request.url} in time")
        case aiohttp.ClientConnectorDNSError():
            if isinstance(error.os_error, PrivateAddressError):
                return PrivateHostError(str(error.os_error))
            kind = NoSuchHostError if error.os_error.errno in _NO_SUCH_NAME else CannotResolveHostError
            return kind(str(error))
        case aiohttp.ClientSSLError() | aiohttp.ClientConnectorCertificateError() | ssl.SSLError():
            return _tls_error(error)
        case aiohttp.ClientConnectorError():
            return DownloadConnectionRefusedError(str(error))
        case aiohttp.ClientError() | OSError() | ValueError():
            return DownloadFailedError(str(error) or type(error).__name__)
        case _:
            return None


def _tls_error(error: Exception) -> TlsError:
    """Return a TlsError with OpenSSL's message, without the exceptions that the libraries wrap it in."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    message = getattr(cause, "verify_message", None) or getattr(cause, "reason", None) or str(cause)
    return TlsError(message, getattr(cause, "verify_code", None))
