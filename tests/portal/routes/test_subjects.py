from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from lxml.html import HtmlElement

from tests.portal.client import Client, client_of, opened, ticked
from tests.portal.records import AMSTERDAM, bare, full
from tests.portal.routes.test_search import link, text_of, titles
from tests.portal.test_harvest import write_report
from woo_harvester.outputs.definition import MAX_COUNTS
from woo_harvester.utils.urls import record_id
from woo_portal.app import Options

#: An organisation that the value lists do not have.
ELSEWHERE = "https://voorbeeld.nl/organisaties/ede"


def published_by(records: Iterable[int], organisation: dict[str, str]) -> list[dict[str, Any]]:
    """Documents that an organisation published, and for which another one is responsible."""
    found = []
    for number in records:
        record = full(id=record_id(f"https://b.nl/{number}"))
        record["document"] = {**record["document"], "publisher": organisation}
        found.append(record)
    return found


@pytest.fixture(scope="module")
def client() -> Client:
    company = {"label": "Afvalbedrijf & Zoon"}
    unknown = bare()
    unknown["document"]["verantwoordelijke"] = company
    unknown["herkomst"]["standaardwaarden"] = {}
    return client_of(
        [full(), unknown, *published_by(range(3), {**AMSTERDAM, "id": AMSTERDAM["id"][:-1] + "9"})]
    )


def test_an_organisation_has_its_documents_and_their_categories(client: Client) -> None:
    page = opened(client, "/organisatie/gemeente/gm0363")
    assert page.cssselect("h1")[0].text_content() == "Gemeente Amsterdam"
    assert "4 documenten" in text_of(page)
    assert "2 documenten heeft deze organisatie zelf gepubliceerd." in text_of(page)
    assert len(titles(page)) == 4
    assert link(page, "Adviezen").startswith("/?organisatie=")
    assert titles(opened(client, link(page, "Adviezen"))) == titles(page)


def test_an_organisation_that_only_publishes_has_a_page(client: Client) -> None:
    page = opened(client, "/organisatie/gemeente/gm0369")
    assert "0 documenten" in text_of(page)
    assert "3 documenten heeft deze organisatie zelf gepubliceerd." in text_of(page)
    assert len(titles(page)) == 3


def test_documents_whose_organisation_the_publisher_did_not_give_are_named_apart() -> None:
    by_publisher = full(id=record_id("https://b.nl/1"))
    by_publisher["herkomst"]["standaardwaarden"] = {"document.verantwoordelijke": "publisher"}
    client = client_of([by_publisher, bare(), bare("https://b.nl/2")])
    assert "Zoek in 3 documenten van 1 organisatie." in text_of(opened(client, "/"))
    page = opened(client, "/organisatie/gemeente/gm0363")
    assert page.cssselect(".headline")[0].text_content() == "1 document"
    assert "Bij 2 andere documenten gaf de organisatie haar naam niet." in text_of(page)
    search = opened(client, link(page, "2 andere documenten"))
    assert len(titles(search)) == 2
    assert "Organisatie, aangevuld: Gemeente Amsterdam" in text_of(search)
    assert not search.cssselect("#filter-organisatie_aangevuld")


def test_an_organisation_that_only_the_register_names_has_a_page() -> None:
    page = opened(client_of([bare()]), "/organisatie/gemeente/gm0363")
    assert page.cssselect("h1")[0].text_content() == "Gemeente Amsterdam"
    assert titles(page) == ["Kaart"]
    assert "Zoek in 1 document." in text_of(opened(client_of([bare()]), "/"))


def test_an_organisation_without_a_uri_has_a_page(client: Client) -> None:
    path = link(opened(client, "/organisaties"), "Afvalbedrijf & Zoon")
    assert path == "/organisatie?waarde=Afvalbedrijf+%26+Zoon"
    assert titles(opened(client, path)) == ["Kaart"]


def test_a_category_names_its_article_of_the_law(client: Client) -> None:
    page = opened(client, "/categorie/c_99a836c7")
    assert page.cssselect("h1")[0].text_content() == "Adviezen"
    assert "Woo, artikel 3.3" in text_of(page)
    assert link(page, "Gemeente Amsterdam").startswith("/?informatiecategorie=")


def test_the_list_of_organisations_is_in_order_of_name(client: Client) -> None:
    page = opened(client, "/organisaties")
    assert [each.text_content() for each in page.cssselect(".counts a")] == [
        "Afvalbedrijf & Zoon",
        "Gemeente Amsterdam",
    ]
    categories = opened(client, "/categorieen")
    assert link(categories, "Adviezen") == "/categorie/c_99a836c7"
    assert "2 informatiecategorieën. Achter elke naam staat" in text_of(categories)


@pytest.fixture(scope="module")
def many() -> Client:
    """More organisations than a filter counts, and one that only the register names."""
    names = [
        *(f"Dienst {number}" for number in range(MAX_COUNTS + 50)),
        "gemeente Ede",
        "'s Heeren Loo",
        "3Wonen",
    ]
    records = [full(id=record_id(f"https://b.nl/{number}")) for number in range(len(names))]
    for name, record in zip(names, records, strict=True):
        record["document"] = {**record["document"], "verantwoordelijke": {"label": name}}
    records[-3]["document"]["verantwoordelijke"]["id"] = ELSEWHERE
    supplied = bare()
    supplied["document"] |= {
        "publisher": {"label": "Ezelstichting"},
        "verantwoordelijke": {"label": "Ezelstichting"},
    }
    return client_of([*records, supplied])


def listed(page: HtmlElement) -> list[str]:
    return [" ".join(each.text_content().split()) for each in page.cssselect(".counts.wide li")]


def test_all_organisations_are_in_a_list_by_letter(many: Client) -> None:
    page = opened(many, "/organisaties")
    letters = {each.text_content(): str(each.get("href")) for each in page.cssselect(".letters a")}
    assert [*letters] == ["D", "E", "S", "Overig"]
    assert "254 organisaties. Achter elke naam staat" in text_of(page)
    assert listed(opened(many, letters["E"])) == [
        "Gemeente Ede 1 document",
        "Ezelstichting 0 documenten + 1 aangevuld",
    ]
    assert len(listed(opened(many, letters["D"]))) == MAX_COUNTS + 50
    assert listed(opened(many, letters["S"])) == ["'s Heeren Loo 1 document"]
    assert listed(opened(many, "/organisaties?letter=%22%3E")) == listed(page)
    assert listed(page) == listed(opened(many, letters["D"]))
    assert "Organisaties met een D" in str(page.findtext(".//title"))
    others = opened(many, letters["Overig"])
    assert listed(others) == ["3Wonen 1 document"]
    assert "Organisaties die niet met een letter beginnen" in str(others.findtext(".//title"))


def test_an_organisation_beyond_the_end_of_the_counts_has_its_name(many: Client) -> None:
    """It is not in the value lists either; the documents have its name."""
    page = opened(many, "/organisatie?" + urlencode({"waarde": ELSEWHERE}))
    assert [each.text_content() for each in page.cssselect("h1, title")] == [
        "Gemeente Ede – Woo-documenten",
        "Gemeente Ede",
    ]
    page = opened(many, "/?" + urlencode({"organisatie": ELSEWHERE}))
    chips = [" ".join(each.text_content().split()) for each in page.cssselect(".chosen a")]
    assert chips == ["Organisatie: Gemeente Ede × (haal dit filter weg)"]
    assert ELSEWHERE not in text_of(page)


def test_an_organisation_is_looked_up_by_its_name(many: Client) -> None:
    for name, expected in [
        ("EDE", ["Gemeente Ede 1 document"]),
        ("%C3%A9zel", ["Ezelstichting 0 documenten + 1 aangevuld"]),
        ("dienst+249", ["Dienst 249 1 document"]),
        ("zoiets", []),
    ]:
        page = opened(many, f"/organisaties?naam={name}&letter=d")
        assert listed(page) == expected, name
        assert f"{len(expected)} van de 254 met" in text_of(page), name


def test_a_box_narrows_the_list_of_a_filter_to_names_beyond_its_end(many: Client) -> None:
    page = opened(many, "/?zoektekst=stikstof&thema=x")
    assert not page.cssselect(".narrow")  # no list is that long
    for asked in ("dienst 249", "DIENST 249"):
        chosen = "organisatie=Dienst+1"  # which the narrowed list has not
        page = opened(many, f"/?zoektekst=stikstof&{chosen}&bevat-organisatie={quote(asked)}")
        assert page.cssselect("#bevat-organisatie")[0].get("value") == asked
        (box,) = page.cssselect("#filter-organisatie .boxes label")
        assert box.text_content().strip() == "Dienst 249"
        path = ticked(page, "Dienst 249")
        assert f"zoektekst=stikstof&{chosen}&" in path
        assert len(titles(opened(many, path))) == 2
    nothing = opened(many, "/?zoektekst=stikstof&bevat-organisatie=%3Cscript%3E")
    assert "Geen naam hier heeft ‘<script>’." in text_of(nothing)
    assert not nothing.cssselect("script")
    assert many.get("/?zoektekst=a&bevat-organisatie=%00").status_code == 400
    assert many.get("/organisaties?naam=%00").status_code == 400


def test_a_value_that_no_document_has_is_not_found(client: Client) -> None:
    for path in [
        "/organisatie",
        "/organisatie/gemeente/gm0000",
        "/organisatie/" + "a/" * 50,
        "/organisatie?waarde=" + quote("é" * 600),
        "/categorie/c_0",
        "/categorie?waarde=",
        "/organisatie/%00",
    ]:
        assert client.get(path).status_code == 404, path


def test_an_organisation_says_how_complete_its_documents_are(tmp_path: Path) -> None:
    client = client_of([], Options(report=write_report(tmp_path / "woo-21").path))
    text = text_of(opened(client, "/organisatie/gemeente/gm0363"))  # though it has no document
    assert "Hoe volledig is dit?" in text
    assert "De sitemaps van deze website noemen 5 documenten. Daarvan zijn er 3 opgehaald." in text
    assert "21 november 2026" in text
    assert ". (2 documenten)" in text
    assert "De organisatie schrijft hierover in het register van overheidsorganisaties: “Vanaf 2022”" in text
    assert client.get("/organisatie/gemeente/gm0001").status_code == 404


def test_an_organisation_of_which_all_was_read_lost_nothing(tmp_path: Path) -> None:
    client = client_of([], Options(report=write_report(tmp_path / "woo-21").path))
    found = [replace(host, lost=()) for host in client.app.state.harvest.of(AMSTERDAM["id"])]
    client.app.state.harvest = SimpleNamespace(of=lambda organisation: found)
    text = text_of(opened(client, "/organisatie/gemeente/gm0363"))
    assert "Daarvan zijn er 3 opgehaald." in text
    assert "De organisatie kan zelf verbeteren" not in text


def test_without_a_report_no_organisation_says_how_complete_it_is(client: Client) -> None:
    assert "Hoe volledig is dit?" not in text_of(opened(client, "/organisatie/gemeente/gm0363"))
