from __future__ import annotations

from collections.abc import Mapping

import pytest

from woo_portal.dutch import Token, fold, lower, make_filter


def texts(name: str, defined: Mapping[str, Mapping[str, object]], *tokens: str) -> list[str]:
    return [token.text for token in make_filter(name, defined)([Token(text) for text in tokens])]


def test_a_decompounder_adds_the_longest_part_at_each_place() -> None:
    known = ["~water", "~waterschap", "schap"]
    given: dict[str, object] = {"type": "dictionary_decompounder", "word_list": known, "min_subword_size": 4}
    assert texts("f", {"f": {**given, "only_longest_match": True}}, "~waterschap~") == [
        "~waterschap~", "~waterschap", "schap",
    ]  # fmt: skip
    assert texts("f", {"f": given}, "~waterschap~") == ["~waterschap~", "~water", "~waterschap", "schap"]
    assert texts("f", {"f": {**given, "min_word_size": 20}}, "~waterschap~") == ["~waterschap~"]


def test_a_list_of_words_may_be_one_text() -> None:
    assert texts("f", {"f": {"type": "stop", "stopwords": "de,het"}}, "de", "raad", "het") == ["raad"]
    assert texts("f", {"f": {"type": "stop", "stopwords": "_dutch_"}}, "de", "raad", "het") == ["raad"]


def test_a_stem_that_is_given_is_not_stemmed_again() -> None:
    override = make_filter("f", {"f": {"type": "stemmer_override", "rules": ["brieven=>brieven"]}})
    stem = make_filter("s", {"s": {"type": "stemmer", "language": "dutch"}})
    assert stem(override([Token("brieven"), Token("katten")])) == [
        Token("brieven", is_final=True),
        Token("kat"),
    ]


def test_patterns_replace_once_or_everywhere() -> None:
    given: dict[str, object] = {"type": "pattern_replace", "pattern": "(a)", "replacement": "$1x"}
    assert texts("f", {"f": given}, "aa") == ["axax"]
    assert texts("f", {"f": {**given, "all": False}}, "aa") == ["axa"]


def test_a_filter_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a filter of a known type, got synonym \(f\)"):
        make_filter("f", {"f": {"type": "synonym"}})
    with pytest.raises(ValueError, match="the filter f is not understood"):
        make_filter("f", {"f": {"type": "stop", "stopwords": [], "ignore_case": True}})


def test_letters_become_lower_case_one_by_one() -> None:
    assert lower("\u0130\u039f\u03a3") == "i\u03bf\u03c3"
    assert fold("coördinatie ﬁ ß") == "coordinatie fi ss"
