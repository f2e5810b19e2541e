"""What all pages of the portal share."""

from __future__ import annotations

import pytest
from lxml import html

from tests.portal.client import Client, client_of
from tests.portal.records import bare, full
from tests.portal.short_records import DAM, permit
from woo_portal.pages import HEADERS, policy

PATHS = (
    "/",
    "/?zoektekst=afval",
    "/organisaties",
    "/categorieen",
    "/organisatie/gemeente/gm0363",
    f"/document/{full()['id']}",
    "/vergunningen",
    "/vergunningen/kaart",
)
FILES = (
    *("/zoek.atom", "/zoek.csv", "/zoek.jsonl", "/sitemap.xml"),
    *("/wijzigingen.atom", "/wijzigingen.atom?sinds=2026-01-01", "/wijzigingen.jsonl?aantal=2"),
)


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of([full(), bare()])


def test_a_page_that_a_browser_has_is_not_sent_again(client: Client) -> None:
    for path in PATHS:
        first = client.get(path)
        assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache"), path
        tag = first.headers["etag"]
        again = client.get(path, headers={"if-none-match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), path
        assert "content-security-policy" in again.headers, path
        assert client.get(path, headers={"if-none-match": '"anders"'}).content == first.content, path


def test_nor_is_a_file(client: Client) -> None:
    for path in FILES:
        tag = client.get(path).headers["etag"]
        again = client.get(path, headers={"if-none-match": tag})
        assert (again.status_code, again.content) == (304, b""), path


def test_every_address_on_a_page_is_below_the_path_of_a_proxy() -> None:
    case = permit("kap", DAM)
    client = client_of([full(), bare(), case])
    for path in (*PATHS, f"/vergunning/{case['id']}"):
        page = html.fromstring(client.get(path, root_path="/woo").content)
        own = [str(each.get("href") or each.get("action")) for each in page.cssselect("a, form, link")]
        assert {address.split("/")[1] for address in own if address.startswith("/")} == {"woo"}, path


def test_a_page_that_changed_is_sent_again(client: Client) -> None:
    path = f"/document/{full()['id']}"
    tag = client.get(path).headers["etag"]
    changed = full()
    changed["document"]["titelcollectie"]["officieleTitel"] = "Een andere titel"
    answer = client_of([changed]).get(path, headers={"if-none-match": tag})
    assert answer.status_code == 200
    assert "Een andere titel" in answer.text


def test_a_page_of_an_error_is_not_kept(client: Client) -> None:
    answer = client.get("/document/onbekend")
    assert answer.status_code == 404
    assert "etag" not in answer.headers


def test_every_answer_has_the_safe_headers() -> None:
    for path in ["/", "/niets", "/?onbekend=1", "/gezond", "/robots.txt"]:
        headers = client_of([]).get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS, path


def test_permits_are_in_the_menu_only_if_there_are_any(client: Client) -> None:
    menu = 'href="/vergunningen"'
    assert menu not in client.get("/organisaties").text
    assert menu not in client_of([permit("kap", is_withdrawn=True)]).get("/organisaties").text
    permits = client_of([full(), permit("kap")])
    assert menu not in permits.get("/niets").text  # an error asks the engine nothing
    assert menu in permits.get("/organisaties").text
    assert menu in permits.get("/niets").text


def test_nothing_inline_is_permitted_and_from_elsewhere_at_most_images_of_one_host() -> None:
    assert policy() == (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    made = policy(scripts=True, images="https://service.pdok.nl/brt/{z}/{x}/{y}.png").split("; ")
    assert {"img-src 'self' https://service.pdok.nl", "script-src 'self'"} <= set(made)
    assert "img-src 'self'" in policy(images="").split("; ")
