"""The document in the index of permits that is made from a record."""

from __future__ import annotations

from typing import Any

import pytest

from tests.portal.permits import DAM, DOM, at, gemeente, permit
from woo_harvester.outputs.definition import PERMITS, WOO, SingleKind, gemeenten, record_kind_of
from woo_harvester.outputs.document import document_of

AMSTERDAM = {
    "type": "gemeente",
    "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
    "label": "gemeente Amsterdam",
}


def document(record: dict[str, Any]) -> dict[str, Any]:
    return document_of(PERMITS, record)


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
