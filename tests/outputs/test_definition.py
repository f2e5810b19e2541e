"""The definition of the index, and how its analysis splits words."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.analysis import Analysis
from tests.portal.permits import DAM, DOM, at, gemeente, permit
from tools.reference.record import rows
from woo_harvester.kinds import PERMITS, WOO, Kind, SingleKind, record_kind_of
from woo_harvester.outputs.definition import DefinitionError, check, definition, facets, without_punctuation
from woo_harvester.outputs.document import document_of
from woo_harvester.permits.record import PermitRecord, Term
from woo_harvester.permits.search import gemeenten
from woo_harvester.record import Waarde
from woo_portal.engine import text_fields

WOO_6 = "1dd95d9a5e8f37acf0224118f6e9fa658d37454a92aa8b7da5a28e1ecef07b51"

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


GM = "https://identifier.overheid.nl/tooi/id/gemeente/"
AMSTERDAM = {"type": "gemeente", "id": f"{GM}gm0363", "label": "gemeente Amsterdam"}


def document(record: dict[str, Any]) -> dict[str, Any]:
    return document_of(PERMITS, record)


def test_a_definition_bears_its_number_is_strict_at_the_top_and_has_the_analysis_of_the_others() -> None:
    for kind in Kind:
        mappings = definition(kind)["mappings"]
        assert mappings["_meta"]["woo_harvester"]["mapping"] == kind.mapping, kind
        assert mappings["dynamic"] == "strict", kind
        check(kind, "index-v1", mappings)
    assert definition(WOO)["settings"] == definition(PERMITS)["settings"]


def test_the_mapping_of_permits_has_each_key_of_a_record_and_what_the_index_adds() -> None:
    added = {"status", "locatie", "temporal", "gemeente", "gemeente.type", "gemeente.id", "gemeente.label"}
    added.add("metadata")
    found = {*paths(definition(PERMITS)["mappings"]["properties"])}
    assert {path for path in found if not path.startswith("facetten")} == {*keys(PermitRecord)} | added


def test_the_index_has_each_facet_and_no_document_shows_it() -> None:
    for kind in Kind:
        mappings = definition(kind)["mappings"]
        assert [*mappings["properties"]["facetten"]["properties"]] == [facet.name for facet in facets(kind)]
        assert "facetten" in mappings["_source"]["excludes"], kind


def test_the_index_has_each_searched_field_with_its_analyzers() -> None:
    for kind in Kind:
        properties = definition(kind)["mappings"]["properties"]
        for field in text_fields(kind):
            analyzers = [
                mapped(properties, path)["analyzer"] for path in (field.path, field.exact, field.parts)
            ]
            assert analyzers == ["stam", "exact", "delen"], field


def test_what_mapping_6_of_the_woo_says_is_settled() -> None:
    # Indices that were made from it are in use: another mapping or analysis is another number.
    text = json.dumps(definition(WOO), sort_keys=True, ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == WOO_6


def test_an_index_of_others_of_other_records_or_with_another_mapping_is_not_written_to() -> None:
    foreign, other_kind = "not made by woo-harvester", "holds records of the kind {}, and not {}: .*{}"
    numbered = {"_meta": {"woo_harvester": {"mapping": 1, "version": "3.0"}}}
    cases: list[tuple[Kind, dict[str, Any], str]] = [
        (WOO, {}, foreign),
        (WOO, {"_meta": {}}, foreign),
        (WOO, {"_meta": {"woo_harvester": 1}}, foreign),
        (WOO, numbered, r"mapping 1 of woo-harvester 3\.0"),
        *(
            (kind, definition(other)["mappings"], other_kind.format(other.name, kind.name, kind.setting))
            for kind, other in ((WOO, PERMITS), (PERMITS, WOO))
        ),
    ]
    for kind, mappings, line in cases:
        with pytest.raises(DefinitionError, match=line):
            check(kind, "index-v1", mappings)


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


def test_a_number_has_a_form_without_punctuation() -> None:
    for given, expected in [
        ("Z2024-00123", "Z202400123"),
        ("2024.1/b", "20241b"),
        ("Z2024", ""),
        ("e-mail", "email"),
        ("--", ""),
        ("50%", ""),
    ]:
        assert without_punctuation(given) == expected, given


def test_a_document_is_the_record_with_its_status() -> None:
    assert document(permit("1")) == {**permit("1"), "status": "gepubliceerd"}
    assert document(permit("1", "intrekking"))["status"] == "ingetrokken"


def test_all_places_of_a_case_in_the_netherlands_are_points() -> None:
    assert document(permit("1", object=at(DAM, DOM)))["locatie"] == [DAM, DOM]
    outside = permit("1", object={"coordinaten": [{"x-waarde": 0.0, "y-waarde": 0.0}]})
    assert "locatie" not in document(outside)


def test_a_period_is_a_range_unless_it_ends_before_it_begins() -> None:
    for temporal, expected in [
        ({"start": "2026-01-01", "end": "2026-12-31"}, {"gte": "2026-01-01", "lte": "2026-12-31"}),
        ({"start": "2026-01-01"}, {"gte": "2026-01-01"}),
        ({"start": "2026-12-31", "end": "2026-01-01"}, None),
    ]:
        assert document(permit("1", temporal=temporal)).get("temporal") == expected, temporal


def test_the_municipalities_of_a_case_are_those_of_its_places_each_once_or_else_the_one_that_made_it() -> (
    None
):
    province, new = {"scheme": "overheid:Provincie", "label": "Utrecht"}, gemeente("Nieuwstad")
    cases: list[tuple[dict[str, Any], list[dict[str, str]]]] = [
        (
            {
                "creator": gemeente("Stad"),
                "spatial": [gemeente("Dorp"), province, gemeente("dorp")],
                "object": {"adres": [{"gemeente": "Gehucht"}, {"provincie": "Utrecht"}]},
            },
            [{"label": "Dorp"}, {"label": "Gehucht"}],
        ),
        # One of the lists is the same however it is written.
        *(
            ({"spatial": [gemeente(name), gemeente("Amsterdam")]}, [AMSTERDAM])
            for name in ("Amsterdam", "AMSTERDAM", "gemeente Amsterdam")
        ),
        ({"spatial": [gemeente("provincie Utrecht")]}, [{"label": "provincie Utrecht"}]),
        # One that only the register has keeps the URI of its term.
        (
            {"spatial": [{**new, "id": f"{GM}gm9101"}, new]},
            [{"type": "gemeente", "id": f"{GM}gm9101", "label": "Nieuwstad"}, {"label": "Nieuwstad"}],
        ),
        ({"spatial": [{**new, "id": "https://a.nl/gm9101"}]}, [{"label": "Nieuwstad"}]),
        ({"creator": gemeente("Amsterdam")}, [AMSTERDAM]),
        ({"creator": province}, []),
        ({"creator": {"label": "Amsterdam"}}, []),
        ({}, []),
    ]
    for case, expected in cases:
        assert gemeenten(case) == expected, case


def test_the_kind_of_a_record_is_recognised_and_one_of_no_kind_or_of_two_is_refused() -> None:
    assert record_kind_of(permit("1")) is PERMITS
    assert record_kind_of({"id": "1", "document": {}}) is WOO
    others: tuple[dict[str, Any], ...] = ({}, {"vergunning": 3}, {"vergunning": {}, "document": {}})
    for given in others:
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
