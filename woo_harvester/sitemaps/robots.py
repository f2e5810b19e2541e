"""The ``Sitemap:`` lines of a robots.txt.

Source: seed "Technische implementatie", section "Robots.txt"; RFC 9309 for lines, encoding and size. Which
paths may be visited is Protego's business, not this module's.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

#: RFC 9309, 2.5: at least 500 KiB must be parsed; what comes after it is not read here.
ROBOTS_MAXSIZE = 500 * 1024

SITEMAP_LINE = re.compile(r"[ \t]*sitemap[ \t]*:(?P<value>[^#]*)", re.IGNORECASE)
LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SitemapLine:
    """One ``Sitemap:`` line."""

    url: str
    """Absolute; as given where it cannot be made absolute."""
    given: str
    line: int
    relative: bool


def sitemap_lines(body: bytes, robots_url: str) -> Iterator[SitemapLine]:
    """The ``Sitemap:`` lines in *body*, each URL once, resolved against *robots_url*.

    Any letter case, with BOM, with LF, CR or CRLF; a relative value is resolved although the protocol asks
    for an absolute one, since publishers' software writes them.
    """
    seen = set()
    for number, line in enumerate(LINE_END.split(_text(body)), start=1):
        if not (match := SITEMAP_LINE.match(line)):
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
    except ValueError:  # such as "https://[x": told to the publisher by its name
        return given, False


def _text(body: bytes) -> str:
    """RFC 9309 has UTF-8; an UTF-16 file with a byte order mark is common on Windows servers."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", errors="replace")
    return body.decode("utf-8-sig", errors="replace")
