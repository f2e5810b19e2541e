"""What a sample says of all documents of a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.runs import about_document, record
from woo_harvester.report.estimates import estimate, estimated_count, percentages, wilson
from woo_harvester.report.funnel import Account
from woo_harvester.report.score import score


def sampled(
    listed: int = 60_000, drawn: int = 300, chosen: int = 100, lost: int = 0, lost_chosen: int = 0
) -> Account:
    """Return the account of a host with a sample, of which so many documents cannot be fetched."""
    account = Account("www.a.nl", visited=True, complete=True, indexes=1, sitemaps=1, listed=listed)
    names = [f"https://www.a.nl/documenten/{number}.pdf" for number in range(drawn + chosen)]
    account.draw(frozenset(names[:drawn]), requested=len(names))
    account.not_requested = listed - len(names)
    gone = {*range(lost), *range(drawn, drawn + lost_chosen)}
    for number, name in enumerate(names):
        if number in gone:
            account.count_finding(about_document("document.onbereikbaar", number=number))
        else:
            made = record()
            made.document.weblocatie = name
            account.count_record(made)
    return account


def test_without_a_sample_nothing_is_estimated() -> None:
    account = Account("www.a.nl", complete=True, listed=2, harvested={"aanlevering": 1}, lost={"x": 1})
    assert estimate(account) is None
    assert estimated_count(1, "document.leeg", account) == 1


def test_a_run_that_ended_early_has_no_estimate() -> None:
    account = sampled()
    account.complete = None
    assert estimate(account) is None


@pytest.mark.parametrize(
    ("share", "drawn", "ends"),
    [  # by the formula of Wilson, for a population without end
        (1.0, 400, (0.9905, 1.0)),
        (0.95, 400, (0.9240, 0.9674)),
        (0.0, 100, (0.0, 0.0370)),
        (0.5, 50, (0.3664, 0.6336)),
    ],
)
def test_the_interval_is_that_of_wilson(share: float, drawn: int, ends: tuple[float, float]) -> None:
    assert wilson(share, drawn, 10**9) == pytest.approx(ends, abs=1e-4)


def test_the_interval_is_narrower_if_most_of_the_population_was_drawn() -> None:
    assert wilson(0.9, 100, 100) == (0.9, 0.9)
    least, most = wilson(0.9, 90, 100)
    assert most - least < 0.5 * (wilson(0.9, 90, 10**9)[1] - wilson(0.9, 90, 10**9)[0])


def test_documents_drawn_at_random_stand_for_others_and_chosen_ones_for_themselves() -> None:
    account = sampled(lost=30, lost_chosen=5)
    each = (60_000 - 100) / 300
    assert estimated_count(35, "document.onbereikbaar", account) == pytest.approx(30 * each + 5)
    found = estimate(account)
    assert found is not None
    assert found.share == pytest.approx((270 * each + 95) / 60_000)
    assert found.least < found.share < found.most
    assert percentages(found.least, found.most) == (86, 93)


def test_a_sample_without_a_fault_does_not_say_that_there_is_none() -> None:
    found = estimate(sampled())
    assert found is not None
    assert (found.share, found.most) == (1.0, 1.0)
    assert percentages(found.least, found.most) == (98, 100)


@given(drawn=st.integers(1, 400), rest=st.integers(1, 10**6), data=st.data())
def test_the_estimate_never_contradicts_what_was_seen(drawn: int, rest: int, data: st.DataObject) -> None:
    harvested = data.draw(st.integers(0, drawn))
    account = Account(
        "www.a.nl",
        complete=True,
        listed=drawn + rest,
        not_requested=rest,
        drawn=drawn,
        drawn_harvested=harvested,
        drawn_findings={"document.leeg": drawn - harvested},
        harvested={"aanlevering": harvested},
    )
    found = estimate(account)
    assert found is not None
    assert harvested <= found.least * account.listed + 1e-6
    assert found.most * account.listed <= harvested + rest + 1e-6
    assert 0 <= found.least <= found.most <= 1


def test_a_document_without_an_answer_is_neither_harvested_nor_lost() -> None:
    account = sampled(chosen=0, lost=30)
    account.drawn_harvested -= 170
    account.harvested["aanlevering"] -= 170
    found = estimate(account)
    assert found is not None
    assert found.share == pytest.approx(100 / 130)
    assert found.most - found.least > 0.14


def test_the_score_of_a_sample_is_that_of_all_with_the_same_share_of_faults() -> None:
    account = sampled(drawn=400, chosen=0, lost=40)
    whole = Account(
        "www.a.nl",
        visited=True,
        complete=True,
        indexes=1,
        sitemaps=1,
        listed=60_000,
        harvested={"aanlevering": 54_000},
        lost={"document.onbereikbaar": 6000},
    )
    found = score({("document.onbereikbaar", True): 40}, account)
    assert found.shown == score({("document.onbereikbaar", True): 6000}, whole).shown
    assert found.shown is not None
    assert found.shown < 97


def test_what_the_sitemaps_show_is_not_estimated() -> None:
    counts = {("titel.ontbreekt", True): 600, ("loc.geen-https", True): 60}
    account = sampled()
    account.listed += 60
    account.lost["loc.geen-https"] = 60
    costs = score(counts, account).costs
    assert costs["titel.ontbreekt", True] == pytest.approx(5 * 0.5 * 600 / 60_000, rel=0.01)
