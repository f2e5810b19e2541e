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


def test_a_text_stands_where_the_publisher_writes_it() -> None:
    moment = "2026-11-21T08:00:00+01:00"
    assert made("robots.verboden") == Snippet(
        before="User-agent: *\nDisallow: /documenten/", after="User-agent: *\nAllow: /documenten/"
    )
    assert made("lastmod.ontbreekt") == Snippet(before=entry(), after=entry(f"<lastmod>{moment}</lastmod>"))
    assert made("creatiedatum.ontbreekt") == Snippet(
        before=described("…"), after=described("…\n<diwoo:creatiedatum>2026-01-31</diwoo:creatiedatum>")
    )
    assert made("loc.ontbreekt", element="loc") == Snippet(
        before=entry(loc=""), after=entry(loc="https://www.a.nl/documenten/bestand.pdf")
    )


SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def test_a_root_of_another_name_is_renamed() -> None:
    assert made("index.andere-wortel", seen="<urlset> met 3 sitemaps") == Snippet(
        before=f"<urlset {SITEMAP}>\n  <sitemap>…</sitemap>\n</urlset>",
        after=f"<sitemapindex {SITEMAP}>\n  <sitemap>…</sitemap>\n</sitemapindex>",
    )
    assert made("sitemap.wortelelement", seen="<Documents> met 2 documenten").before == "<Documents>\n  …"
    assert made("sitemap.andere-wortel", seen="<sitemapindex> met 1 document") == made(
        "sitemap.wortelelement", seen="<sitemapindex>"
    )


def test_entries_of_documents_that_stand_apart_are_put_in_a_url() -> None:
    found = made("sitemap.andere-wortel", seen="<Documents> met 2 documenten")
    loc = "<loc>https://www.a.nl/documenten/bestand.pdf</loc>"
    document = "<diwoo:Document>\n  <diwoo:DiWoo>\n{}    …\n  </diwoo:DiWoo>\n</diwoo:Document>"
    before = indent(document.format(f"    {loc}\n"), "  ")
    after = indent(f"<url>\n  {loc}\n{indent(document.format(''), '  ')}\n</url>", "  ")
    assert found == Snippet(
        before=f"<diwoo:Documents …>\n{before}\n</diwoo:Documents>",
        after=f"<urlset …>\n{after}\n</urlset>",
    )


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
    example = f'<diwoo:publisher resource="{TOOI}/id/…">gemeente Voorbeeld</diwoo:publisher>'
    assert made("publisher.ontbreekt").after == described(f"…\n{example}")
    owner = OrganisationRef(**ORGANISATION)
    right = f'<diwoo:publisher resource="{ORGANISATION["id"]}">gemeente Amsterdam</diwoo:publisher>'
    assert made("publisher.ontbreekt", owner).after == described(f"…\n{right}")
    responsible = made("verantwoordelijke.ontbreekt", owner, element="verantwoordelijke").after
    assert responsible == described(f"…\n{right.replace('publisher', 'verantwoordelijke')}")


def test_a_title_that_says_unknown_is_no_start() -> None:
    action = "standaardwaarde gebruikt: Onbekend"
    title = "<diwoo:officieleTitel>Besluit op Woo-verzoek over de kade</diwoo:officieleTitel>"
    assert title in made("titel.ontbreekt", action=action).after


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


GEMEENTE = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
READ_AS = f"gelezen als gemeente Amsterdam ({GEMEENTE})"
RIGHT = described(f'<diwoo:publisher resource="{GEMEENTE}">gemeente Amsterdam</diwoo:publisher>')


@pytest.mark.parametrize(
    ("seen", "given"),
    [
        ("Amsterdam (gm0363)", '<diwoo:publisher resource="gm0363">Amsterdam</diwoo:publisher>'),
        ("gm0363", "<diwoo:publisher>gm0363</diwoo:publisher>"),
        (
            "Amsterdam (HTTP://Identifier.overheid.nl/tooi/id/gemeente/gm0363/)",
            '<diwoo:publisher resource="HTTP://Identifier.overheid.nl/tooi/id/gemeente/gm0363/">'
            "Amsterdam</diwoo:publisher>",
        ),
        ("Amsterdam (gm0344)", "<diwoo:publisher>Amsterdam (gm0344)</diwoo:publisher>"),
    ],
)
def test_a_value_in_another_notation_gets_the_uri_and_label_of_the_list(seen: str, given: str) -> None:
    found = made("waarde.uri-onbekend", element="publisher", seen=seen, action=READ_AS)
    assert found == Snippet(before=described(given), after=RIGHT)


def test_a_creatiedatum_in_the_future_is_at_most_the_day_of_the_harvest() -> None:
    found = made("creatiedatum.toekomst", element="creatiedatum", seen="2062-04-01")
    assert found == Snippet(
        before=described("<diwoo:creatiedatum>2062-04-01</diwoo:creatiedatum>"),
        after=described("<diwoo:creatiedatum>2026-11-21</diwoo:creatiedatum>"),
    )


def test_the_dates_of_a_geldigheid_are_swapped() -> None:
    begin, end = "2024-12-31", "2024-05-01T00:00:00+02:00"
    period = (
        "<diwoo:geldigheid>\n  <diwoo:begindatum>{}</diwoo:begindatum>\n"
        "  <diwoo:einddatum>{}</diwoo:einddatum>\n</diwoo:geldigheid>"
    )
    found = made("geldigheid.omgekeerd", element="geldigheid", seen=f"{begin} – {end}")
    assert found == Snippet(
        before=described(period.format(begin, end)), after=described(period.format(end, begin))
    )


def test_a_reference_with_http_gets_https() -> None:
    part = '<diwoo:hasParts>\n  <diwoo:hasPart resource="{}">Bijlage</diwoo:hasPart>\n</diwoo:hasParts>'
    found = made(
        "verwijzing.geen-https", element="hasParts/hasPart", seen="Bijlage (HTTP://www.a.nl/2.pdf?a)"
    )
    assert found == Snippet(
        before=described(part.format("HTTP://www.a.nl/2.pdf?a")),
        after=described(part.format("https://www.a.nl/2.pdf?a")),
    )
