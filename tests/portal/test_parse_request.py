"""The request of KOOP's search service as a question."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from woo_harvester.outputs.definition import PERMITS, WOO
from woo_portal.parse import filters_of, question_of_request
from woo_portal.question import Clause, Period, Question, QuestionError, Sort


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


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"", "geldige JSON"),
        (b"\xff\xfe{", "geldige JSON"),
        (b"{", "geldige JSON"),
        (b"[" * 60_000, "geldige JSON"),
        (b'{"start": ' + b"9" * 5000 + b"}", "geldige JSON"),
        (b"[]", "JSON-object"),
        (b"null", "JSON-object"),
        (b'{"kleur": "rood"}', "'kleur'"),
        (b'{"filters": []}', "filters is een JSON-object"),
        (b'{"filters": {"kleur": "rood"}}', "'kleur'"),
        (b'{"filters": {"classificatiecollectie": {"kleur": []}}}', "'classificatiecollectie.kleur'"),
        (b'{"filters": {"classificatiecollectie": ["a"]}}', "'classificatiecollectie'"),
        (b'{"filters": {"publisher": {"id": "a"}}}', "publisher is een tekst"),
        (b'{"zoektekst": true}', "zoektekst is een tekst"),
        (b'{"start": 1.5}', "start is een tekst of een getal"),
        (b'{"start": NaN}', "start is een tekst of een getal"),
        (b'{"\\ud800": "x"}', "De vraag kent geen"),
        (b'{"filters": {"\\ud800": "x"}}', "Onbekend"),
        (b'{"start": -5}', "start is een getal"),
    ],
)
def test_a_mistake_is_refused_in_one_line_that_says_what(given: bytes, expected: str) -> None:
    with pytest.raises(QuestionError) as caught:
        question_of_request(WOO, given)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_each_filter_has_a_parameter_of_an_address() -> None:
    assert filters_of(WOO)["verantwoordelijke"] == "organisatie"
    assert filters_of(WOO)["openbaarmakingsdatum.van"] == "openbaarmakingsdatum_van"
    assert "classificatiecollectie.themas" not in filters_of(PERMITS)
