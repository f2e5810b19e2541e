from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.portal.asked import asked, records
from tests.portal.suite_questions import text
from tests.portal.suite_records import TOOI, embedded
from woo_portal import names
from woo_portal.engine import Engine
from woo_portal.question import Clause, clauses_of
from woo_portal.ways_on import FEW, ways_on

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


def best_is_shown(engine: Engine, question: str, best: str) -> tuple[bool, bool]:
    """Return whether the best answer is among the first three, and whether the page has any way on."""
    asked = text(question)
    answer = engine.search(asked)
    further = ways_on(engine, asked, answer.hits) if answer.total < FEW else None
    shown = [*answer.hits, *(further.hits if further else ())]
    has_way = bool(shown) or (further is not None and any(number for _, number in further.words))
    return best in [hit.document["id"] for hit in shown[:3]], has_way


def test_most_questions_have_the_best_answer_first_and_all_have_a_way_on(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with embedded(tmp_path_factory.mktemp("asked"), [*records()]) as engine:
        found = [(each, *best_is_shown(engine, *each)) for each in asked()]
    assert len(found) == 165
    assert [each for each, _, has_way in found if not has_way] == []
    assert len([each for each, is_shown, _ in found if is_shown]) >= 160


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
