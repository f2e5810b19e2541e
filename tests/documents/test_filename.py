"""Names of files, from a Content-Disposition or a URL."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.documents.filename import FILE_NAME_MAXLENGTH, file_name, title_name


def test_the_file_name_is_that_of_the_content_disposition() -> None:
    cases: list[tuple[str | bytes, str]] = [
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
        ("attachment; filename*=UTF-8'nl'%E2%82%AC%20rates.pdf", "€ rates.pdf"),
        ("attachment; FILENAME*=utf-8''besluit.pdf", "besluit.pdf"),
        ("attachment; filename*=\"UTF-8''co%C3%B6rdinatie.pdf\"", "coördinatie.pdf"),
        ("attachment; filename*=iso-8859-1''%80%20100.pdf", "€ 100.pdf"),
        ("attachment; filename*=UTF-8''coördinatie.pdf", "coördinatie.pdf"),
        ("attachment; filename*=UTF-8''€.pdf", "€.pdf"),
        ('attachment; filename="a \\"b\\" c.pdf"', "a _b_ c.pdf"),
        ('attachment; filename="besluit.pdf"; size=20; filename="anders.pdf"', "besluit.pdf"),
        ("attachment; filename=co%C3%B6rdinatie.pdf", "coördinatie.pdf"),
        ('attachment; filename="100% zeker.pdf"', "100% zeker.pdf"),
        ('attachment; filename="besluit.pdf', "besluit.pdf"),
        ('attachment; filename="coördinatie.pdf"'.encode(), "coördinatie.pdf"),
        ('attachment; filename="coördinatie.pdf"'.encode("latin-1"), "coördinatie.pdf"),
    ]
    for disposition, name in cases:
        assert file_name(disposition, "https://www.a.nl/download") == name, disposition


def test_an_extended_name_that_is_wrong_gives_way_to_the_plain_one() -> None:
    for extended in [
        *("UTF-8''", "UTF-8''..", "UTF-8''%FF.pdf", "co%C3%B6rdinatie.pdf", "UTF-8'co%C3%B6rdinatie.pdf"),
        *("utf-16''%00a.pdf", "idna''a.pdf", "zip''a.pdf", "''a.pdf"),
    ]:
        disposition = f"attachment; filename*={extended}; filename=goed.pdf"
        assert file_name(disposition, "https://www.a.nl/download") == "goed.pdf", extended


def test_and_is_read_as_well_as_can_be_where_there_is_none() -> None:
    for extended, name in [
        ("co%C3%B6rdinatie.pdf", "coördinatie.pdf"),
        ("idna''a.pdf", "a.pdf"),
        ("UTF-8''co%F6rdinatie.pdf", "coördinatie.pdf"),
    ]:
        assert file_name(f"attachment; filename*={extended}", "https://www.a.nl/download") == name, extended


def test_without_one_it_is_the_last_segment_of_the_url_if_that_has_one() -> None:
    url = "https://www.a.nl/woo/besluit%20parkeren.pdf?v=1"
    for disposition in (None, "", "attachment", "attachment; filename=", 'attachment; filename=".."', "\r\n"):
        assert file_name(disposition, url) == "besluit parkeren.pdf", disposition
    assert file_name(None, "https://www.a.nl/woo/") is None
    assert file_name("attachment", "https://www.a.nl") is None


def test_the_name_is_made_safe_for_file_systems() -> None:
    for given_name, name in [
        ("../../etc/passwd", "passwd"),
        ("..%2F..%2Fetc%2Fpasswd", "passwd"),
        (r"C:\\map\\besluit.pdf", "besluit.pdf"),
        ("/woo/besluit.pdf/", "besluit.pdf"),
        (".htaccess", "htaccess"),
        ("...besluit.pdf...", "besluit.pdf"),
        ("besluit\x00\x1b.pdf", "besluit_.pdf"),
        ("besluit\u202efdp.exe", "besluit_fdp.exe"),
        ("wat? <dit>: 50*|.pdf", "wat_ _dit_ 50_.pdf"),
        ("../../etc/cron.d/x", "x"),
        (r"..\\..\\x.pdf", "x.pdf"),
        ("%2e%2e%2fx.pdf", "x.pdf"),
        ("..%252Fx.pdf", "%2Fx.pdf"),
        ("besluit%00.pdf", "besluit_.pdf"),
        ("besluit%0d%0aSet-Cookie.pdf", "besluit_Set-Cookie.pdf"),
        ("besluit.pdf::$DATA", "besluit.pdf_$DATA"),
        ("\u2067besluit\u061c\u00ad.pdf\U000e0041", "_besluit_.pdf_"),
        ("~/.bashrc", "bashrc"),
        ("aux.tar.gz", "aux_.tar.gz"),
        ("con .pdf", "con_.pdf"),
        ("COM\u00b9.pdf", "COM\u00b9_.pdf"),
        ("besluit   parkeren.pdf", "besluit parkeren.pdf"),
        ("CON.pdf", "CON_.pdf"),
        ("lpt1", "lpt1_"),
        ("contract.pdf", "contract.pdf"),
    ]:
        assert file_name(f'attachment; filename="{given_name}"', "https://www.a.nl/") == name, given_name


def test_a_long_name_is_cut_to_255_bytes_on_the_border_of_a_character_and_keeps_its_extension() -> None:
    for given_name, name in (
        ("a" * 300 + ".pdf", "a" * 251 + ".pdf"),
        ("é" * 300 + ".docx", "é" * 125 + ".docx"),
        ("a" + "€" * 300 + ".pdf", "a" + "€" * 83 + ".pdf"),
        ("\U0001f3db" * 300 + ".pdf", "\U0001f3db" * 62 + ".pdf"),
        ("a" * 250 + ". b.pdf", "a" * 250 + ".pdf"),
        ("besluit." + "x" * 300, "besluit." + "x" * 247),  # too long for an extension
    ):
        assert file_name(f'attachment; filename="{given_name}"', "https://www.a.nl/") == name, given_name


def test_a_header_of_a_megabyte_is_read_at_its_beginning_only() -> None:
    header = f"attachment; filename=besluit.pdf; {'a=b; ' * 200_000}"
    assert file_name(header, "https://www.a.nl/") == "besluit.pdf"


#: What a header is made of, to be put together in wrong ways.
PARTS = st.sampled_from(
    [
        *("attachment", "filename", "*", "*0", "*1*", "²", "=", ";", " ", '"', "'", "\\", "\r\n ", "\x00"),
        *("/", "..", ".", "UTF-8''", "iso-8859-1'nl'", "idna''", "utf-7''", "%C3%B6", "%FF", "%", "%2F"),
        *("=?utf-8?B?", "?=", "é", "€"),
    ]
)


@given(st.lists(PARTS, max_size=30).map("".join))
def test_a_header_in_any_disorder_gives_a_safe_name_or_none(disposition: str) -> None:
    for value in (disposition, disposition.encode(), disposition.encode("latin-1", "replace")):
        name = file_name(value, "https://www.a.nl/")
        assert name is None or (
            0 < len(name.encode()) <= FILE_NAME_MAXLENGTH and not set(name) & set("/\\\0")
        )


@given(
    st.one_of(st.text(), st.binary(), st.text("/\\.%2F é").map("attachment; filename={}".format)), st.text()
)
def test_whatever_is_given_a_name_stays_in_its_folder(disposition: str | bytes, segment: str) -> None:
    name = file_name(disposition, f"https://www.a.nl/{segment}")

    assert name is None or (
        0 < len(name.encode()) <= FILE_NAME_MAXLENGTH and not set(name) & set('/\\\0\n:"')
    )
    assert name is None or not name.startswith(".")


def test_a_title_becomes_a_name() -> None:
    for title, name in [
        ("Woo-besluit zwembad", "Woo-besluit zwembad"),
        ("  Besluit\n 2024/12: kade. ", "Besluit 2024-12 kade"),
        ("Cafe\u0301", "Café"),
        ("con", "con_"),
        ("aux.txt", "aux_.txt"),
        ("...", ""),
    ]:
        assert title_name(title, 90) == name, title


@given(st.text(), st.integers(1, 100))
def test_whatever_a_title_is_its_name_stays_in_its_folder(title: str, length: int) -> None:
    name = title_name(title, length)
    assert len(name.encode()) <= length + 1
    assert not set(name) & set('/\\\0\n:"?*<>|')
    assert name == name.strip(". ")
