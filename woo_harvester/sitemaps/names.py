"""Which sitemap indexes are read: the naming convention of the guide.

Source: seed "Sitemapindex en Sitemaps", section "Naamgeving van informatiecategorieën"; near misses as
decided in the project's interface: a name that resembles the convention is told to the publisher, any
other is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote

CONVENTION = re.compile(r"sitemapindex-diwoo(?:-infocat(?P<number>0(?:0[1-9]|1[0-7])))?\.xml", re.ASCII)
INFOCAT = re.compile(r".*-infocat\d+\.xml", re.ASCII | re.DOTALL)


class NameKind(Enum):
    """What the last path segment of a ``Sitemap:`` line says."""

    INDEX = "by the convention"
    UNKNOWN_INFOCAT = "-infocat with a number outside 001 to 017"
    NEAR_MISS = "holds diwoo or infocat, but is none of the 18 names"
    OTHER = "somebody else's sitemap"


@dataclass(frozen=True, slots=True)
class IndexName:
    """The judgement of one URL."""

    kind: NameKind
    number: int | None = None
    """1 to 17 for an index that names its informatiecategorie, else None."""
    other_case: bool = False
    """The name is that of the convention but for capitals."""


def index_name(url: str) -> IndexName:
    """Judge an absolute URL by the last segment of its path; query and fragment do not count."""
    path = re.split(r"[?#]", url, maxsplit=1)[0]
    segment = unquote(path.rstrip("/").rpartition("/")[2])
    name = segment.lower()
    if match := CONVENTION.fullmatch(name):
        if path.endswith("/"):
            return IndexName(NameKind.NEAR_MISS)
        number = match["number"]
        return IndexName(NameKind.INDEX, int(number) if number else None, other_case=segment != name)
    if INFOCAT.fullmatch(name) and not re.search(r"-infocat0(0[1-9]|1[0-7])\.xml$", name):
        return IndexName(NameKind.UNKNOWN_INFOCAT)
    if "diwoo" in name or "infocat" in name:
        return IndexName(NameKind.NEAR_MISS)
    return IndexName(NameKind.OTHER)
