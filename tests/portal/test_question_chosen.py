from __future__ import annotations

import pytest

from woo_harvester.outputs.definition import PERMITS, WOO, RecordKind
from woo_portal.question import chosen_label, chosen_value

TOOI = "https://identifier.overheid.nl/tooi"
UTRECHT = f"{TOOI}/id/gemeente/gm0344"


@pytest.mark.parametrize(
    ("kind", "facet", "label", "value"),
    [
        (WOO, "organisatie", "gemeente Utrecht", UTRECHT),
        (WOO, "publisher", "gemeente Utrecht", UTRECHT),
        (WOO, "informatiecategorie", "adviezen", f"{TOOI}/def/thes/kern/c_99a836c7"),
        (PERMITS, "gemeente", "gemeente Utrecht", UTRECHT),
    ],
)
def test_a_label_of_the_lists_is_its_uri_and_back(
    kind: RecordKind, facet: str, label: str, value: str
) -> None:
    assert chosen_value(kind, facet, label) == value
    assert chosen_label(kind, facet, value) == label


@pytest.mark.parametrize(("kind", "facet"), [(WOO, "organisatie"), (WOO, "thema"), (PERMITS, "fase")])
def test_what_the_lists_do_not_have_is_its_own_value_and_label(kind: RecordKind, facet: str) -> None:
    assert chosen_value(kind, facet, "Iets eigens") == "Iets eigens"
    assert chosen_label(kind, facet, "https://a.nl/x") == "https://a.nl/x"


def test_a_municipality_of_permits_is_known_without_its_kind() -> None:
    assert chosen_value(PERMITS, "gemeente", "Utrecht") == UTRECHT
