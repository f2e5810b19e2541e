"""Snippets as whole texts, as a publisher reads them."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from tests.report.runs import ORGANISATION, about_document
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.report.snippets import snippet

TOOI = "https://identifier.overheid.nl/tooi"


def made(code: str, organisation: OrganisationRef | None = None, **given: Any) -> Snippet:
    found = snippet(about_document(code, **given).as_dict(), organisation)
    assert found is not None
    return found


def entry(inside: str = "", loc: str = "https://www.a.nl/documenten/1.pdf") -> str:
    """Return an entry with these lines after its loc."""
    lines = [f"<loc>{loc}</loc>", *dedent(inside).strip().splitlines()]
    return "\n".join(["<url>", *(f"  {line}" for line in lines), "</url>"])


def described(inside: str) -> str:
    """Return an entry with these lines in its metadata."""
    lines = indent(dedent(inside).strip(), "    ")
    return entry(f"<diwoo:Document>\n  <diwoo:DiWoo>\n{lines}\n  </diwoo:DiWoo>\n</diwoo:Document>")


HANDLING = f"""\
<diwoo:documenthandelingen>
  <diwoo:documenthandeling>
    <diwoo:soortHandeling resource="{TOOI}/def/thes/kern/c_641ecd76">vaststelling</diwoo:soortHandeling>
    <diwoo:atTime>2026-01-31T09:00:00+01:00</diwoo:atTime>
  </diwoo:documenthandeling>
</diwoo:documenthandelingen>"""

CATEGORY = f"""\
<diwoo:classificatiecollectie>
  <diwoo:informatiecategorieen>
    <diwoo:informatiecategorie resource="{TOOI}/def/thes/kern/c_3baef532">Woo-verzoeken en -besluiten\
</diwoo:informatiecategorie>
  </diwoo:informatiecategorieen>
</diwoo:classificatiecollectie>"""

TITLE = """\
<diwoo:titelcollectie>
  <diwoo:officieleTitel>Besluit op Woo-verzoek over de kade</diwoo:officieleTitel>
</diwoo:titelcollectie>"""

PUBLISHER = f'<diwoo:publisher resource="{TOOI}/id/…">gemeente Voorbeeld</diwoo:publisher>'

OWNER = f'<diwoo:publisher resource="{ORGANISATION["id"]}">gemeente Amsterdam</diwoo:publisher>'


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        (
            "robots.ontbreekt",
            "",
            "User-agent: *\nAllow: /\n\nSitemap: https://www.a.nl/sitemapindex-diwoo.xml",
        ),
        (
            "robots.geen-diwoo-index",
            "User-agent: *",
            "User-agent: *\n\nSitemap: https://www.a.nl/sitemapindex-diwoo.xml",
        ),
        (
            "robots.verboden",
            "User-agent: *\nDisallow: /documenten/",
            "User-agent: *\nAllow: /documenten/",
        ),
        ("loc.ontbreekt", entry(loc=""), entry(loc="https://www.a.nl/documenten/bestand.pdf")),
        ("document.html-pagina", entry(), entry(loc="https://www.a.nl/documenten/bestand.pdf")),
        ("lastmod.ontbreekt", entry(), entry("<lastmod>2026-11-21T08:00:00+01:00</lastmod>")),
        (
            "metadata.ontbreekt",
            entry(),
            described("\n".join((PUBLISHER, TITLE, CATEGORY, HANDLING))),
        ),
        (
            "metadata.mdto",
            entry("<diwoo:Document>\n  <mdto:MDTO>…</mdto:MDTO>\n</diwoo:Document>"),
            described("\n".join((PUBLISHER, TITLE, CATEGORY, HANDLING))),
        ),
        ("publisher.ontbreekt", described("…"), described(f"…\n{PUBLISHER}")),
        ("titel.onbekend", described("…"), described(f"…\n{TITLE}")),
        ("informatiecategorie.ontbreekt", described("…"), described(f"…\n{CATEGORY}")),
        (
            "creatiedatum.ontbreekt",
            described("…"),
            described("…\n<diwoo:creatiedatum>2026-01-31</diwoo:creatiedatum>"),
        ),
        ("documenthandeling.ontbreekt", described("…"), described(f"…\n{HANDLING}")),
    ],
)
def test_what_is_absent_is_added(code: str, before: str, after: str) -> None:
    assert made(code) == Snippet(before=before, after=after)


SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@pytest.mark.parametrize(
    ("code", "seen", "before", "after"),
    [
        (
            "index.is-urlset",
            "<urlset>",
            f"<urlset {SITEMAP}>\n  <url>…</url>\n</urlset>",
            f"<sitemapindex {SITEMAP}>\n  <sitemap>\n"
            "    <loc>https://www.a.nl/documenten/sitemap-1.xml</loc>\n  </sitemap>\n</sitemapindex>",
        ),
        (
            "sitemap.wortelelement",
            "<Documents> met 2 documenten",
            "<Documents>\n  …",
            f"<urlset {SITEMAP}\n"
            '        xmlns:diwoo="https://standaarden.overheid.nl/diwoo/metadata/">\n'
            f"{indent(entry(loc='https://www.a.nl/documenten/bestand.pdf'), '  ')}\n</urlset>",
        ),
        (
            "sitemap.doctype",
            "<!DOCTYPE urlset>",
            f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE …>\n<urlset {SITEMAP}>',
            f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {SITEMAP}>',
        ),
        ("sitemap.naamruimte", "geen naamruimte", "<urlset>", f"<urlset {SITEMAP}>"),
        (
            "index.andere-wortel",
            "<urlset> met 3 sitemaps",
            f"<urlset {SITEMAP}>\n  <sitemap>…</sitemap>\n</urlset>",
            f"<sitemapindex {SITEMAP}>\n  <sitemap>…</sitemap>\n</sitemapindex>",
        ),
        (
            "sitemap.andere-wortel",
            "<sitemapindex> met 1 document",
            "<sitemapindex>\n  …",
            f"<urlset {SITEMAP}\n"
            '        xmlns:diwoo="https://standaarden.overheid.nl/diwoo/metadata/">\n'
            f"{indent(entry(loc='https://www.a.nl/documenten/bestand.pdf'), '  ')}\n</urlset>",
        ),
        (
            "index.gemengd",
            "3 documenten",
            "<sitemapindex>\n  <sitemap>…</sitemap>\n  <url>…</url>\n</sitemapindex>",
            "<sitemapindex>\n  <sitemap>…</sitemap>\n</sitemapindex>",
        ),
        (
            "sitemap.gemengd",
            "1 sitemap",
            "<urlset>\n  <url>…</url>\n  <sitemap>…</sitemap>\n</urlset>",
            "<urlset>\n  <url>…</url>\n</urlset>",
        ),
    ],
)
def test_the_beginning_of_a_file_is_replaced(code: str, seen: str, before: str, after: str) -> None:
    assert made(code, seen=seen) == Snippet(before=before, after=after)


def test_an_unknown_element_is_moved() -> None:
    assert made("metadata.element-onbekend", seen="wijk&buurt") == Snippet(
        before=described("<diwoo:wijk&amp;buurt>…</diwoo:wijk&amp;buurt>"),
        after=entry(
            """
            <diwoo:Document>
              <diwoo:extraMetadata>
                <diwoo:extraMetadatavelden>
                  <diwoo:extraMetadataveld>
                    <diwoo:key>wijk&amp;buurt</diwoo:key>
                    <diwoo:values><diwoo:value>…</diwoo:value></diwoo:values>
                  </diwoo:extraMetadataveld>
                </diwoo:extraMetadatavelden>
              </diwoo:extraMetadata>
            </diwoo:Document>
            """
        ),
    )


def test_a_date_and_a_value_are_replaced_in_their_element() -> None:
    assert made("datum.ongeldig", element="geldigheid/begindatum", seen="31-02-2024") == Snippet(
        before=described(
            "<diwoo:geldigheid>\n  <diwoo:begindatum>31-02-2024</diwoo:begindatum>\n</diwoo:geldigheid>"
        ),
        after=described(
            "<diwoo:geldigheid>\n  <diwoo:begindatum>2026-01-31T09:00:00+01:00</diwoo:begindatum>\n"
            "</diwoo:geldigheid>"
        ),
    )
    read_as = f"gelezen als PDF ({TOOI}/pdf)"
    assert made(
        "waarde.uri-onbekend", element="format", seen="pdf (https://a.nl/x)", action=read_as
    ) == Snippet(
        before=described('<diwoo:format resource="https://a.nl/x">pdf</diwoo:format>'),
        after=described(f'<diwoo:format resource="{TOOI}/pdf">PDF</diwoo:format>'),
    )


def test_a_landing_page_is_replaced_by_the_documents_that_it_leads_to() -> None:
    seen = "bedoelde u https://www.a.nl/1.pdf?a=1&b=2, http://www.a.nl/2.odt, en nog 3?"
    first = entry(loc="https://www.a.nl/1.pdf?a=1&amp;b=2")
    assert made("document.landingspagina", seen=seen) == Snippet(
        before=entry(), after=f"{first}\n{entry(loc='https://www.a.nl/2.odt')}"
    )


@pytest.mark.parametrize("seen", ["", "bedoelde u https://www.a.nl/heel-lang…", "bedoelde u https://a b?"])
def test_a_document_whose_address_is_cut_off_is_not_proposed(seen: str) -> None:
    finding = about_document("document.landingspagina", seen=seen)
    assert snippet(finding.as_dict(), None) is None


def test_the_owner_of_the_host_is_the_example_of_a_publisher() -> None:
    owner = OrganisationRef(**ORGANISATION)
    assert made("publisher.ontbreekt", owner).after == described(f"…\n{OWNER}")
    responsible = made("verantwoordelijke.ontbreekt", owner, element="verantwoordelijke").after
    assert responsible == described(f"…\n{OWNER.replace('publisher', 'verantwoordelijke')}")


def test_a_title_that_says_unknown_is_no_start() -> None:
    action = "standaardwaarde gebruikt: Onbekend"
    assert made("titel.ontbreekt", action=action).after == described(f"…\n{TITLE}")


def test_metadata_outside_a_document_are_put_in_one() -> None:
    inside = "<diwoo:DiWoo>…</diwoo:DiWoo>\n<diwoo:extraMetadata>…</diwoo:extraMetadata>"
    assert made("metadata.plaats", seen="DiWoo, extraMetadata") == Snippet(
        before=entry(inside), after=entry(f"<diwoo:Document>\n{indent(inside, '  ')}\n</diwoo:Document>")
    )


def test_of_metadata_that_are_there_twice_one_is_left() -> None:
    document = "<diwoo:Document>…</diwoo:Document>"
    assert made("metadata.dubbel", seen="Document, DiWoo") == Snippet(
        before=entry(f"{document}\n{document}"), after=entry(document)
    )
    diwoo = "<diwoo:DiWoo>…</diwoo:DiWoo>"
    document = f"<diwoo:Document>\n  {diwoo}\n</diwoo:Document>"
    assert made("metadata.dubbel", seen="DiWoo") == Snippet(
        before=entry(f"{document}\n{diwoo}"), after=entry(document)
    )


def test_a_uri_in_an_element_is_moved_to_the_attribute() -> None:
    assert made("metadata.resource-element", seen="publisher, format") == Snippet(
        before=f"<diwoo:publisher>…<resource>{TOOI}/…</resource></diwoo:publisher>",
        after=f'<diwoo:publisher resource="{TOOI}/…">…</diwoo:publisher>',
    )
