"""Select the URLs to request: the indexes in robots.txt, and the sitemaps in an index.

Source: seed "Sitemapindex en Sitemaps" (naming convention), seed "Technische implementatie" (https, hosts in
the register).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.names import IndexName, NameMatch, index_name
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, Entry
from woo_harvester.sitemaps.robots import SitemapLine, sitemap_lines
from woo_harvester.urls import host_of, loc_problem

NOT_READ = "niet gelezen"

#: Most sitemaps that are read of one host: as many as the guide allows in a single index.
SITEMAPS_MAXIMUM = GUIDE_MAXENTRIES


@dataclass(frozen=True, slots=True)
class Index:
    """A sitemap index that robots.txt names."""

    url: str
    name: IndexName


@dataclass(frozen=True, slots=True)
class Sitemap:
    """A sitemap that an index names."""

    url: str
    index: Index


class UrlSelection:
    """The URLs of one host that may be requested, each once; the others become findings.

    *is_registered* returns whether requests may go to a host.
    """

    def __init__(self, is_registered: Callable[[str], bool], report: Reporter) -> None:
        self._is_registered = is_registered
        self._report = report
        self._indexes: set[str] = set()
        self._sitemaps: set[str] = set()
        self.names_index = False
        """True if robots.txt names an index by the convention, even one that may not be requested."""
        self._full = False

    def indexes(self, robots: bytes, robots_url: str) -> Iterator[Index]:
        """Yield the indexes in a robots.txt that follow the naming convention; report the others."""
        for line in sitemap_lines(robots, robots_url):
            name = index_name(line.url)
            if name.match is NameMatch.OTHER:
                self._report("robots.andere-sitemap", url=robots_url, line=line.line, seen=line.given)
            elif name.match is not NameMatch.INDEX:
                code = "index.naam" if name.match is NameMatch.NEAR_MISS else "index.infocat-onbekend"
                self._report(code, url=line.url, line=line.line, seen=line.given, action=NOT_READ)
            else:
                self.names_index = True
                if self._index_allowed(line, name) and line.url not in self._indexes:
                    self._indexes.add(line.url)
                    yield Index(line.url, name)

    def sitemap(self, entry: Entry, index: Index) -> Sitemap | None:
        """Return the sitemap in an entry of an index; None if it is not new or may not be requested."""
        if not entry.loc:
            self._report(
                "loc.ontbreekt", url=index.url, line=entry.line, element="sitemap/loc", action=NOT_READ
            )
            return None
        if code := self._problem(entry.loc):
            self._report(
                code, url=entry.loc, line=entry.line, element="sitemap/loc", seen=entry.loc, action=NOT_READ
            )
            return None
        if entry.loc in self._sitemaps or self._is_full(entry, index):
            return None
        self._sitemaps.add(entry.loc)
        return Sitemap(entry.loc, index)

    def _is_full(self, entry: Entry, index: Index) -> bool:
        """Return whether the host has reached the maximum of sitemaps; report that once."""
        full = len(self._sitemaps) >= SITEMAPS_MAXIMUM
        if full and not self._full:
            seen = f"meer dan {SITEMAPS_MAXIMUM} sitemaps"
            self._report("index.te-groot", url=index.url, line=entry.line, seen=seen, action=NOT_READ)
        self._full = full
        return full

    def _index_allowed(self, line: SitemapLine, name: IndexName) -> bool:
        if line.relative:
            self._report("robots.sitemap-relatief", url=line.url, line=line.line, seen=line.given)
        if name.other_case:
            self._report("index.hoofdletters", url=line.url, line=line.line, seen=line.given)
        if code := self._problem(line.url):
            code = "index.geen-https" if code == "loc.geen-https" else code
            self._report(code, url=line.url, line=line.line, seen=line.given, action=NOT_READ)
        return not code

    def _problem(self, url: str) -> str | None:
        if code := loc_problem(url):
            return code
        return None if self._is_registered(host_of(url)) else "host.niet-geregistreerd"
