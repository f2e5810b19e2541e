"""What is asked for of what a publisher names: indexes in robots.txt, sitemaps in an index.

Source: seed "Sitemapindex en Sitemaps" (naming convention), seed "Technische implementatie" (https, hosts in
the register).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.names import IndexName, NameKind, index_name
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, Entry
from woo_harvester.sitemaps.robots import SitemapLine, sitemap_lines
from woo_harvester.urls import host_of, loc_problem

NOT_READ = "niet gelezen"

#: Sitemaps that are read of a host: as many as the guide allows a single index.
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


class Selection:
    """Judges URLs of indexes and sitemaps; *is_registered* tells whether requests may go to a host."""

    def __init__(self, is_registered: Callable[[str], bool], report: Reporter) -> None:
        self._is_registered = is_registered
        self._report = report
        self._indexes: set[str] = set()
        self._sitemaps: set[str] = set()
        self.named = False
        """Whether robots.txt names an index by the convention, be it one that may not be asked for."""
        self._full = False

    def indexes(self, robots: bytes, robots_url: str) -> Iterator[Index]:
        """The indexes by the convention that a robots.txt names, each once; others are told."""
        for line in sitemap_lines(robots, robots_url):
            name = index_name(line.url)
            if name.kind is NameKind.OTHER:
                self._report("robots.andere-sitemap", url=robots_url, line=line.line, seen=line.given)
            elif name.kind is not NameKind.INDEX:
                code = "index.naam" if name.kind is NameKind.NEAR_MISS else "index.infocat-onbekend"
                self._report(code, url=line.url, line=line.line, seen=line.given, action=NOT_READ)
            else:
                self.named = True
                if self._index_allowed(line, name) and line.url not in self._indexes:
                    self._indexes.add(line.url)
                    yield Index(line.url, name)

    def sitemap(self, entry: Entry, index: Index) -> Sitemap | None:
        """The sitemap that an entry of an index names; None if it is known or may not be asked for."""
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
        """Whether no more sitemaps are taken; told once a host."""
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
