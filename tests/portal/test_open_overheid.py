"""The names and the shape of open.overheid.nl."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import parse_qsl, quote

import pytest

from tests.portal.client import Client, client_of
from tests.portal.records import LOC, bare, full, withdrawn
from woo_harvester.kinds import WOO
from woo_harvester.utils.urls import record_id
from woo_portal.open_overheid import BASE, is_asked, question_of
from woo_portal.question import Period, Question, QuestionError, Sort

ROOT = "http://portal.test"
CATEGORY = "https://identifier.overheid.nl/tooi/def/thes/kern/c_3a248e3a"


def asked(address: str) -> Question:
    return question_of(parse_qsl(address, keep_blank_values=True), is_strict=True)


def test_its_parameters_ask_the_same_question_as_ours() -> None:
    for address, expected in [
        ("", Question(WOO)),
        ("zoektekst=&start=0&aantalResultaten=50", Question(WOO, size=50)),
        ("start=20&aantalResultaten=10&sort=&order=&publicatiedatumVan=", Question(WOO, start=20)),
        ("sort=relevantie", Question(WOO)),
        ("sort=publicatiedatum", Question(WOO, sort=Sort.NEWEST)),
        ("sort=publicatiedatum&order=desc", Question(WOO, sort=Sort.NEWEST)),
        ("sort=publicatiedatum&order=asc", Question(WOO, sort=Sort.OLDEST)),
        ("sort=laatst-gewijzigd", Question(WOO, sort=Sort.CHANGED)),
        (
            "publicatiedatumVan=01-02-2024&publicatiedatumTot=2024-03-01",
            Question(WOO, periods={"opgehaald": Period(date(2024, 2, 1), date(2024, 3, 1))}),
        ),
        (
            "publicatiedatumVan=01-02-2024&openbaarmakingsdatumTot=2024-03-01",
            Question(
                WOO,
                periods={
                    "opgehaald": Period(date(2024, 2, 1)),
                    "openbaarmakingsdatum": Period(end=date(2024, 3, 1)),
                },
            ),
        ),
        (
            f"informatiecategorie={quote(CATEGORY)}",
            Question(WOO, chosen={"informatiecategorie": (CATEGORY,)}),
        ),
        (
            "informatiecategorie=" + quote(quote("agenda’s en besluitenlijsten bestuurscolleges")),
            Question(WOO, chosen={"informatiecategorie": (CATEGORY,)}),
        ),
        ("thema=100%25", Question(WOO, chosen={"thema": ("100%",)})),
        ("sorteer=titel&aantal=5", Question(WOO, sort=Sort.TITLE, size=5)),
    ]:
        assert asked(address) == expected, address


def test_what_is_wrong_is_one_line_in_dutch() -> None:
    for address, message in [
        ("sort=titel", "sort is een van: relevantie, publicatiedatum, laatst-gewijzigd."),
        ("sort=publicatiedatum&order=op", "order is een van: desc, asc."),
        ("sort=publicatiedatum&sort=relevantie", "Geef sort maar één keer."),
        ("order=asc", "order=asc kan alleen met sort=publicatiedatum."),
        ("publicatiedatumVan=2024", "publicatiedatumVan is een dag, zoals 02-04-2026."),
        ("publicatiedatumTot=31-02-2024", "publicatiedatumTot is een dag, zoals 02-04-2026."),
        ("publicatiedatumTot=%00", "publicatiedatumTot is een dag, zoals 02-04-2026."),
        ("publicatiedatumVan=02-02-2024&publicatiedatumVan=2024", "Geef publicatiedatumVan maar één keer."),
        ("aantalResultaten=0", "aantal is 1 tot en met 100."),
        ("aantalResultaten=veel", "aantal is een getal, zoals 20."),
        ("aantalResultaten=10&aantal=20", "Geef aantal maar één keer."),
        ("start=9990&aantalResultaten=50", "De bladzijden beginnen tot resultaat 9900"),
        ("thema=%2500", "In de waarde van thema staan tekens"),
    ]:
        with pytest.raises(QuestionError) as error:
            asked(address)
        assert str(error.value).startswith(message), address
        answer = client_of([]).get(f"{BASE}/zoek?{address}")
        assert answer.status_code == 400, address
        assert answer.json() == {"status": 400, "title": "Bad Request", "detail": str(error.value)}, address


def test_a_parameter_that_nobody_knows_is_left_out_at_its_own_address_alone() -> None:
    client = client_of([full()])
    address = "zoek?aantalResultaten=10&onbekend=1"
    assert client.get(f"{BASE}/{address}").json()["totaal"] == 1
    answer = client.get(f"/api/v0/{address}")
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("De vraag kent geen 'onbekend'.")


def test_only_its_own_names_ask_for_its_shape() -> None:
    client = client_of([full()])
    for address in ("zoektekst=stikstof", "start=0", "sorteer=nieuwste&aantal=10"):
        assert not is_asked(parse_qsl(address))
        assert "tellingen" in client.get(f"/api/v0/zoek?{address}").json()
    for address in ("aantalResultaten=10", "sort=publicatiedatum", "publicatiedatumVan=01-01-2024"):
        assert client.get(f"/api/v0/zoek?{address}").json() == client.get(f"{BASE}/zoek?{address}").json()
    asked_by_post = client.request("POST", "/api/v0/zoek?aantalResultaten=10", json={})
    assert "tellingen" in asked_by_post.json()


def test_a_page_of_hits_has_its_shape(client: Client) -> None:
    found = client.get(f"{BASE}/zoek?zoektekst=stikstof").json()
    assert found == {
        "totaal": 1,
        "resultaten": [
            {
                "document": {
                    "id": f"{record_id(LOC)}_1",
                    "pid": f"{ROOT}/documenten/{record_id(LOC)}",
                    "titel": "Convenant over stikstof",
                    "omschrijving": "Afspraken over de haven.",
                    "openbaarmakingsdatum": "2024-04-03",
                    "weblocatie": LOC,
                    "publisher": "gemeente Amsterdam",
                    "aanbieder": "www.amsterdam.nl",
                    "mutatiedatumtijd": "2024-05-03T09:00:00+02:00",
                },
                "bestandsgrootte": "0.02 MB",
                "aantalPaginas": 3,
                "bestandsType": "application/pdf",
            }
        ],
        "filters": {
            "documentsoort": [{"naam": "convenant", "aantal": 1}],
            "informatiecategorie": [{"naam": "adviezen", "aantal": 1}],
            "thema": [{"naam": "natuur", "aantal": 1}],
            "organisatie": [{"naam": "gemeente Amsterdam", "aantal": 1}],
        },
    }


def test_a_name_of_the_value_lists_finds_as_many_documents_as_its_filter_says(client: Client) -> None:
    filters = client.get(f"{BASE}/zoek").json()["filters"]
    for name in ("informatiecategorie", "organisatie"):
        for value in filters[name]:
            narrowed = client.get(f"{BASE}/zoek?{name}={quote(quote(value['naam']))}").json()
            assert narrowed["totaal"] == value["aantal"], (name, value)


def test_the_page_of_a_document_is_where_it_is_there_too(client: Client) -> None:
    for name in (record_id(LOC), f"{record_id(LOC)}_2"):
        answer = client.request("GET", f"/details/{name}", root_path="/woo")
        assert (answer.status_code, answer.headers["location"]) == (302, f"/woo/document/{record_id(LOC)}")


def test_a_document_has_what_a_record_may_lack() -> None:
    record: dict[str, Any] = bare()
    del record["document"]["verantwoordelijke"], record["document"]["titelcollectie"]
    record["versies"][0]["bestanden"] = [{"url": "https://www.amsterdam.nl/kaart.pdf"}]
    name = record["id"]
    client = client_of([record])
    found = client.get(f"{BASE}/zoek/{name}_7").json()
    assert found == client.get(f"/api/v0/zoek/{name}_1").json()
    assert client.get(f"/api/v0/zoek/{name}").json() == record
    about, (version,) = found["document"], found["versies"]
    assert about["pid"] == f"{ROOT}/documenten/{name}"
    assert about["verantwoordelijke"] == about["publisher"] == record["document"]["publisher"]
    assert about["titelcollectie"] == {"verkorteTitels": [], "alternatieveTitels": []}
    assert (about["omschrijvingen"], found["documentrelaties"]) == ([], [])
    assert (version["nummer"], version["mutatiedatumtijd"]) == (1, "2026-11-21T08:00:00+01:00")
    assert version["bestanden"] == [
        {
            "id": f"{ROOT}/documenten/{name}/file",
            "label": "file",
            "gepubliceerd": True,
            "mime-type": "application/octet-stream",
            "bestandsnaam": "",
            "hash": "",
            "grootte": 0,
            "url": "https://www.amsterdam.nl/kaart.pdf",
        }
    ]
    assert found["plooiIntern"]["publicatiestatus"] == "gepubliceerd"


def test_a_record_of_other_software_is_no_fault() -> None:
    cases: list[Any] = ["tekst", 7, ["a"], {"id": 7}, [{"id": []}], None]
    for odd in cases:
        for name in ("titelcollectie", "classificatiecollectie", "omschrijvingen", "publisher", "weblocatie"):
            record = bare(**{name: odd})
            client = client_of([record])
            for path in (f"{BASE}/zoek", f"{BASE}/zoek/{record['id']}", f"/documenten/{record['id']}"):
                assert client.get(path).status_code in (200, 302, 404), (name, path)


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of([full(), bare(), withdrawn(), bare("javascript:alert(1)")])


def test_the_address_of_a_document_leads_to_its_file(client: Client) -> None:
    for path in [
        "/documenten/{}",
        "/documenten/{}_2",
        BASE + "/attachment/{}",
        "/documenten/{}/file",
        BASE + "/documenten/{}",
    ]:
        answer = client.get(path.format(record_id(LOC)))
        assert (answer.status_code, answer.headers["location"]) == (302, LOC), path
        gone = client.get(path.format(withdrawn()["id"]))
        assert gone.status_code == 410, path
        assert "20 november 2026" in gone.text, path
        assert gone.headers["content-type"].startswith("application/problem+json") == path.startswith(BASE), (
            path
        )
        assert client.get(path.format(record_id("javascript:alert(1)"))).status_code == 404, path
        assert client.get(path.format(record_id("https://nergens.nl/"))).status_code == 404, path
