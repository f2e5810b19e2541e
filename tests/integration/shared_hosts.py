"""Hosts that list the same documents, over several days."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from tests.utils.command import Run
from tests.utils.daily import FIRST, XML, Harvester, causes
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import PDF, DiWoo, Entry, categorie, sitemap


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
class Arranged(Harvester):
    """An installation in one of the arrangements that operators use, for stories of two hosts each."""

    arrangement: str
    database: str | None = None
    joined: list[list[Site]] = field(default_factory=list)
    """Sites that are of one organisation; all others have one each."""
    wanted: list[Site] = field(default_factory=list)
    """The sites that the next run harvests."""

    @property
    def runs_a_day(self) -> int:
        """The runs in which two hosts are harvested."""
        return 1 if self.arrangement == "one run" else 2

    def day(self, *args: str, **settings: object) -> Run:
        """Do the next run: over all hosts in the register, or over those that the stories want."""
        alone = [[site] for site in self.sites if not any(site in sites for sites in self.joined)]
        self.organisations = {f"Gemeente {sites[0].port}": sites for sites in (*self.joined, *alone)}
        if self.database:
            settings["WOO_STATE_URL"] = self.database
        if self.runs_a_day > 1:
            args = (*args, "-a", f"domains={','.join(map(host, self.wanted))}")
        self.wanted.clear()
        run = super().day(*args, **settings)
        assert run.returncode == 0, run.stderr
        return run


@dataclass
class Hosts:
    """The two hosts of a story."""

    one: Site
    two: Site
    installation: Arranged

    def join(self) -> None:
        """Have both be of one organisation."""
        self.installation.joined.append([self.one, self.two])

    def forget(self, site: Site) -> None:
        """Have a site leave the register."""
        self.installation.sites.remove(site)

    def day(self, first: Site | None = None) -> Generator[None, Run, Day]:
        """Harvest both hosts; *first* is the one whose run comes first, where each has its own."""
        order = [self.one, self.two] if first in (None, self.one) else [self.two, self.one]
        order = [site for site in order if site in self.installation.sites]
        if self.installation.runs_a_day == 1:
            return Day([(yield)])
        runs = []
        for site in order:
            self.installation.wanted.append(site)
            runs.append((yield))
        return Day(runs)

    def days(self, count: int, first: Site | None = None) -> Generator[None, Run, list[Day]]:
        """Harvest both hosts on so many days."""
        found: list[Day] = []
        while len(found) < count:
            found.append((yield from self.day(first)))
        return found

    def causes(self, first: Site | None = None) -> Generator[None, Run, dict[str, str]]:
        """Harvest both hosts; return the oorzaak of each document."""
        day = yield from self.day(first)
        return day.causes
