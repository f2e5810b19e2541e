"""The API for programs."""

from __future__ import annotations

from typing import Any

from tests.portal.client import Client, client_of
from tests.portal.short_records import DAM, THEMA, document, permit
from woo_harvester.kinds import Kind
from woo_portal.downloads import FORMS
from woo_portal.openapi import API, CHANGES, FILES, VERSION

WATER: dict[str, Any] = {"classificatiecollectie": {"themas": [{"id": THEMA, "label": "water"}]}}
RECORDS = [
    document("stikstof", omschrijvingen=["Over lucht"], **WATER),
    document("natuur", "2026-04-03"),
    document("weg", is_withdrawn=True),
    permit("boom", DAM, termijn={"fase": "aanvraag"}),
]


def test_an_answer_has_the_number_of_hits_a_page_of_records_and_the_counts(client: Client) -> None:
    answer = client.get("/api/v0/zoek?zoektekst=stikstof")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert found.pop("tellingen")["thema"] == [{"waarde": THEMA, "label": "water", "aantal": 1}]
    assert found == {"totaal": 1, "start": 0, "aantal": 1, "resultaten": [RECORDS[0]]}


def test_the_same_question_by_get_and_by_the_request_of_koop_has_the_same_answer(client: Client) -> None:
    request = {
        "zoektekst": "besluit",
        "sorteer": "oudste",
        "aantal": 1,
        "filters": {"classificatiecollectie": {"themas": [THEMA]}},
    }
    asked = client.request("POST", "/api/v0/zoek", json=request)
    address = f"/api/v0/zoek?zoektekst=besluit&sorteer=oudste&aantal=1&thema={THEMA}"
    assert asked.json() == client.get(address).json()
    assert asked.json()["totaal"] == 1
    assert asked.headers["cache-control"] == "no-store"


def test_pages_follow_each_other(client: Client) -> None:
    pages = [client.get(f"/api/v0/zoek?sorteer=nieuwste&aantal=1&start={n}").json() for n in range(3)]
    assert [page["totaal"] for page in pages] == [2, 2, 2]
    assert [[one["id"] for one in page["resultaten"]] for page in pages] == [
        [RECORDS[1]["id"]],
        [RECORDS[0]["id"]],
        [],
    ]
    assert pages[2]["aantal"] == 0


def test_a_record_by_its_id_is_the_record(client: Client) -> None:
    for record, path in ((RECORDS[0], "zoek"), (RECORDS[3], "vergunningen")):
        answer = client.get(f"/api/v0/{path}/{record['id']}")
        assert (answer.status_code, answer.json()) == (200, record)


def test_the_text_of_a_document_is_not_in_any_answer() -> None:
    record = document("met-tekst")
    record["versies"][0]["bestanden"] = [{"url": "https://www.voorbeeldstad.nl/x.pdf", "tekst": "geheimtaal"}]
    client = client_of([record])
    assert "geheimtaal" not in client.get("/api/v0/zoek?zoektekst=geheimtaal").text
    assert client.get("/api/v0/zoek?zoektekst=geheimtaal").json()["totaal"] == 1
    assert "geheimtaal" not in client.get(f"/api/v0/zoek/{record['id']}").text


def test_a_withdrawn_document_says_since_when(client: Client) -> None:
    answer = client.get(f"/api/v0/zoek/{RECORDS[2]['id']}")
    assert answer.status_code == 410
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "status": 410,
        "title": "Gone",
        "detail": "Dit document is sinds 2 april 2026 ingetrokken.",
        "ingetrokken": "2026-04-02T10:00:00+02:00",
    }
    assert answer.headers["cache-control"] == "no-store"


def test_a_wrong_question_is_answered_with_json_of_one_line(client: Client) -> None:
    for path, status in [
        ("/api/v0/zoek/9f5fbd4e-0000-5000-8000-000000000000", 404),
        ("/api/v0/zoek/geen-kenmerk", 404),
        ("/api/v0/zoek/../../etc/passwd", 404),
        (f"/api/v0/zoek/{RECORDS[3]['id']}", 404),
        (f"/api/v0/vergunningen/{RECORDS[0]['id']}", 404),
        ("/api/v0/zoek?kleur=rood", 400),
        ("/api/v0/zoek?start=99999", 400),
        ("/api/v0/zoek?zoektekst=%00", 400),
        ("/api/v0/zoek?zoektekst=%ff", 400),
        ("/api/v0/zoek?zoektekst=" + "+".join(map(str, range(21))), 400),
        ("/api/v0/vergunningen?plaats=x", 400),
        ("/api/v0/iets", 404),
    ]:
        answer = client.get(path)
        assert answer.status_code == status, path
        found = answer.json()
        assert found["status"] == status, path
        assert found["detail"], path
        assert "\n" not in found["detail"], path


def test_a_wrong_request_is_answered_with_400(client: Client) -> None:
    for body in [b"", b"{", b"[]", b"\xff", b"[" * 60_000, b'{"zoektekst": {"a": 1}}']:
        answer = client.request("POST", "/api/v0/zoek", content=body)
        assert answer.status_code == 400, body
        assert answer.headers["content-type"] == "application/problem+json", body
        assert set(answer.json()) == {"status", "title", "detail"}, body


def test_an_answer_that_did_not_change_is_not_sent_again(client: Client) -> None:
    for path in ("/api/v0/zoek?zoektekst=stikstof", f"/api/v0/zoek/{RECORDS[0]['id']}"):
        first = client.get(path)
        tag = first.headers["etag"]
        assert first.headers["cache-control"] == "public, max-age=60"
        for known in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
            again = client.get(path, headers={"if-none-match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert client.get(path, headers={"if-none-match": '"anders"'}).status_code == 200


def test_the_tag_differs_for_another_question_another_kind_and_another_index(client: Client) -> None:
    def tag(asked: Client, path: str) -> str:
        return str(asked.get(path).headers["etag"])

    tags = [
        tag(client, "/api/v0/zoek"),
        tag(client, "/api/v0/zoek?zoektekst=a"),
        tag(client, "/api/v0/zoek?start=1"),
        tag(client, "/api/v0/vergunningen"),
        tag(client_of(RECORDS[:3]), "/api/v0/zoek"),
    ]
    assert len(set(tags)) == len(tags)
    assert tag(client, "/api/v0/zoek?start=0&zoektekst=") == tags[0]


def test_any_site_may_ask(client: Client) -> None:
    origin = {"origin": "https://elders.nl"}
    answer = client.get("/api/v0/zoek", headers=origin)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "etag" in answer.headers["access-control-expose-headers"].lower()
    assert "access-control-allow-credentials" not in answer.headers
    wrong = client.get("/api/v0/zoek?kleur=rood", headers=origin)
    assert (wrong.status_code, wrong.headers["access-control-allow-origin"]) == (400, "*")


def test_a_browser_that_asks_first_may_post_json(client: Client) -> None:
    asked = {"origin": "https://elders.nl", "access-control-request-method": "POST"}
    answer = client.request(
        "OPTIONS", "/api/v0/zoek", headers={**asked, "access-control-request-headers": "content-type"}
    )
    assert answer.status_code == 200
    assert "POST" in answer.headers["access-control-allow-methods"]
    asked["access-control-request-method"] = "DELETE"
    assert client.request("OPTIONS", "/api/v0/zoek", headers=asked).status_code == 400


def test_what_is_not_allowed_says_what_is_and_head_has_the_headers_of_get(client: Client) -> None:
    answer = client.request("OPTIONS", "/api/v0/zoek")
    assert (answer.status_code, {*answer.headers["allow"].split(", ")}) == (405, {"GET", "HEAD", "POST"})
    answer = client.request("HEAD", "/api/v0/zoek")
    assert (answer.status_code, answer.headers["etag"]) == (200, client.get("/api/v0/zoek").headers["etag"])


def test_a_long_answer_is_compressed_for_who_can_read_it() -> None:
    client = client_of(document(str(number)) for number in range(50))
    for path in ("/api/v0/zoek?aantal=50", "/zoek?aantal=50", "/zoek.csv", "/over"):
        answer = client.get(path, headers={"accept-encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip", path
        assert "accept-encoding" in answer.headers["vary"].lower(), path
        plain = client.get(path, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers, path
        assert (answer.content, answer.headers["etag"]) == (plain.content, plain.headers["etag"]), path


def test_the_api_describes_itself(client: Client) -> None:
    answer = client.get("/api/v0/openapi.json", headers={"origin": "https://elders.nl"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert answer.json() == client.get("/openapi.json").json()
    assert answer.json()["openapi"] == "3.1.0"
    below = client.get("/openapi.json", root_path="/woo").json()
    assert below["servers"] == [{"url": "http://portal.test/woo/api/v0"}]


def test_each_answer_of_the_api_has_its_version_and_no_page_has(client: Client) -> None:
    for path, version in [
        ("/api/v0/zoek", VERSION),
        ("/api/v0/zoek/resultaten.csv", VERSION),
        ("/api/v0/niets", VERSION),
        ("/api/v0/zoek?kleur=rood", VERSION),
        ("/overheid/openbaarmakingen/api/v0/zoek", VERSION),
        ("/", None),
        ("/zoek.csv", None),
    ]:
        assert client.get(path).headers.get("api-version") == version, path


def test_files_and_changes_of_the_api_are_those_of_the_pages(client: Client) -> None:
    for kind in Kind:
        for suffix in ("atom", *(form.suffix for form in FORMS[kind.name])):
            asked = client.get(f"{API[kind.name]}/resultaten.{suffix}")
            assert asked.content == client.get(f"{FILES[kind.name]}.{suffix}").content, (kind, suffix)
        answer = client.get(f"{API[kind.name]}/wijzigingen.jsonl")
        assert answer.content == client.get(f"{CHANGES[kind.name]}.jsonl").content, kind
        onward = answer.links["next"]["url"]
        assert onward.startswith(f"http://portal.test{API[kind.name]}/wijzigingen.jsonl?na="), kind
        assert client.get(onward).content == b"", kind
