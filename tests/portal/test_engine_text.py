"""What a text finds in the engine over an index of its own, which is the reference."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.portal.suite_questions import ids, permits, text
from tests.portal.suite_records import documents, embedded, woo
from tests.portal.suite_records import permits as permit_records
from woo_harvester.kinds import PERMITS, WOO
from woo_portal.engine import Engine, Piece
from woo_portal.question import MAX_CLAUSES, Question


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The engine over the records of the suite."""
    with embedded(tmp_path_factory.mktemp("text"), [*documents(), *permit_records()]) as made:
        yield made


ALL = {f"a{number}" for number in range(1, 10)}

#: A text, and the documents that it finds.
TEXTS = [
    ("stikstof", {"a1", "a2"}),
    ("STIKSTOF", {"a1", "a2"}),
    ("stikstofbesluit", {"a1"}),
    ("besluiten", {"a1"}),
    ("raad", {"a3"}),
    ("draad", {"a5"}),
    ("gemeenteraden", {"a3"}),
    ("natuur milieu", {"a1", "a2", "a3"}),  # the theme counts too
    ("natuur polder", {"a1"}),
    ("stikstof polder", {"a1"}),  # each word in another field
    ("natuur fietspaden", set()),
    ('"natuur en milieu"', {"a1", "a3"}),
    ('"milieu en natuur"', set()),
    ('"milieu en de natuur"', {"a2"}),
    ('"over huizen"', set()),
    ('"over de huizen"', {"a7"}),
    ('"huizen aan"', set()),  # across two descriptions
    ('"uitk kering"', set()),  # across two titles
    ('"de het een"', {"a9"}),
    ('"stikstof"', {"a2"}),
    ("stikstof -polder", {"a2"}),
    ('stikstof -"natuur en milieu"', {"a2"}),
    ("-stikstof -verslag -internet -uitkering -eerste -lange -vet", {"a4"}),
    ("-stikstof stikstof", set()),
    ("de", ALL),
    ("de het een", ALL),
    ("-de", ALL),
    ("stikstof de", {"a1", "a2"}),
    ("stikstof -de", {"a1", "a2"}),
    ("huis", {"a7"}),
    ("een huis", {"a7"}),
    ("cafe", {"a3"}),
    ("CAFÉ", {"a3"}),
    ("cafe\u0301", {"a3"}),
    ("eenmalige", {"a6"}),
    ("éénmalige", {"a6"}),
    ("uitk", {"a6"}),
    ("toelage", {"a6"}),
    ("A2-N2", {"a6"}),
    ("a2 n2", {"a6"}),
    ("N2", {"a6"}),
    ("e-mail", {"a6"}),
    ("A2-polder", set()),
    ("raad-verslag", {"a3"}),  # a part of a compound, and a word
    ("brandveiligheid", {"a7"}),
    ("brand", {"a7"}),
    ('"natuurlijke personen"', {"a7"}),
    ("persoon", {"a7"}),
    ("vet", {"a9"}),
    ("<b>", {"a9"}),
    ("50%", {"a9"}),
    ("citaat", {"a9"}),
    # Plurals of compounds, and compounds with a hyphen.
    ("stad", {"a4"}),
    ("binnenstad", set()),
    ("waterschap", {"a4"}),
    ("windmolen", {"a5"}),
    ("raadslid", {"a3"}),
    ("Woo-verzoek", {"a5", "a8"}),
    ("wooverzoeken", {"a5", "a8"}),
    ("-wooverzoek lange", set()),
    # Words with a hyphen at the end of a line.
    *((asked, {"a3"}) for asked in ("havo", "vwo", '"havo-vwo"', "havovwo", "bestemmingsplan")),
    ('"Woo-verzoek"', {"a8"}),
    # Metadata: the organisation that is shown (of a5 from the register alone), numbers, file names.
    ("amsterdam", ALL - {"a2", "a4"}),
    ("utrecht stikstof", {"a2"}),
    ("brug", {"a4"}),
    ("gravendeel wegen", {"a4"}),
    ("verkeer", {"a3", "a4"}),
    ("advies", ALL - {"a4"}),
    ("Z2024-00123", {"a6"}),
    ("z202400123", {"a6"}),
    ("Z-2024/00123", {"a6"}),
    ("Z2024 00123", {"a6"}),
    ('"Z2024-00123"', {"a6"}),
    ("uitkering -Z202400123", set()),
    ("uitkering -Z-2024/00123", set()),
    ("2023.0456/BK", {"a6"}),
    ("20230456bk", {"a6"}),
    ("0456", {"a6"}),
    ("dossier 78", {"a6"}),
    ("Z2024-00124", set()),
    ("convenant-waterfront_v2.pdf", {"a4"}),
    ("waterfront", {"a4"}),
    ("waterfront fietspaden", {"a4"}),
    ("a7.pdf", {"a7"}),
    ("zwaluwnest", set()),  # an own field
    ("zoietsbestaatniet", set()),
    ("ingetrokken", set()),
    ("x" * 255, {"a8"}),
    # What is an operator elsewhere is text here.
    ("stikstof OR fietspaden", set()),
    ("pold*", set()),
    ("stikstof~2", set()),
    ("document.publisher.label:Amsterdam", set()),
    ("stikstof AND", {"a1", "a2"}),
    ("natuur AND polder", {"a1"}),
    ('"AND" stikstof', set()),
    ("(stikstof", {"a1", "a2"}),
    ("stikstof)", {"a1", "a2"}),
    ("+stikstof", {"a1", "a2"}),
    ("stikstof^9", set()),
    ("!!!", ALL),
    ('"!!!"', ALL),
    ("-!!!", ALL),
    ('"', ALL),
    ("-", ALL),
    ("\\", ALL),
    ('\\"stikstof\\"', {"a2"}),
    ("日本", set()),
    ("\u202estikstof", {"a1", "a2"}),
    ("stik\u00adstof", {"a1", "a2"}),
    ("\u0130stanbul \u017ftik\u017ftof \ufb01ets", set()),
    ("{{7*7}}", set()),
    ("' OR 1=1 --", set()),
    (" ".join(f"w{number}" for number in range(MAX_CLAUSES)), set()),
]


def test_a_text_finds_documents(engine: Engine) -> None:
    for asked, expected in TEXTS:
        assert set(ids(engine.search(text(asked)))) == expected, (asked, expected)


def test_a_text_finds_permits(engine: Engine) -> None:
    for asked, expected in [
        ("kappen", {"p1", "p3"}),
        ("boom", {"p1", "p3"}),
        ("eik", {"p1"}),
        ("dak", {"p2"}),
        ("omgeving", {"p2"}),
        ("school", {"p1"}),
        ("vries", {"p1"}),
        ('"de+vries"', {"p1"}),
        ("-vries+kapvergunning", {"p3"}),
        ("-de+kapvergunning", {"p1", "p3"}),
        ("aanvraag+amsterdam", {"p1", "p3"}),
    ]:
        assert permits(engine, f"zoektekst={asked}") == expected, asked


def test_words_that_look_like_another_one_are_those_of_titles_and_metadata(engine: Engine) -> None:
    for word, expected in [
        ("stikstofbeslui", ["stikstofbesluit"]),
        ("gementeraad", ["gemeenteraad"]),
        ("amsterdm", ["amsterdam"]),  # metadata
        ("zwaluwnet", []),  # an own field
        ("polderr", []),  # the text lends no words
        ("zoietsbestaatniet", []),
        ("x" * 600, []),
        (".*", []),
        ("", []),
    ]:
        assert engine.similar_words(WOO, word) == expected, word


def test_words_of_the_title_come_before_those_of_the_text(engine: Engine) -> None:
    assert ids(engine.search(text("stikstof"))) == ["a2", "a1"]  # the word, then a part of a compound
    assert ids(engine.search(Question(PERMITS, text("boom").clauses)))[0] == "p3"


def test_metadata_come_before_the_text(engine: Engine) -> None:
    assert ids(engine.search(text("milieu"))) == ["a1", "a3", "a2"]  # both, the theme, the text


def test_a_title_shows_its_matches_and_a_text_its_fragments(engine: Engine) -> None:
    (hit,) = engine.search(text("stikstof polder milieu -fietspaden")).hits
    assert hit.title == [Piece("Stikstofbesluit", is_match=True)]
    (fragment,) = hit.fragments
    assert "".join(piece.text for piece in fragment) == "Dit gaat over natuur en milieu in de polder."
    assert [piece.text for piece in fragment if piece.is_match] == ["milieu", "polder"]


def test_a_phrase_is_shown_in_the_text(engine: Engine) -> None:
    (hit,) = engine.search(text('"natuur en milieu" polder')).hits
    assert hit.title == [Piece("Stikstofbesluit")]
    (fragment,) = hit.fragments
    assert {"natuur", "milieu"} <= {word for each in fragment if each.is_match for word in each.text.split()}


def test_a_title_without_a_match_is_shown_all_the_same(engine: Engine) -> None:
    (hit,) = engine.search(text("polder")).hits
    assert hit.title == [Piece("Stikstofbesluit")]


def test_marks_that_a_publisher_writes_lose_no_text(engine: Engine) -> None:
    (hit,) = engine.search(text("citaat")).hits
    shown = "".join(piece.text for piece in hit.title)
    assert shown.replace("\ue000", "").replace("\ue001", "") == '<b>Vet</b> & "citaat" 50% merk'
    assert Piece("citaat", is_match=True) in hit.title


def test_without_a_text_nothing_is_marked(engine: Engine) -> None:
    for hit in engine.search(text("")).hits:
        assert (list(hit.title), list(hit.fragments)) == ([], [])


def test_no_hit_has_the_text_of_its_files(engine: Engine) -> None:
    for hit in engine.search(text("")).hits:
        assert not {"tekst", "facetten"} & hit.document.keys()


ROWS = [*csv.DictReader((Path(__file__).parent / "compounds.csv").read_text(encoding="utf-8").splitlines())]


def test_compounds_are_found_by_their_parts(tmp_path: Path) -> None:
    with embedded(tmp_path, [woo(f"w{number:03}", row["woord"]) for number, row in enumerate(ROWS)]) as made:
        reached = [f"w{number:03}" in _hits(made, text(row["vraag"])) for number, row in enumerate(ROWS)]
    assert sum(reached) >= 190


_ENDS = ("word", "other")
PAIRS = [*csv.DictReader((Path(__file__).parent / "word_pairs.csv").read_text(encoding="utf-8").splitlines())]

#: A word, a title that has the word itself, and titles that have it as a part of another word only.
RANKS = [
    ("water", "Zorg om het water in de polder en langs de dijk", ["Wateringen", "Waterschap", "Drinkwater"]),
    ("stikstof", "Nota over de aanpak van stikstof in dit gebied", ["Stikstofbesluit", "Stikstofregels"]),
    ("raad", "Brief van het college aan de raad over wegen", ["Raadsbesluit", "Gemeenteraad", "Raadslid"]),
    ("wind", "Onderzoek naar de wind boven zee en aan land", ["Windmolen", "Windenergie", "Windpark"]),
    ("bouw", "Plan voor de bouw van een nieuwe school hier", ["Bouwvergunning", "Woningbouw", "Bouwbesluit"]),
    ("geluid", "Meting van het geluid bij een druk kruispunt", ["Geluidsoverlast", "Geluidscherm"]),
]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The engine over a document for each word form and each title of the ranks."""
    forms = [woo(f"{name}-{number}", row[name]) for number, row in enumerate(PAIRS) for name in _ENDS]
    ranks = [
        woo(f"{word}-{number}", title)
        for word, itself, others in RANKS
        for number, title in enumerate((itself, *others))
    ]
    with embedded(tmp_path_factory.mktemp("words"), [*forms, *ranks]) as made:
        yield made


def test_the_forms_of_a_word_find_each_other_and_strangers_seldom(words: Engine) -> None:
    met: dict[bool, list[set[bool]]] = {True: [], False: []}
    for number, row in enumerate(PAIRS):
        asked, other = (_hits(words, text(row[name])) for name in _ENDS)
        met[row["kind"] == "strangers"].append({f"other-{number}" in asked, f"word-{number}" in other})
    assert (len(met[False]), len(met[True])) == (200, 60)
    assert met[False].count({True}) >= 184
    assert met[True].count({False}) >= 47


def test_a_title_with_the_word_itself_comes_before_those_with_it_as_a_part(words: Engine) -> None:
    for word, others in [(word, others) for word, _, others in RANKS]:
        every = {f"{word}-{number}" for number in range(len(others) + 1)}
        found = [hit.document["id"] for hit in words.search(text(word)).hits if hit.document["id"] in every]
        assert found[0] == f"{word}-0", (word, others)
        assert len(found) >= 2, "a part of a compound is found too"


def _hits(engine: Engine, asked: Question) -> set[str]:
    return {document["id"] for document in engine.all_documents(asked)}
