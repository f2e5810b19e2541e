from __future__ import annotations

import pytest

from woo_portal.wording import document_path, path_of, search_path, value_of

TOOI = "https://identifier.overheid.nl/tooi"


@pytest.mark.parametrize(
    ("facet", "value", "path"),
    [
        ("organisatie", f"{TOOI}/id/gemeente/gm0363", "/organisatie/gemeente/gm0363"),
        ("informatiecategorie", f"{TOOI}/def/thes/kern/c_1", "/categorie/c_1"),
    ],
)
def test_a_tooi_uri_has_a_short_path_that_leads_back_to_it(facet: str, value: str, path: str) -> None:
    assert path_of(facet, value) == path
    assert value_of(facet, path.split("/", 2)[2]) == value


@pytest.mark.parametrize(
    "value",
    ["B&W", "../x", "https://elders.nl/gm0363", f"{TOOI}/id/a/b/c", f"{TOOI}/id/../..?x#y", f"{TOOI}/id/"],
)
def test_any_other_value_stands_in_a_parameter(value: str) -> None:
    assert path_of("organisatie", value).startswith("/organisatie?waarde=")


def test_a_facet_without_pages_leads_to_a_search() -> None:
    assert path_of("thema", "a b") == "/?thema=a+b"
    assert path_of("", "x") == ""


def test_paths_are_quoted() -> None:
    assert document_path("../a?b") == "/document/..%2Fa%3Fb"
    assert search_path([]) == "/"
    assert search_path([("q", "a&b")], "/zoek.csv") == "/zoek.csv?q=a%26b"
