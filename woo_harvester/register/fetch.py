"""Has the register for a run: from a local file, or over HTTP with the kept copy to fall back on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO

import aiohttp
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from woo_harvester.findings import Reporter
from woo_harvester.register import Register, RegisterCopy, RegisterError
from woo_harvester.register.intake import read_file
from woo_harvester.register.reader import MAXSIZE
from woo_harvester.statuses import is_complete
from woo_harvester.trust import trusted_context

#: How often the register is asked for, before it counts as out of reach.
TRIES = 3

_NOT_MODIFIED = 304
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})
_CHUNK = 64 * 1024


class FetchError(Exception):
    """The register could not be fetched; the message is the reason, in one line."""


class TemporaryFetchError(FetchError):
    """The same request may well succeed a little later."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An export that was fetched whole, with the headers that the next request needs."""

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
    """The register from ``source``, a local path or an http(s) URL.

    Of a URL the last good copy is kept in ``data_dir``. Where the register cannot be fetched, or what comes
    is implausible, that copy is used, with the finding ``register.onbereikbaar``. A try may take
    ``time_limit`` seconds; the waits between tries begin at ``backoff`` seconds and double. Raises
    RegisterError where there is neither a register nor a copy.
    """
    if not source.lower().startswith(("http://", "https://")):
        return read_file(Path(source), report, today)
    copy = RegisterCopy.of_source(data_dir, source)
    try:
        with copy.new_file() as file:
            fetched = await fetch_register(
                source, copy, file, user_agent=user_agent, time_limit=time_limit, backoff=backoff
            )
            # Read here and not in a thread: a run can do nothing else before it knows its hosts.
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
) -> Fetched | None:
    """Fetches the export into ``file``; None where the server says that the copy is still the newest.

    Temporary faults are tried again, three times in all. Raises FetchError for all that is not a whole answer
    of at most ``maxsize`` bytes, TrustError where no certificate can be verified. Certificates are verified;
    ``SSL_CERT_FILE`` adds a private authority.
    """
    headers = {"User-Agent": user_agent, **copy.conditional_headers()}
    tries = AsyncRetrying(
        stop=stop_after_attempt(TRIES),
        wait=wait_exponential(multiplier=backoff),
        retry=retry_if_exception_type(TemporaryFetchError),
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
) -> Fetched | None:
    try:
        async with session.get(url) as response:
            if response.status == _NOT_MODIFIED:
                return None
            _check(response, url)
            await _save(response, file, maxsize)
            return Fetched(response.headers.get("ETag"), response.headers.get("Last-Modified"))
    except TimeoutError as error:
        raise TemporaryFetchError("time-out") from error
    except (aiohttp.InvalidURL, aiohttp.TooManyRedirects, aiohttp.ClientSSLError) as error:
        raise FetchError(_reason(error)) from error
    except aiohttp.ClientError as error:
        raise TemporaryFetchError(_reason(error)) from error


def _check(response: aiohttp.ClientResponse, url: str) -> None:
    if url.lower().startswith("https:") and response.url.scheme != "https":
        raise FetchError(f"redirected to {response.url}, which is not https")
    if response.status in _TEMPORARY:
        raise TemporaryFetchError(f"HTTP {response.status}")
    if not is_complete(response.status):
        raise FetchError(f"HTTP {response.status}")


async def _save(response: aiohttp.ClientResponse, file: IO[bytes], maxsize: int) -> None:
    """Writes the body, after decompression; a try that broke off leaves nothing behind in the file."""
    file.seek(0)
    file.truncate()
    async for chunk in response.content.iter_chunked(_CHUNK):
        if file.tell() + len(chunk) > maxsize:
            raise FetchError(f"larger than {maxsize:,} bytes")
        file.write(chunk)
    file.flush()


def _reason(error: aiohttp.ClientError) -> str:
    """In one line, never empty: some of these errors have no text."""
    return " ".join(f"{type(error).__name__}: {error}".split())
