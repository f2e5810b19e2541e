"""Highlighted texts in pieces."""

from __future__ import annotations

import pytest

from woo_portal.elasticsearch import MATCH_BEGIN as BEGIN
from woo_portal.elasticsearch import MATCH_END as END
from woo_portal.elasticsearch import pieces
from woo_portal.engine import Piece


def test_a_text_comes_in_pieces_in_its_order() -> None:
    assert pieces(f"De {BEGIN}brief{END} over {BEGIN}water{END}") == [
        Piece("De "),
        Piece("brief", is_match=True),
        Piece(" over "),
        Piece("water", is_match=True),
    ]


HOSTILE = ["", "a", BEGIN, END, f"{END}a", f"a{END}b", f"{BEGIN}a", f"{BEGIN}{END}"]


@pytest.mark.parametrize("text", [*HOSTILE, f"{BEGIN}a{BEGIN}b{END}{END}c"])
def test_no_mark_of_a_publisher_is_shown_and_no_other_character_is_lost(text: str) -> None:
    made = pieces(text)
    assert "".join(piece.text for piece in made) == text.replace(BEGIN, "").replace(END, "")
    assert all(piece.text for piece in made)
