"""Feeds and files of a search."""

from __future__ import annotations

import csv
import json
from io import StringIO

from lxml import etree

from tests.portal.client import Client, client_of
from tests.portal.short_records import DAM, DOM, document, permit
from woo_harvester.kinds import Kind
from woo_harvester.outputs.columns import columns_of
from woo_portal.app import Options

ATOM = "{http://www.w3.org/2005/Atom}"
RECORDS = [
    document(
        "oud",
        "2026-04-01",
        omschrijvingen=["=1+1", "Meer"],
        verantwoordelijke={
            "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
            "label": "Amsterdam",
        },
        classificatiecollectie={"informatiecategorieen": [{"id": "https://x/c_1", "label": "convenanten"}]},
    ),
    document("nieuw & <b>", "2026-04-03"),
    document("midden", "2026-04-02"),
    document("weg", "2026-04-04", is_withdrawn=True),
    permit("boom", DAM, DOM, temporal={"start": "2020-01-01", "end": "2020-12-31"}),
    permit("dakkapel"),
]


OPTIONS = Options(title="Woo van de regio")


def feed_of(client: Client, path: str) -> etree._Element:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/atom+xml")
    return etree.fromstring(answer.content)


def links(feed: etree._Element) -> dict[str, str]:
    return {str(link.get("rel")): str(link.get("href")) for link in feed.findall(f"{ATOM}link")}


def titles(feed: etree._Element) -> list[str]:
    return [str(title.text) for title in feed.findall(f"{ATOM}entry/{ATOM}title")]


def test_a_feed_has_the_newest_first_whatever_order_is_asked_for(client: Client) -> None:
    expected = ["Besluit nieuw & <b>", "Besluit midden", "Besluit oud"]
    for order in ("", "?sorteer=oudste", "?sorteer=titel"):
        assert titles(feed_of(client, f"/zoek.atom{order}")) == expected


def test_an_entry_has_all_that_a_reader_shows(client: Client) -> None:
    feed = feed_of(client, "/zoek.atom?zoektekst=oud")
    (entry,) = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}id") == f"urn:uuid:{RECORDS[0]['id']}"
    assert entry.findtext(f"{ATOM}updated") == "2026-04-01T10:00:00+02:00"
    assert entry.findtext(f"{ATOM}published") == "2026-04-01T00:00:00+02:00"
    assert entry.findtext(f"{ATOM}author/{ATOM}name") == "Amsterdam"
    assert entry.findtext(f"{ATOM}summary") == "=1+1"
    (category,) = entry.findall(f"{ATOM}category")
    assert dict(category.attrib) == {"term": "https://x/c_1", "label": "convenanten"}
    assert links(entry) == {
        "alternate": f"http://portal.test/document/{RECORDS[0]['id']}",
        "via": "https://www.voorbeeldstad.nl/oud.pdf",
    }


def test_a_feed_says_what_it_is_about_and_when_it_changed(client: Client) -> None:
    feed = feed_of(client, "/zoek.atom?zoektekst=besluit+-oud")
    assert feed.findtext(f"{ATOM}title") == "Woo van de regio: besluit"
    assert feed.findtext(f"{ATOM}updated") == "2026-04-03T10:00:00+02:00"
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "woo-harvester"
    assert links(feed)["alternate"] == "http://portal.test/?zoektekst=besluit+-oud&sorteer=nieuwste"
    assert links(feed)["self"] == "http://portal.test/zoek.atom?zoektekst=besluit+-oud&sorteer=nieuwste"


def test_the_id_of_a_feed_is_that_of_its_search_on_each_page_and_each_day(client: Client) -> None:
    def feed_id(path: str, asked: Client = client) -> str:
        return str(feed_of(asked, path).findtext(f"{ATOM}id"))

    assert feed_id("/zoek.atom") == feed_id("/zoek.atom?start=2&sorteer=titel")
    assert feed_id("/zoek.atom") == feed_id("/zoek.atom", client_of(RECORDS[:1]))
    assert len({feed_id("/zoek.atom"), feed_id("/zoek.atom?zoektekst=a"), feed_id("/vergunningen.atom")}) == 3


def test_pages_of_a_feed_lead_to_each_other(client: Client) -> None:
    found: list[str] = []
    path = "/zoek.atom?aantal=2"
    for _ in range(2):
        feed = feed_of(client, path)
        found += titles(feed)
        path = links(feed).get("next", "").removeprefix("http://portal.test")
    assert path == ""
    assert len(found) == 3
    assert links(feed)["previous"] == links(feed)["first"]
    assert "previous" not in links(feed_of(client, "/zoek.atom"))


def test_a_feed_without_hits_is_a_feed(client: Client) -> None:
    feed = feed_of(client, "/zoek.atom?zoektekst=giraffe")
    assert feed.findtext(f"{ATOM}updated")
    assert titles(feed) == []


def test_a_feed_below_the_path_of_a_proxy_has_the_addresses_of_the_proxy(client: Client) -> None:
    answer = client.get("/zoek.atom?zoektekst=oud", root_path="/woo")
    feed = etree.fromstring(answer.content)
    assert links(feed)["self"].startswith("http://portal.test/woo/zoek.atom?")
    entry = feed.find(f"{ATOM}entry")
    assert entry is not None
    assert links(entry)["alternate"].startswith("http://portal.test/woo/document/")


def test_what_publishers_wrote_is_no_markup_and_no_link_of_another_kind() -> None:
    record = document("x", omschrijvingen=["<script>\x08\ufffe]]>&"])
    record["document"]["weblocatie"] = "javascript:alert(1)"
    (entry,) = feed_of(client_of([record]), "/zoek.atom").findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}summary") == "<script>\ufffd\ufffd]]>&"
    assert set(links(entry)) == {"alternate"}


def test_permits_have_a_feed_of_their_own(client: Client) -> None:
    feed = feed_of(client, "/vergunningen.atom?zoektekst=boom")
    assert titles(feed) == ["Zaak boom"]
    assert links(feed)["alternate"] == "http://portal.test/vergunningen?zoektekst=boom&sorteer=nieuwste"


def test_a_file_has_all_hits_of_the_search_in_its_order(client: Client) -> None:
    for start in ["aantal=1&start=1", "sorteer=nieuwste"]:
        answer = client.get(f"/zoek.jsonl?{start}")
        assert answer.headers["content-type"] == "application/jsonl; charset=utf-8", start
        assert answer.headers["content-disposition"] == 'attachment; filename="documenten.jsonl"', start
        assert [json.loads(line) for line in answer.text.splitlines()] == [
            RECORDS[1],
            RECORDS[2],
            RECORDS[0],
        ], start


def test_a_table_has_the_columns_of_a_run(client: Client) -> None:
    for path, kind, number in [("/zoek", Kind.woo, 3), ("/vergunningen", Kind.vergunningen, 2)]:
        for suffix, delimiter in [("csv", ","), ("nl.csv", ";")]:
            answer = client.get(f"{path}.{suffix}")
            assert answer.headers["content-type"] == "text/csv; charset=utf-8", (path, suffix)
            assert answer.headers["content-disposition"].endswith(f'.{suffix}"'), (path, suffix)
            assert answer.content.startswith(b"\xef\xbb\xbf"), (path, suffix)
            rows = list(
                csv.reader(StringIO(answer.content.decode("utf-8-sig"), newline=""), delimiter=delimiter)
            )
            assert rows[0] == [name for name in columns_of(kind) if name not in ("pad", "tekst")], (
                path,
                suffix,
            )
            assert len(rows) == 1 + number, (path, suffix)
            assert {len(row) for row in rows} == {len(rows[0])}, (path, suffix)


def test_a_table_has_no_formula() -> None:
    for suffix, delimiter, other in [("csv", ",", ";"), ("nl.csv", ";", ",")]:
        record = document("x", titelcollectie={"officieleTitel": f"=HYPERLINK(1){other}=1{delimiter}=2"})
        text = client_of([record]).get(f"/zoek.{suffix}").content.decode("utf-8-sig")
        (row,) = csv.DictReader(StringIO(text), delimiter=delimiter)
        assert row["titel"] == f"'=HYPERLINK(1){other}=1{delimiter}=2", suffix


def test_permits_can_be_downloaded_for_a_map(client: Client) -> None:
    answer = client.get("/vergunningen.geojson?sorteer=oudste")
    assert answer.headers["content-type"] == "application/geo+json"
    found = answer.json()
    assert found["type"] == "FeatureCollection"
    places = {feature["id"]: feature["geometry"] for feature in found["features"]}
    assert places == {
        RECORDS[4]["id"]: {
            "type": "MultiPoint",
            "coordinates": [[DAM["lon"], DAM["lat"]], [DOM["lon"], DOM["lat"]]],
        },
        RECORDS[5]["id"]: None,
    }
    assert [one["properties"].get("lopend") for one in found["features"] if one["geometry"]] == [False]
    assert "status" not in found["features"][0]["properties"]


def test_files_without_hits_are_complete(client: Client) -> None:
    assert client.get("/vergunningen.geojson?zoektekst=giraffe").json()["features"] == []
    assert client.get("/zoek.jsonl?zoektekst=giraffe").content == b""
    assert client.get("/zoek.csv?zoektekst=giraffe").text.count("\n") == 1


def test_each_form_has_a_tag_of_its_own(client: Client) -> None:
    tags = {client.get(f"/zoek.{suffix}").headers["etag"] for suffix in ("atom", "csv", "nl.csv", "jsonl")}
    assert len(tags) == 4


def test_head_of_a_file_reads_no_records(client: Client) -> None:
    for path in ["/zoek.csv", "/zoek.jsonl", "/vergunningen.geojson"]:
        answer = client.request("HEAD", path)
        assert (answer.status_code, answer.content) == (200, b""), path
        assert answer.headers["etag"] == client.get(path).headers["etag"], path


def test_a_wrong_question_has_no_file(client: Client) -> None:
    for suffix in ["atom", "csv", "jsonl"]:
        for query in ["kleur=rood", "zoektekst=%00", "aantal=0", "thema=" + "x" * 501]:
            answer = client.get(f"/zoek.{suffix}?{query}")
            assert answer.status_code == 400, (suffix, query)
            assert "content-disposition" not in answer.headers, (suffix, query)


def test_there_are_no_other_forms(client: Client) -> None:
    for path in ["/zoek.geojson", "/zoek.exe", "/zoek.csv/x", "/zoek."]:
        assert client.get(path).status_code == 404, path
