from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.portal.embedded.records import opened, record, write
from woo_harvester.kinds import WOO
from woo_portal.embedded import ranking, snapshot
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.embedded.queries import QueryMaker
from woo_portal.engine import Engine
from woo_portal.parse import question_of_pairs
from woo_portal.question import Question, Sort

OFTEN = ["gemeente", "besluit", "document"]
ORDERS = [*[Sort.RELEVANCE] * 5, Sort.NEWEST, Sort.OLDEST, Sort.CHANGED, Sort.TITLE]
SELDOM = ["stikstof", "fietspad", "brug", "zwembad", "windmolenpark", "subsidieregeling"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    """An index in which some words are in nearly all texts, and in few titles."""
    folder, drawn = tmp_path_factory.mktemp("ranking"), random.Random(3)

    def text(words: int) -> str:
        return " ".join(drawn.choice(OFTEN if drawn.random() < 0.8 else SELDOM) for _ in range(words))

    some = []
    for number in range(1500):
        title = text(4) if drawn.random() < 0.05 else f"Stuk {number % 50}"
        made = record(number, title, second=number % 60, text=text(drawn.randrange(1, 30)))
        made["versies"][0]["openbaarmakingsdatum"] = f"20{drawn.randrange(20, 26)}-01-{number % 28 + 1:02}"
        made["document"]["publisher"] = {"id": f"https://o.example/{number % 7}", "label": f"O{number % 7}"}
        some.append(made)
    with opened(folder / "portal") as opened_engine:
        opened_engine.fill([write(folder / "a.jsonl", some[:700]), write(folder / "b.jsonl", some[700:])])
        yield opened_engine


def asked() -> list[Question]:
    """Return questions of one to three words, with pages, orders and filters."""
    drawn, made = random.Random(9), []
    texts = [*OFTEN, *SELDOM, "-brug", '"gemeente besluit"', '"brug"', "water"]
    for _ in range(200):
        given = []
        if words := drawn.sample(texts, drawn.choice([0, 1, 1, 1, 2, 3])):
            given.append(("zoektekst", " ".join(words)))
        if drawn.random() < 0.3:
            given.append(("publisher", f"https://o.example/{drawn.randrange(8)}"))
        if drawn.random() < 0.2:
            given.append(("openbaarmakingsdatumVan", "2023-01-01"))
        question = question_of_pairs(WOO, given, size=drawn.choice([1, 10, 50]))
        made.append(replace(question, sort=drawn.choice(ORDERS), start=drawn.choice([0, 0, 10, 700])))
    return made


def pages(engine: Engine) -> list[Any]:
    found = [engine.search(question) for question in asked()]
    return [(each.total, [hit.document["id"] for hit in each.hits], each.counts) for each in found]


def test_the_short_way_to_a_page_gives_the_same(
    engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr(QueryMaker, "best", lambda *given: None)
        expected = pages(engine)
    engine._now()._tallies.clear()
    bounds: list[int | None] = []
    bound = snapshot.Snapshot.bound

    def noting_bound(*given: Any) -> int | None:
        bounds.append(bound(*given))
        return bounds[-1]

    monkeypatch.setattr(ranking, "_MANY", 0)
    monkeypatch.setattr(snapshot, "_LEAST", 1)
    monkeypatch.setattr(snapshot.Snapshot, "bound", noting_bound)
    assert pages(engine) == expected
    assert min(bounds.count(None), len(bounds) - bounds.count(None)) > 10


def test_a_phrase_that_titles_have_is_ranked_among_these(
    engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        question_of_pairs(WOO, [("zoektekst", text), *chosen], size=size)
        for text in ('"gemeente besluit"', '"besluit gemeente"', '"document"', '"stuk 7"', '"brug brug"')
        for chosen in ([], [("publisher", "https://o.example/3")])
        for size in (1, 5, 20, 100)
    ]
    by_score, looks = ranking.Ranking._by_score, list[int]()

    def noting_looks(*given: Any, **options: Any) -> Any:
        found = by_score(*given, **options)
        looks.append(len(found[0]))
        return found

    def answers() -> list[Any]:
        found = [engine.search(question) for question in asked]
        return [(each.total, [hit.document["id"] for hit in each.hits]) for each in found]

    monkeypatch.setattr(ranking.Ranking, "_by_score", noting_looks)
    short = answers()
    assert 0 in looks
    assert len(looks) - looks.count(0) == len(asked)
    assert looks.count(0) < len(asked)
    monkeypatch.setattr(QueryMaker, "best", lambda *given: None)
    assert answers() == short


def test_all_hits_come_in_the_order_of_their_pages(engine: EmbeddedEngine) -> None:
    for question in asked()[::5]:
        whole = [each["id"] for each in engine.all_documents(question)]
        page = engine.search(question)
        assert len(whole) == page.total
        assert whole[question.start : question.start + question.size] == [
            hit.document["id"] for hit in page.hits
        ]
