"""A publisher that changes from day to day, and the harvester that comes by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.utils.command import Line, Run, read_lines, run_scrapy
from tests.utils.sites import write_register
from woo_harvester.demo.server import LoopbackServer, Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import PDF, DiWoo, Entry, categorie, robots_txt, sitemap, sitemapindex

FIRST = "2024-04-02T10:00:00+02:00"
NEWER = "2024-05-02T10:00:00+02:00"
OLDER = "2024-03-02T10:00:00+01:00"
METADATA = DiWoo(titel="Besluit", informatiecategorieen=[categorie(14)], format=PDF)
INDEX = "/sitemapindex-diwoo.xml"
XML = "application/xml"

Documents = Mapping[str, str | None]
"""Lastmod of each document, by its name."""


def xml(site: LoopbackServer, documents: Documents) -> bytes:
    """Return a sitemap of documents on *site*."""
    return sitemap(
        *(
            Entry(loc=site.url(f"/d/{name}.pdf"), lastmod=lastmod, diwoo=METADATA)
            for name, lastmod in documents.items()
        )
    )


def numbered(count: int, lastmod: str = FIRST) -> dict[str, str | None]:
    """Return so many documents."""
    return {f"doc{number}": lastmod for number in range(count)}


def publish(site: Site, *sitemaps: Documents, headers: Mapping[str, str] | None = None) -> None:
    """Have the site list these sitemaps, ``/s0.xml`` and on."""
    site.pages["/robots.txt"] = Page(robots_txt(site.url(INDEX)), headers=dict(headers or {}))
    paths = [f"/s{number}.xml" for number in range(len(sitemaps))]
    index = sitemapindex(map(site.url, paths))
    site.pages[INDEX] = Page(index, content_type=XML, headers=dict(headers or {}))
    for path, documents in zip(paths, sitemaps, strict=True):
        site.pages[path] = Page(xml(site, documents), content_type=XML, headers=dict(headers or {}))


@dataclass
class Harvester:
    """One installation, with its state."""

    folder: Path
    ca_bundle: Path
    sites: list[Site]
    organisations: dict[str, list[Site]] | None = field(default=None, kw_only=True)
    """The sites of each organisation; None where each site is of one of its own."""
    domains: tuple[str, ...] = field(default=(), kw_only=True)
    """The hosts that its runs harvest; all in the register if empty."""

    def arguments(self, *args: str) -> list[str]:
        """Return the arguments of a daily run."""
        owners = self.organisations or {f"Gemeente {site.port}": [site] for site in self.sites}
        register = write_register(
            self.folder / "register.xml",
            {name: [site.url("/d") for site in sites] for name, sites in owners.items()},
        )
        given = args if any("documents=" in arg for arg in args) else ("-a", "documents=none", *args)
        if self.domains:
            given = (*given, "-a", f"domains={','.join(self.domains)}")
        return ["crawl", "woo", "-a", f"register={register}", *given]

    def only(self, *sites: Site) -> Harvester:
        """Return the same installation, for runs over these sites alone."""
        domains = tuple(site.host for site in sites)
        return Harvester(self.folder, self.ca_bundle, self.sites, domains=domains)

    def day(self, *args: str, **settings: object) -> Run:
        """Harvest all sites once; no document is asked for unless *args* say so."""
        run = run_scrapy(self.arguments(*args), self.folder, self.ca_bundle, settings=settings)
        assert "Traceback" not in run.stderr, run.stderr
        return run


def waiting(run: Run, site: Site) -> set[str]:
    """Return the missing documents of a site that the run did not withdraw yet (``pending.jsonl``)."""
    assert run.report is not None
    return {line["url"] for line in read_lines(run.report / "pending.jsonl") if line["host"] == site.host}


def reported(run: Run, site: Site) -> Line:
    """Return what the report says of a site."""
    assert run.report is not None
    hosts = json.loads((run.report / "report.json").read_text(encoding="utf-8"))["hosts"]
    (found,) = [host for host in hosts if host["host"] == site.host]
    return dict(found)


def causes(run: Run) -> dict[str, str]:
    """Return the oorzaak of each record, by the name of its document."""
    return {
        loc.rpartition("/")[2].removesuffix(".pdf"): record["versies"][0]["oorzaak"]
        for record in run.records
        for loc in [record["document"]["weblocatie"]]
    }
