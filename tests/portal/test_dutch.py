"""The analysis in Python makes the tokens that a real Elasticsearch makes."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time
from unicodedata import category, normalize

import pytest
from elasticsearch import Elasticsearch

from tests.portal.analysis import Analysis
from tests.portal.word_lists import SPACES, words
from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import definition
from woo_portal.dutch import (
    MAX_LENGTH,
    CharFilter,
    Token,
    Tokens,
    TokensOfPieces,
    analyzer,
    cleaned,
    fold,
    lower,
    make_filter,
    normalized,
    pieces,
    spans,
    tokens_of,
)
from woo_portal.dutch import words as words_in

ANALYZERS = ("stam", "exact", "delen")


@pytest.fixture
def analysis(elasticsearch: Elasticsearch, alias: str) -> Analysis:
    made = definition(WOO)
    made["settings"]["index"]["analyze.max_token_count"] = 100_000
    return Analysis(elasticsearch, f"{alias}-v1", made)


@pytest.mark.integration
def test_the_tokens_of_each_word_are_those_of_elasticsearch(analysis: Analysis) -> None:
    given = words()
    assert len(given) > 10_000
    for name in ANALYZERS:
        for start in range(0, len(given), 200):
            part = given[start : start + 200]
            theirs = sorted(analysis.tokens(name, " \n ".join(part)))
            if theirs != sorted(analyzer(name).tokens(" \n ".join(part))):
                pytest.fail(f"{name}: {[word for word in part if differs(analysis, name, word)] or part}")


def differs(analysis: Analysis, name: str, word: str) -> bool:
    return sorted(analysis.tokens(name, word)) != sorted(analyzer(name).tokens(word))


@pytest.mark.integration
def test_spaces_and_long_words_split_as_in_elasticsearch(analysis: Analysis) -> None:
    long = ("x" * 300, "x" * 255 + "y" * 255 + ".z", "a." * 200, "ab_" * 120 + " c", "é." * 300)
    for text in (*SPACES, *long):
        expected = analysis.tokens("exact", text)
        assert analyzer("exact").tokens(text) == expected, text
        assert [each for each in tokens_of(text).exact.split(" ") if each] == expected, text


@pytest.mark.integration
@pytest.mark.usefixtures("analysis")
def test_titles_sort_as_in_elasticsearch(elasticsearch: Elasticsearch, alias: str) -> None:
    for text in (
        "Één Àpart ﬁguur",
        "İstanbul \u039f\u0394\u039f\u03a3",
        "~$1 \\1",
        "\ufeffCafe\u0301 re\u00adu\u0308nie",
    ):
        answer = elasticsearch.indices.analyze(index=f"{alias}-v1", normalizer="volgorde", text=text)
        assert normalized(text) == answer["tokens"][0]["token"]


def test_the_signs_that_nobody_sees_and_all_letters_with_accents_are_cleaned() -> None:
    analysis = definition(WOO)["settings"]["analysis"]
    for each in (*analysis["analyzer"].values(), *analysis["normalizer"].values()):
        assert each["char_filter"] == [*analysis["char_filter"]]
    for number in range(0x10000):
        letter = chr(number)
        apart = normalize("NFD", letter)
        is_hangul = 0xAC00 <= number <= 0xD7A3  # eleven thousand of them
        if letter.isalpha() and apart != letter and normalize("NFC", apart) == letter and not is_hangul:
            assert cleaned(f"a{apart}b") == f"a{letter}b", hex(number)
        elif category(letter) == "Cf":
            assert cleaned(f"a{letter}b") == "ab", hex(number)


def test_a_filter_of_characters_takes_the_longest_text_at_each_place() -> None:
    clean = CharFilter(
        [
            "e\u0302=>ê",
            "e\u0302\u0301=>ế",
            "ê\u0301=>ế",
            "\u00ad=>",
            r"\u00ad\n=>".replace("\\u00ad", "\u00ad"),
        ]
    )
    assert clean("e\u0302\u0301 e\u0302 ê\u0301 e\u0301") == "ế ê ế e\u0301"
    assert clean("be\u00ad\nstem\u00adming\n\u00ad e\u00ad\u0302") == "bestemming\n e\u0302"
    assert clean("plain é ê") == "plain é ê"


def test_a_piece_gives_the_tokens_of_its_words() -> None:
    found = TokensOfPieces()
    assert found["(e-mails,"] == Tokens("e mails", "e mail", "")
    assert found["de"] == Tokens("de", "", "")
    assert found["Stikstofbesluiten"].stems == "stikstofbesluit"
    assert set(found["Stikstofbesluiten"].parts.split()) >= {"stikstof", "besluit"}
    assert list(found) == ["(e-mails,", "de", "Stikstofbesluiten"]


def test_a_text_gives_the_tokens_of_its_pieces_and_each_part_once() -> None:
    found = tokens_of("Windmolenpark  en windmolenparken\n")
    assert found.exact.split() == ["windmolenpark", "en", "windmolenparken"]
    assert found.stems.split() == ["windmolenpark", "windmolenpark"]
    assert sorted(set(found.parts.split())) == sorted(found.parts.split())
    assert tokens_of("") == tokens_of(" ") == Tokens("", "", "")


def test_the_parts_are_what_the_analyzer_adds_to_the_stems() -> None:
    for word in words():
        stems, parts = set(analyzer("stam").tokens(word)), set(analyzer("delen").tokens(word))
        found = tokens_of(word)
        assert (set(found.stems.split()), set(found.parts.split()) - stems) == (stems, parts - stems)


def test_the_digits_of_a_piece_are_those_of_its_tokens() -> None:
    for form in [
        *("{}", "Z{}-{}", "{}pdf", "{}vergunningen", "vergunningen{}", "€{},{}.", "{}e"),
        *("nl/wegen/{}.", "{}'s", "½{}", "⁰{}", "٣{}"),
    ]:
        for number in ("1", "20", "2024", "00123", "9876543210", "1" * 300):
            piece = form.replace("{}", number)
            alone = [" ".join(analyzer(name).tokens(piece)) for name in ("exact", "stam")]
            found = TokensOfPieces()[piece]
            assert [found.exact, found.stems] == alone, form
            assert {*found.stems.split(), *found.parts.split()} >= set(analyzer("delen").tokens(piece)), form


def test_a_long_piece_or_number_is_not_kept() -> None:
    found = TokensOfPieces()
    assert found["x" * 100].exact == "x" * 100
    assert found["Z2024-00123"].exact == "z2024 00123"
    assert list(found) == ["Z0000-00000"]


def test_the_cache_of_pieces_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_portal.dutch._CACHED_PIECES", 10)
    found = TokensOfPieces()
    for number in range(25):
        word = "w" + chr(ord("a") + number)
        assert found[word].exact == word
    assert len(found) == 5


def test_a_narrow_space_does_not_end_a_piece() -> None:
    assert pieces("kost\t1\u202f000  euro\ue000\x85") == ["kost", "1\u202f000", "euro\ue000"]


def test_compounds_are_found_by_their_parts() -> None:
    assert {"stikstof", "besluit"} <= set(analyzer("delen").tokens("stikstofbesluit"))
    assert "rad" not in analyzer("delen").tokens("draadloos")


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


def test_each_filter_does_as_it_is_defined_and_another_is_refused() -> None:
    stop, pattern = {"type": "stop"}, {"type": "pattern_replace", "pattern": "(a)", "replacement": "$1x"}
    cases: list[tuple[dict[str, object], str, list[str]]] = [
        ({**stop, "stopwords": "de,het"}, "de raad het", ["raad"]),
        ({**stop, "stopwords": "_dutch_"}, "de raad het", ["raad"]),
        ({**pattern}, "aa", ["axax"]),
        ({**pattern, "all": False}, "aa", ["axa"]),
    ]
    for given, text, expected in cases:
        assert texts("f", {"f": given}, *text.split()) == expected, given
    with pytest.raises(ValueError, match=r"expected a filter of a known type, got synonym \(f\)"):
        make_filter("f", {"f": {"type": "synonym"}})
    with pytest.raises(ValueError, match="the filter f is not understood"):
        make_filter("f", {"f": {**stop, "stopwords": [], "ignore_case": True}})


def test_a_stem_that_is_given_is_not_stemmed_again() -> None:
    override = make_filter("f", {"f": {"type": "stemmer_override", "rules": ["brieven=>brieven"]}})
    stem = make_filter("s", {"s": {"type": "stemmer", "language": "dutch"}})
    assert stem(override([Token("brieven"), Token("katten")])) == [
        Token("brieven", is_final=True),
        Token("kat"),
    ]


def test_letters_become_lower_case_one_by_one() -> None:
    assert lower("\u0130\u039f\u03a3") == "i\u03bf\u03c3"
    assert fold("coördinatie ﬁ ß") == "coordinatie fi ss"


def test_a_text_is_split_into_words() -> None:
    for text, expected in [
        ("De raad, 1.234,56 euro", ["De", "raad", "1.234,56", "euro"]),
        ("it's a_b www.x.nl/a?b=c", ["it's", "a_b", "www.x.nl", "a", "b", "c"]),
        ("’s-Gravenhage één", ["s", "Gravenhage", "één"]),
        ("👩\u200d🚀 1️⃣ 🇳🇱🇧🇪", ["👩\u200d🚀", "1️⃣", "🇳🇱", "🇧🇪"]),
        ("東京 カタカナ", ["東", "京", "カタカナ"]),
        ("", []),
        ("____ -- ...", []),
    ]:
        assert words_in(text) == expected, text
        assert [text[start:end] for start, end in spans(text)] == expected, text


def test_a_long_word_is_cut() -> None:
    assert [len(word) for word in words_in("x" * (2 * MAX_LENGTH + 1))] == [MAX_LENGTH, MAX_LENGTH, 1]
    assert words_in("é" * 256) == ["é" * 255, "é"]


def test_time_grows_with_the_length_of_a_line_only() -> None:
    def seconds(unit: str, count: int) -> float:
        started = process_time()
        words_in(unit * count)
        return process_time() - started

    for unit in ("_", "a.", "1,", "a_", "'", "\u200d", "👍\u200d\u200d", 'א"', "_\u0301", "é_"):
        words_in(unit)
        assert seconds(unit, 20_000) < 40 * seconds(unit, 2_000) + 0.1, unit
