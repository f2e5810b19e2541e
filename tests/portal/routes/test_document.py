from __future__ import annotations

import re
from typing import Any

import pytest
from lxml import html

from tests.portal.client import Client, client_of
from tests.portal.records import LOC, OTHER, bare, full, withdrawn
from woo_harvester.utils.urls import record_id


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of([full(), bare(), withdrawn()])


def rows_of(page: str) -> dict[str, list[str]]:
    """The fields of a page: label, and the texts of its values."""
    return {
        row.findtext("dt") or "": [" ".join(each.text_content().split()) for each in row.findall("dd")]
        for row in html.fromstring(page).cssselect(".rows > div")
    }


def links_of(page: str) -> dict[str, str]:
    return {
        link.text_content().strip(): str(link.get("href")) for link in html.fromstring(page).cssselect("a")
    }


def test_a_document_shows_every_field_that_its_publisher_gave(client: Client) -> None:
    page = client.get(f"/document/{record_id(LOC)}").text
    assert rows_of(page) == {
        "Organisatie": ["gemeente Amsterdam"],
        "Naam van de schrijver": ["A. de Vries"],
        "Informatiecategorie": ["adviezen"],
        "Documentsoort": ["convenant"],
        "Thema": ["natuur (in de bron: Natuur!)"],
        "Trefwoorden": ["haven"],
        "Bestandstype": ["PDF"],
        "Taal": ["Nederlands"],
        "Andere titels": ["Convenant"],
        "Kenmerken van de organisatie": ["Z2024-00123"],
        "Hoort bij de groep": ["haven-2024"],
        "Openbaar gemaakt": ["3 april 2024"],
        "Laatst gewijzigd": ["3 mei 2024, 9:00 uur"],
        "Gemaakt": ["1 april 2024"],
        "Geldig": ["vanaf 2 april 2024 tot en met 2 april 2028"],
        "Ondertekening": ["2 april 2024, door gemeente Amsterdam"],
        "wijk": ["Noord", "West"],
        "Website van de organisatie": [LOC],
        "Sitemap": ["https://www.amsterdam.nl/sitemap.xml"],
        "Sitemapindex": ["https://www.amsterdam.nl/index.xml"],
        "Datum in de sitemap": ["2024-05-03T09:00:00+02:00"],
        "Geoogst": ["21 november 2026, 8:00 uur"],
        "Nummer van dit document": [record_id(LOC)],
    }
    text = " ".join(html.fromstring(page).text_content().split())
    for shown in (
        "Afspraken over de haven.",
        "convenant.pdf PDF, 20,5 kB, 3 pagina’s, taal: nl",
        "ab" * 32,
        "Reden van de nieuwe versie: correctie",
        "later.bedacht",
    ):
        assert shown in text
    assert "aangevuld" not in text
    assert "De tekst over stikstof" not in text


def test_the_title_leads_to_the_publisher_and_values_to_their_pages(client: Client) -> None:
    links = links_of(client.get(f"/document/{record_id(LOC)}").text)
    assert links["Convenant over stikstof"] == LOC
    assert links["gemeente Amsterdam"] == "/organisatie/gemeente/gm0363"
    assert links["adviezen"] == "/categorie/c_99a836c7"
    assert links["haven"] == "/?zoektekst=%22haven%22"
    assert links["natuur"].startswith("/?thema=https%3A%2F%2F")


def test_a_related_document_leads_to_its_page_and_no_other_scheme_is_a_link(client: Client) -> None:
    page = client.get(f"/document/{record_id(LOC)}").text
    assert links_of(page)["Kaart"] == f"/document/{record_id(OTHER)}"
    assert "Dossier haven" in page
    text = " ".join(html.fromstring(page).text_content().split())
    assert "Heeft bijlage: Kaart" in text
    assert "Heeft te maken met: https://www.amsterdam.nl/advies.pdf" in text  # a role without a label
    assert "javascript:" not in page


def test_the_documents_of_a_group_are_together_on_the_page_of_each() -> None:
    records = [full(id=record_id(f"https://b.nl/{number}")) for number in range(4)]
    for number, key in enumerate(["Z 1", "Z 1", "Z 12", ""]):
        about = records[number]["document"]
        records[number]["document"] = about | {
            "aggregatiekenmerk": key,
            "titelcollectie": {"officieleTitel": f"Stuk {number} van zaak Z 1"},
        }
    client = client_of(records)
    page = client.get(f"/document/{records[0]['id']}").text
    assert links_of(page)["Stuk 1 van zaak Z 1"] == f"/document/{records[1]['id']}"
    assert links_of(page)["Zoek alles met dit kenmerk"] == "/?zoektekst=%22Z+1%22"
    for number in (2, 3):
        assert "Zelfde groep" not in client.get(f"/document/{records[number]['id']}").text, number


def test_links_to_elsewhere_say_so_to_search_engines_and_give_nothing_away(client: Client) -> None:
    found = html.fromstring(client.get(f"/document/{record_id(LOC)}").text).cssselect("a[href^='http']")
    assert {link.get("rel") for link in found} == {"nofollow noopener external"}


def test_default_values_are_marked_and_lead_nowhere(client: Client) -> None:
    page = client.get(f"/document/{record_id(OTHER)}").text
    assert rows_of(page) == {
        "Organisatie": ["gemeente Amsterdam aangevuld: uit het register van overheidsorganisaties"],
        "Informatiecategorie": ["onbekend aangevuld: de organisatie gaf dit niet"],
        "Openbaar gemaakt": ["2 januari 2024"],
        "Gemaakt": ["2 januari 2024 aangevuld: gelijk aan de dag van openbaarmaking"],
        "Website van de organisatie": [OTHER],
        "Geoogst": ["21 november 2026, 8:00 uur"],
        "Nummer van dit document": [record_id(OTHER)],
    }
    assert "aangevuld: uit de naam van het bestand" in page
    assert "gemeente Amsterdam" not in links_of(page)


def versions_of(record: dict[str, Any]) -> str:
    page = html.fromstring(client_of([record]).get(f"/document/{record['id']}").text)
    (block,) = [each for each in page.cssselect("section.block") if each.findtext("h2") == "Versies"]
    return " ".join(block.text_content().split())


def test_a_document_shows_what_is_known_of_its_versions() -> None:
    record = full()
    assert versions_of(record) == (
        "Versies Deze versie: gewijzigd op 3 mei 2024, 9:00 uur. Reden van de nieuwe versie: correctie"
    )
    record["versies"][0]["nummer"] = 3
    assert versions_of(record).startswith("Versies Versie 3: gewijzigd op 3 mei 2024, 9:00 uur")
    assert versions_of(record).endswith("2 eerdere versies staan hier niet meer.")
    first = {"nummer": 2, "oorzaak": "aanlevering", "openbaarmakingsdatum": "2024-04-03"}
    record["versies"].insert(0, first)  # a record of other software may have more than one
    assert "Versie 2: nieuw op 3 april 2024 1 eerdere versie staat hier niet meer." in versions_of(record)
    assert versions_of(bare()) == "Versies Deze versie: nieuw op 2 januari 2024"


def test_a_withdrawn_document_is_gone_since_a_day() -> None:
    record = withdrawn()
    record["versies"][0]["openbaarmakingsdatum"] = "2024-04-03"
    answer = client_of([record]).get(f"/document/{record['id']}")
    assert answer.status_code == 410
    text = " ".join(html.fromstring(answer.text).text_content().split())
    assert "biedt dit niet meer aan sinds 20 november 2026." in text
    assert "Het was openbaar sinds 3 april 2024." in text
    assert "onterecht openbaar gemaakt" in text
    assert "https://www.amsterdam.nl/weg.pdf" in text


def test_what_is_not_here_is_not_found(client: Client) -> None:
    for name in [record_id("https://niet.nl/"), "x", "..%2f..%2fetc%2fpasswd", "1" * 36]:
        assert client.get(f"/document/{name}").status_code == 404, name


def test_nothing_of_a_record_becomes_html() -> None:
    bad = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>"
    record = full()
    for where in (
        record["document"],
        record["document"]["titelcollectie"],
        record["versies"][0]["bestanden"][0],
    ):
        for name, value in where.items():
            if isinstance(value, str):
                where[name] = bad
    record["document"]["verantwoordelijke"] = {"id": "javascript:alert(1)", "label": bad, "bronwaarde": bad}
    record["document"]["omschrijvingen"] = [bad]
    record["document"]["extraMetadata"] = [{"prefix": bad, "velden": [{"key": bad, "values": [bad]}]}]
    record["documentrelaties"] = [
        {"relation": "data:text/html,x", "role": "urn:rol", "titel": bad},
        {"relation": bad, "role": bad},
    ]
    record["herkomst"] = {
        "bevindingen": [bad],
        "documentrelaties": [{"role": {"id": "urn:rol", "label": bad}}],
        "sitemap": bad,
        "standaardwaarden": {"document.creatiedatum": bad},
    }
    answer = client_of([record]).get(f"/document/{record['id']}")
    assert answer.status_code == 200
    tree = html.fromstring(answer.text)
    assert tree.cssselect("img, script, [onerror]") == []
    assert [link for link in links_of(answer.text).values() if re.match("(?!/|#|https?:)", link)] == []


def test_a_record_with_hardly_anything_still_has_a_page() -> None:
    least = {"document": {"weblocatie": LOC}, "versies": [{"oorzaak": "aanlevering"}], "herkomst": {}}
    odd = {"oorzaak": "aanlevering", "openbaarmakingsdatum": "geen dag", "bestanden": [{}]}
    for given in ({}, {"versies": [odd]}, {"herkomst": {"opgehaald": "", "bevindingen": []}}):
        record = bare() | least | given
        answer = client_of([record]).get(f"/document/{record['id']}")
        assert (answer.status_code, LOC in answer.text) == (200, True), given
