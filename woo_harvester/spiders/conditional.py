"""Asks for a file only if it has changed since it was last read completely (RFC 9110, section 13)."""

from __future__ import annotations

from datetime import timedelta
from time import time
from typing import TYPE_CHECKING

from woo_harvester.state.resources import Resource

if TYPE_CHECKING:
    from scrapy.http import Response


def is_due(resource: Resource, interval: timedelta) -> bool:
    """Whether a file must be read whole: never read completely, too long ago, or after the clock jumped back.

    A publisher whose ETag never changes would hide changes for ever otherwise.
    """
    if resource.read_at is None:
        return True
    return not 0 <= time() - resource.read_at < interval.total_seconds()


def conditions(resource: Resource, interval: timedelta) -> dict[str, str]:
    """The headers by which a server answers 304 if the file has not changed."""
    if is_due(resource, interval):
        return {}
    headers = {"If-None-Match": resource.etag, "If-Modified-Since": resource.last_modified}
    return {name: value for name, value in headers.items() if value}


def validator(response: Response, name: str) -> str | None:
    """The response's ``ETag`` or ``Last-Modified``; None where it has none that can be sent again."""
    value = response.headers.get(name)
    text = value.decode("latin-1") if value else ""
    return text if text.isprintable() and text.isascii() and text else None
