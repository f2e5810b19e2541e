"""Parameters of an address to a question, and back."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl

import pytest

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.tooi.lists import informatiecategorieen, organisaties
from woo_portal.parse import names_of, pairs_of, question_of_pairs, sorts_of
from woo_portal.question import (
    MAX_CHOSEN,
    MAX_START,
    Box,
    Clause,
    Period,
    Place,
    Question,
    QuestionError,
    Sort,
)

DAY = date(2026, 4, 2)
THEMA = "https://identifier.overheid.nl/tooi/def/thes/top/c_1"


def asked(kind: Kind, query: str) -> Question:
    return question_of_pairs(kind, parse_qsl(query, keep_blank_values=True), today=DAY)


def test_nothing_asks_for_everything() -> None:
    assert asked(WOO, "") == Question(WOO)
    assert asked(PERMITS, "zoektekst=&plaats=&sorteer=+&lopend=") == Question(PERMITS)
    assert asked(WOO, "zoektekst=%E2%80%8B&thema=%E2%80%8B&organisatie=%C2%AD%20") == Question(WOO)


def test_a_question_about_documents_has_all_that_its_parameters_say() -> None:
    found = asked(
        WOO,
        f"zoektekst=stikstof+-lucht&thema={THEMA}&thema=kleur&openbaarmakingsdatumVan=2024-01-01"
        "&creatiedatumTot=2024-12-31&id=a&id=b&sorteer=nieuwste&start=20&aantal=5",
    )
    assert found == Question(
        WOO,
        clauses=(Clause("stikstof"), Clause("lucht", is_excluded=True)),
        chosen={"thema": (THEMA, "kleur")},
        periods={
            "openbaarmakingsdatum": Period(begin=date(2024, 1, 1)),
            "creatiedatum": Period(end=date(2024, 12, 31)),
        },
        ids=("a", "b"),
        sort=Sort.NEWEST,
        start=20,
        size=5,
    )


def test_a_question_about_permits_has_a_place_a_part_of_the_map_and_whether_they_run() -> None:
    found = asked(PERMITS, "plaats=52.3731,+4.8926&kader=52,4.5,53,5&lopend=ja&sorteer=afstand")
    assert found.near == Place(52.3731, 4.8926, metres=1000)
    assert found.box == Box(52, 4.5, 53, 5)
    assert (found.running_on, found.ended_before) == (DAY, None)
    assert found.sort is Sort.DISTANCE
    assert asked(PERMITS, "lopend=nee").ended_before == DAY


def test_a_filter_by_its_label_is_one_by_its_uri() -> None:
    category = next(iter(informatiecategorieen()))
    amsterdam = organisaties().by_label("gemeente Amsterdam")
    assert amsterdam is not None
    chosen = question_of_pairs(WOO, [("informatiecategorie", category.label)]).chosen
    assert chosen == {"informatiecategorie": (category.uri,)}
    assert question_of_pairs(WOO, [("organisatie", "Gemeente amsterdam")]).chosen["organisatie"] == (
        amsterdam.uri,
    )
    assert question_of_pairs(PERMITS, [("gemeente", "Amsterdam")]).chosen["gemeente"] == (amsterdam.uri,)
    assert question_of_pairs(PERMITS, [("product", "kapvergunning")]).chosen["product"] == ("kapvergunning",)


def test_a_mistake_is_refused_in_one_line_that_says_what() -> None:
    for kind, query, expected in [
        (WOO, "kleur=rood", "'kleur'"),
        (WOO, "plaats=52,5", "'plaats'"),
        (PERMITS, "thema=kleur", "'thema'"),
        (WOO, "%E2%80%AE%00x=1", r"'\u202e\x00x'"),
        (WOO, "thema=a%00b", "de waarde van thema"),
        (WOO, "id=%FF", "de waarde van id"),
        (WOO, "start=-1", "start is een getal"),
        (WOO, "start=1e3", "start is een getal"),
        (WOO, "start=%D9%A1", "start is een getal"),
        (WOO, "start=" + "9" * 5000, "start is een getal"),
        (WOO, f"start={MAX_START + 1}", "tot resultaat 9900"),
        (WOO, "aantal=0", "1 tot en met 100"),
        (WOO, "aantal=101", "1 tot en met 100"),
        (WOO, "start=1&start=2", "start maar één keer"),
        (WOO, "sorteer=afstand", "sorteer is een van: relevantie, nieuwste, oudste, gewijzigd, titel"),
        (WOO, "sorteer=Nieuwste", "sorteer is een van"),
        (WOO, "openbaarmakingsdatumVan=2024-02-30", "openbaarmakingsdatumVan is een dag"),
        (WOO, "openbaarmakingsdatumVan=20240201", "openbaarmakingsdatumVan is een dag"),
        (WOO, "openbaarmakingsdatumVan=%F2%94%A5%8A", "openbaarmakingsdatumVan is een dag"),
        (PERMITS, "plaats=52,5&afstand=0", "1 tot en met 100000"),
        (PERMITS, "plaats=52", "zoals 52.3731,4.8926"),
        (PERMITS, "plaats=91,5", "breedtegraad"),
        (PERMITS, "plaats=nan,inf", "zoals 52.3731,4.8926"),
        (PERMITS, "plaats=1e1,5", "zoals 52.3731,4.8926"),
        (PERMITS, "kader=53,4,52,181", "zuid, west, noord en oost"),
        (PERMITS, "kader=52,4,53", "zoals 52.06"),
        (PERMITS, "lopend=misschien", "ja of nee"),
        (WOO, "&".join(["id="] * (MAX_CHOSEN + 1)), f"hoogstens {MAX_CHOSEN} waarden bij id"),
        (WOO, "thema=" + "x" * 501, "thema is te lang"),
    ]:
        with pytest.raises(QuestionError) as caught:
            asked(kind, query)
        assert expected in str(caught.value), (kind, query)
        assert "\n" not in str(caught.value), (kind, query)


def test_two_days_and_two_corners_may_come_in_any_order() -> None:
    for kind, query in [
        (WOO, "openbaarmakingsdatumVan=2024-02-02&openbaarmakingsdatumTot=2024-02-01"),
        (PERMITS, "kader=53,4,52,5"),
    ]:
        names, values = zip(*parse_qsl(query), strict=True)
        ordered = "52,4,53,5" if kind == PERMITS else "2024-02-01,2024-02-02"
        assert [value for _, value in pairs_of(asked(kind, query))] == (
            [ordered] if len(names) == 1 else ordered.split(",")
        ), values


def test_the_parameters_of_a_question_ask_the_same() -> None:
    for kind, query in [
        (WOO, ""),
        (WOO, "zoektekst=stikstof+%22natuur+en+milieu%22+-lucht&thema=a&thema=b&id=1"),
        (WOO, "openbaarmakingsdatumVan=2024-01-01&openbaarmakingsdatumTot=2024-12-31&sorteer=titel"),
        (PERMITS, "plaats=52.3731%2C4.8926&afstand=500&lopend=nee&start=10&aantal=50"),
        (PERMITS, "kader=52.06%2C5.05%2C52.12%2C5.18&lopend=ja"),
    ]:
        found = asked(kind, query)
        assert pairs_of(found) == parse_qsl(query), (kind, query)
        assert question_of_pairs(kind, pairs_of(found), today=DAY) == found, (kind, query)


def test_the_same_question_has_the_same_parameters_however_it_was_asked() -> None:
    one = asked(WOO, "aantal=10&thema=b&thema=a&zoektekst=++stikstof&start=0")
    assert pairs_of(one) == [("zoektekst", "stikstof"), ("thema", "a"), ("thema", "b")]


def test_another_number_of_hits_can_be_the_usual_one() -> None:
    found = question_of_pairs(WOO, [], size=50)
    assert found.size == 50
    assert pairs_of(found, size=50) == []
    assert pairs_of(found) == [("aantal", "50")]


def test_a_distance_and_an_order_by_it_need_a_place() -> None:
    assert asked(PERMITS, "afstand=5&sorteer=afstand") == Question(PERMITS)


def test_each_name_of_a_parameter_is_known_and_each_order_too() -> None:
    for kind in (WOO, PERMITS):
        for sort in sorts_of(kind):
            place = "&plaats=52,5" if sort is Sort.DISTANCE else ""
            assert asked(kind, f"sorteer={sort}{place}").sort is sort
        assert question_of_pairs(kind, [(name, "") for name in names_of(kind)]) == Question(kind)
