"""The questions about permits of docs/search.md, asked with curl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.permits import DAM, DOM, at, gemeente, permit
from tests.portal.questions import ALL, asked, questions
from tests.utils.elasticsearch_fixtures import own_alias
from woo_harvester.kinds import PERMITS, WOO
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index

pytestmark = pytest.mark.integration

QUESTIONS = questions(PERMITS)


def product(kind: str, *activities: str) -> dict[str, Any]:
    terms = [{"scheme": "overheidvg:Activiteit", "label": activity} for activity in activities]
    return {"producttype": {"scheme": "overheidvg:Product", "label": kind}, "activiteit": terms}


def records() -> list[dict[str, Any]]:
    return [
        permit(
            "2026-1",
            title="Kappen van twee eiken",
            description="Voor de bouw van een school",
            creator=gemeente("Amsterdam"),
            product=product("kapvergunning", "boomkap"),
            termijn={"fase": "aanvraag"},
            temporal={"start": "2026-01-01", "end": "2026-06-30"},
            object=at(DOM, DAM),
        ),
        permit(
            "2026-2",
            title="Dakkapel",
            spatial=[gemeente("Utrecht"), gemeente("De Bilt")],
            product=product("omgevingsvergunning"),
            termijn={"fase": "verlening"},
            temporal={"start": "2026-07-01"},
            object=at(DOM),
        ),
        permit(
            "2026-3",
            title="Boom kappen",
            creator=gemeente("Amsterdam"),
            product=product("kapvergunning"),
            termijn={"fase": "aanvraag"},
            object=at({"lat": 52.3735, "lon": 4.8930}),
        ),
        permit("2026-4", "intrekking", "2026-07-01"),
        permit("2026-5", "intrekking", "2026-05-31"),
    ]


@pytest.fixture(scope="module")
def index(elasticsearch_url: str) -> Iterator[str]:
    """Write the records to an index behind an alias, which the tests only search; return the alias."""
    with Elasticsearch(elasticsearch_url, request_timeout=60) as client, own_alias(client) as alias:
        create_index(client, alias, PERMITS, aliased=True)
        actions = [bulk_action(PERMITS, one, Withdrawn.MARK) for one in records()]
        assert not BulkWriter(client, alias, 1).write(actions).refused
        client.indices.refresh(index=alias)
        yield alias


def answer_to(question: int, index: str, url: str) -> dict[str, Any]:
    return asked(QUESTIONS[question].replace("/vergunningen/", f"/{index}/"), url)


def found_by(answer: dict[str, Any]) -> list[str]:
    return [hit["_id"] for hit in answer["hits"]["hits"]]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (0, ["2026-3", "2026-1"]),
        (2, ["2026-1", "2026-3"]),
        (3, ["2026-1", "2026-2"]),
        (4, ["2026-1"]),
    ],
    ids=["full text", "distance", "box", "about a day"],
)
def test_each_question_of_the_page_finds_what_it_says(
    question: int, expected: list[str], index: str, elasticsearch_url: str
) -> None:
    found = found_by(answer_to(question, index, elasticsearch_url))
    assert (found if question in (0, 2) else sorted(found)) == expected


def test_phase_product_and_municipality_are_counted(index: str, elasticsearch_url: str) -> None:
    answer = answer_to(1, index, elasticsearch_url)
    assert sorted(found_by(answer)) == ["2026-1", "2026-3"]
    counts = {
        name: {one["key"]: one["doc_count"] for one in agg["buckets"]}
        for name, agg in answer["aggregations"].items()
    }
    assert counts == {
        "fase": {"aanvraag": 2},
        "product": {"kapvergunning": 2},
        "gemeente": {"gemeente Amsterdam": 2},
        "organisatie": {"Amsterdam": 2},
    }


def test_everything_of_a_case_is_there(index: str, elasticsearch_url: str) -> None:
    (hit,) = answer_to(4, index, elasticsearch_url)["hits"]["hits"]
    assert hit["_source"].items() >= records()[0].items()


def test_a_period_lasts_until_the_end_of_its_last_day(elasticsearch: Elasticsearch, index: str) -> None:
    evening = {"gte": "2026-06-30T21:00:00Z", "lte": "2026-06-30T21:00:00Z"}
    answer = elasticsearch.search(index=index, query={"range": {"temporal": evening}})
    assert found_by(dict(answer)) == ["2026-1"]


@pytest.mark.parametrize("asked_for", ["dak", "kapel", "dakkapel"])
def test_a_permit_is_found_by_the_parts_of_its_words(
    asked_for: str, index: str, elasticsearch_url: str
) -> None:
    question = QUESTIONS[0].replace("boom kappen", asked_for).replace("/vergunningen/", f"/{index}/")
    assert found_by(asked(question, elasticsearch_url)) == ["2026-2"]


def test_every_question_about_permits_is_asked() -> None:
    assert len(QUESTIONS) == 5
    assert len(QUESTIONS) + len(questions(WOO)) == len(ALL)
