from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.portal.embedded.records import opened, record, write
from woo_harvester.kinds import WOO
from woo_portal.embedded import snapshot
from woo_portal.parse import question_of_pairs

ASKED = ("", "water", "zand", "water zand", "-water", "water -zand", '"water zand"', "water-zand", "de", "x")


def test_the_others_are_counted_if_they_are_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = []
    for number in range(60):
        text = " ".join(word for word, n in (("water", 7), ("zand", 3), ("klei", 2)) if number % n)
        made = record(number, f"Titel {number % 4}", text=text)
        made["document"]["publisher"] = {"id": f"https://o.example/{number % 3}", "label": f"O{number % 3}"}
        some.append(made)
    filters: list[list[tuple[str, str]]] = [
        [],
        [("publisher", "https://o.example/1")],
        [("documentsoort", "x")],
    ]
    with opened(tmp_path / "portal") as engine:
        engine.fill([write(tmp_path / "a.jsonl", [*some, record(99, cause="intrekking")])])
        for words, chosen in product(ASKED, filters):
            question, found = question_of_pairs(WOO, [("zoektekst", words), *chosen], size=50), []
            for share in (2.0, -1.0):
                monkeypatch.setattr(snapshot, "_MOST", share)
                engine._answering._now()._tallies.clear()
                answer = engine.search(question)
                found.append((answer.total, answer.counts, [hit.document["id"] for hit in answer.hits]))
            assert found[0] == found[1], (words, chosen)
            total, counts, hits = found[0]
            assert len(hits) == min(total, 50), (words, chosen)
            assert "publisher" in counts, (words, chosen)
