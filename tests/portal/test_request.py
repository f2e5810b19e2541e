"""The request of a POST in JSON, as KOOP's search service has it, as a question."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from woo_harvester.kinds import PERMITS, WOO
from woo_portal.question import Clause, Period, Question, QuestionError, Sort
from woo_portal.request import filters_of, question_of_request


def body(**request: Any) -> bytes:
    return json.dumps(request).encode()


def test_the_request_of_koop_is_a_question() -> None:
    found = question_of_request(
        WOO,
        body(
            zoektekst="stikstof",
            sorteer="nieuwste",
            start=10,
            aantal=20,
            filters={
                "verantwoordelijke": ["a"],
                "publisher": ["b", "c"],
                "classificatiecollectie": {
                    "documentsoorten": ["d"],
                    "themas": [],
                    "informatiecategorieen": ["e"],
                },
                "openbaarmakingsdatum": {"van": "2024-01-01", "tot": "2024-12-31"},
                "mutatiedatumtijd": {"van": None, "tot": "2025-01-01"},
                "id": "f",
            },
        ),
    )
    assert found == Question(
        WOO,
        clauses=(Clause("stikstof"),),
        chosen={
            "organisatie": ("a",),
            "publisher": ("b", "c"),
            "documentsoort": ("d",),
            "informatiecategorie": ("e",),
        },
        periods={
            "openbaarmakingsdatum": Period(date(2024, 1, 1), date(2024, 12, 31)),
            "mutatiedatumtijd": Period(None, date(2025, 1, 1)),
        },
        ids=("f",),
        sort=Sort.NEWEST,
        start=10,
        size=20,
    )


def test_a_request_about_permits_has_its_own_filters() -> None:
    found = question_of_request(PERMITS, body(filters={"gemeente": ["x"], "plaats": "52,5", "lopend": "ja"}))
    assert found.chosen == {"gemeente": ("x",)}
    assert found.near is not None
    assert found.running_on is not None


def test_an_empty_request_asks_for_everything() -> None:
    assert question_of_request(WOO, b"{}") == Question(WOO)
    assert question_of_request(WOO, body(zoektekst=None, filters=None)) == Question(WOO)


def test_a_whole_number_may_have_a_point() -> None:
    assert question_of_request(WOO, b'{"start": 82.0, "aantal": 1e1}') == Question(WOO, start=82)


def test_a_request_may_name_a_filter_in_both_ways() -> None:
    names = [[f"{way}{number}" for number in range(50)] for way in "ab"]
    found = question_of_request(WOO, body(filters={"organisatie": names[0], "verantwoordelijke": names[1]}))
    assert len(found.chosen["organisatie"]) == 100


def test_a_mistake_in_a_request_is_refused_in_one_line() -> None:
    for given, expected in [
        (b"", "truncated"),
        (b"\xff\xfe{", "malformed"),
        (b"{", "truncated"),
        (b"[" * 60_000, "recursion"),
        (b'{"start": ' + b"9" * 5000 + b"}", "out of range"),
        (b"[]", "Expected `object`"),
        (b"null", "Expected `object`"),
        (b'{"kleur": "rood"}', "`kleur`"),
        (b'{"filters": []}', "`$.filters`"),
        (b'{"filters": {"kleur": "rood"}}', "`kleur` - at `$.filters`"),
        (b'{"filters": {"classificatiecollectie": {"kleur": []}}}', "`$.filters.classificatiecollectie`"),
        (b'{"filters": {"classificatiecollectie": ["a"]}}', "`$.filters.classificatiecollectie`"),
        (b'{"filters": {"publisher": {"id": "a"}}}', "`$.filters.publisher`"),
        (b'{"filters": {"openbaarmakingsdatum": {"van": "gisteren"}}}', "openbaarmakingsdatum.van"),
        (b'{"zoektekst": true}', "`$.zoektekst`"),
        (b'{"sorteer": "duurste"}', "`$.sorteer`"),
        (b'{"start": 1.5}', "`$.start`"),
        (b'{"start": "5"}', "`$.start`"),
        (b'{"start": NaN}', "malformed"),
        (b'{"\\ud800": "x"}', "Het verzoek is niet zoals openapi.json het beschrijft"),
        (b'{"start": -5}', "`int` >= 0"),
        (b'{"start": 9901}', "`int` <= 9900"),
    ]:
        with pytest.raises(QuestionError) as caught:
            question_of_request(WOO, given)
        assert expected in str(caught.value), given
        assert "\n" not in str(caught.value), given
        str(caught.value).encode()


def test_each_filter_has_a_parameter_of_an_address() -> None:
    assert filters_of(WOO)["verantwoordelijke"] == "organisatie"
    assert filters_of(WOO)["openbaarmakingsdatum.van"] == "openbaarmakingsdatumVan"
    assert "classificatiecollectie.themas" not in filters_of(PERMITS)
