"""What differs only by signs that nobody sees, or by how accents are written, is found alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.portal.suite_records import embedded, woo
from woo_harvester.kinds import WOO
from woo_portal.engine import Engine
from woo_portal.parse import question_of_pairs

RECORDS = [
    woo("a", "Terrasje Cafe\u0301 de Boom", "Een omgevings\u00advergunning voor het terras."),
    woo("b", "De omgevings\u200bvergunning", "Cafe\u0301 en be\u00ad\nstemming\u00ad\nsplan.",
        owner={"label": "Stichting Re\u0301u\u0308nie\u00a0\u200bNoord"}),
    woo("c", "\ufeffVie\u0323\u0302t Nam", "\u041a\u0430\u0438\u0306",
        file_name="coo\u0308rdinatie_plan.pdf"),
]  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The engine over these records."""
    with embedded(tmp_path_factory.mktemp("signs"), RECORDS) as made:
        yield made


def found(engine: Engine, **asked: str) -> list[str]:
    return sorted(hit.document["id"] for hit in engine.search(question_of_pairs(WOO, asked.items())).hits)


def test_a_word_is_found_however_its_signs_are_written(engine: Engine) -> None:
    for text, expected in [
        ("café", ["a", "b"]),
        ("cafe", ["a", "b"]),
        ("cafe\u0301", ["a", "b"]),
        ("Cafés", ["a", "b"]),
        ('"terrasje café"', ["a"]),
        ("omgevingsvergunning", ["a", "b"]),
        ("omgevings\u00advergunning", ["a", "b"]),
        ("vergunning", ["a", "b"]),
        ("bestemmingsplan", ["b"]),
        ('"de omgevingsvergunning"', ["b"]),
        ("viet", ["c"]),
        ("việt", ["c"]),
        ("кай", ["c"]),
        ("coördinatie", ["c"]),
        ("reünie", ["b"]),
    ]:
        assert found(engine, zoektekst=text) == expected, text


def test_what_matches_is_marked(engine: Engine) -> None:
    (hit,) = engine.search(question_of_pairs(WOO, [("zoektekst", "terrasje café vergunning")])).hits
    assert [piece.text for piece in hit.title if piece.is_match] == ["Terrasje", "Café"]
    assert ["omgevingsvergunning"] in [
        [piece.text for piece in fragment if piece.is_match] for fragment in hit.fragments
    ]


def test_a_filter_finds_what_it_counts(engine: Engine) -> None:
    counts = engine.search(question_of_pairs(WOO, [])).counts["organisatie"]
    (odd,) = [each.value for each in counts if not each.value.value.startswith("https:")]
    assert odd.label == "Stichting Réünie Noord"
    assert found(engine, organisatie=odd.value) == ["b"]


def test_titles_are_in_the_order_of_what_is_seen(engine: Engine) -> None:
    hits = engine.search(question_of_pairs(WOO, [("sorteer", "titel")])).hits
    assert [hit.document["id"] for hit in hits] == ["b", "a", "c"]
    assert hits[1].document["document"]["titelcollectie"]["officieleTitel"] == "Terrasje Cafe\u0301 de Boom"
