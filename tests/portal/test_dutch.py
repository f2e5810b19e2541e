"""The analysis in Python makes the tokens that a real Elasticsearch makes."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch

from tests.portal.analysis import Analysis
from tests.portal.word_lists import SPACES, words
from woo_harvester.outputs.definition import WOO, definition
from woo_portal.dutch import PieceCache, analyzer, normalized, pieces

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
            if theirs != sorted(analyzer(name).tokens("\n".join(part))):
                pytest.fail(f"{name}: {[word for word in part if differs(analysis, name, word)] or part}")


def differs(analysis: Analysis, name: str, word: str) -> bool:
    return sorted(analysis.tokens(name, word)) != sorted(analyzer(name).tokens(word))


@pytest.mark.integration
@pytest.mark.parametrize(
    "text", [*SPACES, "x" * 300, "x" * 255 + "y" * 255 + ".z", "a." * 200, "ab_" * 120 + " c", "é." * 300]
)
def test_spaces_and_long_words_split_as_in_elasticsearch(analysis: Analysis, text: str) -> None:
    expected = analysis.tokens("exact", text)
    assert analyzer("exact").tokens(text) == expected
    cache = PieceCache("exact")
    assert " ".join(filter(None, map(cache.__getitem__, pieces(text)))).split(" ") == expected


@pytest.mark.integration
@pytest.mark.usefixtures("analysis")
def test_titles_sort_as_in_elasticsearch(elasticsearch: Elasticsearch, alias: str) -> None:
    for text in ("Één Àpart ﬁguur", "İstanbul \u039f\u0394\u039f\u03a3", "~$1 \\1"):
        answer = elasticsearch.indices.analyze(index=f"{alias}-v1", normalizer="volgorde", text=text)
        assert normalized(text) == answer["tokens"][0]["token"]


def test_a_piece_gives_the_tokens_of_its_words() -> None:
    cache = PieceCache("stam")
    assert cache["(e-mails,"] == "e mail"
    assert cache["de"] == ""
    assert dict(cache) == {"(e-mails,": "e mail", "de": ""}


@pytest.mark.parametrize("name", ["exact", "stam", "delen"])
def test_a_number_is_its_own_token_as_all_filters_would_give(name: str) -> None:
    for number in ("0", "007", "2024", "12345678901234567890", "1" * 255):
        assert analyzer(name).word(number) == analyzer(name)._word(number) == (number,)
    assert analyzer(name).word("٣") == analyzer(name)._word("٣")


def test_a_long_piece_is_not_kept() -> None:
    cache = PieceCache("exact")
    assert cache["x" * 100] == "x" * 100
    assert not cache


def test_the_cache_of_pieces_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woo_portal.dutch._CACHED_PIECES", 10)
    cache = PieceCache("exact")
    for number in range(25):
        assert cache[f"w{number}"] == f"w{number}"
    assert len(cache) == 5


def test_a_narrow_space_does_not_end_a_piece() -> None:
    assert pieces("kost 1\u202f000 euro") == ["kost", "1\u202f000", "euro"]


def test_compounds_are_found_by_their_parts() -> None:
    assert {"stikstof", "besluit"} <= set(analyzer("delen").tokens("stikstofbesluit"))
    assert "rad" not in analyzer("delen").tokens("draadloos")
