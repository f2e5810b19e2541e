from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from woo_harvester.kinds import WOO
from woo_portal.dutch import spans
from woo_portal.embedded import highlights
from woo_portal.embedded.highlights import Highlighter
from woo_portal.engine import Piece
from woo_portal.question import Clause, Question


def shown(pieces: Sequence[Piece]) -> str:
    return "".join(f"[{piece.text}]" if piece.is_match else piece.text for piece in pieces)


def highlighter(*clauses: Clause) -> Highlighter:
    return Highlighter(Question(WOO, clauses))


def test_a_title_shows_its_matches() -> None:
    for clauses, text, expected in [
        ([Clause("stikstof")], "Het Stikstofbesluit van 2026", "Het [Stikstofbesluit] van 2026"),
        ([Clause("brief")], "De brieven,\n\tde brief", "De [brieven], de [brief]"),
        ([Clause("natuur en milieu", is_phrase=True)], "en natuur EN milieu", "en [natuur] [EN] [milieu]"),
        ([Clause("raad"), Clause("plan", is_excluded=True)], "raad en plan", "[raad] en plan"),
        ([Clause("raad")], "<b>draadloos</b>", "<b>draadloos</b>"),
    ]:
        assert shown(highlighter(*clauses).marked(text)) == expected, clauses


def test_fragments_are_short_and_the_one_with_most_words_is_first() -> None:
    filler = "lorem ipsum dolor " * 60
    text = f"{filler}water {filler}water en bodem {filler}bodem {filler}water"
    found = highlighter(Clause("water"), Clause("bodem")).fragments([text])
    assert len(found) == 3
    assert "[water] en [bodem]" in shown(found[0])
    assert all(len("".join(piece.text for piece in pieces)) <= 200 for pieces in found)


def test_a_text_is_read_no_further_than_its_fragments_need(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"water-{number:05d}" for number in range(10_000))
    split: list[str] = []

    def noting(part: str) -> Iterator[tuple[int, int]]:
        split.append(part)
        return spans(part)

    monkeypatch.setattr(highlights, "spans", noting)
    fragments = highlighter(Clause("water")).fragments([text])
    assert shown(fragments[0]).startswith("[water]-00000 [water]-00001 ")
    assert len(split) == 60
