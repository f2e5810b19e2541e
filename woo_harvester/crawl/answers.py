"""The answers of servers: whether a file has changed since (RFC 9110, section 13), or why there is none."""

from __future__ import annotations

from datetime import timedelta
from time import time
from typing import TYPE_CHECKING, Literal, Protocol

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.spidermiddlewares.httperror import HttpError

from woo_harvester.downloader.bodies import SpoolError
from woo_harvester.downloader.middlewares import RedirectRefused, RobotsForbidden, RobotsUnreachableError
from woo_harvester.downloader.streaming import NoSuchHostError, PrivateHostError, TlsError
from woo_harvester.extensions.politeness import HostRestsError
from woo_harvester.extensions.stopping import StoppedError
from woo_harvester.findings.texts import certificate_fault
from woo_harvester.running.causes import UnexpectedError
from woo_harvester.sitemaps.robots import FORBIDDEN
from woo_harvester.utils.fetch import TrustError

if TYPE_CHECKING:
    from scrapy.http import Response


_CONDITIONS = ("If-None-Match", "If-Modified-Since")


class _Validators(Protocol):
    """Headers of an earlier answer, from which a server can see whether a file has changed since."""

    @property
    def etag(self) -> str | None: ...
    @property
    def last_modified(self) -> str | None: ...


class _Remembered(_Validators, Protocol):
    """A file that was read, as the state remembers it."""

    @property
    def read_at(self) -> int | None:
        """Seconds since 1970; None if the file was never read completely."""


def is_due(resource: _Remembered, interval: timedelta) -> bool:
    """Return whether a file must be read in full, whatever its server says.

    It must be if it was never read completely, if that was longer ago than *interval*, or if the clock was
    set back since. Otherwise a publisher whose ETag never changes would hide changes for ever.
    """
    if resource.read_at is None:
        return True
    return not 0 <= time() - resource.read_at < interval.total_seconds()


def conditions(resource: _Remembered, interval: timedelta) -> dict[str, str]:
    """Return the headers of a conditional request; no headers if the file must be read in full."""
    return {} if is_due(resource, interval) else unless_changed(resource)


def unless_changed(known: _Validators | None) -> dict[str, str]:
    """Return the headers that make a server answer 304 if its file is the *known* one (RFC 9110, 13.1)."""
    if known is None:
        return {}
    headers = dict(zip(_CONDITIONS, (known.etag, known.last_modified), strict=True))
    return {name: value for name, value in headers.items() if value}


def is_not_modified(response: Response) -> bool:
    """Return whether the server answers 304 to a conditional request.

    Some servers also answer 304 to a request without conditions, for a file that was never read.
    """
    asked = response.request is not None and any(name in response.request.headers for name in _CONDITIONS)
    return response.status == 304 and asked


def validator(response: Response, name: str) -> str | None:
    """Return the response's ``ETag`` or ``Last-Modified``, or None if it has none that can be sent again."""
    value = response.headers.get(name)
    text = value.decode("latin-1") if value else ""
    return text if text.isprintable() and text.isascii() and text else None


RequestKind = Literal["robots", "index", "sitemap", "document"]


def is_ours(error: BaseException | None) -> bool:
    """Return whether the harvester or its machine caused an error, so that no publisher is to blame."""
    if error is None:
        return False
    return isinstance(error, SpoolError | StoppedError | TrustError)


#: How a connection fails that may be better the next time.
CONNECTION_ERRORS = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

#: What the download of a file may raise because of its host.
_EXPECTED = (
    *CONNECTION_ERRORS,
    HostRestsError,
    IgnoreRequest,
    PrivateHostError,
    ResponseDataLossError,
    RobotsUnreachableError,
    TlsError,
)


def check_expected(error: BaseException | None) -> None:
    """Raise UnexpectedError for an error that no host can cause, such as an exception in a middleware.

    An errback calls it, because Scrapy has no signal for what its middlewares raise.
    """
    if not isinstance(error, _EXPECTED):
        raise UnexpectedError from error


def failure_code(error: BaseException | None, kind: str, unreachable: str | None = None) -> str:
    """Return the code of the finding about *error*: a precise one, or else *unreachable*.

    Without that, it is ``<kind>.onbereikbaar``.
    """
    unreachable = unreachable or f"{kind}.onbereikbaar"
    match error:
        case TlsError():
            return "tls.ongeldig"
        case NoSuchHostError():
            return "host.bestaat-niet"
        case PrivateHostError():
            return "host.prive-adres"
        case RobotsForbidden():
            return "robots.verboden"
        case RedirectRefused(code=code):
            return "document.doorverwijzing" if kind == "document" else code or unreachable
        case IgnoreRequest() if kind == "document" and not isinstance(error, HttpError):
            return "document.doorverwijzing"  # Scrapy's "max redirections reached"
        case _:
            return unreachable


def failure_seen(error: BaseException | None) -> str:
    """Return what was seen instead of the file, in Dutch, for the finding."""
    match error:
        case HttpError():
            return f"HTTP {error.response.status}"
        case RedirectRefused():
            cookie = "; de server wil eerst een cookie zetten" if error.wants_cookie else ""
            return f"doorverwijzing naar {error.target}{cookie}"
        case TlsError(verify_code=code) if fault := certificate_fault(code):
            return f"{fault} ({error})"
        case DownloadTimeoutError():
            return "time-out"
        case RobotsForbidden():
            return FORBIDDEN
        case None:
            return "geen antwoord"
        case _:
            return " ".join(str(error).split()) or type(error).__name__
