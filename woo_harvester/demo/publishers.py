"""A publisher without mistakes: every field of the metadata, several categories, documents that exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Self

from woo_harvester.demo import mistaken
from woo_harvester.demo import sitemaps as values
from woo_harvester.demo.server import Authority, Certificate, LoopbackServer, Page, Pages
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.demo.sitemaps import (
    Coded,
    DiWoo,
    Entry,
    Handeling,
    docx_page,
    pdf_page,
    robots_txt,
    sitemap,
    sitemapindex,
    urlset,
)

_EXEMPLARY_NAME = values.GEMEENTE.label

#: The metadata that all documents share; title, category and dates differ.
_BASE = DiWoo(publisher=values.GEMEENTE, verantwoordelijke=values.GEMEENTE, language=values.NEDERLANDS)

#: Informatiecategorie, file, title, day of signing (``YYYY-MM-DD``).
_DOCUMENTS = (
    (2, "verkeersbesluit-dorpsstraat.pdf", "Verkeersbesluit eenrichtingsverkeer Dorpsstraat", "2024-02-05"),
    (2, "verkeersbesluit-haven.pdf", "Verkeersbesluit laden en lossen aan de haven", "2024-06-17"),
    (9, "besluitenlijst-2024-03-12.pdf", "Besluitenlijst college van 12 maart 2024", "2024-03-12"),
    (9, "besluitenlijst-2024-03-19.docx", "Besluitenlijst college van 19 maart 2024", "2024-03-19"),
    (12, "jaarverslag-2023.pdf", "Jaarverslag 2023", "2024-05-23"),
    (13, "subsidieregister-2024.csv", "Subsidieregister 2024", "2025-01-15"),
    (14, "woo-besluit-zwembad.pdf", "Besluit op Woo-verzoek over de renovatie van het zwembad", "2024-04-02"),
    (15, "onderzoek-stikstofbesluit.pdf", "Onderzoek naar de gevolgen van het stikstofbesluit", "2023-11-21"),
    (17, "klachtoordeel-2024-07.txt", "Oordeel over een klacht over de afvalinzameling", "2024-07-08"),
)


def exemplary_pages(site: LoopbackServer) -> dict[str, Page]:
    """Return all pages: robots.txt, an index for each category and one for all, sitemaps, documents."""
    by_category: dict[int, list[Entry]] = {}
    found: dict[str, Page] = {}
    for nummer, file, titel, day in _DOCUMENTS:
        by_category.setdefault(nummer, []).append(_entry(site, nummer, file, titel, day))
        found[f"/documenten/{file}"] = _document(file, titel)
    for nummer, entries in by_category.items():
        found |= _index(site, values.naam_van_index(nummer), f"/sitemaps/{nummer:03d}.xml", entries)
    found |= _index(site, values.naam_van_index(), "/sitemaps/alle.xml", [complete(site)])
    found["/documenten/convenant-waterfront.pdf"] = pdf_page("Convenant Waterfront", pages=3)
    indexes = [site.url(path) for path in found if path.startswith("/sitemapindex")]
    found["/robots.txt"] = Page(robots_txt(*indexes))
    return found


def exemplary_registered(site: LoopbackServer) -> RooEntry:
    """Return the publisher as the register has it."""
    location = Location(site.url("/documenten"), "Convenanten")
    return RooEntry(
        naam=_EXEMPLARY_NAME, systeem_id="90000001", tooi=values.GEMEENTE.uri, locations=[location]
    )


def complete(site: LoopbackServer) -> Entry:
    """Return an entry with every element of DiWoo 0.9.8, and the publisher's own metadata."""
    metadata = files(__package__).joinpath("complete.xml").read_text(encoding="utf-8")
    return Entry(
        loc=site.url("/documenten/convenant-waterfront.pdf"),
        lastmod="2024-04-03T09:00:00+02:00",
        raw=metadata.replace("{host}", site.host),
    )


def _entry(site: LoopbackServer, nummer: int, file: str, titel: str, day: str) -> Entry:
    diwoo = replace(
        _BASE,
        titel=titel,
        informatiecategorieen=[values.categorie(nummer)],
        creatiedatum=day,
        format=_format(file),
        handelingen=[Handeling(values.ONDERTEKENING, f"{day}T12:00:00", values.GEMEENTE)],
    )
    return Entry(loc=site.url(f"/documenten/{file}"), lastmod=f"{day}T16:00:00+01:00", diwoo=diwoo)


def _format(file: str) -> Coded:
    formats = {"pdf": values.PDF, "docx": values.DOCX, "csv": values.CSV, "txt": values.TXT}
    return formats[file.rpartition(".")[2]]


def _document(file: str, titel: str) -> Page:
    match file.rpartition(".")[2]:
        case "pdf":
            return pdf_page(titel)
        case "docx":
            return docx_page(titel)
        case "csv":
            text = "ontvanger;doel;bedrag\nMuziekvereniging;jubileum;1500\nSpeeltuin;onderhoud;4000\n"
            return Page(text, content_type="text/csv; charset=utf-8")
        case _:
            return Page(f"{titel}\n\nDe klacht is gegrond.\n", content_type="text/plain; charset=utf-8")


def _index(site: LoopbackServer, name: str, path: str, entries: list[Entry]) -> dict[str, Page]:
    index = Page(sitemapindex([site.url(path)]), content_type="application/xml")
    return {f"/{name}": index, path: Page(sitemap(*entries), content_type="application/xml")}


_HUGE_NAME = values.WATERSCHAP.label
#: Entries in one sitemap.
SITEMAP_SIZE = 1000
_INDEX = values.naam_van_index(16)
_MARK = "NUMMER"

_ENTRY = DiWoo(
    publisher=values.WATERSCHAP,
    verantwoordelijke=values.WATERSCHAP,
    titel=f"Watervergunning {_MARK}",
    informatiecategorieen=[values.categorie(16)],
    documentsoorten=[values.BESLUIT],
    creatiedatum="2024-01-08",
    language=values.NEDERLANDS,
    format=values.PDF,
    handelingen=[Handeling(values.ONDERTEKENING, "2024-01-08T09:00:00", values.WATERSCHAP)],
)


def huge_pages(site: LoopbackServer, documents: int) -> Pages:
    """Return the pages of the site; every document is the same small PDF."""
    numbers = range(1, documents + 1)
    sitemaps: Pages = {
        f"/sitemaps/{start}.xml": Page(
            partial(_sitemap, site, numbers[start : start + SITEMAP_SIZE]), content_type="application/xml"
        )
        for start in range(0, documents, SITEMAP_SIZE)
    }
    return sitemaps | {
        "/robots.txt": Page(robots_txt(site.url(f"/{_INDEX}"))),
        f"/{_INDEX}": Page(sitemapindex(map(site.url, sitemaps)), content_type="application/xml"),
        "/vergunningen/*": pdf_page("Watervergunning"),
    }


def huge_registered(site: LoopbackServer) -> RooEntry:
    """Return the publisher as the register has it."""
    location = Location(site.url("/vergunningen"), "Beschikkingen")
    return RooEntry(
        naam=_HUGE_NAME,
        systeem_id="90000003",
        tooi=values.WATERSCHAP.uri,
        type="Waterschap",
        locations=[location],
    )


def _sitemap(site: LoopbackServer, numbers: range) -> Iterator[bytes]:
    """Return one sitemap, made from a template: its entries differ only by a number."""
    loc = site.url(f"/vergunningen/watervergunning-{_MARK}.pdf")
    template = Entry(loc=loc, lastmod="2024-01-09T08:00:00+01:00", diwoo=_ENTRY).xml()
    return urlset(template.replace(_MARK, str(number)) for number in numbers)


#: Documents of the huge publisher.
_HUGE = 3000


class Demo:
    """The servers of the publishers. Their register and certificates are written to a folder.

    ::

        with Demo(folder) as demo:
            demo.register_path   # for -a register=
            demo.ca_path         # for SSL_CERT_FILE
            demo.hosts           # the hosts in the register
    """

    def __init__(self, folder: Path, *, documents: int = _HUGE) -> None:
        self.authority = authority = Authority()
        self.exemplary = Site(authority)
        self.mistaken = Site(authority)
        self.huge = Site(authority)
        self.expired = Site(authority, certificate=Certificate.EXPIRED)
        self._without_robots = Site(authority)
        self._without_index = Site(authority, mistaken.pages_without_index())
        self._refused = Site(authority, mistaken.pages_refused())
        self.exemplary.pages.update(exemplary_pages(self.exemplary))
        self.mistaken.pages.update(mistaken.pages(self.mistaken))
        self.huge.pages.update(huge_pages(self.huge, documents))
        self._stack = ExitStack()
        self.ca_path = authority.write_bundle(folder / "demo-ca.pem")
        self.register_path = folder / "demo-register.xml"
        self.register_path.write_text(self._register(), encoding="utf-8")

    @property
    def sites(self) -> list[Site]:
        """All sites in the register."""
        return [self.exemplary, self.mistaken, *self._broken, self.huge]

    @property
    def hosts(self) -> list[str]:
        """The hosts in the register, each with its port."""
        return [site.host for site in self.sites]

    def expected_codes(self) -> frozenset[str]:
        """Return the codes of all findings that a harvest of all hosts gives, with ``documents=download``."""
        of_hosts = {"robots.ontbreekt", "robots.onbereikbaar", "robots.geen-diwoo-index", "robots.te-groot"}
        return mistaken.expected_codes(self.mistaken) | of_hosts | {"tls.ongeldig", "register.url-ongeldig"}

    def __enter__(self) -> Self:
        for site in self.sites:
            self._stack.enter_context(site)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def _broken(self) -> list[Site]:
        """The other hosts of the publisher with mistakes, from which nothing can be harvested."""
        return [self.expired, self._without_robots, self._without_index, self._refused]

    def _register(self) -> str:
        return register_xml(
            [
                exemplary_registered(self.exemplary),
                *mistaken.registered(self.mistaken, self._broken),
                huge_registered(self.huge),
            ]
        )
