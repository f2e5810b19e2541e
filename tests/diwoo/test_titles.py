from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.diwoo.titles import title_from_loc, title_from_properties

FOLDER = "https://www.gemeente.nl/woo/"


def test_the_title_is_the_file_name_with_spaces_and_without_extension() -> None:
    for name, title in [
        ("Besluit-parkeren_2024.pdf", "Besluit parkeren 2024"),
        ("besluit%20parkeren.pdf", "besluit parkeren"),
        ("besluit+parkeren.pdf", "besluit parkeren"),
        ("besluit--parkeren__-_centrum.pdf", "besluit parkeren centrum"),
        ("co%C3%B6rdinatie.pdf", "coördinatie"),
        ("co%F6rdinatie.pdf", "coördinatie"),
        ("coo%CC%88rdinatie.pdf", "coördinatie"),
        ("besluit.PDF", "besluit"),
        ("besluit.docx.pdf", "besluit"),
        ("besluit", "besluit"),
        ("besluit/", "besluit"),
        ("besluit.pdf?versie=1/2#blad=3", "besluit"),
        ("besluit.pdf;jsessionid=0A1B.node1", "besluit"),
        ("besluit%201.2", "besluit 1.2"),
        ("besluit%201.2.pdf", "besluit 1.2"),
        ("Raad.van.State", "Raad.van.State"),
        ("2024%2Fbesluit.pdf", "besluit"),
        ("%00%0Abesluit%E2%80%AE.pdf", "besluit"),
        ("bijlage-3.pdf", "bijlage 3"),
        ("document-over-parkeren.pdf", "document over parkeren"),
        ("besluit-3f2504e0-4f89-11d3-9a0c-0305e82c3301.pdf", "besluit"),
        ("INT24-00123.pdf", "INT24 00123"),
    ]:
        assert title_from_loc(FOLDER + name) == title, name


def test_a_name_that_says_nothing_gives_no_title() -> None:
    for loc in [
        *("", "https://www.gemeente.nl", "https://www.gemeente.nl/?q=besluit", "https://a.nl/.."),
        *(
            FOLDER + name
            for name in (
                # UUIDs, numbers and hashes.
                *("3f2504e0-4f89-11d3-9a0c-0305e82c3301.pdf", "3F2504E0-4F89-11D3-9A0C-0305E82C3301"),
                *("12345.pdf", "2024-04-01.pdf", "20240401_101500.pdf", "1.2.3", "d41d8cd98f00b204.pdf"),
                *("d41d8cd98f00b204e9800998ecf8427e", "v2.pdf", "½½.pdf"),
                # General words, also with a number.
                *("download", "Download", "document.pdf", "documenten/", "index.html", "bestand.docx"),
                *("default.aspx", "getDocument.ashx", "downloadfile", "pdf", "document-12345"),
                *("document12345.pdf", "download(3).pdf", "file_1.pdf", "nieuw%20document%20(2).docx"),
                "index-d41d8cd98f00b204e9800998ecf8427e.pdf",
            )
        ),
    ]:
        assert title_from_loc(loc) is None, loc


@given(st.uuids())
def test_no_uuid_is_a_title(uuid: UUID) -> None:
    assert title_from_loc(f"{FOLDER}{uuid}/download") is None
    assert title_from_loc(f"{FOLDER}{uuid}.pdf") is None
    assert title_from_loc(f"{FOLDER}{uuid.hex}.pdf") is None


@given(st.text())
def test_whatever_the_name_a_title_is_one_line_that_says_something(name: str) -> None:
    title = title_from_loc(FOLDER + name)

    assert title is None or (title == " ".join(title.split()) and any(map(str.isalpha, title)))


def test_a_name_made_to_take_long_does_not() -> None:
    for name in ["get" * 700, "docs" * 500 + "é", "-a" * 1000, ".pdf" * 500, "%2F" * 600, "f" * 2000]:
        title_from_loc(FOLDER + name)


def test_a_title_in_the_properties_counts_if_it_is_meaningful() -> None:
    for text, title in [
        ("Besluit over de haven", "Besluit over de haven"),
        ("Microsoft Word - Besluit over de haven.docx", "Besluit over de haven"),
        ("Microsoft PowerPoint - Presentatie haven", "Presentatie haven"),
        ("besluit_haven.pdf", "besluit_haven"),
        (" Besluit \n over  de haven ", "Besluit over de haven"),
        ("Microsoft Word - Document1.doc", None),
        ("untitled", None),
        ("12345", None),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", None),
        ("", None),
    ]:
        assert title_from_properties(text) == title, text
