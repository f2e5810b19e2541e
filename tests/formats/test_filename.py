"""Names of files, from a Content-Disposition or a URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.formats import FILE_NAME_MAXLENGTH, file_name


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("attachment; filename=besluit.pdf", "besluit.pdf"),
        ('attachment; filename="besluit parkeren.pdf"', "besluit parkeren.pdf"),
        ('attachment; filename="een; twee.pdf"', "een; twee.pdf"),
        ("attachment; filename=besluit parkeren.pdf", "besluit parkeren.pdf"),
        ('inline; FileName="besluit.pdf"', "besluit.pdf"),
        ('filename="besluit.pdf"', "besluit.pdf"),
        ("attachment; filename*=UTF-8''co%C3%B6rdinatie.pdf", "coördinatie.pdf"),
        ("attachment; filename*=iso-8859-1'nl'co%F6rdinatie.pdf", "coördinatie.pdf"),
        ("attachment; filename=a.pdf; filename*=UTF-8''%C3%A4.pdf", "ä.pdf"),
        ("attachment; filename*=UTF-8''%C3%A4.pdf; filename=a.pdf", "ä.pdf"),
        ("attachment; filename=besluit%20parkeren.pdf", "besluit parkeren.pdf"),
        ("attachment; filename=100%E9.pdf", "100%E9.pdf"),
        ("attachment; filename*=geen-tekenset''besluit.pdf", "besluit.pdf"),
        ('attachment; filename="coördinatie.pdf"'.encode(), "coördinatie.pdf"),
        ('attachment; filename="coördinatie.pdf"'.encode("latin-1"), "coördinatie.pdf"),
    ],
)
def test_the_file_name_is_that_of_the_content_disposition(disposition: str | bytes, name: str) -> None:
    assert file_name(disposition, "https://www.a.nl/download") == name


@pytest.mark.parametrize(
    "disposition", [None, "", "attachment", "attachment; filename=", 'attachment; filename=".."', "\r\n"]
)
def test_without_one_it_is_the_last_segment_of_the_url(disposition: str | None) -> None:
    assert file_name(disposition, "https://www.a.nl/woo/besluit%20parkeren.pdf?v=1") == "besluit parkeren.pdf"


def test_where_nothing_tells_a_name_there_is_none() -> None:
    assert file_name(None, "https://www.a.nl/woo/") is None
    assert file_name("attachment", "https://www.a.nl") is None


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("..%2F..%2Fetc%2Fpasswd", "passwd"),
        (r"C:\\map\\besluit.pdf", "besluit.pdf"),
        ("/woo/besluit.pdf/", "besluit.pdf"),
        (".htaccess", "htaccess"),
        ("...besluit.pdf...", "besluit.pdf"),
        ("besluit\x00\x1b.pdf", "besluit_.pdf"),
        ("besluit\u202efdp.exe", "besluit_fdp.exe"),
        ("wat? <dit>: 50*|.pdf", "wat_ _dit_ 50_.pdf"),
        ("besluit   parkeren.pdf", "besluit parkeren.pdf"),
        ("CON.pdf", "CON_.pdf"),
        ("lpt1", "lpt1_"),
        ("contract.pdf", "contract.pdf"),
    ],
)
def test_the_name_is_made_safe_for_file_systems(given_name: str, name: str) -> None:
    assert file_name(f'attachment; filename="{given_name}"', "https://www.a.nl/") == name


def test_a_long_name_is_cut_to_255_bytes_and_keeps_its_extension() -> None:
    name = file_name(None, f"https://www.a.nl/{'é' * 300}.pdf")

    assert name == f"{'é' * 125}.pdf"


@given(
    st.one_of(st.text(), st.binary(), st.text("/\\.%2F é").map("attachment; filename={}".format)), st.text()
)
def test_whatever_is_given_a_name_stays_in_its_folder(disposition: str | bytes, segment: str) -> None:
    name = file_name(disposition, f"https://www.a.nl/{segment}")

    assert name is None or (
        0 < len(name.encode()) <= FILE_NAME_MAXLENGTH and not set(name) & set('/\\\0\n:"')
    )
    assert name is None or not name.startswith(".")
