"""Asks for a file only if it has changed since it was last read completely (RFC 9110, section 13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from scrapy.http import Response

CONDITIONS = ("If-None-Match", "If-Modified-Since")


class Validators(Protocol):
    """By which a server tells whether a file has changed."""

    @property
    def etag(self) -> str | None: ...
    @property
    def last_modified(self) -> str | None: ...


class Remembered(Validators, Protocol):
    """What is remembered of a file that was read."""

    @property
    def read_at(self) -> int | None:
        """Seconds since 1970; None where it was never read completely."""


def is_due(resource: Remembered, interval: timedelta) -> bool:
    """Whether a file must be read whole: never read completely, too long ago, or after the clock jumped back.

    A publisher whose ETag never changes would hide changes for ever otherwise.
    """
    if resource.read_at is None:
        return True
    return not 0 <= time() - resource.read_at < interval.total_seconds()


def conditions(resource: Remembered, interval: timedelta) -> dict[str, str]:
    """The headers by which a server answers 304 if the file has not changed; none where it must be read."""
    return {} if is_due(resource, interval) else unless_changed(resource)


def unless_changed(known: Validators | None) -> dict[str, str]:
    """The headers by which a server answers 304 if the file is the one that is known (RFC 9110, 13.1)."""
    if known is None:
        return {}
    headers = dict(zip(CONDITIONS, (known.etag, known.last_modified), strict=True))
    return {name: value for name, value in headers.items() if value}


def is_not_modified(response: Response) -> bool:
    """Whether the file is as it was, by a server that was asked: others say so of what was never read."""
    asked = response.request is not None and any(name in response.request.headers for name in CONDITIONS)
    return response.status == 304 and asked


def validator(response: Response, name: str) -> str | None:
    """The response's ``ETag`` or ``Last-Modified``; None where it has none that can be sent again."""
    value = response.headers.get(name)
    text = value.decode("latin-1") if value else ""
    return text if text.isprintable() and text.isascii() and text else None


def header(response: Response, name: str) -> str | None:
    """A header of the response as text."""
    value = response.headers.get(name)
    return value.decode("utf-8", errors="replace") if value else None


def moment_of(response: Response, name: str) -> datetime | None:
    """The moment in ``Date`` or ``Last-Modified``; None where there is none that can be read."""
    try:
        moment = parsedate_to_datetime(header(response, name) or "")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
