from __future__ import annotations

from time import process_time

from woo_portal.dutch import MAX_LENGTH, spans, words


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
        assert words(text) == expected, text
        assert [text[start:end] for start, end in spans(text)] == expected, text


def test_a_long_word_is_cut() -> None:
    assert [len(word) for word in words("x" * (2 * MAX_LENGTH + 1))] == [MAX_LENGTH, MAX_LENGTH, 1]
    assert words("é" * 256) == ["é" * 255, "é"]


def test_time_grows_with_the_length_of_a_line_only() -> None:
    def seconds(unit: str, count: int) -> float:
        started = process_time()
        words(unit * count)
        return process_time() - started

    for unit in ("_", "a.", "1,", "a_", "'", "\u200d", "👍\u200d\u200d", 'א"', "_\u0301", "é_"):
        words(unit)
        assert seconds(unit, 20_000) < 40 * seconds(unit, 2_000) + 0.1, unit
