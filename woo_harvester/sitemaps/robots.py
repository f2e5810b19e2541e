"""The ``Sitemap:`` lines of a robots.txt.

Source: seed "Technische implementatie", section "Robots.txt"; RFC 9309 for lines, encoding and size. Protego,
the library that Scrapy uses, decides which paths may be visited.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

#: Bytes of a robots.txt that are read. RFC 9309, 2.5, requires at least 500 KiB.
ROBOTS_MAXSIZE = 500 * 1024

_SITEMAP_LINE = re.compile(r"[ \t]*sitemap[ \t]*:(?P<value>[^#]*)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SitemapLine:
    """One ``Sitemap:`` line."""

    url: str
    """The absolute URL, or the value as given if it cannot be made absolute."""
    given: str
    """The value as given."""
    line: int
    """Line number, from 1."""
    relative: bool
    """True if the given value is a relative URL."""


def sitemap_lines(body: bytes, robots_url: str) -> Iterator[SitemapLine]:
    """Yield the ``Sitemap:`` lines in *body*, each URL once, resolved against *robots_url*.

    The word may be in any letter case, the file may have a byte order mark, and lines end with LF, CR or
    CRLF. The protocol requires absolute URLs, but relative ones are resolved, since publishers' software
    writes them.
    """
    seen = set()
    for number, line in enumerate(_LINE_END.split(_text(body)), start=1):
        if not (match := _SITEMAP_LINE.match(line)):
            continue
        given = match["value"].strip()
        if not given:
            continue
        url, relative = _resolve(given, robots_url)
        if url not in seen:
            seen.add(url)
            yield SitemapLine(url=url, given=given, line=number, relative=relative)


def _resolve(given: str, robots_url: str) -> tuple[str, bool]:
    try:
        return urljoin(robots_url, given), not urlsplit(given).scheme
    except ValueError:  # such as "https://[x", which becomes a finding on the name of the index
        return given, False


def _text(body: bytes) -> str:
    """Decode UTF-8 (RFC 9309), or UTF-16 with a byte order mark, which is common on Windows servers."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", errors="replace")
    return body.decode("utf-8-sig", errors="replace")
