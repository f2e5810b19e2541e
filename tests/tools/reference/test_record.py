from __future__ import annotations

from tools.reference.record import meanings, rows
from woo_harvester.permits.record import PermitRecord, Term
from woo_harvester.record import Record, Waarde


def test_every_key_has_a_meaning() -> None:
    found = (*rows(Record), *rows(Waarde), *rows(PermitRecord), *rows(Term))
    assert [key for key, kind, meaning in found if not meaning and kind != "object"] == []


def test_nested_keys_have_their_complete_path() -> None:
    keys = [key for key, _, _ in rows(Record)]
    assert keys[:2] == ["`id`", "`document`"]
    assert "`document.classificatiecollectie.informatiecategorieen[]`" in keys
    assert "`versies[].bestanden[].mime-type`" in keys


def test_the_types_of_values_are_named() -> None:
    kinds = {key.strip("`"): kind for key, kind, _ in rows(Record)}
    assert kinds["document"] == "object"
    assert kinds["document.publisher"] == "waarde"
    assert kinds["document.creatiedatum"] == "date"
    assert kinds["versies[].mutatiedatumtijd"] == "date-time"
    assert kinds["versies[].bestanden[].grootte"] == "number"
    assert kinds["herkomst.standaardwaarden"] == "object of texts"


def test_a_meaning_is_the_text_below_the_field() -> None:
    assert meanings(Waarde)["bronwaarde"].startswith("Text that the publisher gave")
