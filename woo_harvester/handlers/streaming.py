"""Downloads robots.txt, indexes, sitemaps and documents as a stream, up to a limit."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
from scrapy.http import Headers

from woo_harvester.extensions.stopping import interruptible
from woo_harvester.handlers.addresses import PrivateAddressError, Resolver, private_literal
from woo_harvester.handlers.body import SPOOL_SIZE, Intake, SpoolError
from woo_harvester.handlers.coding import UnknownCodingError, decoder_for
from woo_harvester.handlers.connections import most_connections
from woo_harvester.responses import StreamedResponse
from woo_harvester.running.ending import end_run
from woo_harvester.trust import TrustError, trusted_context

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Bytes of a body that wait in memory for the harvester before the server has to.
BUFFER_SIZE = 256 * 1024

#: Seconds for name, connection and TLS handshake together, and between two pieces of a body.
CONNECT_TIMEOUT = 30
READ_TIMEOUT = 60


class TlsError(Exception):
    """The certificate is not valid for the host, or TLS cannot be agreed on; trying again does not help.

    The message is what OpenSSL says.
    """

    def __init__(self, message: str, verify_code: int | None = None) -> None:
        super().__init__(message)
        self.verify_code = verify_code
        """OpenSSL's number for what is wrong with the certificate."""


class PrivateHostError(Exception):
    """The host is, or has only, an address that is not public."""


class StreamingDownloadHandler(HTTP11DownloadHandler):
    """Streams the body of requests that have ``woo_stream`` in their meta; Scrapy handles all others.

    ``download_maxsize`` limits the body: what comes after it is not received, and the response gets the flag
    ``maxsize``. A body that is cut off gets the flag ``dataloss``, and what came of it is kept. Further meta
    keys: ``woo_digest`` (the response has the SHA-256), ``woo_decompress`` (a Content-Encoding is undone,
    as it is for documents; sitemaps are unpacked by their content), ``woo_headers_only`` (the connection is
    closed after the headers), ``download_timeout`` (seconds for the whole response). Where a
    Content-Encoding is undone, the flag ``coding`` means one that is not known, or not what the body is, and
    ``expansion`` a body that is far larger than what came of it.

    Uses aiohttp, which gives a body piece by piece, can stop in the middle of it, and raises different errors
    for certificates and connections. It connects to the publisher itself, whatever proxy the environment has.
    Scrapy's own signals ``headers_received`` and ``bytes_received`` are not sent for streamed
    requests.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._allow_private = crawler.settings.getbool("WOO_ALLOW_PRIVATE_HOSTS")
        self._timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._connections = asyncio.Semaphore(
            most_connections(crawler.settings.getint("WOO_CONNECTIONS", 1000))
        )
        self._resolver = Resolver(public_only=not self._allow_private)
        self._client: aiohttp.ClientSession | None = None

    async def download_request(self, request: Request) -> Response:
        """Answer *request* with a :class:`StreamedResponse`; raise StoppedError where the run ends before."""
        async with interruptible(self.crawler):
            return await self._download(request)

    async def _download(self, request: Request) -> Response:
        if not request.meta.get("woo_stream"):
            return await super().download_request(request)
        url = yarl.URL(request.url, encoded=True)
        if not self._allow_private and private_literal(url.host or ""):
            raise PrivateHostError(url.host)
        try:
            async with self._connections:
                return await self._answer(request, url)
        except SpoolError as error:
            end_run(self.crawler, "no_room", str(error))
            raise
        except TrustError as error:
            end_run(self.crawler, "no_certificates", str(error))
            raise

    async def close(self) -> None:
        """Close the connections that are kept open."""
        if self._client is not None:
            await self._client.close()
        await self._resolver.close()  # aiohttp leaves one that it was given
        await super().close()

    async def _answer(self, request: Request, url: yarl.URL) -> StreamedResponse:
        started = monotonic()
        async with _translated_errors(request), self._request(request, url) as answer:
            request.meta["download_latency"] = monotonic() - started
            response = _response(answer, request)
            if request.meta.get("woo_headers_only"):
                answer.close()
            elif request.method != "HEAD":
                try:
                    await _receive(answer, response, request)
                except BaseException:
                    response.close()
                    raise
            return response

    @asynccontextmanager
    async def _request(self, request: Request, url: yarl.URL) -> AsyncIterator[aiohttp.ClientResponse]:
        timeout = aiohttp.ClientTimeout(
            total=request.meta.get("download_timeout") or self._timeout,
            sock_connect=CONNECT_TIMEOUT,
            sock_read=READ_TIMEOUT,
        )
        async with self._session().request(
            request.method,
            url,
            headers=_headers_to_send(request),
            timeout=timeout,
            allow_redirects=False,
        ) as answer:
            yield answer

    def _session(self) -> aiohttp.ClientSession:
        """Return the session; it is made with the first request, because it needs the running event loop."""
        if self._client is None:
            connector = aiohttp.TCPConnector(
                limit=0,  # bounded above, before the clock of a request runs; those of a host by its slot
                limit_per_host=0,
                resolver=self._resolver,
                ssl=trusted_context(),
            )
            self._client = aiohttp.ClientSession(
                connector=connector,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=BUFFER_SIZE,
                skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
                trust_env=False,  # no proxy, and no passwords from ~/.netrc
            )
        return self._client


def _headers_to_send(request: Request) -> list[tuple[str, str]]:
    """Return the headers without those that Scrapy adds for a proxy: a publisher should not see them."""
    headers = request.headers.to_tuple_list()
    return [(name, value) for name, value in headers if name.lower() != "proxy-authorization"]


def _response(answer: aiohttp.ClientResponse, request: Request) -> StreamedResponse:
    """Return the response without its body."""
    headers = Headers(list(answer.raw_headers))  # as bytes: not all of them are text
    headers.pop("Content-Encoding", None)  # the body of the response is empty
    file = SpooledTemporaryFile(SPOOL_SIZE)  # noqa: SIM115  -- see StreamedResponse
    response = StreamedResponse(request.url, answer.status, headers, file=file, request=request)
    if request.meta.get("woo_decompress"):
        response.coding = answer.headers.get("Content-Encoding", "")
        if response.coding:
            headers.pop("Content-Length", None)  # it is the length of the coded body
    return response


async def _receive(answer: aiohttp.ClientResponse, response: StreamedResponse, request: Request) -> None:
    """Write the body into the response's file, up to the limit of the request."""
    try:
        decoder = decoder_for(response.coding)
    except UnknownCodingError:
        response.flags.append("coding")
        answer.close()
        return
    maxsize = cast("int", request.meta.get("download_maxsize") or 0)
    digest = bool(request.meta.get("woo_digest"))
    intake = Intake(response.file, maxsize=maxsize, digest=digest, decoder=decoder)
    try:
        async for chunk in answer.content.iter_any():
            await intake.take(chunk)
            if intake.flag is not None:
                answer.close()
                break
    except (aiohttp.ClientPayloadError, aiohttp.ClientOSError, ConnectionResetError):
        response.flags.append("dataloss")
    finally:
        await intake.finish()
    response.size = intake.size
    if intake.flag is not None and intake.flag not in response.flags:
        response.flags.append(intake.flag)
    if intake.digest and not response.flags:
        response.sha256 = intake.digest.hexdigest()


@asynccontextmanager
async def _translated_errors(request: Request) -> AsyncIterator[None]:
    """Raise Scrapy's exceptions, by which its middlewares know what is worth another try."""
    try:
        yield
    except TimeoutError as error:
        raise DownloadTimeoutError(f"no complete answer from {request.url} in time") from error
    except aiohttp.ClientConnectorDNSError as error:
        if isinstance(error.os_error, PrivateAddressError):
            raise PrivateHostError(str(error.os_error)) from error
        raise CannotResolveHostError(str(error)) from error
    except (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError, ssl.SSLError) as error:
        raise _tls_error(error) from error
    except aiohttp.ClientConnectorError as error:
        raise DownloadConnectionRefusedError(str(error)) from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise DownloadFailedError(str(error) or type(error).__name__) from error


def _tls_error(error: Exception) -> TlsError:
    """Return what OpenSSL says of the certificate, without the exceptions that the libraries wrap it in."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    message = getattr(cause, "verify_message", None) or getattr(cause, "reason", None) or str(cause)
    return TlsError(message, getattr(cause, "verify_code", None))
