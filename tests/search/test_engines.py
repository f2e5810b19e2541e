"""The questions that each search engine answers alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.search.engine_records import (
    ADVICE,
    AMSTERDAM,
    BRIEF,
    CONVENANT,
    RECORDS,
    UTRECHT,
    elasticsearch_engine,
    embedded,
)
from tests.search.permits import DAM, DOM
from woo_harvester.search.clauses import clauses_of
from woo_harvester.search.engine import Engine
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.question import Box, Period, Place, Question, Sort
from woo_harvester.search.record_kind import RecordKind, Status
from woo_harvester.search.woo import WOO

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", params=["embedded", "elasticsearch"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if request.param == "embedded":
        with embedded(tmp_path_factory.mktemp("engine")) as made:
            yield made
        return
    url = request.getfixturevalue("elasticsearch_url")
    with Elasticsearch(url, request_timeout=120) as client, elasticsearch_engine(client) as made:
        yield made


def asked(text: str = "", kind: RecordKind = WOO, **more: Any) -> Question:
    return Question(kind, clauses_of(text), **{"size": 50, **more})


def names(engine: Engine, question: Question) -> set[str]:
    answer = engine.search(question)
    found = [str(hit.document["id"]) for hit in answer.hits]
    assert answer.total == len(found) == len(set(found))
    return set(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("stikstof", {"besluit", "brief"}),
        ("STIKSTOFBESLUIT", {"besluit"}),
        ("besluiten", {"besluit"}),
        ("natuur milieu", {"besluit", "brief"}),
        ('"natuur en milieu"', {"besluit"}),
        ('"Natuur EN Milieu" stikstof', {"besluit"}),
        ('stikstof -"natuur en milieu"', {"brief"}),
        ("stikstof -brief", {"besluit"}),
        ("-stikstof", {"cafe", "convenant", "water", "register", "bestand"}),
        ("cafe", {"cafe"}),
        ("café een", {"cafe"}),
        ("horeca", {"cafe"}),
        ("vergunning", {"cafe"}),
        ("terras openingstijd", {"cafe"}),
        ("omwonende", {"convenant"}),
        ("water", {"water"}),
        ("de", {"besluit", "brief", "cafe", "convenant", "water", "register", "bestand"}),
        ("de stikstof het", {"besluit", "brief"}),
        ("-de stikstof", {"besluit", "brief"}),
        ('"de natuur"', {"brief"}),
        ("2024-17.b", {"bestand"}),
        ("<bijlage>", {"bestand"}),
        ("naald", {"bestand"}),
        ("natuur-en-milieu", {"besluit", "brief"}),
        ("sti*", set()),
        ("stikstof OR water", set()),
        ("titel:stikstof", set()),
        ("nergens", set()),
        ("!!! ???", {"besluit", "brief", "cafe", "convenant", "water", "register", "bestand"}),
        ('"!!!"', {"besluit", "brief", "cafe", "convenant", "water", "register", "bestand"}),
        ("🛶 stikstof", set()),
    ],
)
def test_a_text_finds_documents(engine: Engine, text: str, expected: set[str]) -> None:
    assert names(engine, asked(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("eiken", {"kap"}),
        ("achtertuin", {"kap"}),
        ("vergunning", {"kap", "bouw"}),
        ("bouwen", {"bouw"}),
        ("linde", {"kap"}),
        ('"de linde"', {"kap"}),
        ("-de", {"kap", "bouw", "oud", "los"}),
        ("periode", {"los"}),
    ],
)
def test_a_text_finds_permits(engine: Engine, text: str, expected: set[str]) -> None:
    assert names(engine, asked(text, PERMITS)) == expected


def test_withdrawn_records_are_hits_only_if_asked_for(engine: Engine) -> None:
    assert names(engine, asked(status=Status.INGETROKKEN)) == {"weg"}
    assert len(names(engine, asked(status=None))) == 8
    assert names(engine, asked(kind=PERMITS, status=Status.INGETROKKEN)) == {"verdwenen"}


def test_a_record_is_found_by_its_id(engine: Engine) -> None:
    assert names(engine, asked(ids=("brief", "weg", "kap"))) == {"brief"}
    found = engine.get(WOO, "weg")
    assert found is not None
    assert found["status"] == "ingetrokken"
    assert engine.get(WOO, "kap") is None
    assert engine.get(WOO, "nergens") is None
    permit = engine.get(PERMITS, "kap")
    assert permit is not None
    assert permit["gemeente"][0]["id"] == AMSTERDAM["id"]


def test_no_document_has_the_text_or_what_the_index_adds_for_itself(engine: Engine) -> None:
    (hit,) = engine.search(asked("stikstofbesluit")).hits
    record = next(record for record in RECORDS if record["id"] == "besluit")
    files = [{"url": "u"}]
    expected = {**record, "status": "gepubliceerd", "versies": [{**record["versies"][0], "bestanden": files}]}
    assert hit.document == expected
    assert engine.get(WOO, "besluit") == expected
    assert list(engine.all_documents(asked("stikstofbesluit"))) == [expected]


def counts(engine: Engine, question: Question) -> dict[str, list[tuple[str, str, int]]]:
    found = engine.search(question).counts
    return {
        name: [(each.value.value, each.value.label, each.number) for each in values]
        for name, values in found.items()
    }


def test_filters_have_counts_without_default_values(engine: Engine) -> None:
    found = counts(engine, asked())
    assert found["informatiecategorie"] == [
        (ADVICE["id"], "adviezen", 5),
        (CONVENANT["id"], "convenanten", 1),
    ]
    assert found["organisatie"] == [
        (AMSTERDAM["id"], "gemeente Amsterdam", 4),
        ("Stichting Water", "Stichting Water", 1),
        (UTRECHT["id"], "gemeente Utrecht", 1),
    ]
    assert found["documentsoort"] == [(BRIEF["id"], "brief", 2), ("eigen soort", "eigen soort", 1)]
    assert [number for _, _, number in found["publisher"]] == [6]
    assert [label for _, label, _ in found["bestandstype"]] == ["PDF"]
    assert found["thema"] == []


def test_a_chosen_value_narrows_all_counts_but_its_own(engine: Engine) -> None:
    question = asked(chosen={"organisatie": (UTRECHT["id"],)})
    assert names(engine, question) == {"brief"}
    found = counts(engine, question)
    assert [number for _, _, number in found["organisatie"]] == [4, 1, 1]
    assert found["informatiecategorie"] == [(ADVICE["id"], "adviezen", 1)]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"informatiecategorie": (CONVENANT["id"],)}, {"cafe"}),
        ({"documentsoort": ("eigen soort",)}, {"brief"}),
        ({"documentsoort": ("brief",)}, set()),
        ({"organisatie": ("Stichting Water", UTRECHT["id"])}, {"water", "brief"}),
        ({"organisatie": (AMSTERDAM["id"],), "documentsoort": (BRIEF["id"],)}, {"besluit"}),
        ({"thema": ("http://[bad", '" OR 1')}, set()),
    ],
)
def test_values_of_one_facet_add_up_and_facets_narrow_each_other(
    engine: Engine, chosen: dict[str, tuple[str, ...]], expected: set[str]
) -> None:
    assert names(engine, asked(chosen=chosen)) == expected


@pytest.mark.parametrize(
    ("periods", "expected"),
    [
        ({"openbaarmakingsdatum": Period(date(2024, 5, 1), date(2024, 6, 30))}, {"besluit", "water"}),
        ({"openbaarmakingsdatum": Period(end=date(2023, 5, 1))}, {"brief", "bestand"}),
        ({"openbaarmakingsdatum": Period(begin=date(2024, 12, 31))}, {"convenant"}),
        ({"mutatiedatumtijd": Period(date(2024, 5, 1), date(2024, 5, 1))}, {"besluit"}),
        ({"creatiedatum": Period(date(2024, 6, 1), date(2024, 11, 30))}, {"convenant", "water"}),
        ({"openbaarmakingsdatum": Period(date(2025, 1, 1), date(2024, 1, 1))}, set()),
    ],
)
def test_a_period_has_its_first_and_its_last_day(
    engine: Engine, periods: dict[str, Period], expected: set[str]
) -> None:
    assert names(engine, asked(periods=periods)) == expected


def ordered(engine: Engine, question: Question) -> list[str]:
    return [str(hit.document["id"]) for hit in engine.search(question).hits]


def test_hits_have_the_order_that_is_asked_for(engine: Engine) -> None:
    newest = ["convenant", "water", "besluit", "cafe", "brief", "bestand", "register"]
    assert ordered(engine, asked(sort=Sort.NEWEST)) == newest
    assert ordered(engine, asked()) == newest
    assert ordered(engine, asked(sort=Sort.OLDEST)) == [*newest[-2::-1], "register"]
    by_title = ["bestand", "brief", "convenant", "water", "besluit", "cafe", "register"]
    assert ordered(engine, asked(sort=Sort.TITLE)) == by_title
    assert ordered(engine, asked(kind=PERMITS, sort=Sort.OLDEST)) == ["oud", "kap", "bouw", "los"]


def test_a_word_in_the_title_comes_before_one_in_the_text(engine: Engine) -> None:
    assert ordered(engine, asked("natuur"))[:2] in (["besluit", "brief"], ["brief", "besluit"])
    assert ordered(engine, asked("stikstof"))[0] == "brief"  # the word itself, and no part of a compound


def test_pages_have_all_hits_once(engine: Engine) -> None:
    pages = [ordered(engine, asked(sort=Sort.TITLE, start=start, size=2)) for start in (0, 2, 4, 6, 8)]
    assert [len(page) for page in pages] == [2, 2, 2, 1, 0]
    assert [name for page in pages for name in page] == ordered(engine, asked(sort=Sort.TITLE))
    assert engine.search(asked(start=9_990, size=10)).total == 7


def test_all_documents_have_the_order_of_the_hits(engine: Engine) -> None:
    for question in (
        asked(sort=Sort.TITLE),
        asked("stikstof"),
        asked(chosen={"documentsoort": (BRIEF["id"],)}),
    ):
        every = [str(found["id"]) for found in engine.all_documents(replace(question, start=3, size=1))]
        assert every == ordered(engine, question)


def test_matches_are_marked_in_titles_and_fragments(engine: Engine) -> None:
    hit = next(hit for hit in engine.search(asked("stikstof milieu")).hits if hit.document["id"] == "brief")
    assert "".join(piece.text for piece in hit.title) == "Brief over stikstof"
    assert [piece.text for piece in hit.title if piece.is_match] == ["stikstof"]
    assert ["milieu"] in [[piece.text for piece in each if piece.is_match] for each in hit.fragments]
    (other,) = engine.search(asked("bijlage")).hits
    assert "".join(piece.text for piece in other.title) == "Bestand 2024-17.b & <bijlage>"
    (compound,) = engine.search(asked("besluit")).hits
    assert [piece.text for piece in compound.title if piece.is_match] == ["Stikstofbesluit"]
    assert engine.search(asked()).hits[0].title == ()


NEAR_DAM = Place(DAM["lat"], DAM["lon"], 2000)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"near": NEAR_DAM}, {"kap", "oud"}),
        ({"near": Place(52.2, 5.0, 50_000)}, {"kap", "oud", "bouw"}),
        ({"box": Box(52.06, 5.05, 52.12, 5.18)}, {"bouw", "oud"}),
        ({"running_on": date(2026, 6, 30)}, {"kap", "bouw"}),
        ({"running_on": date(2026, 7, 1)}, {"bouw"}),
        ({"running_on": date(2019, 5, 5)}, {"oud"}),
        ({"ended_before": date(2026, 7, 1)}, {"kap", "oud"}),
        ({"ended_before": date(2026, 6, 30)}, {"oud"}),
        ({"chosen": {"gemeente": (UTRECHT["id"],)}}, {"bouw"}),
        ({"chosen": {"fase": ("aanvraag", "verlening")}}, {"kap", "bouw"}),
        ({"chosen": {"product": ("kapvergunning",)}}, {"kap"}),
    ],
)
def test_permits_are_filtered(engine: Engine, filters: dict[str, Any], expected: set[str]) -> None:
    assert names(engine, asked(kind=PERMITS, **filters)) == expected


def test_the_nearest_permit_comes_first_with_its_distance(engine: Engine) -> None:
    near = Place(DOM["lat"], DOM["lon"], 100_000)
    hits = engine.search(asked(kind=PERMITS, near=near, sort=Sort.DISTANCE)).hits
    assert [hit.document["id"] for hit in hits] == ["bouw", "oud", "kap"]
    metres = [hit.metres or 0 for hit in hits]
    assert metres[:2] == pytest.approx([0, 0], abs=1)
    assert metres[2] == pytest.approx(35_000, rel=0.03)


def test_contents_count_what_is_published(engine: Engine) -> None:
    found = engine.contents(WOO)
    assert (found.published, found.withdrawn, found.organisations) == (7, 1, 3)
    assert found.newest is not None
    assert found.newest.isoformat() in ("2026-11-21T09:00:00+01:00", "2026-11-21T08:00:00+00:00")
    assert engine.contents(PERMITS).published == 4
    assert engine.version() == engine.version()
