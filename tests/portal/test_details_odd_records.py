"""Records with odd values: any JSON where a version has its files and numbers, and titles of any text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.portal.client import client_of, opened
from tests.portal.records import AMSTERDAM, LOC, full
from woo_harvester.kinds import WOO
from woo_harvester.utils.urls import record_id
from woo_portal.open_overheid import BASE
from woo_portal.openapi import API

ODD: list[Any] = [
    None, True, False, -1, 0, 1.5, 10**400, -(10**400), float("nan"), float("inf"), "", "x", "12",
    [], ["x"], [None], [["x"]], [{"url": "x"}], {}, {"url": "x"}, {"url": {"a": ["x"]}},
]  # fmt: skip
KEYS = ("grootte", "paginas", "url", "bestandsnaam", "hash", "mime-type", "pad", "taal")
PLACES = [("bestanden",), ("nummer",), *(("bestanden", 0, key) for key in KEYS)]
ID = "{id}"
PATHS = (
    "/",
    "/zoek?aantal=100",
    "/zoek.atom",
    "/zoek.csv",
    "/sitemap.xml",
    "/organisatie/" + AMSTERDAM["id"].partition("/id/")[2],
    f"/document/{ID}",
    f"/documenten/{ID}",
    f"{BASE}/zoek?aantalResultaten=100",
    f"{BASE}/zoek/{ID}",
    f"{API[WOO.name]}/{ID}",
)


def odd_record(number: int, place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    record = full(id=record_id(f"{LOC}?{number}"))
    *way, last = place
    at: Any = record["versies"][0]
    for step in way:
        at = at[step]
    at[last] = value
    return record


def is_taken(files: Any) -> bool:
    """Whether an index takes a record with these as its files: it looks for a text in each."""
    return isinstance(files, str | dict) or (isinstance(files, list) and None not in files)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_no_value_of_a_version_breaks_a_page(place: tuple[Any, ...]) -> None:
    values = ODD if place != ("bestanden",) else [each for each in ODD if is_taken(each)]
    records = [odd_record(number, place, value) for number, value in enumerate(values)]
    client = client_of(records)
    shared = {path for path in PATHS if ID not in path}
    for path in PATHS:
        for record in records[: 1 if path in shared else None]:
            answer = client.get(path.replace(ID, record["id"]))
            assert answer.status_code in (200, 302), (path, record["versies"])


TITLES = [
    (" ", LOC),
    ("\u200b\ufeff\u202e", LOC),
    (" \u202efdp.tiulseb\u2066 ", "fdp.tiulseb"),
    ("Besluit over Café بيت", "Besluit over Café بيت"),
    ("woorden " * 4000, ("woorden " * 4000).strip()),
]


def test_a_title_is_something_to_see() -> None:
    records = [full(id=record_id(f"{LOC}?{number}")) for number in range(len(TITLES))]
    for record, (title, _) in zip(records, TITLES, strict=True):
        record["document"] = {**record["document"], "titelcollectie": {"officieleTitel": title}}
    expected = {record["id"]: shown for record, (_, shown) in zip(records, TITLES, strict=True)}
    client = client_of(records)
    for path in ("/zoek", "/zoek?zoektekst=stikstof"):  # a search with words has the title in pieces
        links = opened(client, path).cssselect(".hit h3 a")
        found = {str(each.get("href"))[-36:]: " ".join(each.text_content().split()) for each in links}
        assert found == expected
    for record_number, shown in expected.items():
        assert opened(client, f"/document/{record_number}").cssselect("h1")[0].text_content() == shown


def test_what_is_no_count_is_not_shown() -> None:
    for value in [True, -1, 1.5, 10**400, float("nan"), "12", [2], {"a": 1}]:
        record = full()
        record["versies"][0] |= {"nummer": value}
        record["versies"][0]["bestanden"][0] |= {"grootte": value, "paginas": value}
        client = client_of([record])
        page = opened(client, f"/document/{record['id']}")
        assert next(each.text_content() for each in page.cssselect(".files .muted")) == "PDF, taal: nl", value
        assert "Deze versie: gewijzigd" in page.text_content(), value
        (hit,) = client.get(f"{BASE}/zoek").json()["resultaten"]
        assert hit["document"]["id"] == f"{record['id']}_1", value
        assert not {"bestandsgrootte", "aantalPaginas"} & set(hit), value
        (version,) = client.get(f"{BASE}/zoek/{record['id']}").json()["versies"]
        assert (version["nummer"], version["bestanden"][0]["grootte"]) == (1, 0), value
