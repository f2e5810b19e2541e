"""The definition of the index, and what it makes of words."""

from __future__ import annotations

import csv
import json
from hashlib import sha256
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from tests.search.analysis import Analysis
from woo_harvester.search.definition import DefinitionError, check, definition
from woo_harvester.search.woo import WOO

WOO_1 = "bee71c1a61475592928794620ca521df8a2b362ebb1044c639cf5a8a1f821600"

SET = Path(__file__).parent / "compounds.csv"


def test_the_definition_bears_its_number_and_is_strict_at_the_top() -> None:
    mappings = definition(WOO)["mappings"]
    assert mappings["_meta"]["woo_harvester"]["mapping"] == WOO.mapping
    assert mappings["dynamic"] == "strict"
    check(WOO, "woo-v1", mappings)


def test_what_mapping_1_of_the_woo_says_is_settled() -> None:
    # Indices that were made from it are in use: another mapping or analysis is another number.
    text = json.dumps(definition(WOO), sort_keys=True, ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == WOO_1


@pytest.mark.parametrize("meta", [{}, {"_meta": {}}, {"_meta": {"woo_harvester": 1}}])
def test_an_index_of_somebody_else_is_not_written_to(meta: dict[str, object]) -> None:
    with pytest.raises(DefinitionError, match="not made by woo-harvester"):
        check(WOO, "woo-v1", meta)


def test_a_mapping_with_another_number_is_not_written_to() -> None:
    with pytest.raises(DefinitionError, match=r"mapping 2 of woo-harvester 3\.0"):
        check(WOO, "woo-v1", {"_meta": {"woo_harvester": {"mapping": 2, "version": "3.0"}}})


@pytest.mark.integration
def test_parts_find_compounds_and_do_not_fall_into_traps(elasticsearch: Elasticsearch, alias: str) -> None:
    analysis = Analysis(elasticsearch, f"{alias}-v1", definition(WOO))
    with SET.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {
        (row["soort"], row["vraag"], row["woord"])
        for row in rows
        if analysis.finds(row["vraag"], row["woord"])
    }
    pairs = [row for row in found if row[0] == "paar"]
    traps = [row for row in found if row[0] == "valkuil"]
    assert (len([row for row in rows if row["soort"] == "paar"]), len(rows)) == (200, 300)
    assert len(pairs) >= 190
    assert len(traps) <= 2, traps


@pytest.mark.integration
def test_exact_words_keep_their_endings(elasticsearch: Elasticsearch, alias: str) -> None:
    analysis = Analysis(elasticsearch, f"{alias}-v1", definition(WOO))
    assert analysis.tokens("exact", "De Coördinatie van Brieven") == ["de", "coordinatie", "van", "brieven"]
    assert analysis.tokens("stam", "De brieven, de brief") == ["brief", "brief"]
