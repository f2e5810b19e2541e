"""Many publishers in one run: a test module says who publishes what, harvests it once, and asks much of it.

::

    hosts = Hosts()

    @hosts.site
    def with_a_relative_line(site: Site) -> None:
        publish(site, "/a.pdf", robots="Sitemap: /sitemapindex-diwoo.xml")

    @pytest.fixture(scope="module")
    def harvest(publishers: Publishers) -> Harvest:
        return publishers.harvest(hosts, "-a", "documents=none")

    def test_a_relative_line_is_read(harvest: Harvest) -> None:
        assert harvest[with_a_relative_line].paths == ["/a.pdf"]
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.utils.command import Line, Run, run_scrapy
from tests.utils.hostile import RawSite
from woo_harvester.demo.server import Authority, Certificate, LoopbackServer, Page, Request
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.demo.sitemaps import DiWoo, Entry, robots_txt, sitemap, sitemapindex

INDEX = "/sitemapindex-diwoo.xml"
LASTMOD = "2024-04-02T10:00:00+02:00"
XML = "application/xml"

Builder = Callable[[Any], Sequence[RooEntry] | None]
"""Gives a started site its pages. Returns the organisations that register it; None: one of its own."""
B = TypeVar("B", bound=Builder)


def entry(site: LoopbackServer, path: str, **given: Any) -> Entry:
    """Return an entry for a document of the site, with a lastmod."""
    return Entry(**{"loc": site.url(path), "lastmod": LASTMOD, **given})


def document(site: LoopbackServer, path: str, **given: Any) -> Entry:
    """Return an entry with these elements of DiWoo."""
    return entry(site, path, diwoo=DiWoo(**given))


def entries_of(site: LoopbackServer, *entries: Entry | str) -> Page:
    """Return a sitemap; a text with a slash first is a document of the site, any other is written as is."""
    made = (
        entry(site, given) if isinstance(given, str) and given.startswith("/") else given for given in entries
    )
    return Page(sitemap(*made), content_type=XML)


def index_of(site: LoopbackServer, *sitemaps: str) -> Page:
    """Return an index of sitemaps: paths of the site, or URLs."""
    listed = (site.url(given) if given.startswith("/") else given for given in sitemaps)
    return Page(sitemapindex(listed), content_type=XML)


def robots_of(site: LoopbackServer, *indexes: str, **rules: Any) -> Page:
    """Return a robots.txt that names indexes: paths of the site, or URLs."""
    return Page(
        robots_txt(*(site.url(given) if given.startswith("/") else given for given in indexes), **rules)
    )


def gzipped(page: Page) -> bytes:
    """Return the content of a page as a gzip file."""
    return gzip.compress(b"".join(page.chunks()))


def publish(
    site: LoopbackServer, *entries: Entry | str, index: str = INDEX, robots: str | bytes | None = None
) -> None:
    """Give the site a robots.txt with one index with one sitemap with these entries."""
    name = f"{index.partition('?')[0]}/sitemap.xml"
    site.pages |= {
        "/robots.txt": robots_of(site, index) if robots is None else Page(robots),
        index: index_of(site, name),
        name: entries_of(site, *entries),
    }


@dataclass
class Declared:
    """A host that a test module describes."""

    build: Builder
    raw: bool = False
    certificate: Certificate = Certificate.VALID
    registered: bool = True


@dataclass
class Hosts:
    """The hosts of a test module."""

    declared: list[Declared] = field(default_factory=list)
    sites: dict[Builder, LoopbackServer] = field(default_factory=dict)
    """Once they have started."""

    def __getitem__(self, build: Builder) -> LoopbackServer:
        """Return the site that this function builds, for others that name it."""
        return self.sites[build]

    def site(self, build: B) -> B:
        """Declare a well-behaved site."""
        self.declared.append(Declared(build))
        return build

    def raw_site(self, build: B) -> B:
        """Declare a site of which some pages misbehave."""
        self.declared.append(Declared(build, raw=True))
        return build

    def unregistered(self, build: B) -> B:
        """Declare a site that no organisation has registered."""
        self.declared.append(Declared(build, registered=False))
        return build

    def certified(self, certificate: Certificate) -> Callable[[B], B]:
        """Declare a site that shows this certificate."""

        def declare(build: B) -> B:
            self.declared.append(Declared(build, certificate=certificate))
            return build

        return declare


@dataclass(frozen=True)
class Host:
    """The part of a run that is about one host."""

    site: LoopbackServer
    run: Run
    requests: Sequence[Request]
    """The requests that it got in this run."""

    @property
    def records(self) -> list[Line]:
        """Return the records of documents on it."""
        return [
            found for found in self.run.records if found["document"]["weblocatie"].startswith(self.site.url())
        ]

    @property
    def paths(self) -> list[str]:
        """Return the paths of these documents, in order."""
        return sorted(
            found["document"]["weblocatie"].removeprefix(self.site.url("")) for found in self.records
        )

    def record(self, path: str) -> Line:
        """Return the one record of a document on it."""
        return self.run.record(self.site.url(path))

    @property
    def findings(self) -> list[Line]:
        """Return the findings about it."""
        return [found for found in self.run.findings if found.get("host") == self.site.host]

    @property
    def codes(self) -> set[str]:
        """Return the codes of these findings."""
        return {found["code"] for found in self.findings}

    @property
    def errors(self) -> set[str]:
        """Return the codes of the errors among them."""
        return {found["code"] for found in self.findings if found["severity"] == "error"}

    def about(self, code: str) -> list[Line]:
        """Return the findings about it with this code."""
        return [found for found in self.findings if found["code"] == code]

    def codes_about(self, path: str) -> set[str]:
        """Return the codes of the findings about one URL on it."""
        return {found["code"] for found in self.findings if found.get("url") == self.site.url(path)}

    def requested(self, path: str) -> list[str]:
        """Return the methods of the requests for a path, in order."""
        return [request.method for request in self.requests if path in (request.path, request.target)]


@dataclass(frozen=True)
class Harvest:
    """One run over the hosts of a test module."""

    run: Run
    sites: Mapping[Builder, LoopbackServer]
    requests: Mapping[Builder, Sequence[Request]]

    def __getitem__(self, build: Builder) -> Host:
        """Return the host that this function has built."""
        return Host(self.sites[build], self.run, self.requests[build])


@dataclass
class Publishers:
    """The hosts of a test module, started and harvested."""

    authority: Authority
    bundle: Path
    folder: Path
    """Each run gets a folder of its own in it."""
    stack: ExitStack
    """Stops the sites."""
    sites: dict[Builder, LoopbackServer] = field(default_factory=dict)
    register: Path | None = None
    runs: int = 0

    def start(self, hosts: Hosts) -> None:
        """Start all sites, and only then give them their pages, so that they can name each other."""
        for declared in hosts.declared:
            certificate = declared.certificate
            site = (
                RawSite(self.authority, {}, certificate=certificate)
                if declared.raw
                else Site(self.authority, certificate=certificate)
            )
            hosts.sites[declared.build] = self.stack.enter_context(site)
        bodies: list[RooEntry] = []
        for number, declared in enumerate(hosts.declared):
            started = hosts[declared.build]
            place = Location(started.url())
            own = RooEntry(naam=f"Publicist {number}", systeem_id=str(1000 + number), locations=[place])
            given = declared.build(started)
            if declared.registered:
                bodies.extend([own] if given is None else given)
        self.sites = hosts.sites
        self.register = self.folder / "register.xml"
        self.register.write_text(register_xml(bodies), encoding="utf-8")

    def crawl(
        self,
        *args: str,
        settings: Mapping[str, object] | None = None,
        timeout: float = 120,
        fresh: bool = False,
    ) -> Harvest:
        """Run the spider over the sites, in a folder of its own."""
        self.runs += 1
        folder = self.folder / f"run{self.runs}"
        folder.mkdir()
        for site in self.sites.values():
            site.requests.clear()
        given = ["crawl", "woo", "-a", f"register={self.register}", *args]
        run = run_scrapy(given, folder, self.bundle, settings=settings, timeout=timeout, fresh=fresh)
        return Harvest(run, self.sites, {build: tuple(site.requests) for build, site in self.sites.items()})

    def harvest(
        self,
        hosts: Hosts,
        *args: str,
        settings: Mapping[str, object] | None = None,
        timeout: float = 120,
        fresh: bool = False,
    ) -> Harvest:
        """Start the sites and run the spider over them."""
        self.start(hosts)
        return self.crawl(*args, settings=settings, timeout=timeout, fresh=fresh)
