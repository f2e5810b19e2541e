"""Words of texts, and the forms by which they find each other."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time

from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import definition
from woo_portal.dutch import (
    Tokens,
    analyzer,
    cleaned,
    fold,
    make_filter,
    normalized,
    spans,
    tokens_of,
    tokens_of_piece,
)
from woo_portal.dutch import words as words_in


def test_a_text_is_split_into_words() -> None:
    for text, expected in [
        ("De raad, 1.234,56 euro", ["De", "raad", "1.234,56", "euro"]),
        ("foto's a_b www.x.nl/a?b=c", ["foto's", "a", "b", "www", "x", "nl", "a", "b", "c"]),
        ("’s-Gravenhage één Z2024-001", ["s", "Gravenhage", "één", "Z2024", "001"]),
        ("____ -- ...", []),
        ("x" * 300, ["x" * 255, "x" * 45]),
        ("", []),
    ]:
        assert words_in(text) == expected, text
        assert [text[start:end] for start, end in spans(text)] == expected, text


def test_time_grows_with_the_length_of_a_line_only() -> None:
    def seconds(unit: str, count: int) -> float:
        started = process_time()
        words_in(unit * count)
        return process_time() - started

    for unit in ("_", "a.", "1,", "1", "a'", "'"):
        assert seconds(unit, 20_000) < 40 * seconds(unit, 2_000) + 0.1, unit


def test_signs_that_nobody_sees_are_left_out_and_accents_are_composed() -> None:
    analysis = definition(WOO)["settings"]["analysis"]
    for each in (*analysis["analyzer"].values(), *analysis["normalizer"].values()):
        assert each["char_filter"] == [*analysis["char_filter"]]
    for text, expected in [
        ("plain é", "plain é"),
        ("e\u0302\u0301", "ế"),
        ("be\u00ad\nstem\u00adming\n", "bestemming\n"),
        ("\ufeffa\u200bb\u200d", "ab"),
    ]:
        assert cleaned(text) == expected, text


def test_letters_lose_their_accents() -> None:
    assert fold("coördinatie ﬁ ß ’s") == "coordinatie fi ss 's"
    assert normalized("Één Àpart ﬁguur") == "een apart figuur"


def test_a_text_gives_the_tokens_of_its_words_and_each_part_once() -> None:
    assert tokens_of_piece("(e-mails,") == Tokens("e mails", "e mail", "")
    assert tokens_of_piece("de") == Tokens("de", "", "")
    found = tokens_of("Windmolenpark  en windmolenparken\n")
    assert found.exact.split() == ["windmolenpark", "en", "windmolenparken"]
    assert found.stems.split() == ["windmolenpark", "windmolenpark"]
    assert sorted(set(found.parts.split())) == sorted(found.parts.split())
    assert {"wind", "park"} & set(found.parts.split())
    assert tokens_of("") == tokens_of(" ") == Tokens("", "", "")
    assert tokens_of("12.5 2024") == Tokens("12.5 2024", "12.5 2024", "")


def test_digits_stay_as_they_are_among_letters() -> None:
    for piece, exact, stems in [
        ("Z2024-00123", "z2024 00123", "z2024 00123"),
        ("besluiten7-2.pdf", "besluiten7 2 pdf", "besluiten7 2 pdf"),
        ("0m²5", "0m25", "0m25"),
        ("m⁰5/10%s", "m05 10 s", "m05 10 s"),
        ("3e/4e", "3e 4e", "3e 4e"),
    ]:
        assert tokens_of_piece(piece)[:2] == (exact, stems), piece


def test_compounds_are_found_by_their_parts() -> None:
    assert {"stikstof", "besluit"} <= set(analyzer("delen").tokens("stikstofbesluit"))
    assert "rad" not in analyzer("delen").tokens("draadloos")


def texts(name: str, defined: Mapping[str, Mapping[str, object]], *tokens: str) -> list[str]:
    return [*make_filter(name, defined)(tokens)]


def test_each_filter_does_as_it_is_defined() -> None:
    stop, pattern = {"type": "stop"}, {"type": "pattern_replace", "pattern": "(a)", "replacement": "$1x"}
    known = ["~water", "~waterschap", "schap"]
    parts: dict[str, object] = {"type": "dictionary_decompounder", "word_list": known, "min_subword_size": 4}
    cases: list[tuple[dict[str, object], str, list[str]]] = [
        ({**stop, "stopwords": "de,het"}, "de raad het", ["raad"]),
        ({**stop, "stopwords": "_dutch_"}, "de raad het", ["raad"]),
        ({**pattern}, "aa", ["axax"]),
        ({**pattern, "all": False}, "aa", ["axa"]),
        (parts, "~waterschap~", ["~waterschap~", "~water", "~waterschap", "schap"]),
        ({**parts, "only_longest_match": True}, "~waterschap~", ["~waterschap~", "~waterschap", "schap"]),
        ({**parts, "min_word_size": 20}, "~waterschap~", ["~waterschap~"]),
    ]
    for given, text, expected in cases:
        assert texts("f", {"f": given}, *text.split()) == expected, given
