from __future__ import annotations

import inspect
from math import floor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.report.runs import HOST
from woo_harvester.findings import explanations
from woo_harvester.kinds import Kind
from woo_harvester.report.funnel import Account, stages_of
from woo_harvester.report.score import NOT_SCORED, FindingKey, Score, part_of, parts_of, score, weight_of

WOO_CODES = [code for code in explanations() if not code.startswith("ipm.")]


def host(listed: int = 100, lost: int = 0, indexes: int = 1, sitemaps: int = 2) -> Account:
    return Account(
        HOST,
        visited=True,
        indexes=indexes,
        sitemaps=sitemaps,
        listed=listed,
        new=listed - lost,
    )


def states(result: Score) -> dict[str, str]:
    return {each.part.name: each.state for each in result.parts}


@pytest.mark.parametrize(
    "counts", [{}, {("creatiedatum.ontbreekt", True): 100, ("robots.andere-sitemap", False): 1}]
)
def test_nothing_wrong_is_100_points_and_notices_cost_nothing(counts: dict[FindingKey, int]) -> None:
    result = score(counts, host())
    assert (result.shown, result.costs) == (100, {})


def test_a_warning_costs_half_of_what_an_error_costs() -> None:
    warning = score({("format.strijdig", True): 10}, host())
    error = score({("format.onbekend", True): 10}, host(lost=10))
    assert warning.costs == pytest.approx({("format.strijdig", True): 8 * 0.1 * 0.5})
    parts = {each.part.name: each.share for each in error.parts}
    assert parts["format"] == pytest.approx(0.9)


@pytest.mark.parametrize("code", [code for code in WOO_CODES if weight_of(code)])
@pytest.mark.parametrize("about_document", [True, False])
def test_one_error_or_warning_keeps_a_host_from_100(code: str, about_document: bool) -> None:
    if code in NOT_SCORED:
        assert part_of(code, about_document) is None
        return
    result = score({(code, about_document): 1}, host(listed=1_000_000))
    assert result.shown is not None
    assert result.shown < 100


def test_the_parts_are_100_points_together() -> None:
    assert sum(part.points for part in parts_of(Kind.woo)) == 100
    assert {code for code in WOO_CODES if part_of(code, about_document=True) is None} == NOT_SCORED


def test_what_a_missing_robots_txt_hides_is_not_passed() -> None:
    result = score({("robots.ontbreekt", False): 1}, Account(HOST, visited=True))
    assert result.shown == 5
    assert states(result)["title"] == "not_reached"
    assert result.costs == {("robots.ontbreekt", False): pytest.approx(95)}


def test_a_host_without_documents_has_no_score() -> None:
    result = score({("sitemap.leeg", False): 1}, host(listed=0, sitemaps=1))
    assert (result.shown, result.exact) == (None, None)
    assert states(result)["title"] == "not_applicable"
    assert states(result)["files"] == "passed"
    assert result.of == 5 + 10 + 15 + 12 + 2
    assert result.section("metadata") is None
    warned = score({("index.hoofdletters", False): 1}, host(listed=0, sitemaps=1))
    assert (warned.shown, warned.costs) == (None, {})


def test_an_error_that_keeps_documents_from_being_listed_gives_a_score() -> None:
    assert score({("sitemap.ongeldig", False): 1}, host(listed=0, sitemaps=1)).shown == 5 + 10 + 15


def test_what_was_not_judged_takes_no_part_in_the_score_unless_something_is_wrong_there() -> None:
    account = host()
    account.not_judged = ["register", "connection", "documents", "withdrawal"]
    result = score({("titel.ontbreekt", True): account.records}, account)
    assert (result.of, result.shown) == (100 - 5 - 12 - 2, floor(100 * (81 - 2.5) / 81))
    assert states(result)["fetching"] == "not_judged"
    forbidden = host(lost=50)
    forbidden.not_judged = account.not_judged
    result = score({("robots.verboden", True): 50}, forbidden)
    assert states(result)["fetching"] == "lowered"
    assert states(result)["register"] == "not_judged"
    assert result.of == 100 - 5 - 2


def test_a_host_that_was_not_visited_has_no_score() -> None:
    result = score({}, Account(HOST))
    assert (result.shown, result.exact, result.parts) == (None, None, ())


def test_documents_that_were_not_read_again_are_not_judged() -> None:
    result = score({}, Account(HOST, visited=True, indexes=1, sitemaps=1, listed=50, unchanged=50))
    assert result.shown == 100
    assert states(result)["metadata"] == "not_applicable"
    assert states(result)["fetching"] == "passed"


def test_a_document_that_is_lost_has_nothing_of_what_comes_after() -> None:
    result = score({("loc.geen-https", True): 100}, host(lost=100))
    assert states(result)["fetching"] == "not_reached"
    assert result.shown == 42


def test_the_example_of_the_documentation() -> None:
    result = score({("loc.geen-https", True): 10, ("titel.ontbreekt", True): 45}, host(lost=10))
    assert result.exact == pytest.approx(93.275)
    assert result.costs == pytest.approx({("loc.geen-https", True): 5.6, ("titel.ontbreekt", True): 1.125})


def test_a_wrong_name_is_weighed_against_the_indexes_that_were_read() -> None:
    result = score({("index.naam", False): 1}, host(indexes=3))
    parts = {each.part.name: each.share for each in result.parts}
    assert parts["index"] == pytest.approx(0.75)
    assert parts["title"] == pytest.approx(0.75)


def test_without_any_index_the_wrong_name_shares_the_blame() -> None:
    counts = {("index.naam", False): 1, ("robots.geen-diwoo-index", False): 1}
    result = score(counts, Account(HOST, visited=True))
    assert result.shown == 15
    assert set(result.costs) == set(counts)


def test_a_wrong_robots_txt_that_is_reported_twice_costs_no_more() -> None:
    once, twice = (score({("robots.te-groot", False): count}, host()) for count in (1, 2))
    assert once.exact == twice.exact == 95


@given(
    counts=st.dictionaries(
        st.tuples(st.sampled_from(WOO_CODES), st.booleans()), st.integers(1, 200), max_size=12
    ),
    harvested=st.integers(0, 300),
    unchanged=st.integers(0, 300),
    indexes=st.integers(0, 3),
    sitemaps=st.integers(0, 3),
)
# The shares of these add up to a little more than 1.
@example(
    counts={
        ("robots.ontbreekt", False): 1,
        ("robots.geen-diwoo-index", False): 108,
        ("index.naam", False): 165,
        ("index.infocat-onbekend", False): 1,
        ("sitemap.onbereikbaar", False): 1,
        ("sitemap.ongeldig", False): 1,
        ("lastmod.heraanbod", False): 1,
    },
    harvested=0,
    unchanged=0,
    indexes=0,
    sitemaps=0,
)
@example(
    counts={
        ("lastmod.heraanbod", False): 13,
        ("document.onbereikbaar", False): 17,
        ("tls.ongeldig", True): 1,
        ("format.strijdig", False): 1,
    },
    harvested=0,
    unchanged=29,
    indexes=0,
    sitemaps=0,
)
def test_points_and_costs_are_100_together(
    counts: dict[tuple[str, bool], int], harvested: int, unchanged: int, indexes: int, sitemaps: int
) -> None:
    lost = {
        code: count
        for (code, about_document), count in counts.items()
        if about_document and code in stages_of(Kind.woo)
    }
    account = Account(
        HOST,
        visited=True,
        indexes=indexes,
        sitemaps=sitemaps,
        listed=sum(lost.values()) + harvested + unchanged,
        lost=lost,
        unchanged=unchanged,
        new=harvested,
    )
    result = score(counts, account)
    if result.has_own_error:  # the harvester did not judge the host
        assert result.exact is None
        return
    if result.exact is None:
        assert (account.listed, result.costs) == (0, {})
        return
    assert -1e-9 <= result.exact <= 100 + 1e-9
    assert result.exact + sum(result.costs.values()) == pytest.approx(100)
    assert all(cost >= 0 for cost in result.costs.values())
    assert all(weight_of(code) for code, _ in result.costs)


def test_of_a_sample_the_answers_are_weighed_against_the_documents_that_were_requested() -> None:
    sample = host(lost=10)
    sample.listed, sample.not_requested = sample.listed + 900, 900
    of_sample, of_all = (
        {each.part.name: each.share for each in score({("document.leeg", True): 10}, account).parts}
        for account in (sample, host(lost=10))
    )
    assert of_sample["fetching"] == pytest.approx(of_all["fetching"])
    assert of_sample["fetching"] < 1


def test_the_rule_fits_a_screen() -> None:
    assert len(inspect.getsource(score).splitlines()) <= 40


def costs(result: Score) -> dict[str, dict[str, float]]:
    """The share that each code costs, by part; parts without costs are left out."""
    return {
        each.part.name: {code: share for (code, _), share in each.costs.items()}
        for each in result.parts
        if each.costs
    }


def test_what_is_lost_in_a_part_is_lost_to_all_parts_after_it() -> None:
    account = Account(HOST, visited=True, indexes=1, sitemaps=4, listed=100, new=80)
    counts = {
        (
            "index.naam",
            False,
        ): 1,  # of two indexes: the account does not count this one
        ("sitemap.onbereikbaar", False): 1,  # of four sitemaps, in the half that is left
        ("loc.geen-https", True): 10,  # of a hundred documents
        ("format.onbekend", True): 10,  # of the ninety that are left
        ("titel.ontbreekt", True): 45,  # of the eighty records, and only a warning
    }
    result = score(counts, account)
    before = {"index.naam": 0.5, "sitemap.onbereikbaar": 0.125}
    listed = before | {"loc.geen-https": 0.0375}
    described = listed | {"format.onbekend": 0.0375}
    expected = {
        "index": {"index.naam": 0.5},
        "files": before,
        "entries": listed,
        "lastmod": listed,
        "fetching": listed,
        "format": described,
        "metadata": described,
        "title": described | {"titel.ontbreekt": 0.084375},
        "category": described,
        "publisher": described,
        "values": described,
    }
    found = costs(result)
    assert list(found) == list(expected)
    for part, shares in expected.items():
        assert found[part] == pytest.approx(shares)
    assert result.exact == pytest.approx(46.240625)
    assert result.section("metadata") == pytest.approx((7.078125, 25))
    assert result.section("findability") == pytest.approx((5 + 10 + 7.5, 30))


def test_a_part_in_which_nothing_is_wrong_is_reached_in_part_passed_or_not_applicable() -> None:
    account = Account(HOST, visited=True, indexes=1, sitemaps=2, listed=10, unchanged=10)
    result = score({("sitemap.onbereikbaar", False): 1}, account)
    states = {each.part.name: (each.state, each.share, each.points) for each in result.parts}
    assert states["robots"] == ("passed", 1.0, 10.0)
    assert states["files"] == ("lowered", 0.5, 6.0)
    assert states["entries"] == ("partly_reached", 0.5, 4.0)
    assert states["title"] == ("not_applicable", 1.0, 0.0)
    assert states["withdrawal"] == ("passed", 1.0, 2.0)
    assert result.of == 75


def test_nothing_after_robots_txt_is_reached_where_no_index_is_in_it() -> None:
    counts = {("robots.te-groot", False): 1, ("robots.geen-diwoo-index", False): 1}
    result = score(counts, Account(HOST, visited=True))
    states = {each.part.name: each.state for each in result.parts}
    assert [name for name, state in states.items() if state != "not_reached"] == [
        "register",
        "robots",
        "index",
    ]
    assert result.shown == 10
    assert result.costs == {
        ("robots.te-groot", False): pytest.approx(5),
        ("robots.geen-diwoo-index", False): pytest.approx(85),
    }


def test_two_errors_before_nothing_was_reached_share_what_comes_after() -> None:
    counts = {("index.onbereikbaar", False): 1, ("index.naam", False): 3}
    result = score(counts, Account(HOST, visited=True, indexes=1))
    assert result.costs == {
        ("index.onbereikbaar", False): pytest.approx(85 / 4),
        ("index.naam", False): pytest.approx(85 * 3 / 4),
    }


def test_more_errors_than_documents_cost_no_more_than_all_of_them() -> None:
    account = Account(HOST, visited=True, indexes=1, sitemaps=1, listed=2)
    result = score({("loc.geen-https", True): 5}, account)
    shares = {each.part.name: each.share for each in result.parts}
    assert (shares["files"], shares["entries"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    "code", ["robots.onbereikbaar", "tls.ongeldig", "host.bestaat-niet", "host.prive-adres"]
)
def test_a_host_that_cannot_be_reached_has_no_score(code: str) -> None:
    result = score({(code, False): 1}, Account(HOST, visited=True))
    assert (result.obstacle, result.shown, result.costs) == (code, None, {})
    read = score({(code, False): 1}, host(indexes=1))
    assert read.obstacle is None
    assert read.shown is not None
    assert score({(code, True): 1}, Account(HOST, visited=True)).obstacle is None


def test_what_files_on_disk_cannot_show_is_no_obstacle() -> None:
    result = score({("robots.ontbreekt", False): 1}, Account(HOST, visited=True))
    assert (result.obstacle, result.shown) == (None, 5)
