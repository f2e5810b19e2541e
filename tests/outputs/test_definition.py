"""The definition of the index, and how its analysis splits words."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.analysis import Analysis
from tools.reference.record import rows
from woo_harvester.outputs.definition import (
    KINDS,
    PERMITS,
    WOO,
    DefinitionError,
    RecordKind,
    check,
    definition,
    facets,
)
from woo_harvester.permits.record import PermitRecord, Term
from woo_harvester.record import Waarde
from woo_portal.engine import text_fields

WOO_3 = "968c3b13d66ed2c8925c3626d6c8ff58e4d0412dcd1a63cf71a8621f1ddde7f6"

SET = Path(__file__).parents[1] / "portal" / "compounds.csv"


@pytest.mark.parametrize("kind", KINDS, ids=attrgetter("name"))
def test_a_definition_bears_its_number_and_is_strict_at_the_top(kind: RecordKind) -> None:
    mappings = definition(kind)["mappings"]
    assert mappings["_meta"]["woo_harvester"]["mapping"] == kind.mapping
    assert mappings["dynamic"] == "strict"
    check(kind, "index-v1", mappings)


def test_all_kinds_have_the_same_analysis() -> None:
    assert definition(WOO)["settings"] == definition(PERMITS)["settings"]


def paths(properties: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Return the paths of all fields of a mapping, without sub-fields."""
    for name, field in properties.items():
        yield f"{prefix}{name}"
        yield from paths(field.get("properties", {}), f"{prefix}{name}.")


def keys(kind: type[Any]) -> Iterator[str]:
    """Return the paths of a record, including those of values with a type of their own."""
    inner = {"term": Term, "waarde": Waarde}
    for key, value, _ in rows(kind):
        name = key.strip("`").replace("[]", "")
        yield name
        if value in inner:
            yield from (f"{name}.{below}" for below in keys(inner[value]))


def test_the_mapping_of_permits_has_each_key_of_a_record_and_what_the_index_adds() -> None:
    added = {"status", "locatie", "temporal", "gemeente", "gemeente.type", "gemeente.id", "gemeente.label"}
    found = {*paths(definition(PERMITS)["mappings"]["properties"])}
    assert {path for path in found if not path.startswith("facetten")} == {*keys(PermitRecord)} | added


@pytest.mark.parametrize("kind", KINDS, ids=attrgetter("name"))
def test_the_index_has_each_facet_and_no_document_shows_it(kind: RecordKind) -> None:
    mappings = definition(kind)["mappings"]
    assert [*mappings["properties"]["facetten"]["properties"]] == [facet.name for facet in facets(kind)]
    assert "facetten" in mappings["_source"]["excludes"]


@pytest.mark.parametrize("kind", KINDS, ids=attrgetter("name"))
def test_the_index_has_each_searched_field_with_its_analyzers(kind: RecordKind) -> None:
    properties = definition(kind)["mappings"]["properties"]
    for field in text_fields(kind):
        analyzers = [mapped(properties, path)["analyzer"] for path in (field.stems, field.exact, field.parts)]
        assert analyzers == ["stam", "exact", "delen"], field


def mapped(properties: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the mapping of a field or of a sub-field."""
    field: dict[str, Any] = {"properties": properties}
    for name in path.split("."):
        field = field.get("properties", {}).get(name) or field["fields"][name]
    return field


@pytest.mark.parametrize(("kind", "other"), [(WOO, PERMITS), (PERMITS, WOO)])
def test_an_index_of_other_records_is_not_written_to(kind: RecordKind, other: RecordKind) -> None:
    line = f"holds records of the kind {other.name}, and not {kind.name}: .*{kind.setting}"
    with pytest.raises(DefinitionError, match=line):
        check(kind, "index-v1", definition(other)["mappings"])


def test_what_mapping_3_of_the_woo_says_is_settled() -> None:
    # Indices that were made from it are in use: another mapping or analysis is another number.
    text = json.dumps(definition(WOO), sort_keys=True, ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == WOO_3


@pytest.mark.parametrize("meta", [{}, {"_meta": {}}, {"_meta": {"woo_harvester": 1}}])
def test_an_index_of_somebody_else_is_not_written_to(meta: dict[str, object]) -> None:
    with pytest.raises(DefinitionError, match="not made by woo-harvester"):
        check(WOO, "woo-v1", meta)


def test_a_mapping_with_another_number_is_not_written_to() -> None:
    with pytest.raises(DefinitionError, match=r"mapping 1 of woo-harvester 3\.0"):
        check(WOO, "woo-v1", {"_meta": {"woo_harvester": {"mapping": 1, "version": "3.0"}}})


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
