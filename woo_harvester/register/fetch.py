"""Get the register for a run: from a local file, or over HTTP with the stored copy as a fallback."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO

import aiohttp
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from woo_harvester.findings import Reporter
from woo_harvester.register import Register, RegisterCopy, RegisterError
from woo_harvester.register.reader import MAXSIZE
from woo_harvester.register.stored_copy import read_file
from woo_harvester.statuses import is_complete
from woo_harvester.trust import trusted_context

#: Number of tries before the register counts as unreachable.
_TRIES = 3

_NOT_MODIFIED = 304
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})
_CHUNK = 64 * 1024


class FetchError(Exception):
    """The register could not be fetched; the message is one line with the reason."""


class _TemporaryFetchError(FetchError):
    """The register could not be fetched, but the same request may succeed a little later."""


@dataclass(frozen=True, slots=True)
class _FetchedExport:
    """The headers of a complete export, for the conditional request of the next run."""

    etag: str | None
    last_modified: str | None


async def obtain_register(
    source: str,
    data_dir: Path,
    report: Reporter,
    today: date,
    *,
    user_agent: str,
    time_limit: float = 300,
    backoff: float = 2,
) -> Register:
    """Return the register from *source*, a local path or an http(s) URL.

    For a URL the last good copy is stored in *data_dir*. If the register cannot be fetched, or the export is
    implausible, that copy is used, with the finding ``register.onbereikbaar``. Each try may take *time_limit*
    seconds. The waits between tries begin at *backoff* seconds and double. Raises RegisterError if there is
    neither a register nor a copy.
    """
    if not source.lower().startswith(("http://", "https://")):
        return read_file(Path(source), report, today)
    copy = RegisterCopy.of_source(data_dir, source)
    try:
        with copy.new_file() as file:
            fetched = await fetch_register(
                source, copy, file, user_agent=user_agent, time_limit=time_limit, backoff=backoff
            )
            # Not in a thread: a run can do nothing else before it knows its hosts.
            if fetched is None:
                return copy.read(report, today)
            return copy.accept(
                Path(file.name),
                report,
                today,
                fetched=datetime.now(UTC),
                etag=fetched.etag,
                last_modified=fetched.last_modified,
            )
    except (FetchError, RegisterError, OSError) as error:
        return copy.read_instead(str(error), report, today)


async def fetch_register(
    url: str,
    copy: RegisterCopy,
    file: IO[bytes],
    *,
    user_agent: str,
    time_limit: float = 300,
    maxsize: int = MAXSIZE,
    backoff: float = 2,
) -> _FetchedExport | None:
    """Fetch the export into *file*. Return None if the server reports that the copy is up to date.

    Temporary errors are retried, up to three tries in all. Certificates are verified; ``SSL_CERT_FILE`` adds
    a private authority. Raises FetchError unless the answer is complete and at most *maxsize* bytes. Raises
    TrustError if no certificate can be verified.
    """
    headers = {"User-Agent": user_agent, **copy.conditional_headers()}
    tries = AsyncRetrying(
        stop=stop_after_attempt(_TRIES),
        wait=wait_exponential(multiplier=backoff),
        retry=retry_if_exception_type(_TemporaryFetchError),
        reraise=True,
    )
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trusted_context()),
        headers=headers,
        timeout=aiohttp.ClientTimeout(total=time_limit),
        trust_env=True,
    ) as session:
        return await tries(_fetch_once, session, url, file, maxsize)


async def _fetch_once(
    session: aiohttp.ClientSession, url: str, file: IO[bytes], maxsize: int
) -> _FetchedExport | None:
    try:
        async with session.get(url) as response:
            if response.status == _NOT_MODIFIED:
                return None
            _check(response, url)
            await _save(response, file, maxsize)
            return _FetchedExport(response.headers.get("ETag"), response.headers.get("Last-Modified"))
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
