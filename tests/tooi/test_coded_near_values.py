"""The value of a list that a misspelt label stands for."""

from __future__ import annotations

from woo_harvester.tooi import documentsoorten, informatiecategorieen, organisaties
from woo_harvester.tooi.coded import nearest_value
from woo_harvester.tooi.values import Concept, ValueList


def test_a_label_near_that_of_a_value_stands_for_it() -> None:
    for values, label, meant in [
        (informatiecategorieen(), "WOO verzoek", "Woo-verzoeken en -besluiten"),
        (informatiecategorieen(), "convenant", "convenanten"),
        (documentsoorten(), "WOO verzoek", "Wob-/Woo-verzoek"),
        (organisaties(), "Gemeente Amsterdm", "gemeente Amsterdam"),
        (organisaties(), "Amsterdm", "gemeente Amsterdam"),
        (organisaties(), "Bureau voor Wat Nergens Is", None),
        (organisaties(), "gemeente Amsterdam", None),
        (organisaties(), "", None),
        (organisaties(), "--", None),
        (organisaties(), "gemeente " * 10_000, None),
    ]:
        found = nearest_value(values, label)
        assert (None if found is None else found.label) == meant, (values, label)


def test_the_beginning_of_several_labels_stands_for_none_of_them() -> None:
    values = ValueList(
        "x", [Concept("urn:1", "besluit tot vaststelling"), Concept("urn:2", "besluit tot intrekking")]
    )
    assert nearest_value(values, "besluit") is None
    assert nearest_value(values, "besluit tot i") == Concept("urn:2", "besluit tot intrekking")


def test_the_value_for_unknown_is_never_meant() -> None:
    unknown = Concept("urn:onbekend", "onbekend")
    values = ValueList("x", [Concept("urn:1", "besluit"), unknown], unknown)
    assert nearest_value(values, "onbekendd") is None
