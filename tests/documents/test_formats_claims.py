"""File types by metadata, media type and extension."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.documents.formats import (
    FormatClaim,
    file_types,
    from_extension,
    from_media_type,
    from_metadata,
)
from woo_harvester.tooi.lists import filetypes

EU = "http://publications.europa.eu/resource/authority/file-type/"
NOTHING = FormatClaim()


def named(claim: FormatClaim) -> str | None:
    """Return the label of the type in a claim, or its unlisted type."""
    return claim.filetype.label if claim.filetype else None


def test_there_are_exactly_the_19_types_of_the_list() -> None:
    assert [(filetype.uri, filetype.label) for filetype in file_types()] == [
        (concept.uri, concept.label) for concept in filetypes()
    ]
    assert len(file_types()) == 19


def test_the_metadata_may_name_a_type_in_any_notation() -> None:
    for filetype in file_types():
        code = filetype.uri.removeprefix(EU)
        extension = filetype.extensions[0]
        labels = [
            filetype.label,
            filetype.label.upper(),
            f" {filetype.label}\n",
            code,
            code.lower(),
            extension,
            f".{extension}",
        ]

        claims = [from_metadata(label, None) for label in labels]
        claims += [from_metadata(label, "") for label in filetype.media_types]
        uris = (filetype.uri, filetype.uri.replace("http:", "https:"), f"{filetype.uri}/")
        claims += [from_metadata("", uri) for uri in uris]

        assert {named(claim) for claim in claims} == {filetype.label}, filetype


def test_a_response_and_a_url_name_a_type_too() -> None:
    for filetype in file_types():
        for media_type in filetype.media_types:
            assert from_media_type(f"{media_type.upper()}; charset=utf-8").filetype == filetype, filetype
        for extension in filetype.extensions:
            assert (
                from_extension(f"https://www.a.nl/besluit.{extension.upper()}?download=1").filetype
                == filetype
            )
            assert from_extension(f"besluit.{extension}").filetype == filetype, filetype


def test_a_known_uri_counts_before_the_label_and_a_known_label_before_an_unknown_uri() -> None:
    for label, uri, filetype in [
        ("PDF", f"{EU}DOCX", "Word DOCX"),
        ("PDF", "https://www.a.nl/formaten/7", "PDF"),
        ("PDF", f"{EU}PNG", "PDF"),
        ("PLACEHOLDER_FORMAT", f"{EU}PDF", "PDF"),
        ("application/pdf; version=1.7", None, "PDF"),
        ("https://www.iana.org/assignments/media-types/application/pdf", None, "PDF"),
        ("PDF/A-1b", None, "PDF"),
        ("pdfa", None, "PDF"),
        (None, f"{EU}PDFA2A", "PDF"),
        ("ODF", None, "ODF"),
        ("pps", None, "PowerPoint Slide Show"),
        ("besluit.pdf", None, "PDF"),
    ]:
        assert named(from_metadata(label, uri)) == filetype, (label, uri)


def test_metadata_that_names_another_type_says_which() -> None:
    for label, uri, name in [
        ("image/png", None, "image/png"),
        ("PNG", None, ".png"),
        (".mp4", "", ".mp4"),
        ("foto", f"{EU}JPEG", f"{EU}JPEG"),
    ]:
        assert from_metadata(label, uri) == FormatClaim(unlisted=name), label


def test_metadata_that_names_no_type_says_nothing() -> None:
    for label in [
        None,
        "",
        "  ",
        "PLACEHOLDER_FORMAT",
        "document",
        "application/octet-stream",
        "n/a b",
        "pdf" * 1000,
    ]:
        assert from_metadata(label, "") == NOTHING, label


def test_a_media_type_that_servers_give_to_anything_says_nothing() -> None:
    for text in [
        *(None, "", "pdf", "*/*", "application/octet-stream"),
        *("Application/Octet-Stream; name=besluit.pdf", "binary/octet-stream"),
        *("application/x-download", "application/force-download", "application/download"),
        *("application/unknown", "application/vnd.ms-office"),
    ]:
        assert from_media_type(text) == NOTHING, text


def test_a_media_type_that_is_not_on_the_list_is_named() -> None:
    for text in ["image/png", "text/xml", "application/json", "video/mp4", "application/gzip"]:
        assert from_media_type(f"{text};charset=utf-8") == FormatClaim(unlisted=text), text


def test_a_web_page_is_html_and_plain_text_is_on_the_list() -> None:
    assert named(from_media_type("application/xhtml+xml")) == "HTML"
    assert named(from_media_type("text/plain")) == "Plain text"


def test_a_url_without_a_document_s_extension_says_nothing() -> None:
    for url in [
        *("", "https://www.a.nl", "https://www.a.nl/", "https://www.a.nl/3f2504e0/download"),
        *("https://www.a.nl/download.aspx", "https://www.a.nl/besluit%201.2"),
        *("https://www.a.nl/map.pdf/", "https://www.a.nl/download?bestand=besluit.pdf"),
        *("besluit.", "pdf"),
    ]:
        assert from_extension(url) == NOTHING, url


def test_an_extension_that_is_not_on_the_list_is_named() -> None:
    assert from_extension("https://www.a.nl/foto.JPG") == FormatClaim(unlisted=".jpg")
    assert from_extension("https://www.a.nl/opname%2Emp4") == FormatClaim(unlisted=".mp4")


def test_a_session_id_after_the_extension_is_passed_over() -> None:
    assert named(from_extension("https://www.a.nl/besluit.pdf;jsessionid=0A1B.node1")) == "PDF"


@given(st.text(), st.text())
def test_no_text_is_an_error(label: str, uri: str) -> None:
    for claim in (from_metadata(label, uri), from_media_type(label), from_extension(label)):
        assert claim.filetype is None or claim.unlisted is None
