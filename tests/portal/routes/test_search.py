from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from lxml import html

from tests.portal.client import Client, client_of, opened, ticked
from tests.portal.records import AMSTERDAM, CONVENANTEN, bare, full, withdrawn
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.urls import record_id


@pytest.fixture(scope="module")
def client() -> Client:
    many = [bare(f"https://www.amsterdam.nl/{number}.pdf", f"Besluit {number}") for number in range(25)]
    return client_of([full(), withdrawn(), *many])


def text_of(page: html.HtmlElement) -> str:
    return " ".join(page.text_content().split())


def link(page: html.HtmlElement, text: str) -> str:
    found = [each.get("href") for each in page.cssselect("a") if text in each.text_content()]
    assert len(found) == 1, (text, found)
    return str(found[0])


def titles(page: html.HtmlElement) -> list[str]:
    return [" ".join(each.text_content().split()) for each in page.cssselect(".hit h3")]


def test_the_start_page_says_what_is_here(client: Client) -> None:
    page = opened(client, "/")
    text = text_of(page)
    assert "Zoek in 26 documenten van 1 organisatie." in text
    assert "1 document is later ingetrokken" in text
    assert len(titles(page)) == 5
    assert link(page, "Adviezen") == "/categorie/c_99a836c7"
    assert page.cssselect("form[role=search] input[name=zoektekst]")


def test_a_portal_without_documents_says_so() -> None:
    assert "nog geen documenten" in text_of(opened(client_of([]), "/"))


def test_a_search_marks_its_words_and_leads_to_the_document(client: Client) -> None:
    page = opened(client, "/?q=stikstof")
    assert titles(page) == ["Convenant over stikstof"]
    assert [each.text_content().strip() for each in page.cssselect("mark")] == ["stikstof"] * 2
    assert str(page.cssselect(".hit a")[0].get("href")).startswith("/document/")
    assert page.cssselect("input[name=zoektekst]")[0].get("value") == "stikstof"


def test_a_filter_is_chosen_by_its_box_and_taken_away_again(client: Client) -> None:
    chosen = ticked(opened(client, "/?zoektekst=a&sorteer=titel&start=10"), "Adviezen")
    assert dict(parse_qsl(urlsplit(chosen).query)) == {
        "zoektekst": "a",
        "sorteer": "titel",
        "informatiecategorie": CONVENANTEN["id"],
    }
    page = opened(client, chosen)
    assert titles(page) == ["Convenant over stikstof"]
    (removal,) = page.cssselect(".chosen a")
    assert "Informatiecategorie: Adviezen" in removal.text_content()
    without = {"zoektekst": "a", "sorteer": "titel"}
    assert dict(parse_qsl(urlsplit(str(removal.get("href"))).query)) == without
    assert dict(parse_qsl(urlsplit(ticked(page, "Adviezen")).query)) == without


def test_the_publisher_is_a_filter_only_if_it_is_another_organisation() -> None:
    other = full(id=record_id("https://b.nl/1"))
    for label, is_there in (("gemeente Amsterdam", False), ("gemeente Utrecht", True)):
        publisher = AMSTERDAM if not is_there else {"label": label}
        other["document"] = {**other["document"], "publisher": publisher}
        page = opened(client_of([full(), other]), "/zoek")
        assert bool(page.cssselect("#filter-publisher")) == is_there, label
        rows = opened(client_of([other]), f"/document/{other['id']}").cssselect("dt")
        assert ("Gepubliceerd door" in [each.text_content() for each in rows]) == is_there, label


def test_quick_periods_begin_so_many_days_ago(client: Client) -> None:
    page = opened(client, "/?zoektekst=a&openbaarmakingsdatumTot=2024-01-01&start=10")
    week, month, _ = page.cssselect(".periods a")
    begin = (day_of(datetime.now(UTC)) - timedelta(7)).isoformat()
    assert week.get("href") == f"/?zoektekst=a&openbaarmakingsdatumVan={begin}"
    page = opened(client, str(month.get("href")))
    assert [each.text_content() for each in page.cssselect(".periods [aria-current]")] == ["Afgelopen maand"]


def test_a_default_value_is_no_filter(client: Client) -> None:
    page = opened(client, "/?q=besluit")
    assert page.cssselect("[id^=filter-]") == []


def test_forms_keep_what_was_chosen(client: Client) -> None:
    organisation = AMSTERDAM["id"]
    page = opened(
        client, f"/?q=stikstof&organisatie={organisation}&openbaarmakingsdatumVan=2024-01-01&start=0"
    )
    search, narrow = page.forms
    asked = [("organisatie", organisation), ("openbaarmakingsdatumVan", "2024-01-01")]
    assert [(each.get("name"), each.get("value")) for each in search.cssselect("[type=hidden]")] == asked
    given = [pair for pair in narrow.form_values() if pair[1]]
    assert given == [("zoektekst", "stikstof"), ("sorteer", "relevantie"), *reversed(asked)]
    assert "Openbaar gemaakt vanaf 1 januari 2024" in text_of(page)


def test_an_empty_field_of_a_form_is_no_mistake(client: Client) -> None:
    assert (
        len(titles(opened(client, "/?q=&openbaarmakingsdatumVan=&openbaarmakingsdatumTot=&sorteer=titel")))
        == 10
    )


def test_pages_follow_one_another_until_the_last(client: Client) -> None:
    seen, path = [], "/?q=besluit"
    for _ in range(10):
        page = opened(client, path)
        seen += titles(page)
        following = page.cssselect("a[rel=next]")
        if not following:
            break
        path = str(following[0].get("href"))
    assert len(seen) == len(set(seen)) == 25
    assert "Dit zijn 21 tot en met 25." in text_of(page)
    assert page.cssselect("a[rel=prev]")[0].get("href") == "/?zoektekst=besluit&start=10"


def test_a_page_beyond_the_last_leads_back(client: Client) -> None:
    assert link(opened(client, "/?q=besluit&start=500"), "naar de eerste") == "/?zoektekst=besluit"


def test_nothing_found_helps_on(client: Client) -> None:
    page = opened(client, '/?q="niets+hiervan"&thema=x')
    assert "0 documenten" in text_of(page)
    assert "Haal de aanhalingstekens weg" in text_of(page)
    assert link(page, "Haal alle filters weg") == "/?zoektekst=%22niets+hiervan%22"


def heading(page: html.HtmlElement, number: int) -> str:
    """Return a heading of the second level, and the titles below it."""
    return " ".join(page.cssselect("h2")[number].text_content().split())


def test_few_hits_are_followed_by_those_of_a_likelier_question(client: Client) -> None:
    page = opened(client, "/?q=Beslut&sorteer=titel")
    assert "Bedoelde u besluit?" in text_of(page)
    assert [heading(page, number) for number in (0, 1)] == ["0 documenten", "Documenten over besluit"]
    assert len(titles(page)) == 10
    assert link(page, "besluit") == "/?zoektekst=besluit&sorteer=titel"
    for given, meant in [
        ("stikstf", "stikstof"),
        ("hoeveel+stik+stof", "stik stof"),
        ("bes+luit", "besluit"),
        ("overstikstof", "over stikstof"),
        ("beslut+nietsvandit", ""),
        *((text, "") for text in ("besluit", "stikstof", "%22beslut%22", "-beslut", "2025", "%3Cscript%3E")),
    ]:
        page = opened(client, f"/?q={given}")
        assert (f"Bedoelde u {meant}?" if meant else "Bedoelde u") in text_of(page) or not meant, given
        assert meant or "Bedoelde u" not in text_of(page), given


def test_few_hits_are_followed_by_what_each_word_finds_and_documents_with_most_words(client: Client) -> None:
    page = opened(client, "/?q=stikstof+haven+nietsvandit")
    assert "stikstof: 1 document haven: 1 document nietsvandit: 0 documenten" in text_of(page)
    assert link(page, "haven") == "/?zoektekst=haven"
    assert heading(page, 2) == "Documenten met de meeste van uw woorden"
    assert titles(page) == ["Convenant over stikstof"]
    misspelt = opened(client, "/?q=stikstf+nietsvandit")
    assert titles(misspelt) == ["Convenant over stikstof"]
    assert not [each for each in misspelt.cssselect(".block a") if each.text_content() == "nietsvandit"]


def test_the_name_of_an_organisation_leads_to_its_page(client: Client) -> None:
    for name in ("amsterdam", "Gemeente+Amsterdam"):
        (found,) = opened(client, f"/?q={name}").cssselect("p.named a")
        assert (found.text_content(), found.get("href")) == (
            "Gemeente Amsterdam",
            "/organisatie/gemeente/gm0363",
        )


def test_or_is_explained(client: Client) -> None:
    assert "OR is hier een gewoon woord" in text_of(opened(client, "/?q=stikstof+OR+kaart"))
    assert "OR is hier" not in text_of(opened(client, "/?q=oranje+kaarten"))


def test_a_chosen_value_without_hits_has_its_name_and_is_taken_away(client: Client) -> None:
    page = opened(
        client, "/?q=nietsvandit&organisatie=https://identifier.overheid.nl/tooi/id/gemeente/gm0344"
    )
    (removal,) = page.cssselect(".chosen a")
    assert "Organisatie: Gemeente Utrecht" in str(removal.text_content())
    assert removal.get("href") == "/?zoektekst=nietsvandit"
    (box,) = page.cssselect("#filters label:has([checked])")
    assert box.text_content().strip() == "Gemeente Utrecht"


def test_a_search_can_be_followed_and_downloaded(client: Client) -> None:
    page = opened(client, "/?q=besluit&sorteer=titel&start=10&aantal=20")
    for text, name in (
        ("feed", "atom"),
        ("Excel", "nl.csv"),
        ("ander rekenblad", "csv"),
        ("JSON Lines", "jsonl"),
    ):
        assert link(page, text) == f"/zoek.{name}?zoektekst=besluit&sorteer=titel"


def test_a_wrong_question_says_what_is_wrong(client: Client) -> None:
    for query, reason in [
        ("nergens=1", "nergens"),
        ("q=a&openbaarmakingsdatumVan=2024-13-01", "‘Openbaar gemaakt vanaf’ is een dag"),
        ("q=a&sorteer=duurste", "Sorteer is een van"),
        ("q=a&start=-1", "Start is een getal"),
        ("q=" + "a" * 501, "500"),
    ]:
        answer = client.get(f"/?{query}")
        assert answer.status_code == 400, query
        page = html.fromstring(answer.text)
        assert page.cssselect("h1")[0].text_content() == "Deze vraag kan niet", query
        assert reason in text_of(page), query


def test_the_text_of_a_wrong_question_can_be_corrected(client: Client) -> None:
    for path, action in (("/zoek", "/"), ("/vergunningen", "/vergunningen")):
        page = html.fromstring(client.get(f"{path}?zoektekst=stik+%22stof%00&sorteer=nergens").text)
        (form,) = page.forms
        assert (form.get("action"), dict(form.form_values())) == (action, {"zoektekst": 'stik "stof'})


def test_the_error_of_an_unknown_parameter_names_no_other_parameter(client: Client) -> None:
    page = html.fromstring(client.get("/?q=a&nergens=1").text)
    assert page.cssselect("main > p")[0].text_content() == "De vraag kent geen 'nergens'."
    assert "Mogelijk zijn: zoektekst" in client.get("/api/v0/zoek?nergens=1").json()["detail"]


def test_the_search_page_has_an_address_of_its_own_too(client: Client) -> None:
    assert titles(opened(client, "/zoek?q=stikstof")) == ["Convenant over stikstof"]
    page = opened(client, "/zoek")  # not the start page
    assert "26 documenten" in text_of(page)
    assert page.cssselect(".paging a")[0].get("href") == "/?start=0"
    assert next(each.text_content() for each in page.cssselect("nav [aria-current=page]")) == "Zoeken"


def test_pages_have_numbers(client: Client) -> None:
    page = opened(client, "/?q=besluit&start=10")
    links = page.cssselect(".paging li a")
    assert [each.text_content() for each in links] == ["Bladzijde 1", "Bladzijde 2", "Bladzijde 3"]
    assert [each.get("href") for each in links] == [
        "/?zoektekst=besluit",
        "/?zoektekst=besluit&start=10",
        "/?zoektekst=besluit&start=20",
    ]
    assert [each.get("aria-current") for each in links] == [None, "page", None]
    assert opened(client, "/?q=stikstof").cssselect(".paging") == []


def test_one_document_is_one(client: Client) -> None:
    page = opened(client, "/?q=stikstof")
    assert {" ".join(each.text_content().split()) for each in page.cssselect(".number")} == {"1 document"}
    assert "1 documenten" not in text_of(opened(client, "/"))
    assert "Dit is nummer 26." in text_of(opened(client, "/?sorteer=oudste&start=25"))


def test_nothing_of_a_question_becomes_html(client: Client) -> None:
    bad = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    page = opened(client, f"/?q={bad}&thema={bad}&organisatie={bad}")
    assert page.cssselect("script") == []
    assert '"><script>alert(1)</script>' in text_of(page)


def test_a_health_check_is_never_kept() -> None:
    answer = client_of([]).get("/gezond")
    assert (answer.text, answer.headers["cache-control"]) == ("gezond\n", "no-store")
