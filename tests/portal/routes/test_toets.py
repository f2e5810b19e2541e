"""The form of the test of a website, and the addresses of results, before any test has been made."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from tests.portal.client import Client, client_of, opened
from tests.portal.test_toets import toets_of
from tests.portal.test_typed_hosts import HOSTILE
from woo_portal.app import Options
from woo_portal.asking import BusyError
from woo_portal.openapi import description
from woo_portal.toets import Toets

FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return client_of([], Options(toets=toets_of(tmp_path)))


def test_a_portal_has_no_test_unless_it_is_on() -> None:
    client = client_of([])
    assert "Toets uw site" not in client.get("/").text
    paths = ("/toets", "/toets/www.a.nl", "/api/v0/toets/www.a.nl")
    assert [client.get(path).status_code for path in paths] == [404, 404, 404]
    assert client.request("POST", "/toets", data={"site": "www.a.nl"}).status_code == 404
    assert "/toets/{host}" not in client.get("/api/v0/openapi.json").json()["paths"]


def test_the_form_has_one_field_and_one_button_and_the_menu_leads_to_it(client: Client) -> None:
    page = opened(client, "/toets")
    (form,) = page.forms
    assert [each.get("name") for each in form.cssselect("input")] == ["site"]
    assert [each.text_content() for each in form.cssselect("button")] == ["Toets"]
    assert (form.method, form.action) == ("POST", "/toets")
    links = [each.get("href") for each in opened(client, "/").cssselect("header nav a")]
    assert links == ["/", "/organisaties", "/categorieen", "/toets"]


@pytest.mark.parametrize("typed", [each for each in HOSTILE if each.isascii()])
def test_what_means_no_website_gets_a_reason_and_stays_in_the_field(client: Client, typed: str) -> None:
    answer = client.request("POST", "/toets", data={"site": typed})
    assert answer.status_code == 400
    page = html.fromstring(answer.text)
    (field,) = page.cssselect("#site")
    assert field.get("value") == typed.replace("\r\n", "\n").replace("\x00", "\ufffd")
    assert field.get("aria-describedby") == page.cssselect("[role=alert]")[0].get("id")
    assert page.cssselect("script, svg") == []


def test_a_name_gives_a_choice_of_hosts_and_starts_nothing(client: Client) -> None:
    for answer in (client.request("POST", "/toets", data={"site": "utrecht"}), client.get("/toets/utrecht")):
        page = html.fromstring(answer.text)
        hosts = [form.fields["site"] for form in page.forms[1:]]
        assert hosts == ["a.test:8443", "open.utrecht.nl", "www.utrecht.nl", "provincie.nl"]
        names = [each.text_content() for each in page.cssselect("h3")]
        assert names == ["gemeente Utrecht", "provincie Utrecht"]
        assert page.cssselect("#site")[0].get("value") == "utrecht"
    for part in ("gravendeel", "provincie"):  # one organisation with one host
        answer = client.request("POST", "/toets", data={"site": part})
        assert (answer.status_code, len(html.fromstring(answer.text).forms)) == (200, 2), part
        assert client.get(f"/api/v0/toets/{part}").status_code == 404
    assert client.get("/toets/gravendeel").headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize("body", [b"", b"site", b"site=%ff", b"x=1", b"\xff\xfe", b"site="])
def test_a_form_without_an_address_is_answered(client: Client, body: bytes) -> None:
    assert client.request("POST", "/toets", content=body, headers=FORM).status_code == 400


def test_no_other_website_can_start_a_test(client: Client) -> None:
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 400), ("none", 400)):
        headers = {"sec-fetch-site": site}
        answer = client.request("POST", "/toets", data={"site": ""}, headers=headers)
        assert answer.status_code == status, site


def test_a_full_queue_is_said_beside_the_field(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object) -> None:
        raise BusyError

    monkeypatch.setattr(Toets, "start", start)
    answer = client.request("POST", "/toets", data={"site": "www.utrecht.nl"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
    assert (
        "Er wachten nu te veel toetsen."
        in html.fromstring(answer.text).cssselect("[role=alert]")[0].text_content()
    )


def test_a_form_of_more_than_four_kilobytes_is_refused(client: Client) -> None:
    answer = client.request("POST", "/toets", content=b"site=" + b"a" * 5000, headers=FORM)
    assert (answer.status_code, "Dit is te lang" in answer.text) == (413, True)


def test_the_address_of_a_host_has_a_button_if_there_is_no_result_and_is_no_page_to_index(
    client: Client,
) -> None:
    answer = client.get("/toets/www.utrecht.nl")
    assert (answer.status_code, answer.headers["x-robots-tag"]) == (404, "noindex")
    page = html.fromstring(answer.text)
    assert page.forms[0].fields["site"] == "www.utrecht.nl"
    assert page.cssselect("meta[name=robots]")[0].get("content") == "noindex"
    as_json = client.get("/api/v0/toets/www.utrecht.nl")
    assert (as_json.status_code, as_json.json()["status"]) == (404, 404)


def test_another_address_of_a_host_leads_to_its_own_and_what_is_no_host_is_not_there(client: Client) -> None:
    for given in ("WWW.Utrecht.NL", "utrecht.nl"):
        for path in ("/toets/", "/api/v0/toets/"):
            answer = client.get(path + given)
            assert (answer.status_code, answer.headers["location"]) == (302, f"{path}www.utrecht.nl")
    for given in ("...", "rotterdam", "localhost", "x%0d%0aSet-Cookie:a", "..%2f..%2fetc", "%00"):
        assert client.get(f"/toets/{given}").status_code == 404, given
        assert client.get(f"/api/v0/toets/{given}").status_code == 404, given


def test_the_description_of_the_api_has_the_result() -> None:
    paths = description("https://a.nl", "x", "", with_toets=True)["paths"]
    assert {*paths["/toets/{host}"]["get"]["responses"]} >= {"200", "202", "404"}
