from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import characters, text

from woo_harvester.kinds import PERMITS, WOO
from woo_portal.question import (
    MAX_CLAUSES,
    MAX_TEXT,
    Clause,
    QuestionError,
    chosen_label,
    chosen_value,
    clauses_of,
    spellings,
    text_of,
)

TOOI = "https://identifier.overheid.nl/tooi"
UTRECHT = f"{TOOI}/id/gemeente/gm0344"

WORD = Clause("stikstof")
PHRASE = Clause("natuur en milieu", is_phrase=True)


def test_a_word_is_searched_in_each_way_to_write_it() -> None:
    for clause, expected in [
        (Clause("Woo-besluit"), ["Woo-besluit", "Woobesluit", "woo besluit", "wob besluit"]),
        (Clause("wobverzoeken"), ["wobverzoeken", "woo verzoeken", "wob verzoeken"]),
        (Clause("Z2024-00123"), ["Z2024-00123", "Z202400123"]),
        (Clause("Woo-besluit", is_phrase=True), ["Woo-besluit"]),
        (Clause("woonwijk"), ["woonwijk"]),
        (Clause("woo"), ["woo"]),
        (Clause("VWS", others=("ministerie",)), ["VWS", "ministerie"]),
        (Clause("12-3-2024"), ["12-3-2024", "1232024", "12 maart 2024"]),
        (Clause("31-2-2024"), ["31-2-2024", "3122024"]),
    ]:
        assert spellings(clause) == expected, clause


def test_a_label_of_the_lists_is_its_uri_and_back() -> None:
    for kind, facet, label, value in [
        (WOO, "organisatie", "gemeente Utrecht", UTRECHT),
        (WOO, "publisher", "gemeente Utrecht", UTRECHT),
        (WOO, "informatiecategorie", "adviezen", f"{TOOI}/def/thes/kern/c_99a836c7"),
        (PERMITS, "gemeente", "gemeente Utrecht", UTRECHT),
    ]:
        assert chosen_value(kind, facet, label) == value, (kind, facet)
        assert chosen_label(kind, facet, value) == label, (kind, facet)


def test_what_the_lists_do_not_have_is_its_own_value_and_label() -> None:
    for kind, facet in [(WOO, "organisatie"), (WOO, "thema"), (PERMITS, "fase")]:
        assert chosen_value(kind, facet, "Iets eigens") == "Iets eigens", (kind, facet)
        assert chosen_label(kind, facet, "https://a.nl/x") == "https://a.nl/x", (kind, facet)


def test_a_municipality_of_permits_is_known_without_its_kind() -> None:
    assert chosen_value(PERMITS, "gemeente", "Utrecht") == UTRECHT


# The text of a question as clauses.
def test_a_text_has_these_clauses() -> None:
    for given_text, expected in [
        ("", ()),
        ("  \t\n ", ()),
        ("stikstof", (WORD,)),
        ('stikstof "natuur en milieu"', (WORD, PHRASE)),
        ("stikstof „natuur  en milieu”", (WORD, PHRASE)),
        ("stikstof «natuur en milieu", (WORD, PHRASE)),
        ('stikstof"natuur en milieu"', (WORD, PHRASE)),
        ("stikstof stikstof", (WORD,)),
        ("-stikstof", (Clause("stikstof", is_excluded=True),)),
        ("--stikstof", (Clause("stikstof", is_excluded=True),)),
        ('-"natuur en milieu"', (Clause("natuur en milieu", is_phrase=True, is_excluded=True),)),
        ("covid-19", (Clause("covid-19"),)),
        ("- stikstof -", (WORD,)),
        ('"" " " "', ()),
        ("stikstof OR (water)", (WORD, Clause("OR"), Clause("(water)"))),
        ("stik\u00adstof", (WORD,)),
        ("\u202estikstof\u202c", (WORD,)),
        ("stikstof\u2028water\u00a0", (WORD, Clause("water"))),
        ("e\u0301e\u0301n", (Clause("één"),)),
    ]:
        assert clauses_of(given_text) == expected, given_text


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [("a" * (MAX_TEXT + 1), str(MAX_TEXT)), (" ".join(map(str, range(MAX_CLAUSES + 1))), str(MAX_CLAUSES))],
)
def test_a_text_beyond_the_bounds_is_refused_in_one_line(given_text: str, expected: str) -> None:
    with pytest.raises(QuestionError, match=expected) as caught:
        clauses_of(given_text)
    assert "\n" not in str(caught.value)


def test_a_broken_text_is_refused() -> None:
    for character in ["\x00", "\x1b", "\x7f", "\x90", "\udcff", chr(0xFFFD)]:
        with pytest.raises(QuestionError, match="niet gelezen"):
            clauses_of(f"stikstof{character}")


def test_a_text_at_the_bounds_is_accepted() -> None:
    assert len(clauses_of(" ".join(map(str, range(MAX_CLAUSES))))) == MAX_CLAUSES
    assert clauses_of("a" * MAX_TEXT) == (Clause("a" * MAX_TEXT),)


@given(text(characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffd"), max_size=60))
def test_the_text_of_clauses_has_the_same_clauses(given_text: str) -> None:
    found = clauses_of(given_text[:30])
    assert clauses_of(text_of(found)) == found
