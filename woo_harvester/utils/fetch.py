"""Fetch one file over HTTP: with tries, within a time limit and a size limit, from a verified server."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from woo_harvester.utils.statuses import is_complete

if TYPE_CHECKING:
    import aiohttp


class TrustError(Exception):
    """The trusted certificates cannot be used, so no server can be verified; the message is one line."""


def trusted_context() -> ssl.SSLContext:
    """Return a TLS context for a client that trusts what OpenSSL trusts on this machine.

    OpenSSL itself ignores a file in SSL_CERT_FILE that it cannot read. Every server would then seem to have a
    wrong certificate. So this raises TrustError.
    """
    variable = ssl.get_default_verify_paths().openssl_cafile_env
    if named := os.environ.get(variable):
        check_certificates(Path(named), variable)
    return ssl.create_default_context()


def check_certificates(path: Path, given_as: str) -> None:
    """Raise TrustError unless OpenSSL can read the file, and finds a certificate in it."""
    probe = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        probe.load_verify_locations(cafile=path)
        wrong = "" if probe.cert_store_stats()["x509"] else "it has no certificate"
    except ssl.SSLError as error:
        wrong = f"expected complete certificates in PEM format ({error.reason or error})"
    except OSError as error:
        wrong = error.strerror or str(error)
    if wrong:
        raise TrustError(f"{given_as} is {path}, which cannot be used: {wrong}")


#: Number of tries before a file counts as unreachable.
_TRIES = 3

_NOT_MODIFIED = 304
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})
_CHUNK = 64 * 1024


class FetchError(Exception):
    """The file could not be fetched; the message is one line with the reason."""


class _TemporaryFetchError(FetchError):
    """The file could not be fetched, but the same request may succeed a little later."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """The header of a complete answer, for a conditional request later."""

    last_modified: str | None


async def fetch_file(
    url: str,
    file: IO[bytes],
    *,
    user_agent: str,
    maxsize: int,
    headers: Mapping[str, str] | None = None,
    time_limit: float = 300,
    backoff: float = 2,
) -> FetchedFile | None:
    """Fetch *url* into *file*. Return None if the server reports that the file has not changed.

    *headers* may make the request conditional. Temporary errors are retried, up to three tries in all. Each
    try may take *time_limit* seconds. The waits between tries begin at *backoff* seconds and double.
    Certificates are verified; ``SSL_CERT_FILE`` adds a private authority. Raises FetchError unless the answer
    is complete and at most *maxsize* bytes. Raises TrustError if no certificate can be verified.
    """
    import aiohttp  # noqa: PLC0415  -- takes long, and most commands fetch nothing

    tries = AsyncRetrying(
        stop=stop_after_attempt(_TRIES),
        wait=wait_exponential(multiplier=backoff),
        retry=retry_if_exception_type(_TemporaryFetchError),
        reraise=True,
    )
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trusted_context()),
        headers={"User-Agent": user_agent, **(headers or {})},
        timeout=aiohttp.ClientTimeout(total=time_limit),
        trust_env=True,
    ) as session:
        return await tries(_fetch_once, session, url, file, maxsize)


async def _fetch_once(
    session: aiohttp.ClientSession, url: str, file: IO[bytes], maxsize: int
) -> FetchedFile | None:
    import aiohttp  # noqa: PLC0415  -- the same

    try:
        async with session.get(url) as response:
            if response.status == _NOT_MODIFIED:
                return None
            _check(response, url)
            await _save(response, file, maxsize)
            return FetchedFile(response.headers.get("Last-Modified"))
    except TimeoutError as error:
        raise _TemporaryFetchError("time-out") from error
    except (aiohttp.InvalidURL, aiohttp.TooManyRedirects, aiohttp.ClientSSLError) as error:
        raise FetchError(_reason(error)) from error
    except aiohttp.ClientError as error:
        raise _TemporaryFetchError(_reason(error)) from error


def _check(response: aiohttp.ClientResponse, url: str) -> None:
    if url.lower().startswith("https:") and response.url.scheme != "https":
        raise FetchError(f"redirected to {response.url}, which is not https")
    if response.status in _TEMPORARY:
        raise _TemporaryFetchError(f"HTTP {response.status}")
    if not is_complete(response.status):
        raise FetchError(f"HTTP {response.status}")


async def _save(response: aiohttp.ClientResponse, file: IO[bytes], maxsize: int) -> None:
    """Write the decompressed body to the file, in place of what an earlier try wrote."""
    file.seek(0)
    file.truncate()
    async for chunk in response.content.iter_chunked(_CHUNK):
        if file.tell() + len(chunk) > maxsize:
            raise FetchError(f"larger than {maxsize:,} bytes")
        file.write(chunk)
    file.flush()


def _reason(error: aiohttp.ClientError) -> str:
    """Return the error as one line. It begins with the type, since some of these errors have no text."""
    return " ".join(f"{type(error).__name__}: {error}".split())
