"""A host that is read, for tests of which URLs are requested."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from woo_harvester.findings import Finding, Reporter
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.sitemaps.selection import Index, Sitemap, UrlSelection

HOST = "www.gemeente.nl"
ROBOTS = f"https://{HOST}/robots.txt"
GENERAL = f"https://{HOST}/sitemapindex-diwoo.xml"
INDEX = Index(GENERAL, index_name(GENERAL))
SITEMAP = f"https://{HOST}/sitemap-1.xml"


def category_index(number: int) -> Index:
    url = f"https://{HOST}/sitemapindex-diwoo-infocat{number:03}.xml"
    return Index(url, index_name(url))


CATEGORY_2, CATEGORY_14 = category_index(2), category_index(14)


@dataclass
class Host:
    """A host that is read: the URLs selected, and the findings noted meanwhile."""

    registered: frozenset[str] = frozenset({HOST, "documenten.gemeente.nl", "www.gemeente.nl:8443"})
    findings: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.selection = UrlSelection(self.registered.__contains__, Reporter(self.keep))

    def keep(self, finding: Finding) -> None:
        found = finding.as_dict()
        del found["severity"]
        self.findings.append(found)

    @property
    def codes(self) -> list[str]:
        return [finding["code"] for finding in self.findings]

    def indexes(self, *values: str) -> list[str]:
        """Return the URLs of the indexes in a robots.txt with these ``Sitemap:`` lines."""
        body = "".join(f"Sitemap: {value}\n" for value in values).encode(errors="replace")
        return [index.url for index in self.selection.indexes(body, ROBOTS)]

    def sitemap(self, loc: str, line: int = 7, index: Index = INDEX) -> Sitemap | None:
        """Return the sitemap of an entry of the index."""
        return self.selection.sitemap(Entry(loc, None, line, None), index)

    def sitemaps_of(self, index: Index, *locs: str) -> list[Sitemap]:
        """Return the new sitemaps of an index that lists these, when all of it has been read."""
        found = [self.sitemap(loc, index=index) for loc in locs]
        self.selection.report_shared(index)
        return [sitemap for sitemap in found if sitemap is not None]
