"""The pages of permits."""

from __future__ import annotations

import re
from typing import Any

from lxml import html

from tests.portal.client import Client, client_of, opened, ticked
from tests.portal.short_records import DAM, DOM, document, permit
from woo_portal.app import Options

AMSTERDAM: dict[str, Any] = {
    "scheme": "overheid:Gemeente",
    "type": "gemeente",
    "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
    "label": "Amsterdam",
}
FULL: dict[str, Any] = {
    "description": "Een eik <b>kappen</b>.",
    "creator": AMSTERDAM,
    "authority": {"scheme": "overheid:Provincie", "label": "provincie Utrecht"},
    "publisher": {"label": "de stad"},
    "subject": [{"label": "bomen"}, {"label": "bouwen"}],
    "alternative": ["Eiken"],
    "issued": "2026-04-02",
    "modified": "2026-04-01",
    "language": "nl",
    "type": {"scheme": "overheid:Informatietype", "label": "vergunning"},
    "temporal": {"start": "2026-01-01", "end": "2026-01-31"},
    "spatial": [{"scheme": "overheid:Gemeente", "label": "Amsterdam"}],
    "references": [{"id": "javascript:alert(1)", "label": "Regels"}],
    "product": {
        "producttype": {"scheme": "overheidvg:Product", "label": "kapvergunning"},
        "activiteit": [{"label": "kappen"}, {"label": "snoeien"}],
    },
    "termijn": {
        "fase": "bezwaar",
        "termijnsoortPeriode": [
            {
                "termijnsoort": "bezwaartermijn",
                "startdatumTermijn": "2026-02-01",
                "einddatumTermijn": "2026-03-15",
            },
            {"termijnsoort": "inzage"},
        ],
    },
    "actor": {
        "bedrijfsnaam": "Boom & Zn",
        "bedrijfsadres": {"postcodeHuisnummer": {"postcode": "1012JS", "huisnummer": 2}},
    },
    "object": {
        "referentienummer": "Z-17",
        "adres": [
            {"postcodeHuisnummer": {"postcode": "1012JS", "huisnummer": 1, "huisnummertoevoeging": "A"}},
            {"woonplaatsAdres": {"woonplaats": "Amsterdam"}, "provincie": "Noord-Holland"},
        ],
        "perceel": [{"kadastralegemeente": {"label": "Amsterdam"}, "sectie": "F", "nummer": "12"}],
    },
}


def full() -> dict[str, Any]:
    record = permit("eik", DAM, **FULL)
    record["documenten"] = [
        {
            "identifier": "https://www.voorbeeldstad.nl/besluit.pdf",
            "title": "Besluit",
            "documenttype": {"label": "beschikking"},
            "format": "application/pdf",
            "modified": "2026-02-01",
        },
        {"identifier": "ftp://oud/bijlage.pdf", "title": "Bijlage"},
    ]
    record["herkomst"] |= {
        "ingang": "https://www.voorbeeldstad.nl/vergunningen/",
        "bestand": "https://www.voorbeeldstad.nl/vergunningen/1.xml",
        "bevindingen": ["ipm.schema"],
    }
    return record


RUNNING: dict[str, Any] = {"temporal": {"start": "2020-01-01"}}
RECORDS = [
    full(),
    permit("feest", DOM, day="2026-04-03", **RUNNING),
    permit("dakkapel", day="2026-04-04"),
    permit("weg", is_withdrawn=True),
    document("besluit"),
]


def titles(page: html.HtmlElement) -> list[str]:
    return [str(each.text_content()) for each in page.cssselect(".hit h3")]


def texts(page: html.HtmlElement, selector: str) -> list[str]:
    return [" ".join(each.text_content().split()) for each in page.cssselect(selector)]


def link(page: html.HtmlElement, text: str) -> str:
    (found,) = {each.get("href") for each in page.cssselect("a") if text in each.text_content()}
    return str(found)


def test_the_list_has_all_permits_newest_first(client: Client) -> None:
    page = opened(client, "/vergunningen")
    assert titles(page) == ["Zaak dakkapel", "Zaak feest", "Zaak eik"]
    assert texts(page, "#gevonden") == ["3 vergunningen"]
    about = texts(page, ".hit .about")
    assert about[1] == "geldt sinds 1 januari 2020"
    assert about[2] == "Kapvergunning · Bezwaar · gemeente Amsterdam · afgelopen op 31 januari 2026"


def test_each_filter_has_counts_and_narrows(client: Client) -> None:
    page = opened(client, "/vergunningen")
    heads = texts(page, "#filters fieldset[id] legend")
    assert heads == ["Gemeente", "Soort vergunning", "Fase", "Organisatie"]
    for text in ("Gemeente Amsterdam", "Kapvergunning", "Bezwaar"):
        narrowed = opened(client, ticked(opened(client, "/vergunningen"), text))
        assert titles(narrowed) == ["Zaak eik"]
        assert link(narrowed, "haal dit filter weg") == "/vergunningen?sorteer=nieuwste"
        assert len(titles(opened(client, ticked(narrowed, text)))) == 3


def test_permits_near_a_place_come_nearest_first_with_their_distance(client: Client) -> None:
    near = "plaats=52.3731,4.8928&afstand=1000&sorteer=afstand"
    page = opened(client, f"/vergunningen?{near}")
    assert titles(page) == ["Zaak eik"]
    assert "op 5 meter" in texts(page, ".hit .about")[0]
    assert texts(page, ".chosen li")[0].startswith("Binnen 1 kilometer van 52.3731,4.8928")
    both = opened(client, "/vergunningen?plaats=52.3731,4.8928&afstand=100000&sorteer=afstand")
    assert titles(both) == ["Zaak eik", "Zaak feest"]


def test_a_form_without_a_place_asks_without_a_distance(client: Client) -> None:
    page = opened(client, "/vergunningen?plaats=&afstand=1000&lopend=&sorteer=afstand")
    assert len(titles(page)) == 3
    assert texts(page, ".chosen li") == []


def test_running_and_ended_permits_can_be_chosen(client: Client) -> None:
    assert titles(opened(client, "/vergunningen?lopend=ja")) == ["Zaak feest"]
    ended = opened(client, "/vergunningen?lopend=nee")
    assert titles(ended) == ["Zaak eik"]
    assert texts(ended, ".chosen li")[0].startswith("Afgelopen")
    assert link(ended, "haal dit filter weg") == "/vergunningen"


def test_a_search_marks_its_words_and_keeps_the_filters(client: Client) -> None:
    page = opened(client, "/vergunningen?zoektekst=eik&fase=bezwaar")
    assert set(texts(page, ".hit mark")) == {"eik"}
    kept = {each.get("name"): each.get("value") for each in page.cssselect("form[role=search] input")}
    assert kept == {"zoektekst": "eik", "fase": "bezwaar"}
    hidden = [(each.get("name"), each.get("value")) for each in page.cssselect("#filters [type=hidden]")]
    ticks = [(each.get("name"), each.get("value")) for each in page.cssselect("#filters [checked]")]
    assert (hidden, ticks) == ([("zoektekst", "eik")], [("fase", "bezwaar")])


def test_the_same_search_is_a_feed_a_table_and_a_map(client: Client) -> None:
    page = opened(client, "/vergunningen?zoektekst=eik&aantal=5&start=0")
    for suffix in ("atom", "csv", "nl.csv", "geojson", "jsonl"):
        (address,) = {each.get("href") for each in page.cssselect(f"a[href*='vergunningen.{suffix}']")}
        assert address == f"/vergunningen.{suffix}?zoektekst=eik"
        assert client.get(str(address)).status_code == 200
    assert link(page, "op de kaart") == "/vergunningen/kaart?zoektekst=eik"


def test_pages_of_permits_lead_to_each_other() -> None:
    client = client_of(permit(f"nummer {n:02}") for n in range(25))
    page = opened(client, "/vergunningen?sorteer=titel")
    assert titles(page)[0] == "Zaak nummer 00"
    second = opened(client, link(page, "Volgende"))
    assert titles(second)[0] == "Zaak nummer 10"
    assert titles(opened(client, link(second, "Vorige")))[0] == "Zaak nummer 00"


def test_without_hits_there_is_help(client: Client) -> None:
    page = opened(client, "/vergunningen?zoektekst=giraffe&plaats=52,5")
    assert texts(page, "#gevonden") == ["0 vergunningen"]
    assert "grotere afstand" in page.text_content()


def test_without_any_permit_the_page_says_so() -> None:
    page = opened(client_of([document("besluit")]), "/vergunningen")
    assert "Er zijn nog geen vergunningen" in page.text_content()
    assert "Dit kunt u proberen" not in page.text_content()


def test_a_wrong_question_is_a_page_that_says_what(client: Client) -> None:
    for query in [
        *("kleur=rood", "plaats=x", "plaats=52,5&afstand=0", "kader=1,2,3", "lopend=x"),
        "zoektekst=%00",
    ]:
        for path in ("/vergunningen", "/vergunningen/kaart"):
            answer = client.get(f"{path}?{query}")
            assert answer.status_code == 400, query
            assert "<h1>" in answer.text, query


def test_the_page_of_a_permit_has_everything_that_is_known(client: Client) -> None:
    page = opened(client, f"/vergunning/{RECORDS[0]['id']}")
    rows = {
        " ".join(row.cssselect("dt")[0].text_content().split()): [
            " ".join(each.text_content().split()) for each in row.findall("dd")
        ]
        for row in page.cssselect(".rows > div")
    }
    assert rows == {
        "Soort vergunning": ["Kapvergunning"],
        "Activiteiten": ["Kappen", "Snoeien"],
        "Fase": ["Bezwaar"],
        "Organisatie": ["Amsterdam"],
        "Bevoegd gezag": ["Provincie Utrecht"],
        "Gepubliceerd door": ["De stad"],
        "Gemeente": ["Gemeente Amsterdam"],
        "Onderwerp": ["Bomen", "Bouwen"],
        "Andere titels": ["Eiken"],
        "Bedrijf": ["Boom & Zn"],
        "Adres van het bedrijf": ["1012JS 2"],
        "Kenmerk van de organisatie": ["Z-17"],
        "Soort informatie": ["Vergunning"],
        "Taal": ["nl"],
        "Verwijst naar": ["Regels"],
        "Geldig": ["vanaf 1 januari 2026 tot en met 31 januari 2026"],
        "Nu": ["Afgelopen op 31 januari 2026"],
        "Bezwaartermijn": ["vanaf 1 februari 2026 tot en met 15 maart 2026"],
        "Inzage": ["zonder datum"],
        "Uitgegeven": ["2 april 2026"],
        "Laatst gewijzigd": ["1 april 2026"],
        "Adres": ["1012JS 1 A", "Amsterdam, Noord-Holland"],
        "Perceel": ["Amsterdam sectie F nummer 12"],
        "Gebied": ["Amsterdam"],
        "Breedtegraad en lengtegraad": ["52.373056, 4.892778"],
        "Pagina van de organisatie": ["https://www.voorbeeldstad.nl/zaken/eik"],
        "Bericht": ["https://www.voorbeeldstad.nl/vergunningen/1.xml"],
        "Lijst met berichten": ["https://www.voorbeeldstad.nl/vergunningen/"],
        "Bericht gewijzigd": ["2 april 2026, 8:00 uur"],
        "Geoogst": ["2 april 2026, 10:00 uur"],
        "Nummer van deze vergunning": [RECORDS[0]["id"]],
    }
    assert texts(page, ".files li") == ["Besluit beschikking, application/pdf, 1 februari 2026", "Bijlage"]
    assert texts(page, ".lead") == ["Een eik <b>kappen</b>."]
    assert "XML-schema" in texts(page, ".remark summary")[0]
    assert titles(opened(client, link(page, "in de buurt"))) == ["Zaak eik"]


def test_only_addresses_of_the_web_are_links_and_terms_lead_to_permits_that_have_them(client: Client) -> None:
    page = opened(client, f"/vergunning/{RECORDS[0]['id']}")
    addresses = [str(each.get("href")) for each in page.cssselect("a")]
    assert all(address.startswith(("/", "#", "https://")) for address in addresses)
    out = [each for each in page.cssselect("a") if str(each.get("href")).startswith("https://")]
    assert {each.get("rel") for each in out} == {"nofollow noopener external"}
    for text in ("Kapvergunning", "Bezwaar", "Gemeente Amsterdam"):
        assert titles(opened(client, link(page, text))) == ["Zaak eik"]


def test_a_permit_with_hardly_anything_has_a_page(client: Client) -> None:
    record = permit("kaal")
    record["vergunning"] = {"identifier": "https://www.voorbeeldstad.nl/zaken/kaal"}
    page = opened(client_of([record]), f"/vergunning/{record['id']}")
    assert texts(page, "h1") == ["https://www.voorbeeldstad.nl/zaken/kaal"]
    assert not re.search("op de kaart|in de buurt", page.cssselect("article")[0].text_content())


def test_a_withdrawn_permit_says_since_when(client: Client) -> None:
    answer = client.get(f"/vergunning/{RECORDS[3]['id']}")
    assert answer.status_code == 410
    assert "Deze vergunning is ingetrokken" in answer.text
    assert "sinds 2 april 2026" in answer.text


def test_there_is_no_page_of_what_is_no_permit(client: Client) -> None:
    for path in ["/vergunning/x", f"/vergunning/{RECORDS[4]['id']}", "/vergunning/", "/vergunning/../x"]:
        assert client.get(path).status_code == 404, path


def test_no_page_has_a_style_or_a_script_in_it_and_only_the_map_has_a_script(client: Client) -> None:
    for path in ("/vergunningen", "/vergunningen/kaart", f"/vergunning/{RECORDS[0]['id']}"):
        answer = client.get(path)
        assert not re.search(r"<script(?! src=)|<style|\sstyle=|\son\w+=", answer.text)
        is_map = path.endswith("kaart")
        assert ("script-src 'self'" in answer.headers["content-security-policy"]) == is_map
        scripts = html.fromstring(answer.content).cssselect("script")
        assert [bool(re.fullmatch("/kaart-[0-9a-f]{12}.js", str(each.get("src")))) for each in scripts] == (
            [True] * is_map
        )


def test_images_may_come_from_the_host_of_the_tiles_only() -> None:
    client = client_of(RECORDS, Options(tiles="https://service.pdok.nl/kaart/{z}/{x}/{y}.png"))
    answer = client.get("/vergunningen/kaart")
    assert "img-src 'self' https://service.pdok.nl;" in answer.headers["content-security-policy"]
    (shown,) = html.fromstring(answer.content).cssselect(".map")
    assert shown.get("data-credit") == "Kaartgegevens © Kadaster"
    assert "pdok" not in client.get("/vergunningen").headers["content-security-policy"]


def test_the_map_has_the_permits_of_the_search_and_leads_to_their_list(client: Client) -> None:
    page = opened(client, "/vergunningen/kaart?zoektekst=eik&kader=52.3,4.8,52.4,4.9&start=10&sorteer=titel")
    (shown,) = page.cssselect(".map")
    features = client.get(str(shown.get("data-permits"))).json()["features"]
    assert [each["id"] for each in features] == [RECORDS[0]["id"]]
    assert [each.strip() for each in titles(opened(client, link(page, "Toon de lijst van deze")))] == [
        "Zaak eik"
    ]
    assert shown.get("data-list") == "/vergunningen?zoektekst=eik"


def test_the_page_of_a_permit_leads_to_its_place_on_the_map(client: Client) -> None:
    page = opened(client, link(opened(client, f"/vergunning/{RECORDS[0]['id']}"), "op de kaart"))
    features = client.get(str(page.cssselect(".map")[0].get("data-permits"))).json()["features"]
    assert [each["id"] for each in features] == [RECORDS[0]["id"]]
