"""The document in the index that is made from a record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from woo_harvester.kinds import PERMITS, WOO
from woo_harvester.outputs.document import (
    Withdrawn,
    bulk_action,
    document_of,
    record_of,
    version_number,
)

HARVESTED = "2026-11-21T08:00:00+01:00"


def record(cause: str = "aanlevering", **document: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "document": {"weblocatie": "https://www.a.nl/1.pdf", **document},
        "versies": [{"oorzaak": cause, "openbaarmakingsdatum": "2024-04-02"}],
        "herkomst": {"opgehaald": HARVESTED},
    }


def test_a_document_is_the_record_with_its_status_and_its_searched_metadata() -> None:
    added = {"status": "gepubliceerd", "metadata": ["1.pdf", "1 pdf", "1pdf"]}
    assert document_of(WOO, record()) == {**record(), **added}


def test_a_withdrawal_has_no_text() -> None:
    given = record("intrekking")
    given["versies"][0]["bestanden"] = [{"url": "https://www.a.nl/1.pdf", "tekst": "geheim"}]
    document = document_of(WOO, given)
    assert document["status"] == "ingetrokken"
    assert "metadata" not in document
    assert "geheim" not in json.dumps(document)


def test_the_text_of_the_files_stands_at_the_top_alone() -> None:
    given = record()
    given["versies"][0]["bestanden"] = [{"url": "u", "tekst": "een"}, {"url": "v", "tekst": "twee"}]
    document = document_of(WOO, given)
    assert document["tekst"] == ["een", "twee"]
    assert document["versies"][0]["bestanden"] == [{"url": "u"}, {"url": "v"}]
    assert given["versies"][0]["bestanden"][0] == {"url": "u", "tekst": "een"}


def test_a_word_that_is_split_between_lines_is_also_indexed_as_one() -> None:
    for text, joined in (
        ("na de bestem-\nmingsplannen van nu", "na de bestemmingsplannen van nu"),
        (
            "de havo- \n  vwo, sociaal\u2010\neconomisch",
            "de havovwo, sociaal\u2010 economisch\nde havo- vwo, sociaaleconomisch",
        ),
        ("hél-\nén, www.stad-\npark.nl", "hélén, www.stad- park.nl\nhél- én, www.stadpark.nl"),
        ("een twee drie vier vijf-\nzes zeven acht negen tien", "twee drie vier vijfzes zeven acht negen"),
        ("Noord-\nHolland, A4-\npapier, in-\nen uitvoer, voor- \nof nadeel", None),
    ):
        given = record()
        given["versies"][0]["bestanden"] = [{"url": "u", "tekst": text}]
        assert document_of(WOO, given)["tekst"] == (text if joined is None else [text, joined]), text


def test_a_validity_is_a_range_unless_it_ends_before_it_begins() -> None:
    for validity, period in [
        ({"begindatum": "2024-01-01T00:00:00+01:00"}, {"gte": "2024-01-01T00:00:00+01:00"}),
        ({"einddatum": "2024-01-01T00:00:00+01:00"}, {"lte": "2024-01-01T00:00:00+01:00"}),
        ({"begindatum": "2024-02-01T00:00:00+01:00", "einddatum": "2024-01-01T00:00:00+01:00"}, None),
        ({}, None),
    ]:
        assert document_of(WOO, record(geldigheid=validity)).get("geldigheid") == period, validity


def test_the_record_of_a_document_is_what_it_was_made_of_without_texts() -> None:
    record = {
        "id": "1",
        "vergunning": {
            "identifier": "https://a.nl/1",
            "temporal": {"start": "2026-01-01"},
            "spatial": [{"scheme": "overheid:Gemeente", "label": "Amsterdam"}],
            "object": {"coordinaten": [{"wgs84": {"lat": 52.1, "lon": 5.3}}]},
        },
        "documenten": [{"identifier": "https://a.nl/2"}],
        "versies": [{"oorzaak": "aanlevering"}],
        "herkomst": {},
    }
    document = document_of(PERMITS, record)
    assert {"gemeente", "locatie", "temporal", "status"} <= document.keys()
    assert record_of(document) == record
    file = {"url": "https://a.nl/1"}
    with_text = {
        "id": "1",
        "document": {"geldigheid": {"begindatum": "2024-04-02"}},
        "versies": [{"oorzaak": "aanlevering", "bestanden": [{**file, "tekst": "x"}]}],
    }
    without = {**with_text, "versies": [{"oorzaak": "aanlevering", "bestanden": [file]}]}
    assert record_of(document_of(WOO, with_text)) == without


def test_the_version_is_the_moment_of_the_harvest_in_milliseconds_and_else_the_oldest() -> None:
    assert version_number(record()) == 1_795_244_400_000
    for source in ({}, {"opgehaald": "gisteren"}, {"opgehaald": 3}):
        assert version_number({"herkomst": source}) == 0, source


def test_a_record_becomes_an_action_and_a_document_and_a_withdrawal_may_delete() -> None:
    action = bulk_action(WOO, record("intrekking"), Withdrawn.MARK)
    head, body = map(json.loads, action.lines.splitlines())
    assert head == {"index": {"_id": "1", "version": 1_795_244_400_000, "version_type": "external_gte"}}
    assert body["status"] == "ingetrokken"
    (head,) = map(json.loads, bulk_action(WOO, record("intrekking"), Withdrawn.DELETE).lines.splitlines())
    assert list(head) == ["delete"]
    assert b'{"index":' in bulk_action(WOO, record("wijziging"), Withdrawn.DELETE).lines


def test_what_is_no_record_is_refused() -> None:
    cases: list[dict[str, Any]] = [
        {},
        {"id": 3, "versies": [{}], "document": {}},
        {"id": "1", "versies": [], "document": {}},
        {"id": "1", "versies": [{}], "vergunning": {}},
        {"id": "1", "versies": [{}], "document": "x"},
    ]
    for given in cases:
        with pytest.raises(ValueError, match="expected a record"):
            bulk_action(WOO, given, Withdrawn.MARK)


def test_a_record_that_adds_content_replaces_the_one_before_it() -> None:
    herkomst = {"opgehaald": "2026-11-22T08:00:00+01:00", "aangevuld": ["bestand", "tekst"]}
    after = {**record(), "herkomst": herkomst}
    assert version_number(after) > version_number(record())
    assert document_of(WOO, after)["herkomst"] == herkomst
