"""The category that the register gives for a location, beside the categories of what is published there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, INDEX, reported
from tests.utils.publishers import entries_of, index_of, robots_of
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.demo.sitemaps import Coded, DiWoo, Entry, categorie

CODE = "register.categorie-strijdig"
ADVIEZEN, CONVENANTEN, JAARPLANNEN = 10, 11, 12

Documents = Sequence[tuple[str, int, str]]
"""Path, category and lastmod of each document."""


@dataclass
class Register:
    """An installation whose register gives each location a category."""

    folder: Path
    ca: Path
    make_site: MakeSite
    entries: list[RooEntry] = field(default_factory=list)

    def site(self, *locations: tuple[str, str], documents: Documents, tooi: str | None = None) -> Site:
        """Start a site with documents, whose organisation has these locations: path and category."""
        site = self.make_site()
        registered = [Location(site.url(path), category) for path, category in locations]
        number = str(len(self.entries) + 1)
        name = f"Gemeente {number}"
        self.entries.append(RooEntry(naam=name, systeem_id=number, tooi=tooi, locations=registered))
        publish(site, documents)
        return site

    def day(self, *args: str) -> Run:
        """Harvest all sites."""
        path = self.folder / "roo.xml"
        path.write_text(register_xml(self.entries), encoding="utf-8")
        given = ["crawl", "woo", "-a", f"register={path}", "-a", "documents=none", *args]
        run = run_scrapy(given, self.folder, self.ca)
        assert run.returncode == 0, run.stderr
        return run


def publish(site: Site, documents: Documents, publisher: Coded | None = None) -> None:
    """Have the site list the documents, each in a sitemap of its own."""
    paths = [f"/s{number}.xml" for number, _ in enumerate(documents)]
    site.pages |= {"/robots.txt": robots_of(site, INDEX), INDEX: index_of(site, *paths)}
    for sitemap, (path, category, lastmod) in zip(paths, documents, strict=True):
        diwoo = DiWoo(titel="Stuk", informatiecategorieen=[categorie(category)], publisher=publisher)
        site.pages[sitemap] = entries_of(site, Entry(loc=site.url(path), lastmod=lastmod, diwoo=diwoo))


@pytest.fixture
def register(tmp_path: Path, ca_bundle: Path, make_site: MakeSite) -> Register:
    return Register(tmp_path, ca_bundle, make_site)


def test_a_location_with_which_no_document_agrees_is_reported_once_to_its_organisation(
    register: Register,
) -> None:
    tooi = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
    wrong = register.site(
        ("/c", "Convenanten"),
        ("/agenda", "Agenda’s en besluitenlijsten bestuurscolleges"),
        documents=[
            *((f"/c/{number}.pdf", ADVIEZEN, FIRST) for number in range(2)),
            ("/c/3.pdf", JAARPLANNEN, FIRST),
            ("/agenda/1.pdf", 9, FIRST),
            ("/elders/1.pdf", CONVENANTEN, FIRST),
        ],
        tooi=tooi,
    )
    register.site(
        ("/c", "Convenanten"), documents=[("/c/1.pdf", ADVIEZEN, FIRST), ("/c/2.pdf", CONVENANTEN, FIRST)]
    )
    register.site(("/", "Convenanten"), ("/", "Adviezen"), documents=[("/1.pdf", ADVIEZEN, FIRST)])
    register.site(("/", "Convenanten"), ("/", "Andere documenten"), documents=[("/1.pdf", ADVIEZEN, FIRST)])
    broken = register.site(
        ("/", "Convenanten"), documents=[("/1.pdf", ADVIEZEN, FIRST), ("/2.pdf", CONVENANTEN, FIRST)]
    )
    broken.pages["/s1.xml"] = Page(status=500)
    run = register.day()
    (finding,) = run.about(CODE)
    assert (finding["severity"], finding["host"], finding["organisation"]) == ("info", wrong.host, tooi)
    assert finding["url"] == wrong.url("/c")
    assert finding["seen"] == (
        "geregistreerd voor convenanten; 3 documenten in deze oogst: "
        "adviezen (2), jaarplannen en jaarverslagen (1)"
    )
    assert [row["points"] for row in reported(run, wrong)["findings"] if row["code"] == CODE] == [0]


def test_documents_of_another_organisation_are_told_of_once(register: Register) -> None:
    tooi = "https://identifier.overheid.nl/tooi/id/gemeente/"
    documents = [(f"/{number}.pdf", ADVIEZEN, FIRST) for number in range(3)]
    site = register.site(("/", "Adviezen"), documents=documents, tooi=f"{tooi}gm0363")
    publish(site, documents, Coded("gemeente Utrecht", f"{tooi}gm0344"))
    (finding,) = register.day().about("publisher.andere-organisatie")
    assert (finding["host"], finding["organisation"]) == (site.host, f"{tooi}gm0363")
    assert (finding["severity"], finding["seen"]) == ("info", "gemeente Utrecht (3)")
