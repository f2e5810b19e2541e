"""Entries with every common mistake. Each has one mistake, and is right in everything else."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from woo_harvester.demo import sitemaps
from woo_harvester.demo.server import LoopbackServer, Page, Pages, redirect
from woo_harvester.demo.site import Location, RooEntry
from woo_harvester.demo.sitemaps import (
    DIWOO_NAMESPACE,
    SITEMAP_NAMESPACE,
    Coded,
    DiWoo,
    Entry,
    ExtraMetadata,
    Handeling,
    docx_page,
    html,
    html_page,
    pdf,
    pdf_page,
    robots_txt,
    sitemap,
    sitemapindex,
)

#: An organisation that is in no list: its URI is kept as given, with a finding.
PUBLISHER = Coded("gemeente Kladderveen", "https://identifier.overheid.nl/tooi/id/gemeente/gm9999")
LASTMOD = "2024-05-01T12:00:00+02:00"
#: A host that nobody registered; no request goes there.
ELSEWHERE = "https://www.niet-geregistreerd.example"

GOOD = DiWoo(
    publisher=sitemaps.GEMEENTE,
    verantwoordelijke=sitemaps.GEMEENTE,
    titel="Een document met een fout",
    informatiecategorieen=[sitemaps.categorie(10)],
    creatiedatum="2024-05-01",
    format=sitemaps.PDF,
    handelingen=[Handeling(sitemaps.ONTVANGST, "2024-05-01T10:00:00")],
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
    attribute = f' resource="{sitemaps.PDF.uri}"'
    element = document.replace(attribute, "").replace(
        "</diwoo:format>", f"<resource>{sitemaps.PDF.uri}</resource></diwoo:format>"
    )
    yield _mistake(site, "metadata.resource-element", "resource-als-element.pdf", None, raw=element)


def _about_values(site: LoopbackServer) -> Iterator[Mistake]:
    placeholder = replace(GOOD, informatiecategorieen=[Coded("PLACEHOLDER_INFORMATIECATEGORIE")])
    yield _mistake(site, "informatiecategorie.onbekend", "placeholder.pdf", placeholder)
    published = Handeling(Coded("publicatie", "https://voorbeeld.example/publicatie"), "2024-05-01T10:00:00")
    other = replace(GOOD, handelingen=[published])
    yield _mistake(site, "documenthandeling.onbekend", "andere-handeling.pdf", other)
    made_up = Coded(sitemaps.AFVAL.label, "https://voorbeeld.example/themas/afval")
    yield _mistake(site, "waarde.uri-onbekend", "verzonnen-uri.pdf", replace(GOOD, themas=[made_up]))
    with_http = Coded("afval", "http://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3")
    yield _mistake(site, "waarde.uri-onbekend", "uri-met-http.pdf", replace(GOOD, themas=[with_http]))
    code = Coded(sitemaps.GEMEENTE.label, "gm0517")
    yield _mistake(site, "waarde.uri-onbekend", "alleen-code.pdf", replace(GOOD, publisher=code))
    own_uri = replace(GOOD, publisher=PUBLISHER, verantwoordelijke=PUBLISHER)
    yield _mistake(site, "waarde.uri-onbekend", "onbekende-organisatie.pdf", own_uri)
    unknown = replace(GOOD, documentsoorten=[Coded("PLACEHOLDER_DOCUMENTSOORT")])
    yield _mistake(site, "waarde.label-onbekend", "onbekend-label.pdf", unknown)
    contrary = replace(GOOD, themas=[Coded("verkeer", sitemaps.AFVAL.uri)])
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


_NAAM = PUBLISHER.label
_XML = "application/xml"
#: Documents that are harvested although their sitemap is wrong.
BEFORE_THE_BREAK, OTHER_NAMESPACE = "/documenten/voor-de-breuk.pdf", "/documenten/naamruimte.pdf"
IN_A_MIXED_SITEMAP = "/documenten/gemengd.pdf"
_MIXED = "/sitemaps/gemengd.xml"
OTHER_ROOT, REPAIRED = "/documenten/ander-hoofdelement.pdf", "/documenten/los-teken.pdf"

#: Findings of the pages of the main site, besides those of the mistakes in single entries.
_SITE_CODES = frozenset(
    {
        "robots.sitemap-relatief",
        "robots.andere-sitemap",
        "index.naam",
        "index.infocat-onbekend",
        "index.hoofdletters",
        "index.onbereikbaar",
        "index.ongeldig",
        "index.is-urlset",
        "index.gemengd",
        "index.andere-wortel",
        "index.strijdig",
        "sitemap.gemengd",
        "index.genest",
        "index.geen-https",
        "sitemap.onbereikbaar",
        "sitemap.ongeldig",
        "sitemap.afgebroken",
        "sitemap.wortelelement",
        "sitemap.doctype",
        "sitemap.leeg",
        "sitemap.naamruimte",
        "sitemap.andere-wortel",
        "sitemap.voorvoegsel",
        "sitemap.ampersand",
        "host.niet-geregistreerd",
    }
)


def pages(site: LoopbackServer) -> Pages:
    """Return all pages of the main site."""
    sitemaps = _sitemaps(site)
    documents: Pages = {
        urlsplit(mistake.entry.loc).path: mistake.page
        for mistake in _all_mistakes(site)
        if mistake.page is not None and mistake.entry.loc is not None
    }
    robots = Page(_robots(site), content_type="text/plain")
    return {
        "/robots.txt": robots,
        **_right_indexes(site, sitemaps),
        **_wrong_indexes(site),
        **sitemaps,
        **documents,
        BEFORE_THE_BREAK: pdf_page("Voor de breuk"),
        OTHER_NAMESPACE: pdf_page("Andere naamruimte"),
        IN_A_MIXED_SITEMAP: pdf_page("Tussen de sitemaps"),
        OTHER_ROOT: pdf_page("Ander hoofdelement"),
        REPAIRED: pdf_page("Los teken"),
    }


def pages_without_index() -> Pages:
    """Return a site whose robots.txt is larger than 500 KiB (RFC 9309, 2.5) and names no index."""
    comments = "# Deze regel staat er voor de vorm.\n" * 20_000
    return {"/robots.txt": Page(robots_txt("/sitemap.xml") + comments)}


def pages_refused() -> Pages:
    """Return the pages of a site that refuses every request, also for robots.txt."""
    return {"*": html_page("Geen toegang", "U mag deze pagina niet zien.", status=403)}


def registered(main: LoopbackServer, others: Iterable[LoopbackServer]) -> list[RooEntry]:
    """Return the organisations of the register.

    They are the publisher, an organisation that shares one of its locations, and one that no longer exists.
    """
    shared = Location(main.url("/gezamenlijk"))
    unreadable = Location("zie onze website")
    locations = [
        Location(main.url("/")),
        shared,
        unreadable,
        *(Location(other.url("/woo")) for other in others),
    ]
    partner = "Omgevingsdienst Kladderstreek"
    return [
        RooEntry(naam=_NAAM, systeem_id="90000002", tooi=PUBLISHER.uri, locations=locations),
        RooEntry(
            naam=partner, systeem_id="90000004", type="Regionaal samenwerkingsorgaan", locations=[shared]
        ),
        RooEntry(
            naam="gemeente Opgeheven",
            systeem_id="90000005",
            einddatum="2020-01-01",
            locations=[Location("https://www.opgeheven.example/woo")],
        ),
    ]


def expected_codes(site: LoopbackServer) -> frozenset[str]:
    """Return the codes of all findings that a harvest of the main site must give."""
    return _SITE_CODES | {mistake.code for mistake in _all_mistakes(site) if mistake.code is not None}


def _all_mistakes(site: LoopbackServer) -> Iterable[Mistake]:
    return (*in_any_category(site), *in_category(site), *odd_but_right(site))


def _robots(site: LoopbackServer) -> bytes:
    """Return a robots.txt with a byte order mark and CRLF, as some editors write them."""
    lines = robots_txt(
        site.url("/sitemapindex-diwoo.xml"),
        "/sitemapindex-diwoo-infocat014.xml",
        site.url("/SitemapIndex-DiWoo-Infocat002.XML"),
        site.url("/sitemap-diwoo.xml"),
        site.url("/sitemapindex-diwoo-infocat018.xml"),
        site.url("/sitemap.xml"),
        *(site.url(path) for path in _wrong_indexes(site) if path.startswith("/sitemapindex")),
        site.url("/sitemapindex-diwoo-infocat005.xml"),
        site.url("/sitemapindex-diwoo-infocat013.xml").replace("https:", "http:"),
        f"{ELSEWHERE}/sitemapindex-diwoo-infocat011.xml",
        disallow=["/besloten/"],
        newline="\r\n",
    )
    return b"\xef\xbb\xbf" + lines.encode()


def _right_indexes(site: LoopbackServer, sitemaps: Iterable[str]) -> Mapping[str, Page]:
    """Return indexes without mistakes in their content."""
    other_category, empty = "/sitemaps/woo-besluiten.xml", "/sitemaps/2024-02.xml"
    others = [path for path in sitemaps if path not in (other_category, empty, _MIXED)]
    return {
        "/sitemapindex-diwoo.xml": _index(site, *others, "/sitemaps/vergeten.xml"),
        "/sitemapindex-diwoo-infocat014.xml": _index(site, other_category),
        "/SitemapIndex-DiWoo-Infocat002.XML": _index(site, empty),
    }


def _wrong_indexes(site: LoopbackServer) -> Mapping[str, Page]:
    """Return indexes with a right name and wrong content. robots.txt also names 005, which does not exist."""
    itself = "/sitemapindex-diwoo-infocat010.xml"
    return {
        "/sitemapindex-diwoo-infocat008.xml": html_page("Storing", "Probeer het later nog eens."),
        "/sitemapindex-diwoo-infocat004.xml": Page(_mixed_index(site), content_type=_XML),
        "/sitemapindex-diwoo-infocat006.xml": Page(_index_under_urlset(site), content_type=_XML),
        "/sitemapindex-diwoo-infocat009.xml": Page(sitemap(_loose_entry(site)), content_type=_XML),
        itself: _index(site, itself, "/per-jaar/index.xml"),
        "/per-jaar/index.xml": _index(site, "/sitemaps/2024-02.xml"),
        "/sitemapindex-diwoo-infocat012.xml": redirect(f"{ELSEWHERE}/sitemapindex.xml"),
    }


def _index(site: LoopbackServer, *sitemaps: str) -> Page:
    return Page(sitemapindex(map(site.url, sitemaps)), content_type=_XML)


def _sitemaps(site: LoopbackServer) -> Mapping[str, Page]:
    odd = gzip.compress(_sitemap_of(odd_but_right(site)), mtime=0)
    return {
        "/sitemaps/fouten.xml": Page(_sitemap_of(in_any_category(site)), content_type=_XML),
        "/sitemaps/woo-besluiten.xml": Page(_sitemap_of(in_category(site)), content_type=_XML),
        "/sitemaps/vreemd.xml": Page(odd, content_type="text/html"),
        "/sitemaps/afgebroken.xml": Page(_cut_off(site), content_type=_XML),
        "/sitemaps/storing.xml": html_page("Storing", "Probeer het later nog eens."),
        "/sitemaps/diwoo-documents.xml": Page(_documents_root(site), content_type=_XML),
        "/sitemaps/doctype.xml": Page(_with_doctype(site), content_type=_XML),
        "/sitemaps/nieuws.xml": Page('<rss version="2.0"><channel/></rss>', content_type=_XML),
        "/sitemaps/los-teken.xml": Page(_not_well_formed(site), content_type=_XML),
        "/sitemaps/naamruimte.xml": Page(_other_namespace(site), content_type=_XML),
        "/sitemaps/2024-02.xml": Page(sitemap(), content_type=_XML),
        _MIXED: Page(_mixed_sitemap(site), content_type=_XML),
    }


def _sitemap_of(found: Iterable[Mistake]) -> bytes:
    return sitemap(*(mistake.entry for mistake in found))


def _cut_off(site: LoopbackServer) -> bytes:
    """Return a sitemap without its second half."""
    first = f"<url><loc>{site.url(BEFORE_THE_BREAK)}</loc></url>\n"
    complete = sitemap(first, first.replace("voor", "na"))
    return complete[: complete.index(b"na-de-breuk")]


def _loose_entry(site: LoopbackServer) -> str:
    """Return an entry that is not read, because it is in an index."""
    return f"<url><loc>{site.url('/documenten/in-de-index.pdf')}</loc></url>\n"


def _mixed_index(site: LoopbackServer) -> str:
    """Return an index with a document beside its sitemap."""
    return sitemapindex([site.url(_MIXED)]).replace("</sitemapindex>", f"{_loose_entry(site)}</sitemapindex>")


def _index_under_urlset(site: LoopbackServer) -> str:
    """Return an index as a widely used product writes it. Another index lists its sitemap too."""
    return sitemapindex([site.url("/sitemaps/2024-02.xml")]).replace("sitemapindex", "urlset")


def _mixed_sitemap(site: LoopbackServer) -> bytes:
    """Return a sitemap with another sitemap beside its document."""
    listed = f"<sitemap><loc>{site.url('/sitemaps/los.xml')}</loc></sitemap>\n</urlset>"
    entry = Entry(loc=site.url(IN_A_MIXED_SITEMAP), lastmod=LASTMOD, diwoo=GOOD)
    return sitemap(entry).replace(b"</urlset>", listed.encode())


def _other_namespace(site: LoopbackServer) -> bytes:
    """Return a sitemap whose namespace has one letter too many; it is read all the same."""
    entry = Entry(loc=site.url(OTHER_NAMESPACE), lastmod=LASTMOD, diwoo=GOOD)
    return sitemap(entry).replace(
        SITEMAP_NAMESPACE.encode(), SITEMAP_NAMESPACE.replace("http:", "https:").encode()
    )


def _documents_root(site: LoopbackServer) -> bytes:
    """Return metadata with the loc in them, without a sitemap around them; they are read all the same."""
    entry = Entry(loc=site.url(OTHER_ROOT), lastmod=LASTMOD, diwoo=GOOD).xml()
    begin, document, rest = entry.partition("<diwoo:Document>")
    document, loc = document + rest.replace("</url>", ""), begin.replace("<url>", "")
    document = document.replace("<diwoo:DiWoo>", f"<diwoo:DiWoo>{loc}")
    return sitemap(document).replace(b"urlset", b"diwoo:Documents")


def _not_well_formed(site: LoopbackServer) -> bytes:
    """Return a sitemap with a bare ampersand that does not declare its prefix; it is read all the same."""
    entry = Entry(loc=site.url(f"{REPAIRED}?a=1&b=2"), lastmod=LASTMOD, diwoo=GOOD)
    declared = f' xmlns:diwoo="{DIWOO_NAMESPACE}"'.encode()
    return sitemap(entry).replace(declared, b"").replace(b"&amp;", b"&")


def _with_doctype(site: LoopbackServer) -> bytes:
    entry = f"<url><loc>{site.url('/documenten/met-doctype.pdf')}</loc></url>\n"
    doctype = b'?>\n<!DOCTYPE urlset [<!ENTITY naam "waarde">]>\n'
    return sitemap(entry).replace(b"?>\n", doctype, 1)
