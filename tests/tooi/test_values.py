"""Waardelijsten: from URI to label and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.tooi import Concept, ValueList, normal_label


def test_a_concept_is_found_by_uri_and_by_label() -> None:
    advies = Concept("https://a.nl/1", "advies")
    values = ValueList("soorten", [advies, Concept("https://a.nl/2", "brief")])

    assert values.by_uri("https://a.nl/1") is advies
    assert values["https://a.nl/1"] is advies
    assert values.by_label(" ADVIES ") is advies
    assert values.by_uri("https://a.nl/3") is None
    assert values.by_label("raadsel") is None
    assert (next(iter(values)), len(values), repr(values)) == (advies, 2, "<ValueList soorten: 2 values>")


def test_a_uri_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        ValueList("leeg", [])["https://a.nl/1"]


def test_a_label_of_two_or_more_concepts_is_none_of_them() -> None:
    values = ValueList("soorten", [Concept(f"https://a.nl/{number}", "brief") for number in range(3)])

    assert values.by_label("brief") is None
    assert values.by_uri("https://a.nl/2") == Concept("https://a.nl/2", "brief")


def test_a_uri_of_the_eu_may_begin_with_https() -> None:
    pdf = Concept("http://publications.europa.eu/resource/authority/file-type/PDF", "PDF")

    assert ValueList("typen", [pdf]).by_uri(pdf.uri.replace("http:", "https:")) is pdf


def test_other_uris_must_be_exact() -> None:
    values = ValueList("soorten", [Concept("https://a.nl/1", "advies")])

    assert values.by_uri("http://a.nl/1") is None
    assert values.by_uri("https://a.nl/1/") is None


@given(
    st.text("abéĳ's-", min_size=1),
    st.sampled_from(["'", "’", "‘", "`", "\u00b4"]),
    st.sampled_from([" ", "\n", "\u00a0\t"]),
)
def test_a_label_is_found_in_other_case_spacing_and_apostrophes(
    name: str, apostrophe: str, space: str
) -> None:
    concept = Concept("https://a.nl/1", f"de {name} nota's")

    written = f"{space}DE {name.upper()}{space}nota's".replace("'", apostrophe).replace(" ", space * 2)

    assert ValueList("soorten", [concept]).by_label(written) is concept


@given(st.text())
def test_a_normal_label_has_single_spaces_and_one_kind_of_apostrophe(text: str) -> None:
    label = normal_label(text)

    assert label == " ".join(label.split())
    assert not set(label) & set("’‘`\u00b4")
