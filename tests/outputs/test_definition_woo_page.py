"""The questions of docs/search.md, taken from the page and asked with curl."""

from __future__ import annotations

from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.questions import asked, questions
from woo_harvester.kinds import WOO
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index

pytestmark = pytest.mark.integration

QUESTIONS = questions(WOO)
AMSTERDAM = {"id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363", "label": "gemeente Amsterdam"}
UTRECHT = {"id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0344", "label": "gemeente Utrecht"}
ADVICE = {"id": "https://identifier.overheid.nl/tooi/def/thes/kern/c_99a836c7", "label": "adviezen"}


def record(name: str, title: str, body: dict[str, str], day: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "document": {
            "weblocatie": f"https://www.gemeente.nl/{name}.pdf",
            "publisher": body,
            "verantwoordelijke": body,
            "titelcollectie": {"officieleTitel": title},
            "classificatiecollectie": {
                "informatiecategorieen": [ADVICE],
                "themas": [{"id": "https://identifier.overheid.nl/thema/natuur", "label": "natuur"}],
                "documentsoorten": [{"id": "https://identifier.overheid.nl/soort/brief", "label": "brief"}],
            },
            "creatiedatum": day,
            **more,
        },
        "versies": [{"oorzaak": "aanlevering", "openbaarmakingsdatum": day, "bestanden": [{"url": "u"}]}],
        "herkomst": {
            "opgehaald": "2026-11-21T08:00:00+01:00",
            "standaardwaarden": {"document.publisher": "register"},
        },
    }


def records() -> list[dict[str, Any]]:
    validity = {"begindatum": "2024-01-01T00:00:00+01:00", "einddatum": "2024-12-31T00:00:00+01:00"}
    extra = [{"prefix": "x", "velden": [{"key": "zaak", "values": ["12"]}]}]
    first = record(
        "besluit", "Stikstofbesluit", AMSTERDAM, "2024-05-01", geldigheid=validity, extraMetadata=extra
    )
    first["versies"][0]["bestanden"][0]["tekst"] = "Dit gaat over natuur en milieu."
    other = record("brief", "Brief over stikstof", UTRECHT, "2023-05-01")
    other["versies"][0]["bestanden"][0]["tekst"] = "Dit gaat over het milieu en de natuur."
    gone = {
        "id": "weg",
        "document": {"weblocatie": "https://www.gemeente.nl/weg.pdf"},
        "versies": [{"oorzaak": "intrekking", "mutatiedatumtijd": "2024-07-01T00:00:00+02:00"}],
        "herkomst": {"opgehaald": "2026-11-21T08:00:00+01:00"},
    }
    return [first, other, gone]


@pytest.fixture
def index(elasticsearch: Elasticsearch, alias: str) -> str:
    """Write the records to an index behind an alias; return the alias."""
    create_index(elasticsearch, alias, WOO, aliased=True)
    outcome = BulkWriter(elasticsearch, alias, 1).write(
        [bulk_action(WOO, one, Withdrawn.MARK) for one in records()]
    )
    assert not outcome.refused
    elasticsearch.indices.refresh(index=alias)
    return alias


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (0, ["besluit"]),
        (1, ["besluit", "brief"]),
        (2, ["besluit"]),
        (3, ["besluit"]),
        (4, ["besluit", "brief"]),
        (5, ["besluit"]),
        (6, ["weg"]),
    ],
    ids=["full text", "filters", "one document", "dates", "newest first", "one body", "withdrawn since"],
)
def test_each_question_of_the_page_finds_what_it_says(
    question: int, expected: list[str], index: str, elasticsearch_url: str
) -> None:
    answer = asked(QUESTIONS[question].replace("/woo/", f"/{index}/"), elasticsearch_url)
    found = [hit["_id"] for hit in answer["hits"]["hits"]]
    if question == 1:
        found.sort()
        counts = {name: agg["buckets"] for name, agg in answer["aggregations"].items()}
        assert {one["key"]: one["doc_count"] for one in counts["verantwoordelijke"]} == {
            "gemeente Amsterdam": 1,
            "gemeente Utrecht": 1,
        }
        assert counts["informatiecategorie"] == [{"key": "adviezen", "doc_count": 2}]
        assert counts["thema"][0]["doc_count"] == counts["documentsoort"][0]["doc_count"] == 2
    if question == 0:
        assert "milieu" in answer["hits"]["hits"][0]["highlight"]["tekst"][0]
    if question == 2:
        (first, *_) = records()
        del first["versies"][0]["bestanden"][0]["tekst"]
        assert answer["hits"]["hits"][0]["_source"].items() >= first.items()
    assert found == expected


def test_every_question_of_the_page_is_asked() -> None:
    assert len(QUESTIONS) == 7
