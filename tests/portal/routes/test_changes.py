"""What is new, changed and withdrawn: for people, for readers of feeds and for copies."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from lxml import etree

from tests.portal.client import Client, client_of, opened
from tests.portal.records import bare, full, withdrawn
from tests.portal.short_records import permit
from woo_harvester.utils.dates import parse_datetime
from woo_portal.app import Options
from woo_portal.openapi import MAX_CHANGES

ATOM = "{http://www.w3.org/2005/Atom}"


def harvested(record: dict[str, Any], moment: str) -> dict[str, Any]:
    record["herkomst"] = {**record["herkomst"], "opgehaald": moment}
    return record


RECORDS = [
    harvested(bare("https://www.amsterdam.nl/1.pdf", "Eerste"), "2026-11-19T08:00:00+01:00"),
    withdrawn(),  # of 20 november
    full(),  # of 21 november
    bare("https://www.amsterdam.nl/2.pdf", "Tweede & laatste"),
    permit("boom"),
]
OPTIONS = Options(title="Woo van de regio")


def records_at(client: Client, path: str) -> tuple[list[str], str]:
    """The ids of an answer, and the path where a copy goes on."""
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/jsonl; charset=utf-8"
    link = re.fullmatch('<http://portal.test(.+)>; rel="next"', answer.headers["link"])
    assert link is not None
    return [json.loads(line)["id"] for line in answer.text.splitlines()], link[1]


def ids(*numbers: int) -> list[str]:
    return [RECORDS[number]["id"] for number in numbers]


def test_a_copy_reads_records_until_there_are_no_more_and_goes_on_there_later(client: Client) -> None:
    found, address = records_at(client, "/wijzigingen.jsonl?aantal=3")
    assert found == ids(0, 1, 2)
    found, address = records_at(client, address)
    assert found == ids(3)
    assert records_at(client, address) == ([], address)
    lines = client.get("/wijzigingen.jsonl").text.splitlines()
    shown = json.loads(lines[1])
    assert shown == RECORDS[1]
    assert "tekst" not in json.loads(lines[2])["versies"][0]["bestanden"][0]


def test_a_copy_begins_at_a_moment(client: Client) -> None:
    for since, expected in [
        ("", [0, 1, 2, 3]),
        ("2026-11-20", [1, 2, 3]),
        ("2026-11-20T08:00:00%2B01:00", [1, 2, 3]),
        ("2026-11-20T08:00:00+01:00", [1, 2, 3]),  # a plus that is not encoded is a space
        ("2026-11-20T07:00:01Z", [2, 3]),
        ("2026-11-21T08:00:00", [2, 3]),
        ("1900-01-01", [0, 1, 2, 3]),
        ("2026-12", []),
    ]:
        found, address = records_at(client, f"/wijzigingen.jsonl?sinds={since}")
        assert found == ids(*expected), since
        assert records_at(client, address)[0] == [], since


def test_permits_have_changes_of_their_own(client: Client) -> None:
    assert records_at(client, "/vergunningen/wijzigingen.jsonl")[0] == ids(4)


def test_what_is_wrong_is_refused_in_words(client: Client) -> None:
    for query, message in [
        ("sinds=gisteren", "sinds is een dag of moment, zoals 2026-04-02 of 2026-04-02T10:00:00Z."),
        ("sinds=2026-04-02&sinds=2026-04-03", "Geef sinds maar één keer."),
        ("na=1", "na komt uit een eerder antwoord: neem dat adres over zoals het is."),
        ("na=x.1.1.1." + "9" * 19, "na komt uit een eerder antwoord: neem dat adres over zoals het is."),
        ("aantal=0", f"aantal is 1 tot en met {MAX_CHANGES}."),
        ("aantal=501", f"aantal is 1 tot en met {MAX_CHANGES}."),
        ("aantal=veel", "aantal is een getal, zoals 20."),
        ("zoektekst=x", "De vraag kent geen 'zoektekst'. Mogelijk zijn: sinds, na, aantal."),
        ("kleur=%00", "De vraag kent geen 'kleur'. Mogelijk zijn: sinds, na, aantal."),
    ]:
        for path in ("/wijzigingen.jsonl", "/wijzigingen.atom"):
            answer = client.get(f"{path}?{query}")
            assert answer.status_code == 400, query
            assert answer.json()["detail"] == message, query


def test_a_place_of_another_index_or_of_a_stranger_is_no_fault(client: Client) -> None:
    for place in [".0.0.0.0", "x.5.0.0.0", f"{'f' * 16}.{'9' * 18}.{'9' * 18}.{'9' * 18}.{'9' * 18}"]:
        found, _ = records_at(client, f"/wijzigingen.jsonl?na={place}")
        assert found in (ids(0, 1, 2, 3), []), place


def entries(client: Client, path: str) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The titles and ids of a feed, and its links."""
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = etree.fromstring(answer.content)
    links = {str(link.get("rel")): str(link.get("href")) for link in feed.findall(f"{ATOM}link")}
    made = feed.findall(f"{ATOM}entry")
    return [(each.findtext(f"{ATOM}title") or "", each.findtext(f"{ATOM}id") or "") for each in made], links


def test_a_reader_of_feeds_has_the_latest_changes_first_and_what_happened(client: Client) -> None:
    found, links = entries(client, "/wijzigingen.atom")
    assert sorted(found[:2]) == sorted(
        [
            ("Nieuw: Tweede & laatste", f"urn:uuid:{RECORDS[3]['id']}"),
            ("Gewijzigd: Convenant over stikstof", f"urn:uuid:{RECORDS[2]['id']}"),
        ]
    )
    assert [title for title, _ in found[2:]] == [
        "Ingetrokken: https://www.amsterdam.nl/weg.pdf",
        "Nieuw: Eerste",
    ]
    assert links == {
        "alternate": "http://portal.test/wijzigingen",
        "self": "http://portal.test/wijzigingen.atom",
        "first": "http://portal.test/wijzigingen.atom",
    }


def test_the_feed_has_the_moments_of_the_harvest_by_which_readers_sort(client: Client) -> None:
    feed = etree.fromstring(client.get("/wijzigingen.atom").content)
    moments = [parse_datetime(each.text or "") for each in feed.iterfind(f".//{ATOM}updated")]
    assert {*moments} <= {parse_datetime(each["herkomst"]["opgehaald"]) for each in RECORDS}
    assert moments[0] == moments[1] == max(moments)


def test_a_feed_since_a_moment_is_in_order_and_has_pages(client: Client) -> None:
    found, links = entries(client, "/wijzigingen.atom?sinds=2026-11-20&aantal=2")
    assert [title for title, _ in found] == [
        "Ingetrokken: https://www.amsterdam.nl/weg.pdf",
        "Gewijzigd: Convenant over stikstof",
    ]
    following = urlsplit(links["next"])
    found, links = entries(client, f"{following.path}?{following.query}")
    assert [title for title, _ in found] == ["Nieuw: Tweede & laatste"]
    assert "next" not in links
    assert (
        client.get(f"{following.path}?{following.query}").headers["link"].startswith("<http://portal.test/")
    )


def test_the_page_shows_the_latest_changes_and_leads_to_feed_and_records(client: Client) -> None:
    page = opened(client, "/wijzigingen")
    shown = [" ".join(each.text_content().split()) for each in page.cssselect(".hit")]
    assert len(shown) == 4
    assert shown[2:] == [
        "https://www.amsterdam.nl/weg.pdf Ingetrokken · geoogst op 20 november 2026, 8:00 uur",
        "Eerste Nieuw · gemeente Amsterdam · geoogst op 19 november 2026, 8:00 uur",
    ]
    links = {str(link.get("href")) for link in page.cssselect("a")}
    assert {"/wijzigingen.atom", "/wijzigingen.jsonl", f"/document/{RECORDS[1]['id']}"} <= links
    assert "/wijzigingen" in {str(link.get("href")) for link in opened(client, "/").cssselect("main a")}
    permits = opened(client, "/vergunningen/wijzigingen")
    assert [each.text_content() for each in permits.cssselect(".hit h2")] == ["Zaak boom"]


def test_the_page_has_pages_and_nothing_else_to_ask(client: Client) -> None:
    many = client_of(
        bare(f"https://www.amsterdam.nl/{number}.pdf", f"Kaart {number}") for number in range(30)
    )
    first = opened(many, "/wijzigingen")
    assert {str(link.get("href")) for link in first.cssselect(".paging a")} == {
        "/wijzigingen?start=0",
        "/wijzigingen?start=25",
    }
    second = opened(many, "/wijzigingen?start=25")
    assert len(second.cssselect(".hit")) == 5
    assert second.cssselect("ol")[0].get("start") == "26"
    assert "Er zijn niet zoveel wijzigingen" in opened(many, "/wijzigingen?start=99").text_content()
    assert "Er zijn nog geen documenten." in opened(client_of([]), "/wijzigingen").text_content()
    for query in ("zoektekst=x", "start=-1", "start=99999"):
        assert client.get(f"/wijzigingen?{query}").status_code == 400


def test_a_script_of_another_site_may_read_where_the_next_changes_are(client: Client) -> None:
    answer = client.get("/wijzigingen.jsonl", headers={"origin": "https://elders.nl"})
    assert "link" in answer.headers["access-control-expose-headers"].lower()


@pytest.mark.parametrize("odd", [7, "tekst", ["a"], {"label": {"x": 1}}])
def test_one_record_of_other_software_does_not_keep_the_others_away(odd: Any) -> None:
    wrong = bare("https://www.amsterdam.nl/3.pdf", publisher={"label": "x"})
    wrong["document"]["classificatiecollectie"]["informatiecategorieen"] = [odd]
    wrong["herkomst"]["lastmod"] = wrong["versies"][0]["mutatiedatumtijd"] = odd
    client = client_of([wrong, bare()])
    for path in ("/wijzigingen", "/wijzigingen.atom", "/wijzigingen.jsonl", "/zoek.atom"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "Kaart" in answer.text


def test_nothing_of_a_record_becomes_markup() -> None:
    bad = "<script>alert(1)</script>\x0b]]>"
    record = bare("javascript:alert(1)", bad, publisher={"label": bad}, verantwoordelijke={"label": bad})
    gone = withdrawn("javascript:alert(2)//<script>")
    client = client_of([record, gone])
    for path in ("/wijzigingen", "/wijzigingen.atom", "/wijzigingen.atom?sinds=2020-01-01"):
        text = client.get(path).text
        assert "<script>" not in text
        assert 'href="javascript:' not in text
