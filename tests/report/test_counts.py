"""The table of counts."""

from __future__ import annotations

from woo_harvester.permits.account import PermitAccount
from woo_harvester.report.counts import Counts, shown_in
from woo_harvester.report.funnel import Account
from woo_harvester.report.html.texts import Texts


def test_an_account_has_each_count_of_the_table() -> None:
    known = {*dir(Account("www.a.nl")), *dir(PermitAccount("www.a.nl"))}
    assert Counts.model_fields.keys() <= known


def test_each_count_on_a_page_has_a_word_there() -> None:
    for name, label in shown_in("page"):
        for lang in ("nl", "en"):
            assert Texts(lang)(
                label if (name, label) in shown_in("page", of_cases=True) else f"legend_{label}"
            )


def test_a_count_shows_where_the_table_says() -> None:
    assert dict(shown_in("metric"))["not_harvested"] == "lost"
    assert [name for name, _ in shown_in("progress", of_cases=False)] == ["unchanged"]
    assert Counts.of(PermitAccount("www.a.nl", unchanged=2, applied=3, not_asked=1)) == {
        **dict.fromkeys(Counts.model_fields, 0),
        "unchanged": 2,
        "harvested": 5,
        "not_asked": 1,
    }
