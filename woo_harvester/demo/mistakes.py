"""Entries with every common mistake. Each has one mistake, and is right in everything else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from woo_harvester.demo import values
from woo_harvester.demo.documents import docx_page, html, html_page, pdf, pdf_page
from woo_harvester.demo.server import LoopbackServer, Page, redirect
from woo_harvester.demo.sitemaps import DIWOO_NAMESPACE, Coded, DiWoo, Entry, ExtraMetadata, Handeling

#: An organisation that is in no list: its URI is kept as given, with a finding.
PUBLISHER = Coded("gemeente Kladderveen", "https://identifier.overheid.nl/tooi/id/gemeente/gm9999")
LASTMOD = "2024-05-01T12:00:00+02:00"
#: A host that nobody registered; no request goes there.
ELSEWHERE = "https://www.niet-geregistreerd.example"

GOOD = DiWoo(
    publisher=values.GEMEENTE,
    verantwoordelijke=values.GEMEENTE,
    titel="Een document met een fout",
    informatiecategorieen=[values.categorie(10)],
    creatiedatum="2024-05-01",
    format=values.PDF,
    handelingen=[Handeling(values.ONTVANGST, "2024-05-01T10:00:00")],
)


@dataclass(frozen=True, slots=True)
class Mistake:
    """An entry with a mistake, or with something odd that is right."""

    code: str | None
    """Code of the finding that the entry must give; None if it is right."""
    entry: Entry
    page: Page | None = None
    """The page at its loc; None if no request may be sent there."""


def in_any_category(site: LoopbackServer) -> Iterator[Mistake]:
    """Yield the mistakes in the sitemap of ``sitemapindex-diwoo.xml``."""
    yield from _about_loc(site)
    yield from _about_lastmod(site)
    yield from _about_metadata(site)
    yield from _about_values(site)
    yield from _about_documents(site)


def in_category(site: LoopbackServer) -> Iterator[Mistake]:
    """Yield the mistakes in the sitemap of an index that has another category than the metadata."""
    yield _mistake(site, "informatiecategorie.strijdig", "andere-categorie.pdf", GOOD)


def odd_but_right(site: LoopbackServer) -> Iterator[Mistake]:
    """Yield odd entries of real publishers' software that must be read without a finding."""
    dates = (
        "2024-04-01",
        "2024-09-25T14:30:00.0000000+02:00",
        "2024-01-01 10:00:00",
        "2023-11-21T09:00:00T+01:00",
    )
    for number, lastmod in enumerate(dates, start=1):
        yield _mistake(site, None, f"datum-{number}.pdf", GOOD, lastmod=lastmod)
    agenda = replace(GOOD, informatiecategorieen=[Coded("Agenda's en besluitenlijsten bestuurscolleges")])
    yield _mistake(site, None, "rechte-apostrof.pdf", agenda)
    yield _mistake(site, None, "eigen-prefix.pdf", None, raw=_prefix_on_document(GOOD))


def _about_loc(site: LoopbackServer) -> Iterator[Mistake]:
    yield Mistake("loc.ontbreekt", Entry(lastmod=LASTMOD, diwoo=GOOD))
    for loc in ("/documenten/relatief.pdf", "javascript:alert(1)", "https://"):
        yield Mistake("loc.ongeldig", Entry(loc=loc, lastmod=LASTMOD, diwoo=GOOD))
    http = site.url("/documenten/onbeveiligd.pdf").replace("https:", "http:")
    yield Mistake("loc.geen-https", Entry(loc=http, lastmod=LASTMOD, diwoo=GOOD))
    foreign = f"{ELSEWHERE}/documenten/elders.pdf"
    yield Mistake("loc.niet-geregistreerd", Entry(loc=foreign, lastmod=LASTMOD, diwoo=GOOD))
    login = f"https://naam:geheim@{site.host}/documenten/achter-wachtwoord.pdf"
    yield Mistake("loc.inloggegevens", Entry(loc=login, lastmod=LASTMOD, diwoo=GOOD))
    for _ in range(2):
        yield _mistake(site, "loc.dubbel", "dubbel.pdf", GOOD)
    hidden = Entry(loc=site.url("/besloten/notulen.pdf"), lastmod=LASTMOD, diwoo=GOOD)
    yield Mistake("robots.verboden", hidden, pdf_page("Niet voor de harvester"))


def _about_lastmod(site: LoopbackServer) -> Iterator[Mistake]:
    yield _mistake(site, "lastmod.ontbreekt", "zonder-lastmod.pdf", GOOD, lastmod=None)
    yield _mistake(site, "lastmod.ongeldig", "lastmod-ongeldig.pdf", GOOD, lastmod="vorige week dinsdag")
    yield _mistake(
        site, "lastmod.toekomst", "lastmod-toekomst.pdf", GOOD, lastmod="2099-01-01T00:00:00+01:00"
    )


def _about_metadata(site: LoopbackServer) -> Iterator[Mistake]:
    own = [ExtraMetadata([("zaaknummer", ["Z-1"])])]
    yield _mistake(site, "metadata.ontbreekt", "zonder-metadata.pdf", None)
    yield _mistake(site, "metadata.ontbreekt", "alleen-eigen-metadata.pdf", None, extra=own)
    mdto = f'<d:Document xmlns:d="{DIWOO_NAMESPACE}"><m:MDTO xmlns:m="https://www.nationaalarchief.nl/mdto"/></d:Document>'
    yield _mistake(site, "metadata.mdto", "mdto.pdf", None, raw=mdto)
    misspelt = _prefix_on_document(GOOD, DIWOO_NAMESPACE.replace("https:", "http:"))
    yield _mistake(site, "metadata.naamruimte", "andere-naamruimte.pdf", None, raw=misspelt)
    yield from _about_places(site)
    own_element = _document(GOOD).replace("</diwoo:DiWoo>", "<diwoo:wijk>Haven</diwoo:wijk></diwoo:DiWoo>")
    yield _mistake(site, "metadata.element-onbekend", "eigen-element.pdf", None, raw=own_element)
    yield _mistake(site, "publisher.ontbreekt", "zonder-publisher.pdf", replace(GOOD, publisher=None))
    shared = Entry(
        loc=site.url("/gezamenlijk/regeling.pdf"), lastmod=LASTMOD, diwoo=replace(GOOD, publisher=None)
    )
    yield Mistake("register.meerdere-organisaties", shared, pdf_page("Van wie is dit?"))
    no_one = replace(GOOD, verantwoordelijke=None)
    yield _mistake(site, "verantwoordelijke.ontbreekt", "zonder-verantwoordelijke.pdf", no_one)
    yield _mistake(site, "titel.ontbreekt", "Besluit%20over_de-kade.pdf", replace(GOOD, titel=None))
    nameless = "6f1c2a34-9d0e-4b57-8a11-2f0d9b6c7e58.pdf"
    yield _mistake(site, "titel.onbekend", nameless, replace(GOOD, titel=" "))
    uncategorised = replace(GOOD, informatiecategorieen=[])
    yield _mistake(site, "informatiecategorie.ontbreekt", "zonder-categorie.pdf", uncategorised)
    yield _mistake(site, "creatiedatum.ontbreekt", "zonder-datum.pdf", replace(GOOD, creatiedatum=None))
    yield _mistake(site, "datum.ongeldig", "datum-ongeldig.pdf", replace(GOOD, creatiedatum="31-02-2024"))
    future = replace(GOOD, creatiedatum="2099-01-01")
    yield _mistake(site, "creatiedatum.toekomst", "datum-toekomst.pdf", future)
    swapped = replace(GOOD, begindatum="2024-12-31T00:00:00", einddatum="2024-05-01T00:00:00")
    yield _mistake(site, "geldigheid.omgekeerd", "geldigheid-omgekeerd.pdf", swapped)
    insecure = Coded("Bundel", site.url("/documenten/bundel.pdf").replace("https:", "http:"))
    yield _mistake(site, "verwijzing.geen-https", "deel.pdf", replace(GOOD, is_part_of=insecure))
    yield _mistake(site, "documenthandeling.ontbreekt", "zonder-handeling.pdf", replace(GOOD, handelingen=[]))


def _about_places(site: LoopbackServer) -> Iterator[Mistake]:
    document = _document(GOOD)
    bare = document.replace("<diwoo:Document>", "").replace("</diwoo:Document>", "")
    yield _mistake(site, "metadata.plaats", "zonder-document.pdf", None, raw=bare)
    yield _mistake(site, "metadata.dubbel", "twee-keer-metadata.pdf", None, raw=document * 2)
    attribute = f' resource="{values.PDF.uri}"'
    element = document.replace(attribute, "").replace(
        "</diwoo:format>", f"<resource>{values.PDF.uri}</resource></diwoo:format>"
    )
    yield _mistake(site, "metadata.resource-element", "resource-als-element.pdf", None, raw=element)


def _about_values(site: LoopbackServer) -> Iterator[Mistake]:
    placeholder = replace(GOOD, informatiecategorieen=[Coded("PLACEHOLDER_INFORMATIECATEGORIE")])
    yield _mistake(site, "informatiecategorie.onbekend", "placeholder.pdf", placeholder)
    published = Handeling(Coded("publicatie", "https://voorbeeld.example/publicatie"), "2024-05-01T10:00:00")
    other = replace(GOOD, handelingen=[published])
    yield _mistake(site, "documenthandeling.onbekend", "andere-handeling.pdf", other)
    made_up = Coded(values.AFVAL.label, "https://voorbeeld.example/themas/afval")
    yield _mistake(site, "waarde.uri-onbekend", "verzonnen-uri.pdf", replace(GOOD, themas=[made_up]))
    with_http = Coded("afval", "http://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3")
    yield _mistake(site, "waarde.uri-onbekend", "uri-met-http.pdf", replace(GOOD, themas=[with_http]))
    code = Coded(values.GEMEENTE.label, "gm0517")
    yield _mistake(site, "waarde.uri-onbekend", "alleen-code.pdf", replace(GOOD, publisher=code))
    own_uri = replace(GOOD, publisher=PUBLISHER, verantwoordelijke=PUBLISHER)
    yield _mistake(site, "waarde.uri-onbekend", "onbekende-organisatie.pdf", own_uri)
    unknown = replace(GOOD, documentsoorten=[Coded("PLACEHOLDER_DOCUMENTSOORT")])
    yield _mistake(site, "waarde.label-onbekend", "onbekend-label.pdf", unknown)
    contrary = replace(GOOD, themas=[Coded("verkeer", values.AFVAL.uri)])
    yield _mistake(site, "waarde.strijdig", "label-en-uri-verschillen.pdf", contrary)


def _about_documents(site: LoopbackServer) -> Iterator[Mistake]:
    no_format = replace(GOOD, format=None)
    blob = Page(b"\x00\x01\x02\x03" * 16, content_type="application/octet-stream")
    yield _mistake(site, "format.onbekend", "bijlage", no_format, page=blob)
    film = Page(b"\x00\x00\x00\x18ftypmp42", content_type="video/mp4")
    yield _mistake(site, "format.niet-ondersteund", "raadsvergadering.mp4", no_format, page=film)
    yield _mistake(site, "format.strijdig", "eigenlijk-word.pdf", GOOD, page=docx_page("Toch Word"))
    web = html_page("Downloadpagina", "Klik hier om het document te downloaden.")
    yield _mistake(site, "document.html-pagina", "downloadpagina.pdf", GOOD, page=web)
    link = f'<p><a href="{site.url("/documenten/eigenlijk-word.pdf")}">Download het besluit</a></p>'
    leads = Page(html("Besluit").replace("</h1>", f"</h1>{link}"), content_type="text/html; charset=utf-8")
    yield _mistake(site, "document.landingspagina", "besluit", no_format, page=leads)
    gone = html_page("Niet gevonden", status=404)
    yield _mistake(site, "document.onbereikbaar", "verdwenen.pdf", GOOD, page=gone)
    yield _mistake(site, "document.leeg", "leeg.pdf", GOOD, page=Page(b"", content_type="application/pdf"))
    away = redirect(f"{ELSEWHERE}/documenten/verhuisd.pdf")
    yield _mistake(site, "document.doorverwijzing", "verhuisd.pdf", GOOD, page=away)


def _mistake(
    site: LoopbackServer,
    code: str | None,
    file: str,
    diwoo: DiWoo | None,
    *,
    lastmod: str | None = LASTMOD,
    extra: list[ExtraMetadata] | None = None,
    raw: str = "",
    page: Page | None = None,
) -> Mistake:
    loc = site.url(f"/documenten/{file}")
    entry = Entry(loc=loc, lastmod=lastmod, diwoo=diwoo, extra=extra or (), raw=raw)
    return Mistake(code, entry, page or Page(pdf(file), content_type="application/pdf"))


def _document(diwoo: DiWoo) -> str:
    """Return the element ``diwoo:Document`` of this metadata."""
    return Entry(diwoo=diwoo).xml().removeprefix("<url>").removesuffix("</url>\n")


def _prefix_on_document(diwoo: DiWoo, namespace: str = DIWOO_NAMESPACE) -> str:
    """Return the metadata with another prefix, which the element ``Document`` itself declares."""
    renamed = _document(diwoo).replace("<diwoo:", "<w:").replace("</diwoo:", "</w:")
    return renamed.replace("<w:Document>", f'<w:Document xmlns:w="{namespace}">', 1)
