"""Waardelijsten: from URI to label and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.tooi.values import Concept, ValueList, normal_label, normal_uri, one_line


def test_a_concept_is_found_by_uri_and_by_label() -> None:
    advies = Concept("https://a.nl/1", "advies")
    values = ValueList("soorten", [advies, Concept("https://a.nl/2", "brief")])

    assert values.by_uri("https://a.nl/1") is advies
    assert values["https://a.nl/1"] is advies
    assert values.by_label(" ADVIES ") is advies
    assert values.by_uri("https://a.nl/3") is None
    assert values.by_label("raadsel") is None
    assert (next(iter(values)), len(values), repr(values)) == (advies, 2, "<ValueList soorten: 2 values>")


def test_a_label_of_two_or_more_concepts_or_of_two_former_ones_is_none_of_them() -> None:
    concepts = [Concept(f"https://a.nl/{number}", "brief") for number in range(3)]
    values = ValueList("soorten", concepts)
    assert values.by_label("brief") is None
    assert values.by_uri("https://a.nl/2") == concepts[2]
    assert ValueList("soorten", [], former=concepts[:2]).by_label("brief") is None
    with pytest.raises(KeyError):
        values["https://a.nl/7"]


def test_a_former_value_stays_known_and_its_label_counts_if_no_other_value_has_it() -> None:
    brief, nota = Concept("https://a.nl/1", "brief"), Concept("https://a.nl/2", "nota")
    former = [Concept("https://a.nl/3", "brief"), Concept("https://a.nl/4", "memo"), nota]
    values = ValueList("soorten", [brief, nota], former=former)

    assert [values.by_uri(concept.uri) for concept in former] == former
    assert [values.by_label(label) for label in ("brief", "nota", "memo")] == [brief, nota, former[1]]


def test_a_uri_of_the_eu_may_begin_with_https() -> None:
    pdf = Concept("http://publications.europa.eu/resource/authority/file-type/PDF", "PDF")

    assert ValueList("typen", [pdf]).by_uri(pdf.uri.replace("http:", "https:")) is pdf


def test_a_uri_in_another_notation_is_similar_and_not_the_same() -> None:
    advies = Concept("https://a.nl/Soort/1", "advies")
    values = ValueList("soorten", [advies, Concept("https://a.nl/Soort/2", "brief")])
    assert values.by_similar_uri(advies.uri) is advies
    for uri in (
        *("http://a.nl/Soort/1", "https://a.nl/Soort/1/", "https://a.nl/Soort/1//", "https://A.NL/Soort/1"),
        "HTTP://a.Nl/Soort/1/",
    ):
        assert (values.by_uri(uri), values.by_similar_uri(uri)) == (None, advies), uri


def test_a_uri_that_differs_in_more_than_notation_is_not_guessed() -> None:
    values = ValueList("soorten", [Concept("https://a.nl/Soort/1", "advies")])
    for uri in (
        *("https://a.nl/soort/1", "https://www.a.nl/Soort/1", "https://a.nl:443/Soort/1"),
        *("https://a.nl/Soort//1", "https://a.nl/Soort/1?", "https://a.nl/Soort/1#1", "ftp://a.nl/Soort/1"),
        *("//a.nl/Soort/1", "a.nl/Soort/1", "https://a.nl", "https://", ""),
    ):
        assert values.by_similar_uri(uri) is None, uri


def test_a_value_is_found_by_the_code_at_the_end_of_its_uri() -> None:
    advies = Concept("https://a.nl/soort/c_1", "advies")
    values = ValueList("soorten", [advies, Concept("https://a.nl/soort/c_2/", "brief")])

    assert values.by_code("c_1") is advies
    assert values.by_code("c_2") == Concept("https://a.nl/soort/c_2/", "brief")
    for other in ("C_1", "c_3", "soort/c_1", "1", ""):
        assert values.by_code(other) is None


def test_a_code_or_notation_of_two_values_is_neither() -> None:
    values = ValueList(
        "soorten",
        [Concept(uri, uri) for uri in ("https://a.nl/kern/1", "https://a.nl/top/1", "http://a.nl/top/1")],
    )

    assert values.by_code("1") is None
    assert values.by_similar_uri("https://A.nl/top/1") is None
    assert values.by_similar_uri("https://A.nl/kern/1") == values["https://a.nl/kern/1"]
    assert values.by_uri("http://a.nl/top/1") == values["http://a.nl/top/1"]


@given(st.text() | st.from_regex(r"\A(?i:https?)://[^/?#]*/\w*/*\Z"))
def test_a_normal_uri_stays_as_it_is(text: str) -> None:
    assert normal_uri(normal_uri(text)) == normal_uri(text)


@given(
    st.text("abéĳ's-", min_size=1),
    st.sampled_from(["'", "’", "‘", "`", "\u00b4"]),
    st.sampled_from([" ", "\n", "\u00a0\t"]),
)
def test_a_label_is_found_in_other_case_and_spacing(name: str, apostrophe: str, space: str) -> None:
    concept = Concept("https://a.nl/1", f"de {name} nota's")

    written = f"{space}DE {name.upper()}{space}nota's".replace("'", apostrophe).replace(" ", space * 2)

    assert ValueList("soorten", [concept]).by_label(written) is concept


#: A line break with indentation, as XML has it; no-break spaces, wide and narrow; other white space.
def test_white_space_becomes_one_space() -> None:
    for white in ["\n      ", "  ", "\t", "\r\n", "\u00a0", "\u202f \u2009", "\u2028", "\u3000"]:
        assert one_line(f"{white}Besluit{white}over{white}water{white}") == "Besluit over water", white
        assert one_line(white) == "", white


@given(st.text())
def test_a_normal_label_has_single_spaces_and_one_kind_of_apostrophe(text: str) -> None:
    label = normal_label(text)

    assert label == " ".join(label.split())
    assert not set(label) & set("’‘`\u00b4")
