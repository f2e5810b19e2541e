"""The selection of the indexes and sitemaps of one host: those that may be requested, each once.

Source: seed "Sitemapindex en Sitemaps", sections "Naamgeving van informatiecategorieën" and "Het
sitemapprotocol".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field

from woo_harvester.findings import Reporter
from woo_harvester.sitemaps.reader import GUIDE_MAXENTRIES, Entry
from woo_harvester.sitemaps.robots import (
    NOT_READ,
    IndexName,
    NameMatch,
    SitemapLine,
    index_name,
    read_robots_lines,
)
from woo_harvester.utils.program import counted
from woo_harvester.utils.terminal import visible
from woo_harvester.utils.urls import absolute_url, host_of, is_relative, loc_problem, tidy_loc

_READ_ANYWAY = "toch gelezen"

#: Most sitemaps that are read of one host: as many as the guide allows in a single index.
SITEMAPS_MAXIMUM = GUIDE_MAXENTRIES


@dataclass(frozen=True, slots=True)
class Index:
    """A sitemap index that robots.txt names."""

    url: str
    name: IndexName


@dataclass(slots=True)
class Sitemap:
    """A sitemap that one index or more list."""

    url: str
    index: Index
    """The index whose category counts."""
    listed_by: Index | None = field(default=None, compare=False)
    """The last index that was found to list it."""

    def prefer(self, other: Index) -> None:
        """Let the category of *other* count if it is the only one, or has the lowest number.

        So the category is the same in whatever order the indexes are read.
        """
        number = other.name.number
        if number is not None and (self.index.name.number is None or number < self.index.name.number):
            self.index = other


class UrlSelection:
    """The URLs of one host that may be requested, each once; the others become findings.

    *is_registered* returns whether requests may go to a host.
    """

    def __init__(self, is_registered: Callable[[str], bool], report: Reporter) -> None:
        self._is_registered = is_registered
        self._report = report
        self._indexes: set[str] = set()
        self._sitemaps: dict[str, Sitemap] = {}
        self._nested: dict[tuple[str, str], tuple[Entry, Index]] = {}
        """Entries that list an index of robots.txt, each once, by that index and the one that they are in."""
        self.with_documents: set[str] = set()
        """URLs of indexes that list documents."""
        self._shared: Counter[tuple[str, str]] = Counter()
        """Number of sitemaps of the index being read that another index lists too, by finding and index."""
        self.names_index = False
        """True if robots.txt names an index to read, even one that may not be requested."""
        self.looks = False
        """True for an audit, which looks into the other sitemaps of robots.txt before it reports them."""
        self._others: list[SitemapLine] = []
        """The other sitemaps of robots.txt that are not reported yet."""
        self._robots_url = ""
        self._empty: list[str] = []
        """URLs of the indexes and sitemaps without entries."""
        self._full_index: Index | None = None
        """The last index with more sitemaps than are read."""
        self.follows: Callable[[str], bool] | None = None
        """The choice of a spider: whether it reads the index at a URL. None for the naming convention."""
        self.is_narrowed = False
        """True if the spider leaves out an index that follows the convention."""

    @property
    def named(self) -> Set[str]:
        """The URLs of the indexes that were yielded."""
        return self._indexes

    def indexes(self, robots: bytes, robots_url: str) -> Iterator[Index]:
        """Yield the indexes in a robots.txt that are read; report those that do not follow the convention."""
        self._robots_url = robots_url
        lines = read_robots_lines(robots, robots_url)
        for found in lines.findings:
            self._report(found.code, url=robots_url, line=found.line, seen=found.seen, action=found.action)
        for line in lines.sitemaps:
            name = index_name(line.url)
            is_index = name.match is NameMatch.INDEX
            is_read = is_index if self.follows is None else self.follows(line.url)
            if not is_index:
                self._report_name(line, name, is_read=is_read)
            elif not is_read:
                self.is_narrowed = True
            if is_index or is_read:
                self.names_index = True
                if self._index_allowed(line, name) and line.url not in self._indexes:
                    self._indexes.add(line.url)
                    if is_read:
                        yield Index(line.url, name)

    def _report_name(self, line: SitemapLine, name: IndexName, *, is_read: bool) -> None:
        """Report a sitemap in robots.txt that does not follow the naming convention."""
        if is_read or name.match is not NameMatch.OTHER:
            code = "index.infocat-onbekend" if name.match is NameMatch.UNKNOWN_INFOCAT else "index.naam"
            action = _READ_ANYWAY if is_read else NOT_READ
            self._report(code, url=line.url, line=line.line, seen=line.given, action=action)
        elif self.looks:
            self._others.append(line)
        else:
            self.report_other(line)

    def report_other(self, line: SitemapLine, *, has_documents: bool = False) -> None:
        """Report a sitemap in robots.txt that is no index by its name; with *has_documents* it should be."""
        if has_documents:
            self._report("index.naam", url=line.url, line=line.line, seen=line.given, action=NOT_READ)
        else:
            self._report("robots.andere-sitemap", url=self._robots_url, line=line.line, seen=line.given)

    def others(self, most: int) -> Iterator[SitemapLine]:
        """Yield the other sitemaps of robots.txt to look into; call it when all indexes have been read.

        Report those beyond *most*, and those that are read anyway or may not be requested.
        """
        others, self._others = self._others, []
        for line in others:
            if most and self.unknown([line.url]) and self._problem(line.url) is None:
                most -= 1
                yield line
            else:
                self.report_other(line)

    def unknown(self, locs: Iterable[str | None]) -> Set[str]:
        """Return those of these sitemaps that no index lists that was read."""
        return {loc for loc in locs if loc and loc not in self._sitemaps and loc not in self._indexes}

    def requestable(self, locs: Iterable[str]) -> list[str]:
        """Return those of these sitemaps that may be requested and are not read anyway, in their order."""
        unknown = self.unknown(locs)
        return [loc for loc in locs if loc in unknown and self._problem(loc) is None]

    def sitemap(self, entry: Entry, index: Index) -> Sitemap | None:
        """Return the sitemap in an entry of an index; None if it is known or may not be requested."""
        if not entry.loc:
            self._report_loc(entry, "loc.ontbreekt", index.url, None, NOT_READ)
            return None
        if entry.given_loc is not None:
            self._report_loc(
                entry, "loc.tekens", index.url, visible(entry.given_loc), f"gelezen als {entry.loc}"
            )
        if is_relative(entry.loc) and (url := absolute_url(index.url, entry.loc)) is not None:
            self._report_loc(entry, "index.adres-relatief", index.url, entry.loc, f"gelezen als {url}")
            entry.loc = url
        if code := self._problem(entry.loc):
            self._report_loc(entry, code, entry.loc, visible(entry.loc), NOT_READ)
            return None
        if entry.loc not in self._indexes:
            return self._add(entry, index)
        key = entry.loc, index.url
        if key not in self._nested and not self._is_full(entry, index):
            self._nested[key] = Entry(entry.loc, None, entry.line, None), index
        return None

    def nested(self) -> Iterator[Sitemap]:
        """Yield the sitemaps that robots.txt names as indexes too; call it when all indexes have been read.

        They are read only if they list documents. An index in an index is not: that is reported.
        """
        nested, self._nested = self._nested, {}
        for entry, index in nested.values():
            if entry.loc not in self.with_documents:
                self.report_nested(entry, index)
            elif sitemap := self._add(entry, index):
                yield sitemap
            self.report_shared(index)

    def report_nested(self, entry: Entry, index: Index) -> None:
        """Report that an entry of an index lists an index."""
        self._report_loc(entry, "index.genest", index.url, entry.loc, NOT_READ)

    def _report_loc(self, entry: Entry, code: str, url: str, seen: str | None, action: str) -> None:
        """Report something about the loc of an entry of an index."""
        self._report(code, url=url, line=entry.line, element="sitemap/loc", seen=seen, action=action)

    def report_shared(self, index: Index) -> None:
        """Report which sitemaps of an index, which was read just now, other indexes list too."""
        for (code, other), count in self._shared.items():
            self._report(code, url=index.url, seen=f"{counted(count, 'sitemap')}, ook in {other}")
        self._shared.clear()

    def note_empty(self, url: str) -> None:
        """Note that an index or a sitemap has no entries."""
        self._empty.append(url)

    def report_empty(self) -> None:
        """Report the files without entries: one finding, whatever their number."""
        if self._empty:
            seen = f"{len(self._empty)} bestanden" if len(self._empty) > 1 else None
            self._report("sitemap.leeg", url=self._empty[0], seen=seen)
            self._empty.clear()

    def _add(self, entry: Entry, index: Index) -> Sitemap | None:
        """Return the sitemap in an entry, or None if it is known, or one too many."""
        if (known := self._sitemaps.get(entry.loc)) is not None:
            self._list_again(known, index)
            return None
        if self._is_full(entry, index):
            return None
        sitemap = self._sitemaps[entry.loc] = Sitemap(entry.loc, index, index)
        return sitemap

    def _list_again(self, sitemap: Sitemap, index: Index) -> None:
        """Note that an index lists a known sitemap, perhaps for the second time itself."""
        if sitemap.listed_by is index:
            return
        before = sitemap.index
        numbers = {before.name.number, index.name.number}
        code = "index.strijdig" if len(numbers - {None}) > 1 else "index.dubbel"
        self._shared[code, before.url] += 1
        sitemap.listed_by = index
        sitemap.prefer(index)

    def _is_full(self, entry: Entry, index: Index) -> bool:
        """Return whether the host has reached the maximum of sitemaps; report that once for each index."""
        full = len(self._sitemaps) + len(self._nested) >= SITEMAPS_MAXIMUM
        if full and self._full_index is not index:
            self._full_index = index
            seen = f"meer dan {SITEMAPS_MAXIMUM} sitemaps"
            self._report("index.te-groot", url=index.url, line=entry.line, seen=seen, action=NOT_READ)
        return full

    def _index_allowed(self, line: SitemapLine, name: IndexName) -> bool:
        if tidy_loc(line.given) != line.given:
            seen, action = visible(line.given), f"gelezen als {line.url}"
            self._report("loc.tekens", url=line.url, line=line.line, seen=seen, action=action)
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
