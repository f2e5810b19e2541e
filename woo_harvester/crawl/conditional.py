"""Conditional requests: the server sends a file only if it has changed (RFC 9110, section 13)."""

from __future__ import annotations

from datetime import timedelta
from time import time
from typing import TYPE_CHECKING, Protocol

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
