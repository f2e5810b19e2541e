from __future__ import annotations

import json
from datetime import date
from urllib.parse import parse_qsl

import pytest

from tests.conftest import ROOT
from tests.portal.questions import questions
from woo_harvester.outputs.definition import KINDS, MAX_COUNTS, PERMITS, WOO, facets
from woo_portal.elasticsearch import all_body, search_body, sort_of, wants_highlights
from woo_portal.engine import PARTS_SHARE, text_fields, title_field
from woo_portal.parse import question_of_pairs
from woo_portal.question import Period, Place, Question, Sort, clauses_of

PAGE = (ROOT / "docs/search.md").read_text(encoding="utf-8")


def test_the_page_has_each_field_with_what_it_counts_for() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith(("| `woo` |", "| `vergunningen` |"))]
    assert rows == [
        f"| `{kind.name}` | `{field.path}` | {field.boost:g} | {field.boost * PARTS_SHARE:.2g} |"
        for kind in KINDS
        for field in text_fields(kind)
    ]
    assert f"at most {MAX_COUNTS}" in PAGE


def test_a_word_is_searched_in_each_field_and_among_its_parts() -> None:
    body = search_body(Question(WOO, clauses_of("stikstof")), 5)
    (word,) = body["query"]["bool"]["must"]
    asked = [path for query in word["dis_max"]["queries"] for path in query["match"]]
    itself = asked.pop()
    assert asked == [path for field in text_fields(WOO) for path in (field.path, field.parts)]
    assert itself == title_field(WOO).exact


def test_a_stop_word_in_a_title_ranks_nothing() -> None:
    (word,) = search_body(Question(WOO, clauses_of("de")), 5)["query"]["bool"]["must"]
    assert not any(title_field(WOO).exact in query["match"] for query in word["dis_max"]["queries"])


def test_an_excluded_stop_word_excludes_nothing() -> None:
    (word,) = search_body(Question(WOO, clauses_of("-de")), 5)["query"]["bool"]["must_not"]
    given = [
        each["zero_terms_query"] for query in word["dis_max"]["queries"] for each in query["match"].values()
    ]
    assert set(given) == {"none"}


def test_the_counts_of_a_facet_have_the_filters_of_the_others() -> None:
    body = search_body(Question(WOO, chosen={"thema": ("t",), "documentsoort": ("s",)}), 5)
    filters = {name: found["filter"]["bool"]["filter"] for name, found in body["aggs"].items()}
    thema, kind = (
        {"terms": {"facetten.thema.waarde": ["t"]}},
        {"terms": {"facetten.documentsoort.waarde": ["s"]}},
    )
    assert (filters["thema"], filters["documentsoort"]) == ([kind], [thema])
    assert filters["organisatie"] == body["post_filter"]["bool"]["filter"] == [thema, kind]
    assert [*filters] == [facet.name for facet in facets(WOO)]


def test_what_is_not_wanted_is_not_computed() -> None:
    body = search_body(Question(WOO, clauses_of("x"), with_counts=False, with_highlights=False), 5)
    assert {"aggs", "highlight", "post_filter"}.isdisjoint(body)
    assert "highlight" not in search_body(Question(WOO, clauses_of("-x")), 5)


@pytest.mark.parametrize("sort", Sort)
def test_each_order_ends_with_the_id(sort: Sort) -> None:
    assert sort_of(Question(PERMITS, near=Place(52, 5, 10), sort=sort))[-1] == {"id": "asc"}


def test_a_period_is_one_of_days_in_the_netherlands() -> None:
    question = Question(WOO, periods={"mutatiedatumtijd": Period(date(2024, 1, 1), None)})
    (_, period) = all_body(question, 500)["query"]["bool"]["must"]["bool"]["filter"]
    expected = {"gte": "2024-01-01", "time_zone": "Europe/Amsterdam"}
    assert period == {"range": {"versies.mutatiedatumtijd": expected}}


def test_the_page_shows_what_is_sent() -> None:
    address = "fase=aanvraag&plaats=52.3731,4.8926&afstand=2000&sorteer=afstand"
    assert f"/vergunningen?{address}" in PAGE
    (shown,) = [each for each in questions(PERMITS) if "facetten." in each]
    body = json.loads(shown[shown.index("'{") + 1 : shown.rindex("'")])
    assert body == search_body(question_of_pairs(PERMITS, parse_qsl(address)), 5)


@pytest.mark.parametrize("sort", Sort)
def test_the_distance_is_computed_once(sort: Sort) -> None:
    body = search_body(Question(PERMITS, near=Place(52, 5, 10), sort=sort), 5)
    assert sum("_geo_distance" in each for each in body["sort"]) == 1


def test_a_text_that_is_only_excluded_marks_nothing() -> None:
    assert not wants_highlights(Question(WOO, clauses_of("-brief")))
    assert not wants_highlights(Question(WOO, clauses_of("brief"), with_highlights=False))
    assert wants_highlights(Question(WOO, clauses_of("brief")))


@pytest.mark.parametrize(("size", "characters"), [(1, 200_000), (10, 20_000), (100, 5_000), (0, 200_000)])
def test_a_page_of_more_hits_marks_less_of_each_text(size: int, characters: int) -> None:
    body = search_body(Question(WOO, clauses_of("brief"), size=size), 5)
    assert body["highlight"]["max_analyzed_offset"] == characters
