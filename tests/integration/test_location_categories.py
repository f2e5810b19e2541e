"""The category that the register gives for a location, beside the categories of what is published there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, INDEX, NEWER, reported
from tests.utils.publishers import entries_of, index_of, robots_of
from tests.utils.sites import MakeSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.demo.sitemaps import DiWoo, Entry, categorie, pdf_page

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


def publish(site: Site, documents: Documents) -> None:
    """Have the site list the documents, each in a sitemap of its own."""
    paths = [f"/s{number}.xml" for number, _ in enumerate(documents)]
    site.pages |= {"/robots.txt": robots_of(site, INDEX), INDEX: index_of(site, *paths)}
    for sitemap, (path, category, lastmod) in zip(paths, documents, strict=True):
        diwoo = DiWoo(titel="Stuk", informatiecategorieen=[categorie(category)])
        site.pages[sitemap] = entries_of(site, Entry(loc=site.url(path), lastmod=lastmod, diwoo=diwoo))


@pytest.fixture
def register(tmp_path: Path, ca_bundle: Path, make_site: MakeSite) -> Register:
    return Register(tmp_path, ca_bundle, make_site)


def conflicts(run: Run) -> dict[str, str]:
    """Return what was seen of each location, by its URL."""
    found = run.about(CODE)
    assert len(found) == len({finding["url"] for finding in found})
    return {finding["url"]: finding["seen"] for finding in found}


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


def test_a_day_on_which_one_document_changed_says_nothing_about_the_others(register: Register) -> None:
    wrong = register.site(
        ("/", "Convenanten"), documents=[("/1.pdf", ADVIEZEN, FIRST), ("/2.pdf", ADVIEZEN, FIRST)]
    )
    right = register.site(
        ("/", "Convenanten"), documents=[("/1.pdf", ADVIEZEN, FIRST), ("/2.pdf", CONVENANTEN, FIRST)]
    )
    seen = "geregistreerd voor convenanten; 2 documenten in deze oogst: adviezen (2)"
    assert conflicts(register.day()) == {wrong.url("/"): seen}

    for site, other in ((wrong, ADVIEZEN), (right, CONVENANTEN)):
        publish(site, [("/1.pdf", ADVIEZEN, NEWER), ("/2.pdf", other, FIRST)])
    second = register.day()
    assert (len(second.records), conflicts(second)) == (2, {})
    assert reported(second, wrong)["changes"]["not_looked_at"] == [CODE]
    assert reported(second, wrong)["changes"]["mended"] == []

    publish(wrong, [("/1.pdf", CONVENANTEN, "2024-06-02"), ("/2.pdf", CONVENANTEN, "2024-06-02")])
    third = register.day()
    assert conflicts(third) == {}
    assert reported(third, wrong)["changes"]["mended"] == [CODE]


def test_a_location_on_a_host_that_the_run_does_not_visit_is_not_compared(register: Register) -> None:
    elsewhere = register.site(("/", "Convenanten"), documents=[])
    lister = register.site(("/", "Convenanten"), documents=[("/1.pdf", ADVIEZEN, FIRST)])
    diwoo = DiWoo(titel="Stuk", informatiecategorieen=[categorie(ADVIEZEN)])
    listed = Entry(loc=elsewhere.url("/1.pdf"), lastmod=FIRST, diwoo=diwoo)
    lister.pages["/s0.xml"] = entries_of(lister, listed)
    run = register.day("-a", f"domains={lister.host}")
    assert (run.locs, conflicts(run)) == ([elsewhere.url("/1.pdf")], {})


def test_an_audit_compares_the_location_with_all_documents_of_the_host(register: Register) -> None:
    wrong = register.site(("/", "Convenanten"), documents=[("/1.pdf", ADVIEZEN, FIRST)])
    wrong.pages["/1.pdf"] = pdf_page("Stuk")
    register.day()
    given = ["audit", wrong.host, "--json", "-s", f"WOO_REGISTER={register.folder / 'roo.xml'}"]
    done = run_scrapy(given, register.folder, register.ca)
    (host,) = json.loads(done.stdout)["hosts"]
    assert [finding["url"] for finding in host["findings"] if finding["code"] == CODE] == [wrong.url("/")]
