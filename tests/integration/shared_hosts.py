"""Hosts that list the same documents, over several days."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.utils.command import Run
from tests.utils.daily import FIRST, XML, Harvester, causes
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import DiWoo, Entry, sitemap
from woo_harvester.demo.values import PDF, categorie


def listing(*entries: Entry) -> Page:
    return Page(sitemap(*entries), content_type=XML)


def entry(site: Site, name: str, lastmod: str | None = FIRST, title: str = "Besluit") -> Entry:
    metadata = DiWoo(titel=title, informatiecategorieen=[categorie(14)], format=PDF)
    return Entry(loc=site.url(f"/d/{name}.pdf"), lastmod=lastmod, diwoo=metadata)


def host(site: Site) -> str:
    return f"localhost:{site.port}"


@dataclass
class Day:
    """What the runs of one day gave together."""

    runs: list[Run] = field(default_factory=list)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [record for run in self.runs for record in run.records]

    @property
    def causes(self) -> dict[str, str]:
        """The last oorzaak of each document by its name; fails where one is given twice."""
        found = [cause for run in self.runs for cause in causes(run).items()]
        assert len(set(found)) == len(found), found
        return dict(found)

    def about(self, code: str) -> list[dict[str, Any]]:
        return [finding for run in self.runs for finding in run.about(code)]

    def record(self, name: str) -> dict[str, Any]:
        """The last record of a document."""
        return [one for one in self.records if one["document"]["weblocatie"].endswith(f"/{name}.pdf")][-1]

    def title(self, name: str) -> str:
        title: str = self.record(name)["document"]["titelcollectie"]["officieleTitel"]
        return title


@dataclass
class Hosts:
    """An installation that harvests two hosts, in one of the arrangements that operators use."""

    one: Site
    two: Site
    harvester: Harvester
    arrangement: str
    database: str | None = None

    def day(self, first: Site | None = None, **settings: object) -> Day:
        """Harvest both hosts; *first* is the one whose run comes first, where each has its own."""
        if self.database:
            settings["WOO_STATE_URL"] = self.database
        if self.arrangement == "one run":
            return Day([self.harvester.day(**settings)])
        order: Iterable[Site] = (self.one, self.two) if first in (None, self.one) else (self.two, self.one)
        runs = [self.harvester.day("-a", f"domains={host(site)}", **settings) for site in order]
        assert all(run.returncode == 0 for run in runs)
        return Day(runs)
