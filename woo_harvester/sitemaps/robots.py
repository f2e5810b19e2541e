"""The robots.txt of a host: its lines on sitemaps, the names of indexes for the Woo, and its rules.

Source: seed "Sitemapindex en Sitemaps", section "Naamgeving van informatiecategorieën". The project adds one
rule: a name that resembles the convention is a finding for the publisher; other names are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from woo_harvester.tooi.lists import CATEGORY_COUNT
from woo_harvester.utils.encodings import decode
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import tidy_loc

#: The action on an index or a sitemap that is not requested.
NOT_READ = "niet gelezen"

_NAME = r"sitemapindex-diwoo(?:-infocat(?P<number>0(?:0[1-9]|1[0-7])))?\.xml"
_CONVENTION = re.compile(_NAME, re.ASCII)

#: The convention in a URL, for Scrapy's ``sitemap_follow``. Names with percent-encoding are indexes too.
INDEX_URL = re.compile(rf"^[^?#]*/{_NAME}(?:[?#]|$)", re.ASCII | re.IGNORECASE)

_INFOCAT = re.compile(r".*-infocat\d+\.xml", re.ASCII | re.DOTALL)

#: One of the names as that of a folder, as some publishing systems serve an index: ``…-diwoo/sitemap.xml``.
_FOLDER = re.compile(r"/sitemapindex-diwoo(?:-infocat\d+)?(?:\.xml)?(?=/.)", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"infocat[_-]?0*([0-9]{1,2})(?![0-9])", re.ASCII | re.IGNORECASE)


class NameMatch(Enum):
    """How the last path segment of a ``Sitemap:`` line matches the naming convention."""

    INDEX = "one of the 18 names"
    UNKNOWN_INFOCAT = "-infocat with a number outside 001 to 017"
    NEAR_MISS = "has diwoo or infocat, and is none of the 18 names; or has one as its folder or in its query"
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
    """Compare the last path segment of an absolute URL with the convention."""
    path, *query = re.split(r"[?#]", url, maxsplit=1)
    segment = unquote(path.rstrip("/").rpartition("/")[2])
    name = segment.lower()
    if match := _CONVENTION.fullmatch(name):
        if path.endswith("/"):
            return IndexName(NameMatch.NEAR_MISS)
        number = match["number"]
        return IndexName(NameMatch.INDEX, int(number) if number else None, other_case=segment != name)
    if _INFOCAT.fullmatch(name) and not re.search(r"-infocat0(0[1-9]|1[0-7])\.xml$", name):
        return IndexName(NameMatch.UNKNOWN_INFOCAT)
    is_in_query = any("sitemapindex-diwoo" in each.lower() for each in query)
    if "diwoo" in name or "infocat" in name or _FOLDER.search(path) or is_in_query:
        return IndexName(NameMatch.NEAR_MISS)
    return IndexName(NameMatch.OTHER)


def right_address(url: str) -> str:
    """Return the address at which an index is read: the same place, with the name of the category, if any."""
    path, *query = re.split(r"[?#]", url, maxsplit=1)
    folder, _, name = path.rpartition("/")
    if "diwoo" not in name.lower() and (found := _FOLDER.search(path)) is not None:
        folder, name = path[: found.start()], found[0]
    number = next((int(match[1]) for part in (name, *query) if (match := _NUMBER.search(part))), 0)
    category = f"-infocat{number:03}" if 1 <= number <= CATEGORY_COUNT else ""
    return f"{folder}/sitemapindex-diwoo{category}.xml"


#: Bytes of a robots.txt that are read. RFC 9309, 2.5, requires at least 500 KiB.
ROBOTS_MAXSIZE = 500 * 1024

#: What is seen in the place of a file or document that robots.txt forbids.
FORBIDDEN = "verboden door robots.txt"

# Each pattern takes a time that grows with the length of the line and no faster, whatever is in the line.

_SITEMAP_LINE = re.compile(r"sitemap[ \t]*+:(?P<value>.*)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")

#: A backslash and a letter that were meant as the end of a line, because nothing follows or a new line does.
_WRITTEN_LINE_END = re.compile(
    r"\\(?:r\\n|n|r)(?=\s*+(?:$|\\[rn]|\#|https?://|/|[a-z][a-z -]*+:))", re.IGNORECASE
)

#: The place between two lines or addresses that only white space or a comma separates.
_NEXT_LINE = re.compile(r"(?<=\s)(?=sitemap[ \t]*+:\s*+(?:https?://|/))", re.IGNORECASE)
_NEXT_URL = re.compile(r"(?<=[\s,;])(?=https?://)", re.IGNORECASE)

#: A line that is meant as a ``Sitemap:`` line: that word written in another way, or only the address.
_MISSPELT = re.compile(
    r"""
    [^\w/]*+
    (?:site[\s_-]?map[\w-]*+ [^\w/]*+ ((?:https?:/)?/[^\s<>"',;]++) | (https?://[^\s<>"',;]++))
    [^\w/]*+
    """,
    re.IGNORECASE | re.VERBOSE,
)

_URL_BEGIN = re.compile(r"https?://|/", re.IGNORECASE)
#: What may stand around an address, and is no part of it.
_PUNCTUATION = " \t,:;\"'<>“”„‘’"

_RULE = re.compile(r"\s*+(?:dis)?allow\s*+:", re.IGNORECASE)
#: What ends a word that may be a file name.
_WORD_END = re.compile(r"[\s<>\"'=,;()/\\:?#&*$]+")


class SitemapLine(NamedTuple):
    """One address in a ``Sitemap:`` line."""

    url: str
    """The absolute URL, or the value as given if it cannot be made absolute."""
    given: str
    """The value as given."""
    line: int
    """Line number, from 1."""
    relative: bool
    """True if the given value is a relative URL."""


class LineFinding(NamedTuple):
    """A line that is not written as it should be; the fields are those of :class:`Finding`."""

    code: str
    line: int
    seen: str
    action: str


class RobotsLines(NamedTuple):
    """The ``Sitemap:`` lines of a robots.txt, and what is wrong with lines that name an index."""

    sitemaps: list[SitemapLine]
    """Each URL once."""
    findings: list[LineFinding]


def read_robots_lines(body: bytes, robots_url: str) -> RobotsLines:
    """Return the lines in *body* that name sitemaps, with their URLs resolved against *robots_url*.

    The word may be in any letter case, the file may be in UTF-8 or UTF-16, and lines end with LF, CR or CRLF.
    The protocol requires absolute URLs, but relative ones are resolved, since publishers' software
    writes them. A line that is written in another way is read if it can only mean one thing.
    """
    read = _Reading(robots_url)
    for number, line in enumerate(_LINE_END.split(decode(body)), start=1):
        if not _is_comment(line):
            read.add(number, line)
    return read.lines()


def rules_text(body: bytes) -> str:
    r"""Return a robots.txt as a parser of its rules must get it.

    It is decoded as the ``Sitemap:`` lines are, and has real line ends where it has a written ``\n``.
    """
    text = decode(body)
    if "\\" not in text:
        return text
    return "\n".join(
        line if _is_comment(line) else _WRITTEN_LINE_END.sub("\n", line) for line in _LINE_END.split(text)
    )


class _Reading:
    """What was read of a robots.txt so far."""

    def __init__(self, robots_url: str) -> None:
        self._robots_url = robots_url
        self._sitemaps: dict[str, SitemapLine] = {}
        self._findings: list[LineFinding] = []
        self._rules: list[LineFinding] = []
        """Rules that name an index. They do not refer to it, but another line may."""

    def add(self, number: int, line: str) -> None:
        """Read a line that is no comment."""
        written = _WRITTEN_LINE_END.split(line)
        parts = [part for one in written for part in _parts(_NEXT_LINE, one.partition("#")[0])]
        found: list[str] = []
        for part in parts:
            found += self._values(number, part.strip(" \t"), is_next=bool(found))
        is_joined = len(written) > 1 or len(parts) > 1 or len(found) > 1
        if is_joined and any(self._match(given) is not NameMatch.OTHER for given in found):
            action = f"gelezen als {counted(len(found), 'adres', 'adressen')}"
            self._findings.append(LineFinding("robots.samengevoegd", number, line.strip(), action))
        for given in found:
            url, relative = self._resolve(given)
            self._sitemaps.setdefault(url, SitemapLine(url, given, number, relative))

    def lines(self) -> RobotsLines:
        """Return what was read, the findings in the order of the file."""
        sitemaps = list(self._sitemaps.values())
        named = {name for sitemap in sitemaps for name in _index_files(sitemap.url)}
        rules = (rule for rule in self._rules if not named.issuperset(_index_files(rule.seen)))
        return RobotsLines(sitemaps, sorted([*self._findings, *rules], key=attrgetter("line")))

    def _values(self, number: int, text: str, *, is_next: bool) -> list[str]:
        """Return the addresses of sitemaps in a line, each as given.

        *is_next* means that the line was written behind a ``Sitemap:`` line, and may be an address alone.
        """
        if match := _SITEMAP_LINE.fullmatch(text):
            first, *more = _parts(_NEXT_URL, match["value"].strip(" \t"))
            if more:
                return _stripped(first, *more)
            bare = first.strip(_PUNCTUATION)
            if bare != first and self._match(bare) is NameMatch.INDEX:
                self._misspelt(number, text, bare)
                return [bare]
            return [first] if first else []
        if is_next and _URL_BEGIN.match(text):
            return _stripped(*_parts(_NEXT_URL, text))
        if (match := _MISSPELT.fullmatch(text)) and self._match(match[1] or match[2]) is NameMatch.INDEX:
            self._misspelt(number, text, match[1] or match[2])
            return [match[1] or match[2]]
        if any(_index_files(text)):
            ignored = self._rules if _RULE.match(text) else self._findings
            ignored.append(LineFinding("robots.regel-genegeerd", number, text, NOT_READ))
        return []

    def _misspelt(self, number: int, text: str, url: str) -> None:
        self._findings.append(
            LineFinding("robots.regel-afwijkend", number, text, f"gelezen als Sitemap: {url}")
        )

    def _match(self, given: str) -> NameMatch:
        return index_name(self._resolve(given)[0]).match

    def _resolve(self, given: str) -> tuple[str, bool]:
        """Return the absolute URL of an address, and whether the address is relative."""
        try:
            url = tidy_loc(given)
            return urljoin(self._robots_url, url), not urlsplit(url).scheme
        except ValueError:  # such as "https://[x", which becomes a finding on the name of the index
            return given, False


def _stripped(*values: str) -> list[str]:
    """Return the addresses without what stands around them."""
    return list(filter(None, (value.strip(_PUNCTUATION) for value in values)))


def _parts(borders: re.Pattern[str], text: str) -> list[str]:
    """Return the lines or addresses in a text, which only white space or a comma separates."""
    first, *more = borders.split(text)
    if more and not any(map(str.isalnum, first)):  # only white space or a list's dash
        first += more.pop(0)
    return [first, *more]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _index_files(text: str) -> Iterator[str]:
    """Yield the file names in a line that are, or resemble, that of an index by the convention."""
    for word in _WORD_END.split(text.lower()):
        if ("diwoo" in word or "infocat" in word) and ".xml" in word:
            yield word
