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
from tests.portal.permits import DAM, DOM, at, gemeente, permit
from tools.reference.record import rows
from woo_harvester.outputs.definition import (
    KINDS,
    PERMITS,
    WOO,
    DefinitionError,
    RecordKind,
    SingleKind,
    check,
    definition,
    facets,
    gemeenten,
    record_kind_of,
    without_punctuation,
)
from woo_harvester.outputs.document import document_of
from woo_harvester.permits.record import PermitRecord, Term
from woo_harvester.record import Waarde
from woo_portal.engine import text_fields

WOO_5 = "37f595b144a56185802370f3bd2f5724bf4e11a237af075df272e41d9aadca9c"

SET = Path(__file__).parents[1] / "portal" / "compounds.csv"


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


def mapped(properties: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the mapping of a field or of a sub-field."""
    field: dict[str, Any] = {"properties": properties}
    for name in path.split("."):
        field = field.get("properties", {}).get(name) or field["fields"][name]
    return field


AMSTERDAM = {
    "type": "gemeente",
    "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
    "label": "gemeente Amsterdam",
}


def document(record: dict[str, Any]) -> dict[str, Any]:
    return document_of(PERMITS, record)


@pytest.mark.parametrize("kind", KINDS, ids=attrgetter("name"))
def test_a_definition_bears_its_number_and_is_strict_at_the_top(kind: RecordKind) -> None:
    mappings = definition(kind)["mappings"]
    assert mappings["_meta"]["woo_harvester"]["mapping"] == kind.mapping
    assert mappings["dynamic"] == "strict"
    check(kind, "index-v1", mappings)


def test_all_kinds_have_the_same_analysis() -> None:
    assert definition(WOO)["settings"] == definition(PERMITS)["settings"]


def test_the_mapping_of_permits_has_each_key_of_a_record_and_what_the_index_adds() -> None:
    added = {"status", "locatie", "temporal", "gemeente", "gemeente.type", "gemeente.id", "gemeente.label"}
    added.add("metadata")
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
        analyzers = [mapped(properties, path)["analyzer"] for path in (field.path, field.exact, field.parts)]
        assert analyzers == ["stam", "exact", "delen"], field


@pytest.mark.parametrize(("kind", "other"), [(WOO, PERMITS), (PERMITS, WOO)])
def test_an_index_of_other_records_is_not_written_to(kind: RecordKind, other: RecordKind) -> None:
    line = f"holds records of the kind {other.name}, and not {kind.name}: .*{kind.setting}"
    with pytest.raises(DefinitionError, match=line):
        check(kind, "index-v1", definition(other)["mappings"])


def test_what_mapping_5_of_the_woo_says_is_settled() -> None:
    # Indices that were made from it are in use: another mapping or analysis is another number.
    text = json.dumps(definition(WOO), sort_keys=True, ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == WOO_5


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


# The document in the index of permits that is made from a record.
def test_the_searched_metadata_are_texts_and_numbers_with_and_without_their_punctuation() -> None:
    case = permit("1", creator=gemeente("Onbekend"), object={"referentienummer": "Z-2026/1"})
    case["vergunning"]["product"] = {"producttype": {"label": "kapvergunning"}, "activiteit": []}
    assert document(case)["metadata"] == ["kapvergunning", "Z-2026/1", "Z 2026 1", "Z20261"]
    assert "metadata" not in document(permit("1", "intrekking", creator=gemeente("Stad")))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Z2024-00123", "Z202400123"),
        ("2024.1/b", "20241b"),
        ("Z2024", ""),
        ("e-mail", "email"),
        ("--", ""),
        ("50%", ""),
    ],
)
def test_a_number_has_a_form_without_punctuation(given: str, expected: str) -> None:
    assert without_punctuation(given) == expected


def test_a_document_is_the_record_with_its_status() -> None:
    assert document(permit("1")) == {**permit("1"), "status": "gepubliceerd"}
    assert document(permit("1", "intrekking"))["status"] == "ingetrokken"


def test_all_places_of_a_case_are_points() -> None:
    assert document(permit("1", object=at(DAM, DOM)))["locatie"] == [DAM, DOM]


def test_coordinates_outside_of_the_netherlands_are_no_point() -> None:
    given = permit("1", object={"coordinaten": [{"x-waarde": 0.0, "y-waarde": 0.0}]})
    assert "locatie" not in document(given)


@pytest.mark.parametrize(
    ("temporal", "expected"),
    [
        ({"start": "2026-01-01", "end": "2026-12-31"}, {"gte": "2026-01-01", "lte": "2026-12-31"}),
        ({"start": "2026-01-01"}, {"gte": "2026-01-01"}),
        ({"start": "2026-12-31", "end": "2026-01-01"}, None),
    ],
)
def test_a_period_is_a_range_unless_it_ends_before_it_begins(
    temporal: dict[str, str], expected: dict[str, str] | None
) -> None:
    assert document(permit("1", temporal=temporal)).get("temporal") == expected


def test_the_municipalities_of_a_case_are_those_of_its_places_each_once() -> None:
    case = {
        "creator": gemeente("Stad"),
        "spatial": [gemeente("Dorp"), {"scheme": "overheid:Provincie", "label": "Utrecht"}, gemeente("dorp")],
        "object": {"adres": [{"gemeente": "Gehucht"}, {"provincie": "Utrecht"}]},
    }
    assert gemeenten(case) == [{"label": "Dorp"}, {"label": "Gehucht"}]


@pytest.mark.parametrize("name", ["Amsterdam", "AMSTERDAM", "gemeente Amsterdam"])
def test_a_municipality_of_the_lists_is_the_same_however_it_is_written(name: str) -> None:
    assert gemeenten({"spatial": [gemeente(name), gemeente("Amsterdam")]}) == [AMSTERDAM]


def test_a_name_that_is_no_municipality_stays_as_it_is() -> None:
    assert gemeenten({"spatial": [gemeente("provincie Utrecht")]}) == [{"label": "provincie Utrecht"}]


def test_a_municipality_that_only_the_register_has_keeps_the_uri_of_its_term() -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9101"
    found = {"type": "gemeente", "id": uri, "label": "Nieuwstad"}
    assert gemeenten({"spatial": [{**gemeente("Nieuwstad"), "id": uri}, gemeente("Nieuwstad")]}) == [
        found,
        {"label": "Nieuwstad"},
    ]
    assert gemeenten({"spatial": [{**gemeente("Nieuwstad"), "id": "https://a.nl/gm9101"}]}) == [
        {"label": "Nieuwstad"}
    ]


def test_a_case_without_places_is_in_the_municipality_that_made_it() -> None:
    assert gemeenten({"creator": gemeente("Amsterdam")}) == [AMSTERDAM]
    assert gemeenten({"creator": {"scheme": "overheid:Provincie", "label": "Utrecht"}}) == []
    assert gemeenten({"creator": {"label": "Amsterdam"}}) == []
    assert gemeenten({}) == []


def test_the_kind_of_a_record_is_recognised() -> None:
    assert record_kind_of(permit("1")) is PERMITS
    assert record_kind_of({"id": "1", "document": {}}) is WOO


@pytest.mark.parametrize("given", [{}, {"vergunning": 3}, {"vergunning": {}, "document": {}}])
def test_a_record_of_no_kind_or_of_two_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"document \(woo\) or vergunning \(vergunningen\)"):
        record_kind_of(given)


def test_records_of_two_kinds_do_not_go_together() -> None:
    one_kind = SingleKind()
    assert one_kind.kind is None
    one_kind(permit("1"))
    one_kind(permit("2"))
    assert one_kind.kind is PERMITS
    with pytest.raises(ValueError, match=r"of the kind vergunningen, .* is of woo"):
        one_kind({"id": "3", "document": {}})
