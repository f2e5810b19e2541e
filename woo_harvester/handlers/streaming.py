"""Fetches robots.txt, indexes, sitemaps and documents as a stream, within bounds."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import IO, TYPE_CHECKING, cast

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

from woo_harvester.handlers.addresses import PrivateAddressError, PublicResolver, private_literal
from woo_harvester.handlers.response import StreamedResponse

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Bodies up to this size stay in memory, larger ones go to a temporary file, in pieces of this size.
SPOOL_SIZE = 1024 * 1024

#: Bytes of a body that wait in memory for the harvester before the server has to.
BUFFER_SIZE = 256 * 1024

#: Seconds for name, connection and TLS handshake together, and between two pieces of a body.
CONNECT_TIMEOUT = 30
READ_TIMEOUT = 60


class TlsError(Exception):
    """The certificate is not valid for the host, or TLS cannot be agreed on; trying again does not help."""


class PrivateHostError(Exception):
    """The host is, or has only, an address that is not public."""


class StreamingDownloadHandler(HTTP11DownloadHandler):
    """Streams the body of requests that have ``woo_stream`` in their meta; others are Scrapy's own affair.

    ``download_maxsize`` bounds the body: what comes after it is not received, and the response gets the flag
    ``maxsize``. A body that is cut off gets the flag ``dataloss``, and what came of it is kept. Further meta
    keys: ``woo_digest`` (the response tells the SHA-256), ``woo_decompress`` (a Content-Encoding is undone,
    as it is for documents; sitemaps are unpacked by their content), ``woo_headers_only`` (the connection is
    closed after the headers), ``download_timeout`` (seconds for the whole response).

    Uses aiohttp, which gives a body piece by piece, can stop in the middle of it, and tells a certificate's
    fault from a connection's. Scrapy's own signals
    ``headers_received`` and ``bytes_received`` are not sent for streamed requests.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._allow_private = crawler.settings.getbool("WOO_ALLOW_PRIVATE_HOSTS")
        self._timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._client: aiohttp.ClientSession | None = None

    async def download_request(self, request: Request) -> Response:
        """Answer *request* with a :class:`StreamedResponse`."""
        if not request.meta.get("woo_stream"):
            return await super().download_request(request)
        url = yarl.URL(request.url, encoded=True)
        if not self._allow_private and private_literal(url.host or ""):
            raise PrivateHostError(url.host)
        started = monotonic()
        async with _translated_errors(request), self._request(request, url) as answer:
            request.meta["download_latency"] = monotonic() - started
            headers = Headers(list(answer.headers.items()))
            headers.pop("Content-Encoding", None)  # the body of the response is empty
            file = SpooledTemporaryFile(SPOOL_SIZE)  # noqa: SIM115  -- the callback closes it
            response = StreamedResponse(request.url, answer.status, headers, file=file, request=request)
            if request.meta.get("woo_headers_only"):
                answer.close()
            elif request.method != "HEAD":
                await _receive(answer, response, request)
            return response

    async def close(self) -> None:
        """Close the connections that are kept open."""
        if self._client is not None:
            await self._client.close()
        await super().close()

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
            headers=request.headers.to_tuple_list(),
            timeout=timeout,
            allow_redirects=False,
            auto_decompress=bool(request.meta.get("woo_decompress")),
        ) as answer:
            yield answer

    def _session(self) -> aiohttp.ClientSession:
        """Made with the first request, because it needs the running event loop."""
        if self._client is None:
            resolver = None if self._allow_private else PublicResolver()
            # How many connections there are at once is the downloader's affair: its slots know the hosts.
            connector = aiohttp.TCPConnector(
                limit=0, limit_per_host=0, resolver=resolver, ssl=ssl.create_default_context()
            )
            self._client = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=BUFFER_SIZE,
                skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            )
        return self._client


async def _receive(answer: aiohttp.ClientResponse, response: StreamedResponse, request: Request) -> None:
    """Write the body into the response's file, up to the bound of the request."""
    maxsize = cast("int", request.meta.get("download_maxsize") or 0)
    writer = _Writer(response.file, digest=bool(request.meta.get("woo_digest")))
    try:
        async for chunk in answer.content.iter_any():
            room = maxsize - response.size if maxsize else len(chunk)
            response.size += min(room, len(chunk))
            await writer.write(chunk[:room])
            if len(chunk) > room:
                response.flags.append("maxsize")
                answer.close()
                break
    except (aiohttp.ClientPayloadError, aiohttp.ClientOSError, ConnectionResetError):
        response.flags.append("dataloss")
    finally:
        await writer.finish()
    if writer.digest and not response.flags:
        response.sha256 = writer.digest.hexdigest()


class _Writer:
    """Writes a body to a file and hashes it: what is large in a thread, while more of it comes in."""

    def __init__(self, file: IO[bytes], *, digest: bool) -> None:
        self._file = file
        self.digest = hashlib.sha256() if digest else None
        self._pieces: list[bytes] = []
        self._size = 0
        self._writing: asyncio.Future[None] | None = None

    async def write(self, piece: bytes) -> None:
        """Take a piece; waits only where the one before is not written yet."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= SPOOL_SIZE:
            await self._written()
            pieces, self._pieces, self._size = self._pieces, [], 0
            self._writing = asyncio.get_running_loop().run_in_executor(None, self._write, pieces)

    async def finish(self) -> None:
        """Write what is left."""
        await self._written()
        self._write(self._pieces)

    async def _written(self) -> None:
        if self._writing is not None:
            await self._writing

    def _write(self, pieces: list[bytes]) -> None:
        data = b"".join(pieces)
        self._file.write(data)
        if self.digest:
            self.digest.update(data)


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
        raise TlsError(_certificate_fault(error)) from error
    except aiohttp.ClientConnectorError as error:
        raise DownloadConnectionRefusedError(str(error)) from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise DownloadFailedError(str(error) or type(error).__name__) from error


def _certificate_fault(error: Exception) -> str:
    """What OpenSSL says of the certificate, without the wrapping of the libraries."""
    cause = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    return getattr(cause, "verify_message", None) or getattr(cause, "reason", None) or str(cause)
