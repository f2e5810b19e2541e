"""What each part of a score is made of, where several things are wrong at once."""

from __future__ import annotations

import pytest

from tests.report.runs import HOST
from woo_harvester.report.funnel import Account
from woo_harvester.report.score import Score, score


def costs(result: Score) -> dict[str, dict[str, float]]:
    """The share that each code costs, by part; parts without costs are left out."""
    return {
        each.part.name: {code: share for (code, _), share in each.costs.items()}
        for each in result.parts
        if each.costs
    }


def test_what_is_lost_in_a_part_is_lost_to_all_parts_after_it() -> None:
    account = Account(HOST, visited=True, indexes=1, sitemaps=4, listed=100, harvested={"aanlevering": 80})
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
