from __future__ import annotations

import pytest

from woo_harvester.documents.pages import decode_page


def decoded(*pieces: bytes, content_type: str | None = None) -> tuple[str, str]:
    encoding, texts = decode_page(iter(pieces), content_type)
    return encoding, "".join(texts)


def test_the_byte_order_mark_goes_before_what_is_declared() -> None:
    page = '<meta charset="iso-8859-1">één'
    assert decoded(page.encode("utf-16"), content_type="text/html; charset=ascii")[1] == page


def test_the_header_goes_before_the_page_itself() -> None:
    page = '<meta charset="utf-8">één'
    assert decoded(page.encode("cp1252"), content_type="text/html; charset=windows-1252") == ("cp1252", page)
    assert decoded(page.encode()) == ("utf-8", page)


def test_bytes_that_are_not_utf_8_are_those_of_windows() -> None:
    assert decoded("één".encode("cp1252")) == ("utf-8", "één")


@pytest.mark.parametrize("name", ["base64", "idna", "rot13", "undefined", "onzin"])
def test_a_name_that_is_no_encoding_of_text_counts_as_none(name: str) -> None:
    assert decoded(b"abc", content_type=f"text/html; charset={name}") == ("utf-8", "abc")


def test_a_character_may_be_in_two_pieces_and_the_last_one_may_be_cut_off() -> None:
    body = ("x" * 4095 + "é" + "y€").encode()
    assert decoded(body[:4096], body[4096:-1])[1].startswith("x" * 4095 + "éy")
    assert decoded()[1] == ""
