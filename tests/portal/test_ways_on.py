from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.portal_questions import ask_all
from tests.portal.suite_records import TOOI
from woo_portal import names
from woo_portal.question import Clause, clauses_of

VWS, BERGEN = f"{TOOI}/id/ministerie/mnre1025", f"{TOOI}/id/gemeente/gm0373"
#: What the register says of some organisations.
REGISTERED = [
    (VWS, "Volksgezondheid, Welzijn en Sport", "VWS"),
    (f"{TOOI}/id/ministerie/mnre1034", "Binnenlandse Zaken en Koninkrijksrelaties", "BZK"),
    (f"{TOOI}/id/ministerie/mnre1130", "Infrastructuur en Waterstaat", "IenW"),
    (f"{TOOI}/id/zbo/zb000117", "Uitvoeringsinstituut Werknemersverzekeringen", "UWV"),
    (f"{TOOI}/id/zbo/zb000193", "Centraal Bureau voor de Statistiek", "CBS"),
    (f"{TOOI}/id/oorg/oorg10102", "Nederlandse Voedsel- en Warenautoriteit", "NVWA"),
    (None, "Zonder URI", "ZU"),
]


@pytest.fixture(autouse=True)
def register() -> Iterator[None]:
    """The abbreviations of the register, for as long as a test."""
    names.learn(REGISTERED)
    yield
    names.learn(())


def test_most_questions_have_the_best_answer_first_and_all_have_a_way_on(tmp_path: Path) -> None:
    found = ask_all(tmp_path)
    assert len(found) == 165
    assert [each for each in found if not each.has_way] == []
    assert sum(each.has_best for each in found) >= 160


def test_a_name_has_other_names_and_those_with_spaces_are_one_word() -> None:
    for given, expected in [
        ("VWS", [Clause("VWS", others=("ministerie van Volksgezondheid, Welzijn en Sport",))]),
        (
            "Den  Haag den haag",
            [Clause("Den", others=()), Clause("Haag"), Clause("den haag", others=("'s-gravenhage",))],
        ),
        ("ozb", [Clause("ozb", others=("onroerendezaakbelasting",))]),
        ("den boschplein", [Clause("den"), Clause("boschplein")]),
        ("ZU", [Clause("ZU")]),
    ]:
        assert clauses_of(given) == tuple(expected), given


def test_an_organisation_is_named_with_or_without_its_kind_or_abbreviated() -> None:
    for given, expected in [
        ("vws", {VWS}),
        ("Gemeente  Bergen", {BERGEN, f"{TOOI}/id/gemeente/gm0893"}),
        ("bergen (nh)", {BERGEN}),
        ("gemeente bergen verkeersbesluit", set()),
        ("", set()),
    ]:
        assert {*names.organisations_named(given)} == expected, given
