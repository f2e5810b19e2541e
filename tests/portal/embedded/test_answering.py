from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.portal.embedded.records import opened, record, write
from woo_harvester.kinds import WOO
from woo_portal.embedded import snapshot
from woo_portal.question import Clause, Question, Sort

WATER = Question(WOO, (Clause("water"),), size=1)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """The questions whose hits were counted."""
    made: list[Question] = []
    count = snapshot._counted

    def noting(searcher: Any, make: Any, question: Question, near: Any) -> Any:
        made.append(question)
        return count(searcher, make, question, near)

    monkeypatch.setattr(snapshot, "_counted", noting)
    return made


def test_another_page_of_the_same_hits_is_not_counted_again(tmp_path: Path, counted: list[Question]) -> None:
    path = write(tmp_path / "a.jsonl", [record(1, "Water een"), record(2, "Water twee"), record(3, "Zand")])
    with opened(tmp_path / "portal") as engine:
        engine.fill([path])
        first = engine.search(WATER).counts
        for other in (replace(WATER, start=1), replace(WATER, sort=Sort.NEWEST, with_highlights=False)):
            assert engine.search(other).counts == first
        assert len(counted) == 1
        engine.search(replace(WATER, clauses=(Clause("zand"),)))
        engine.search(replace(WATER, chosen={"organisatie": ("x",)}))
        assert len(counted) == 3


def test_a_new_record_counts_at_once(tmp_path: Path) -> None:
    with opened(tmp_path / "portal") as engine:
        for number in (1, 2, 3):
            made = record(number, "Water")
            made["document"]["publisher"] = {"id": "https://stad.example/id", "label": "Stad"}
            engine.fill([write(tmp_path / f"{number}.jsonl", [made])])
            (count,) = engine.search(WATER).counts["publisher"]
            assert count.number == number
