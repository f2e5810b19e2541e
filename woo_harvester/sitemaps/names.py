"""The naming convention for sitemap indexes: only indexes with one of its 18 names are read.

Source: seed "Sitemapindex en Sitemaps", section "Naamgeving van informatiecategorieën". The project adds one
rule: a name that resembles the convention is a finding for the publisher; other names are ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote

#: The action on an index or a sitemap that is not requested.
NOT_READ = "niet gelezen"

_NAME = r"sitemapindex-diwoo(?:-infocat(?P<number>0(?:0[1-9]|1[0-7])))?\.xml"
_CONVENTION = re.compile(_NAME, re.ASCII)

#: The convention in a URL, for Scrapy's ``sitemap_follow``. Names with percent-encoding are indexes too.
INDEX_URL = re.compile(rf"^[^?#]*/{_NAME}(?:[?#]|$)", re.ASCII | re.IGNORECASE)

_INFOCAT = re.compile(r".*-infocat\d+\.xml", re.ASCII | re.DOTALL)


class NameMatch(Enum):
    """How the last path segment of a ``Sitemap:`` line matches the naming convention."""

    INDEX = "one of the 18 names"
    UNKNOWN_INFOCAT = "-infocat with a number outside 001 to 017"
    NEAR_MISS = "contains diwoo or infocat, but is none of the 18 names"
    OTHER = "a sitemap that has nothing to do with the Woo"


@dataclass(frozen=True, slots=True)
class IndexName:
    """The name of an index in its URL, compared with the convention."""

    match: NameMatch
    number: int | None = None
    """1 to 17 if the name has an informatiecategorie, else None."""
    other_case: bool = False
    """True if the name differs from the convention only by capitals."""


def index_name(url: str) -> IndexName:
    """Compare the last path segment of an absolute URL with the convention, without query and fragment."""
    path = re.split(r"[?#]", url, maxsplit=1)[0]
    segment = unquote(path.rstrip("/").rpartition("/")[2])
    name = segment.lower()
    if match := _CONVENTION.fullmatch(name):
        if path.endswith("/"):
            return IndexName(NameMatch.NEAR_MISS)
        number = match["number"]
        return IndexName(NameMatch.INDEX, int(number) if number else None, other_case=segment != name)
    if _INFOCAT.fullmatch(name) and not re.search(r"-infocat0(0[1-9]|1[0-7])\.xml$", name):
        return IndexName(NameMatch.UNKNOWN_INFOCAT)
    if "diwoo" in name or "infocat" in name:
        return IndexName(NameMatch.NEAR_MISS)
    return IndexName(NameMatch.OTHER)
