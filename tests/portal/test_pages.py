"""What all pages of the portal share."""

from __future__ import annotations

import pytest

from tests.portal.client import Client, client_of
from tests.portal.records import bare, full
from tests.portal.short_records import permit
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
