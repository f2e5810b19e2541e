"""Valid documents of the official schema are read completely; of other documents no text is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec import Struct, structs

from tests.diwoo.documents import NAMESPACE, Outcome, blank, completed, mapped, read
from tests.diwoo.schema import MDTO, TEXT, DiwooSchema, Drawn
from tests.samples import DIWOO
from woo_harvester.diwoo.given import Extra, ExtraField, GivenMetadata, Handling, Relation, Value
from woo_harvester.record import json_value
from woo_harvester.tooi import ValueList, ValueLists, bundled, category_of_index, normal_label

LISTS = [
    values for field in fields(ValueLists) if isinstance(values := getattr(bundled(), field.name), ValueList)
]


@pytest.fixture(scope="module")
def schema() -> DiwooSchema:
    return DiwooSchema(DIWOO)


def expected(drawn: Drawn) -> dict[str, Any]:
    """Return the record of a drawn document, with some values moved to their place in the record."""
    record: dict[str, Any] = json_value(blank()[0].record)
    document: dict[str, Any] = drawn.value.pop("DiWoo")
    origin: dict[str, Any] = {}
    if groups := drawn.value.pop("extraMetadata", None):
        names = {"extraMetadatavelden": "velden"}
        document["extraMetadata"] = [{names.get(k, k): v for k, v in group.items()} for group in groups]
    if relations := document.pop("documentrelaties", None):
        record["documentrelaties"] = [*map(texts_of, relations)]
        roles = [(each.get("relation", {}), each["role"]) for each in relations if "role" in each]
        origin["documentrelaties"] = [
            {**({"relation": other.get("id") or other["label"]} if other else {}), "role": role}
            for other, role in roles
        ]
    if reason := document.pop("redenVerwijderingVervanging", None):
        record["versies"][0]["redenVerwijderingVervanging"] = reason["label"]
        origin["redenVerwijderingVervanging"] = reason
    assert drawn.value == {}
    record["document"].update(document)
    return record | ({"herkomst": origin} if any(origin.values()) else {})


def texts_of(relation: dict[str, Any]) -> dict[str, str]:
    """Return the texts that a record has for a relation whose parts are coded values."""
    other, role = relation.get("relation", {}), relation.get("role", {})
    given = {"relation": other.get("id"), "role": role.get("id"), "titel": other.get("label")}
    return {key: text for key, text in given.items() if text}


def test_no_value_of_a_valid_document_is_missing_from_its_record(schema: DiwooSchema) -> None:
    used: set[tuple[str, str]] = set()

    @settings(derandomize=True)
    @given(schema.documents(used))
    def check(drawn: Drawn) -> None:
        assert schema.faults(drawn.element) == []
        outcome = mapped(read(etree.tostring(drawn.element, encoding="utf-8")))
        outcome.record.herkomst.bevindingen = []
        assert json_value(outcome.record) == expected(drawn)
        # A date in the future, and a period that ends before it begins, are valid by the schema.
        assert {fault.code for fault in outcome.faults} <= {"creatiedatum.toekomst", "geldigheid.omgekeerd"}

    check()
    assert used == schema.declared  # together they use each element that the schema has
    assert len(used) > 50


def test_every_value_of_the_lists_in_the_schema_is_known_by_its_label(schema: DiwooSchema) -> None:
    ours = {concept.uri: concept.label for source in LISTS for concept in source}
    theirs = {concept.uri: concept.label for _, concepts in schema.lists() for concept in concepts}
    assert theirs == {uri: ours.get(uri) for uri in theirs}
    assert len(theirs) > 300


def test_a_valid_mdto_document_is_a_finding_and_ignored(schema: DiwooSchema) -> None:
    text = f'<Document xmlns="{NAMESPACE}"><MDTO xmlns="{MDTO}"><naam>x</naam></MDTO></Document>'
    assert schema.faults(etree.fromstring(text)) == []
    outcome = mapped(read(text))
    assert outcome.document == {}
    assert outcome.noted == [("metadata.mdto", None)]


# Anything at all: known values, values that are known elsewhere, placeholders, other texts.

CONCEPTS = [concept for source in LISTS for concept in list(source)[:4]]
TEXTS = st.one_of(
    TEXT.map(str.strip).filter(bool),
    st.sampled_from(
        ["PLACEHOLDER_label", "Onbekend", "onbekend", "https://voorbeeld.nl/x", "application/pdf", ".pdf"]
    ),
    st.sampled_from([text for concept in CONCEPTS for text in (concept.uri, concept.label)]),
    st.sampled_from([concept.label.upper() for concept in CONCEPTS]),
)
VALUES = st.builds(Value, st.none() | TEXTS, TEXTS) | st.builds(Value, TEXTS, st.none())
DAYS = st.sampled_from(["2024-04-01", "2024", "gisteren", "PLACEHOLDER_datum"])
MOMENTS = DAYS | st.just("2024-07-01T10:00:00+02:00") | TEXTS
HANDLINGS = st.builds(Handling, st.none() | VALUES, MOMENTS, st.none() | VALUES)
EXTRAS = st.builds(
    Extra,
    st.none() | TEXTS,
    st.none() | TEXTS,
    st.lists(st.builds(ExtraField, TEXTS, st.lists(TEXTS, max_size=2)), min_size=1, max_size=2),
)
BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.just(True),
    "str | None": st.none() | TEXTS,
    "list[str]": st.lists(TEXTS, max_size=2),
    "Value | None": st.none() | VALUES,
    "list[Value]": st.lists(VALUES, max_size=3),
    "list[Handling]": st.lists(HANDLINGS, max_size=3),
    "list[Relation]": st.lists(st.builds(Relation, st.none() | VALUES, VALUES), max_size=2),
    "list[Extra]": st.lists(EXTRAS, max_size=2),
}
BY_NAME = {"creatiedatum": DAYS, "begindatum": MOMENTS, "einddatum": MOMENTS}
GIVEN = st.builds(
    GivenMetadata,
    **{name: BY_NAME.get(name, BY_TYPE[kind]) for name, kind in GivenMetadata.__annotations__.items()},
)


def texts(value: object) -> Iterator[str]:
    """Yield all texts in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)
    elif isinstance(value, Struct):
        yield from texts(structs.astuple(value))


def told(outcome: Outcome) -> list[str]:
    """Return all texts of the record and of the findings."""
    record = json_value(outcome.record)
    for name in ("standaardwaarden", "bevindingen"):
        record["herkomst"].pop(name, None)
    return [*texts(record), *(finding.seen for finding in outcome.findings if finding.seen)]


def is_part_of_one(text: str, said: Sequence[str]) -> bool:
    """Return whether one of *said* has the text, as given or with its white space collapsed."""
    collapsed = " ".join(text.split())
    return any(text in one or collapsed in one for one in said)


@given(GIVEN, st.none() | st.integers(1, 17).map(category_of_index))
def test_whatever_is_given_is_in_the_record_or_in_a_finding(given: GivenMetadata, index: Any) -> None:
    before = list(texts(given))
    outcome = completed(given, index=index)
    said = told(outcome)
    known = {normal_label(text) for text in said}
    lost = [text for text in before if normal_label(text) not in known and not is_part_of_one(text, said)]
    assert lost == []
