"""A publisher without mistakes: every field of the metadata, several categories, documents that exist."""

from __future__ import annotations

from dataclasses import replace

from woo_harvester.demo import values
from woo_harvester.demo.documents import docx_page, pdf_page
from woo_harvester.demo.register import Location, RooEntry
from woo_harvester.demo.server import LoopbackServer, Page
from woo_harvester.demo.sitemaps import (
    Coded,
    DiWoo,
    Entry,
    ExtraMetadata,
    Handeling,
    robots_txt,
    sitemap,
    sitemapindex,
)

_NAAM = values.GEMEENTE.label

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


def pages(site: LoopbackServer) -> dict[str, Page]:
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


def registered(site: LoopbackServer) -> RooEntry:
    """Return the publisher as the register has it."""
    location = Location(site.url("/documenten"), "Convenanten")
    return RooEntry(naam=_NAAM, systeem_id="90000001", tooi=values.GEMEENTE.uri, locations=[location])


def complete(site: LoopbackServer) -> Entry:
    """Return an entry with every element of DiWoo 0.9.8, and the publisher's own metadata."""
    bijlage = Coded("Bijlage: kaart van het gebied", site.url("/documenten/kaart-waterfront.pdf"))
    diwoo = replace(
        _BASE,
        identifiers=["Z2024-00123", "D2024-00456"],
        medeverantwoordelijken=[values.WATERSCHAP],
        opsteller=values.GEMEENTE,
        naam_opsteller="Afdeling Ruimte",
        titel="Convenant Waterfront",
        verkorte_titels=["Waterfront"],
        alternatieve_titels=["Samenwerkingsovereenkomst Waterfront", "Convenant 2024-7"],
        omschrijvingen=["Afspraken over de inrichting van de oever.", "Met een bijlage."],
        informatiecategorieen=[values.categorie(11), values.categorie(2)],
        documentsoorten=[values.BRIEF],
        themas=[values.NATUUR_EN_MILIEU, values.VERKEER],
        trefwoorden=["oever", "haven"],
        creatiedatum="2024-04-01",
        begindatum="2024-04-02T00:00:00+02:00",
        einddatum="2028-04-02T00:00:00+02:00",
        format=values.PDF,
        aggregatiekenmerk="waterfront-2024",
        is_part_of=Coded("Dossier Waterfront", site.url("/dossiers/waterfront")),
        has_parts=[bijlage],
        handelingen=[
            Handeling(values.VASTSTELLING, "2024-04-01T10:00:00", values.GEMEENTE),
            Handeling(values.ONDERTEKENING, "2024-04-02T14:30:00+02:00", values.WATERSCHAP),
        ],
        relaties=[(values.HEEFT_BIJLAGE, bijlage)],
        reden=values.PRIVACY,
    )
    eigen = ExtraMetadata(
        [("zaaknummer", ["Z2024-00123"]), ("wijk", ["Haven", "Centrum"])],
        namespace="https://voorbeeld.example/eigen",
        prefix="eigen",
    )
    return Entry(
        loc=site.url("/documenten/convenant-waterfront.pdf"),
        lastmod="2024-04-03T09:00:00+02:00",
        diwoo=diwoo,
        extra=[eigen],
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
