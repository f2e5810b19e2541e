from __future__ import annotations

import pytest

from tests.register.exports import AMSTERDAM, TOOI, UTRECHT, organisation, read
from woo_harvester.register.names import find_organisations

PROVINCE = f"{TOOI}provincie/pv26"
REGISTER = read(
    organisation("Amsterdam", "https://a.nl/", id="10", uri=AMSTERDAM),
    organisation("Utrecht", "https://u.nl/", id="11", uri=UTRECHT),
    organisation("provincie Utrecht", "https://p.nl/", id="12", uri=PROVINCE),
    organisation("Economische Zaken, Landbouw", "https://e.nl/", id="13"),
    organisation("Directie", "https://d.nl/", id="14"),
    organisation("Directie", "https://f.nl/", id="15"),
)


def names(given: str) -> list[str]:
    return [found.name for found in find_organisations(REGISTER, given)]


def test_organisations_are_named_in_any_letter_case() -> None:
    for given, found in [
        ("gm0363", ["Amsterdam"]),
        ("GM0363, 11", ["Amsterdam", "Utrecht"]),
        (AMSTERDAM, ["Amsterdam"]),
        ("amsterdam", ["Amsterdam"]),
        ("Gemeente Amsterdam", ["Amsterdam"]),
        ("gemeente utrecht", ["Utrecht"]),
        ("amsterdam,gm0363,10,", ["Amsterdam"]),
        ("amsterdam,economische zaken, landbouw", ["Amsterdam", "Economische Zaken, Landbouw"]),
        ("economische zaken,landbouw", ["Economische Zaken, Landbouw"]),
        ("Provincie", ["provincie Utrecht"]),
        ("provincie,13", ["provincie Utrecht", "Economische Zaken, Landbouw"]),
    ]:
        assert names(given) == found, given


def test_a_kind_stands_for_all_of_that_kind() -> None:
    assert len(names("gemeente")) == 6, "the kind in the register counts, and that in the URI"


def test_a_name_that_is_none_or_several_is_one_line() -> None:
    for given, line in [
        ("Amsterdm", r"no organisation 'Amsterdm' in the register: did you mean Amsterdam \(gm0363\)\?"),
        ("gm0363,provinci", r"no organisation 'provinci' in the register: did you mean .*provincie"),
        (
            "xyz",
            "no organisation 'xyz' in the register: expected TOOI URI, its code, systeemId, name, or a kind",
        ),
        (
            "directie",
            r"'directie' is the name of 2 organisations; choose one of 14 \(Directie\), 15 \(Directie\)",
        ),
        (" , ", "expected TOOI URI, its code, systeemId, name, or a kind such as waterschap"),
        ("Directie", "'Directie' is the name of 2 organisations; choose one of 14, 15"),
    ]:
        with pytest.raises(ValueError, match=f"^{line}") as caught:
            find_organisations(REGISTER, given)
        assert "\n" not in str(caught.value), given
