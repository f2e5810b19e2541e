"""The element that a misspelt name stands for."""

from __future__ import annotations

import pytest

from woo_harvester.diwoo.given import ELEMENTS, meant_element, meant_elements


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("creatieDatum", "creatiedatum"),
        ("CreatieDatum", "creatiedatum"),
        ("creatie_datum", "creatiedatum"),
        ("officieletitel", "officieleTitel"),
        ("officieleTittel", "officieleTitel"),
        ("informatiecategorien", "informatiecategorieen"),
        ("publischer", "publisher"),
        ("wijk", None),
        ("zaaknummer", None),
        ("x" * 100_000, None),
        ("", None),
    ],
)
def test_a_name_that_is_nearly_that_of_an_element_stands_for_it(name: str, meant: str | None) -> None:
    assert meant_element(name) == meant


def test_a_name_of_an_element_stands_for_no_other() -> None:
    assert [name for name in ELEMENTS if meant_element(name)] == []


def test_several_names_stand_for_several_elements() -> None:
    assert meant_elements(["creatieDatum", "wijk", "Publisher"]) == {"creatiedatum", "publisher"}
