from __future__ import annotations

import pytest

from tests.portal.client import Client, client_of
from woo_portal.app import MAX_ADDRESS, MAX_BODY, MAX_HEADER_BYTES, MAX_HEADERS


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of([])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_pages_can_only_be_read(client: Client, method: str) -> None:
    answer = client.request(method, "/")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_head_is_answered_as_a_get(client: Client) -> None:
    assert client.request("HEAD", "/").status_code == 200


def test_an_address_at_its_limit_is_read_and_beyond_it_is_refused(client: Client) -> None:
    rest = MAX_ADDRESS - len("/niets")
    assert client.get("/niets?" + "a" * rest).status_code == 404
    assert client.get("/niets?" + "a" * (rest + 1)).status_code == 414


def test_headers_are_limited_in_number_and_size(client: Client) -> None:
    assert client.get("/gezond", headers={f"x{number}": "a" for number in range(MAX_HEADERS - 10)}).is_success
    assert client.get("/gezond", headers={f"x{n}": "a" for n in range(MAX_HEADERS)}).status_code == 431
    assert client.get("/gezond", headers={"x": "a" * MAX_HEADER_BYTES}).status_code == 431


def test_a_body_beyond_the_limit_is_refused(client: Client) -> None:
    path = "/api/v0/niets"
    assert client.request("POST", path, content=b"x" * MAX_BODY).status_code == 404
    assert client.request("POST", path, content=b"x" * (MAX_BODY + 1)).status_code == 413


def test_below_the_path_of_a_proxy_the_api_is_still_one(client: Client) -> None:
    answer = client.request("POST", "/woo/api/v0/niets", root_path="/woo", content=b"{}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
