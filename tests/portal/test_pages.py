"""What all pages of the portal share."""

from __future__ import annotations

import pytest

from tests.portal.client import Client, client_of
from tests.portal.records import bare, full

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


@pytest.mark.parametrize("path", PATHS)
def test_a_page_that_a_browser_has_is_not_sent_again(path: str, client: Client) -> None:
    first = client.get(path)
    assert first.status_code == 200
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert "content-security-policy" in again.headers
    assert client.get(path, headers={"if-none-match": '"anders"'}).content == first.content


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
