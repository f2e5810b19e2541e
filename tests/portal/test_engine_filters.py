"""Filters, counts, periods, orders and places: the same on each search engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, quote

import pytest

from tests.portal.suite_questions import TODAY, answer, found, ids, permits, question, text
from tests.portal.suite_records import ADVICE, AMSTERDAM, COVENANT, NATURE, TRAFFIC, UTRECHT
from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.definition import Status, facets
from woo_harvester.utils.dates import parse_datetime
from woo_portal.engine import Answer, Contents, Engine
from woo_portal.open_overheid import question_of
from woo_portal.question import Box, Place, Question, Sort

ALL = {f"a{number}" for number in range(1, 10)}
NEAREST_DAM = "plaats=52.373056,4.892778"

FILTERS = [
    ("", ALL),
    (f"organisatie={quote(UTRECHT['id'])}", {"a2"}),
    (
        f"organisatie={quote(AMSTERDAM['id'])}",
        ALL - {"a2", "a4", "a5"},
    ),  # a9 by its publisher
    ("organisatie=gemeente+Utrecht", {"a2"}),
    ("organisatie=Stichting+De+Brug", {"a4"}),
    ("organisatie=stichting+de+brug", set()),
    (f"organisatie={quote(UTRECHT['id'])}&organisatie=Stichting+De+Brug", {"a2", "a4"}),
    (f"organisatie_aangevuld={quote(AMSTERDAM['id'])}", {"a5"}),
    (f"organisatie_aangevuld={quote(UTRECHT['id'])}", set()),
    (f"publisher={quote(AMSTERDAM['id'])}", ALL - {"a2", "a4", "a5"}),
    (f"thema={quote(NATURE['id'])}", {"a1", "a3"}),
    (f"thema={quote(NATURE['id'])}&thema={quote(TRAFFIC['id'])}", {"a1", "a3", "a4"}),
    (f"thema={quote(TRAFFIC['id'])}&informatiecategorie={quote(ADVICE['id'])}", {"a3"}),
    (f"informatiecategorie={quote(COVENANT['id'])}", {"a3", "a4"}),
    (f"informatiecategorie={quote(ADVICE['id'])}", ALL - {"a4", "a5"}),
    ("informatiecategorie=onbestaand", set()),
    (f"zoektekst=natuur&organisatie={quote(UTRECHT['id'])}", {"a2"}),
    ("id=a1&id=a3&id=weg&id=niets", {"a1", "a3"}),
    ("openbaarmakingsdatumVan=2024-05-02", {"a3"}),
    ("openbaarmakingsdatumVan=2024-12-31", {"a3"}),
    ("openbaarmakingsdatumTot=2023-05-01", {"a2", "a4"}),
    ("openbaarmakingsdatumTot=2023-04-30", {"a4"}),
    ("openbaarmakingsdatumVan=2023-05-01&openbaarmakingsdatumTot=2023-05-01", {"a2"}),
    ("creatiedatumVan=2024-12-31&creatiedatumTot=2025-01-01", {"a3"}),
    # Half past eleven in the evening, and midnight, in the Netherlands.
    ("mutatiedatumtijdVan=2024-06-30&mutatiedatumtijdTot=2024-06-30", {"a7"}),
    ("mutatiedatumtijdVan=2024-07-01", {"a8"}),
    ("mutatiedatumtijdTot=0001-01-01", set()),
    ("mutatiedatumtijdVan=9999-12-31", set()),
]


def test_a_part_of_all_ids_is_found(engine: Engine) -> None:
    for number, parts, expected in [
        (1, 1, ALL),
        (3, 5, set()),
        (4, 5, ALL),
        (5, 5, set()),
        (63, 100, {"a1"}),
        (64, 100, {"a2", "a3"}),
        (66, 100, {"a7", "a8"}),
    ]:
        asked = Question(WOO, part=(number, parts), sort=Sort.NEWEST, size=50)
        assert set(ids(engine.search(asked))) == expected, number
        assert {each["id"] for each in engine.all_documents(asked)} == expected, number


def test_filters_and_periods_find_the_same(engine: Engine) -> None:
    for address, expected in FILTERS:
        assert found(engine, address) == expected, (address, expected)
        documents = engine.all_documents(question(WOO, address))
        assert sorted(document["id"] for document in documents) == sorted(expected), (address, expected)


def test_the_days_of_open_overheid_nl_are_those_on_which_a_document_came(engine: Engine) -> None:
    for address, expected in [
        ("publicatiedatumVan=21-11-2026", ALL - {"a2"}),
        ("publicatiedatumVan=22-11-2026", set()),
        (
            "publicatiedatumVan=20-11-2026&publicatiedatumTot=20-11-2026",
            {"a2"},
        ),  # after midnight, by Dutch time
        ("publicatiedatumTot=19-11-2026", set()),
        ("publicatiedatumVan=21-11-2026&openbaarmakingsdatumTot=2023-12-31", {"a4"}),
    ]:
        asked = question_of(parse_qsl(f"{address}&aantalResultaten=50"), is_strict=True)
        assert set(ids(engine.search(asked))) == expected, address
        assert {each["id"] for each in engine.all_documents(asked)} == expected, address


def test_permits_are_found_by_filter_place_and_period(engine: Engine) -> None:
    for address, expected in [
        ("", {"p1", "p2", "p3", "p4", "p5"}),
        ("gemeente=gemeente+Amsterdam", {"p1", "p3"}),
        ("gemeente=Utrecht", {"p2"}),
        ("gemeente=De+Bilt", {"p2"}),
        ("gemeente=Nergenshuizen", {"p4"}),
        ("fase=aanvraag", {"p1", "p3"}),
        ("fase=aanvraag&fase=verlening", {"p1", "p2", "p3"}),
        ("product=omgevingsvergunning", {"p2"}),
        ("organisatie=Amsterdam", {"p1", "p3"}),
        (NEAREST_DAM, {"p1", "p3"}),
        (f"{NEAREST_DAM}&afstand=10", {"p1"}),
        (f"{NEAREST_DAM}&afstand=100000", {"p1", "p2", "p3"}),
        ("plaats=-52.3,4.8", set()),
        ("plaats=90,180&afstand=100000", set()),
        ("kader=52.06,5.05,52.12,5.18", {"p1", "p2"}),
        ("kader=52.37,4.89,52.38,4.90", {"p1", "p3"}),
        ("kader=-90,-180,90,180", {"p1", "p2", "p3"}),
        ("kader=0,0,0,0", set()),
        (f"kader=52.06,5.05,52.12,5.18&{NEAREST_DAM}", {"p1"}),
        ("lopend=ja", {"p1"}),  # the last day of p1 is today
        ("lopend=nee", {"p5"}),
        ("mutatiedatumtijdVan=2026-05-01", {"p2"}),
        ("mutatiedatumtijdTot=2025-01-01", {"p4", "p5"}),
    ]:
        assert permits(engine, address) == expected, address


def test_a_permit_runs_from_its_first_day_on(engine: Engine) -> None:
    for day, expected in [("2025-12-31", set()), ("2026-01-01", {"p1"}), ("2026-07-01", {"p2"})]:
        asked = replace(question(PERMITS, ""), running_on=TODAY.fromisoformat(day))
        assert set(ids(engine.search(asked))) == expected, day


def test_a_permit_has_ended_on_the_day_after_its_last_one(engine: Engine) -> None:
    asked = replace(question(PERMITS, ""), ended_before=TODAY.replace(month=7, day=1))
    assert set(ids(engine.search(asked))) == {"p1", "p5"}


def counts(found: Answer, facet: str) -> list[tuple[str, str, int]]:
    return [(each.value.value, each.value.label, each.number) for each in found.counts[facet]]


def test_values_come_with_their_counts_and_labels_most_first(engine: Engine) -> None:
    made = answer(engine, "")
    assert counts(made, "organisatie") == [
        (AMSTERDAM["id"], AMSTERDAM["label"], 6),
        ("Stichting De Brug", "Stichting De Brug", 1),
        (UTRECHT["id"], UTRECHT["label"], 1),
    ]
    assert counts(made, "thema") == [(NATURE["id"], NATURE["label"], 2), (TRAFFIC["id"], TRAFFIC["label"], 2)]
    assert counts(made, "informatiecategorie") == [
        (ADVICE["id"], ADVICE["label"], 7),
        (COVENANT["id"], COVENANT["label"], 2),
    ]
    assert counts(made, "documentsoort") == []
    assert list(made.counts) == [facet.name for facet in facets(WOO)]


def test_all_values_of_one_facet_are_counted_alone(engine: Engine) -> None:
    asked = replace(question(WOO, f"organisatie={quote(UTRECHT['id'])}"), all_of="organisatie")
    assert engine.search(asked).counts == {"organisatie": answer(engine, "").counts["organisatie"]}


def test_what_is_chosen_in_a_facet_narrows_the_others_only(engine: Engine) -> None:
    made = answer(engine, f"thema={quote(NATURE['id'])}")
    assert set(ids(made)) == {"a1", "a3"}
    assert counts(made, "thema") == [(NATURE["id"], NATURE["label"], 2), (TRAFFIC["id"], TRAFFIC["label"], 2)]
    assert counts(made, "organisatie") == [(AMSTERDAM["id"], AMSTERDAM["label"], 2)]
    both = answer(engine, f"thema={quote(NATURE['id'])}&informatiecategorie={quote(COVENANT['id'])}")
    assert set(ids(both)) == {"a3"}
    assert [number for *_, number in counts(both, "thema")] == [2, 1]
    assert [number for *_, number in counts(both, "informatiecategorie")] == [2, 1]


def test_a_text_narrows_all_counts(engine: Engine) -> None:
    made = answer(engine, "zoektekst=stikstof")
    assert counts(made, "thema") == [(NATURE["id"], NATURE["label"], 1)]


def test_facets_of_permits_are_counted(engine: Engine) -> None:
    made = answer(engine, "", PERMITS)
    assert [(label, number) for _, label, number in counts(made, "gemeente")] == [
        ("gemeente Amsterdam", 2),
        ("Nergenshuizen", 1),
        ("gemeente De Bilt", 1),
        ("gemeente Utrecht", 1),
    ]
    assert counts(made, "fase") == [("aanvraag", "aanvraag", 2), ("verlening", "verlening", 1)]


def test_counts_are_made_only_if_they_are_wanted(engine: Engine) -> None:
    assert not engine.search(replace(question(WOO, ""), with_counts=False)).counts


ORDERS = [
    (WOO, "sorteer=nieuwste", ["a3", "a1", "a5", "a6", "a7", "a8", "a9", "a2", "a4"]),
    (WOO, "", ["a3", "a1", "a5", "a6", "a7", "a8", "a9", "a2", "a4"]),
    (WOO, "sorteer=oudste", ["a4", "a2", "a1", "a5", "a6", "a7", "a8", "a9", "a3"]),
    # Without regard to accents and capitals; a very long title is the last.
    (WOO, "sorteer=titel", ["a9", "a7", "a2", "a5", "a6", "a1", "a3", "a4", "a8"]),
    (PERMITS, "sorteer=nieuwste", ["p2", "p1", "p3", "p4", "p5"]),
    # By the change that the publisher names, whatever was harvested last; without one it is the last.
    (WOO, "sorteer=gewijzigd", ["a8", "a7", "a1", "a2", "a3", "a4", "a5", "a6", "a9"]),
    (PERMITS, "sorteer=gewijzigd", ["p1", "p3", "p2", "p4", "p5"]),
    (PERMITS, "sorteer=oudste", ["p5", "p4", "p3", "p1", "p2"]),
    (PERMITS, "sorteer=titel", ["p3", "p2", "p1", "p5", "p4"]),
    (PERMITS, f"{NEAREST_DAM}&afstand=100000&sorteer=afstand", ["p1", "p3", "p2"]),
    (PERMITS, "plaats=52.3736,4.8931&sorteer=afstand", ["p3", "p1"]),
]


def test_orders_are_the_same_in_pages_and_in_all_documents(engine: Engine) -> None:
    for kind, address, expected in ORDERS:
        asked = question(kind, address)
        assert ids(engine.search(asked)) == expected, (kind, address, expected)
        assert [document["id"] for document in engine.all_documents(asked)] == expected, (
            kind,
            address,
            expected,
        )


def test_pages_give_each_hit_once(engine: Engine) -> None:
    for sort in [Sort.NEWEST, Sort.TITLE, Sort.RELEVANCE]:
        asked = replace(question(WOO, ""), sort=sort, size=2)
        pages = [engine.search(replace(asked, start=start)) for start in range(0, 12, 2)]
        assert [page.total for page in pages] == [9] * 6, sort
        assert [len(page.hits) for page in pages] == [2, 2, 2, 2, 1, 0], sort
        seen = [hit.document["id"] for page in pages for hit in page.hits]
        assert seen == [document["id"] for document in engine.all_documents(asked)], sort


def test_all_documents_have_no_start_and_no_size(engine: Engine) -> None:
    asked = replace(question(WOO, "zoektekst=stikstof"), start=5, size=1)
    assert [document["id"] for document in engine.all_documents(asked)] == ["a2", "a1"]


@pytest.mark.parametrize("sort", [Sort.DISTANCE, Sort.NEWEST])
def test_a_hit_says_how_far_its_nearest_point_is(engine: Engine, sort: Sort) -> None:
    near = Place(52.373056, 4.892778, 100_000)
    made = engine.search(Question(PERMITS, near=near, sort=sort))
    distances = {hit.document["id"]: hit.metres for hit in made.hits}
    assert distances == {
        "p1": pytest.approx(0, abs=1),
        "p3": pytest.approx(51.6, abs=2),
        "p2": pytest.approx(35_000, rel=0.05),
    }


def test_without_a_place_there_is_no_distance(engine: Engine) -> None:
    assert {hit.metres for hit in answer(engine, "", PERMITS).hits} == {None}


STATUSES: Mapping[Status | None, tuple[set[str], set[str]]] = {
    Status.GEPUBLICEERD: (ALL, {"p1", "p2", "p3", "p4", "p5"}),
    Status.INGETROKKEN: ({"weg"}, {"p6"}),
    None: (ALL | {"weg"}, {"p1", "p2", "p3", "p4", "p5", "p6"}),
}


def test_withdrawn_records_are_hits_only_if_they_are_asked_for(engine: Engine) -> None:
    for status in STATUSES:
        made = [engine.search(Question(kind, status=status, size=50)) for kind in Kind]
        assert tuple(set(ids(each)) for each in made) == STATUSES[status], status


def test_a_withdrawn_record_is_the_last_among_the_newest(engine: Engine) -> None:
    everything = Question(WOO, status=None, sort=Sort.NEWEST, size=50)
    assert ids(engine.search(everything))[-1] == "weg"  # it has no openbaarmakingsdatum
    assert ids(engine.search(replace(everything, sort=Sort.OLDEST)))[-1] == "weg"


def test_a_record_is_got_by_its_id_and_kind(engine: Engine) -> None:
    document = engine.get(WOO, "a1")
    assert document is not None
    assert document["document"]["titelcollectie"]["officieleTitel"] == "Stikstofbesluit"
    assert not {"tekst", "facetten"} & document.keys()
    assert engine.get(PERMITS, "a1") is None
    assert engine.get(WOO, "niets") is None
    assert engine.get(WOO, "") is None
    withdrawn = engine.get(WOO, "weg")
    assert withdrawn is not None
    assert withdrawn["status"] == Status.INGETROKKEN


def test_the_contents_of_both_kinds(engine: Engine) -> None:
    assert engine.contents(WOO) == Contents(9, 1, 3, parse_datetime("2026-11-22T08:00:00+01:00"))
    assert engine.contents(PERMITS) == Contents(5, 1, 1, parse_datetime("2026-07-01T10:00:00+02:00"))


def test_the_version_stays_while_nothing_changes(engine: Engine) -> None:
    assert engine.version() == engine.version() != ""


def test_what_only_permits_have_finds_no_document(engine: Engine) -> None:
    for asked in [
        Question(WOO, near=Place(52.0, 5.0, 100), sort=Sort.DISTANCE),
        Question(WOO, box=Box(-90, -180, 90, 180)),
        Question(WOO, running_on=TODAY),
    ]:
        assert ids(engine.search(asked)) == [], asked
        assert list(engine.all_documents(asked)) == [], asked


def test_hits_may_lack_words_and_documents_of_the_named_organisation_come_first(engine: Engine) -> None:
    some = text("stikstof polder milieu -gracht")
    assert ids(engine.search(some)) == ["a1"]
    assert {*ids(engine.search(replace(some, lacking=1)))} == {"a1", "a2"}
    assert ids(engine.search(replace(text("milieu"), named=(UTRECHT["id"],))))[0] == "a2"
