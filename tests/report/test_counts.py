"""The table of counts."""

from __future__ import annotations

from woo_harvester.report.counts import shown_in
from woo_harvester.report.html.texts import Texts


def test_each_count_on_a_page_has_a_word_there() -> None:
    for name, label in shown_in("page"):
        for lang in ("nl", "en"):
            assert Texts(lang)(
                label if (name, label) in shown_in("page", of_cases=True) else f"legend_{label}"
            )


def test_a_count_shows_where_the_table_says() -> None:
    assert dict(shown_in("metric"))["not_harvested"] == "lost"
    assert [name for name, _ in shown_in("progress", of_cases=False)] == ["unchanged"]
