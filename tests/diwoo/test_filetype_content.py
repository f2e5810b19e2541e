"""The decision on the file type of a fetched document, of which the content is known."""

from __future__ import annotations

import io

import pytest

from tests.diwoo.documents import blank
from tests.samples import SAMPLES
from woo_harvester.diwoo.filetype import claims_of_type, decide_filetype
from woo_harvester.diwoo.given import Value
from woo_harvester.documents import DetectedFormat, detect_format, file_types

LOC = "https://www.gemeente.nl/documenten/6fa459ea/download"

KINDS = {filetype.code: filetype for filetype in file_types()}
NOTHING = DetectedFormat()
JPEG = DetectedFormat((), "image/jpeg")
XML = DetectedFormat((KINDS["TXT"], KINDS["HTML"]), "text/xml")
TEXT = DetectedFormat((KINDS["TXT"], KINDS["CSV"], KINDS["HTML"]))
ENCRYPTED = DetectedFormat(
    tuple(KINDS[code] for code in ("DOCX", "XLSX", "DOC")), "application/x-ole-storage"
)
DAMAGED_ZIP = DetectedFormat(tuple(KINDS[code] for code in ("ZIP", "DOCX", "ODT")))
SLIDES = DetectedFormat((KINDS["PPT"], KINDS["PPS"]))


def decided(
    metadata: str | None, media_type: str | None, ending: str, content: DetectedFormat | str
) -> tuple[str, str | None, str, list[tuple[str, str | None, str | None]]] | tuple[str, str | None]:
    """Return codes of format, source and content, and the findings; for a refusal its code and ``seen``."""
    outcome, report = blank(LOC)
    value = Value(metadata, None) if metadata else None
    detected = DetectedFormat((KINDS[content],)) if isinstance(content, str) else content
    decision = decide_filetype(claims_of_type(value, media_type, f"{LOC}{ending}", None), report, detected)
    if decision is None:
        [finding] = outcome.findings
        assert (finding.element, finding.action) == ("format", "overgeslagen")
        return finding.code, finding.seen
    findings = [(finding.code, finding.seen, finding.action) for finding in outcome.findings]
    return decision.filetype.code, decision.source, decision.content.code, findings


@pytest.mark.parametrize("code", SAMPLES)
@pytest.mark.parametrize("source", ["format", "Content-Type", "extensie"])
def test_a_sample_of_each_type_is_what_any_one_source_says(code: str, source: str) -> None:
    filetype, content = KINDS[code], detect_format(io.BytesIO(SAMPLES[code].read_bytes()))
    _, report = blank(LOC)
    claims = claims_of_type(
        Value(filetype.label, None) if source == "format" else None,
        filetype.media_type if source == "Content-Type" else "application/octet-stream",
        f"{LOC}.{filetype.extensions[0]}" if source == "extensie" else LOC,
        None,
    )
    decision = decide_filetype(claims, report, content)
    assert decision is not None
    # A media type does not distinguish a slide show from a presentation.
    assert decision.content is (KINDS["PPT"] if code == "PPS" and source == "Content-Type" else filetype)
    assert report.codes == []


@pytest.mark.parametrize("media_type", [None, "", "application/octet-stream", "binary/octet-stream"])
def test_a_media_type_that_says_nothing_is_no_contradiction(media_type: str | None) -> None:
    assert decided("PDF", media_type, "", "PDF") == ("PDF", None, "PDF", [])
    assert decided(None, media_type, ".pdf", "PDF") == ("PDF", "extensie", "PDF", [])


@pytest.mark.parametrize("code", ["DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"])
def test_nor_is_the_media_type_of_zip_for_an_office_file(code: str) -> None:
    assert decided(code, "application/zip", "", code) == (code, None, code, [])
    assert decided(None, "application/zip", f".{code.lower()}", code) == (code, "extensie", code, [])
    assert decided(None, "application/zip", "", code) == (code, "inhoud", code, [])


@pytest.mark.parametrize(
    ("media_type", "code"),
    [
        ("text/plain", "RTF"),
        ("application/msword", "RTF"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "PPSX"),
    ],
)
def test_nor_is_a_media_type_that_servers_give_to_the_wider_kind(media_type: str, code: str) -> None:
    assert decided(code, media_type, f".{code.lower()}", code) == (code, None, code, [])


def test_without_any_claim_the_bytes_decide_the_type() -> None:
    assert decided(None, None, "", "PDF") == ("PDF", "inhoud", "PDF", [])
    assert decided("PLACEHOLDER", "application/octet-stream", "", "PDF") == ("PDF", "inhoud", "PDF", [])


@pytest.mark.parametrize(
    ("metadata", "media_type", "ending", "content", "expected"),
    [
        ("PDF", None, "", "DOCX", ("PDF", None, "DOCX", "format: PDF")),
        (None, "application/pdf", "", "DOCX", ("DOCX", "inhoud", "DOCX", "Content-Type: PDF")),
        (None, None, ".doc", "DOCX", ("DOCX", "inhoud", "DOCX", "extensie: Word DOC")),
        ("PDF", "application/pdf", ".docx", "PDF", ("PDF", None, "PDF", "extensie: Word DOCX")),
        ("PDF", "text/html", ".pdf", "PDF", ("PDF", None, "PDF", "Content-Type: HTML")),
        ("PDF", "image/png", ".jpg", "PDF", ("PDF", None, "PDF", "Content-Type: image/png; extensie: .jpg")),
        (None, "application/pdf", ".docx", "DOCX", ("DOCX", "extensie", "DOCX", "Content-Type: PDF")),
        (None, "application/pdf", ".docx", "PDF", ("PDF", "content-type", "PDF", "extensie: Word DOCX")),
        ("ZIP", "application/zip", ".docx", "DOCX", ("ZIP", None, "DOCX", "format: ZIP")),
        ("PDF", None, ".pdf", TEXT, ("PDF", None, "TXT", "format: PDF; extensie: PDF")),
        ("RTF", None, "", TEXT, ("RTF", None, "TXT", "format: RTF")),
        (
            "DOC",
            "application/msword",
            ".doc",
            "RTF",
            ("DOC", None, "RTF", "format: Word DOC; extensie: Word DOC"),
        ),
    ],
)
def test_the_bytes_decide_and_the_finding_has_each_source_that_contradicts_them(
    metadata: str | None,
    media_type: str | None,
    ending: str,
    content: DetectedFormat | str,
    expected: tuple[str, str | None, str, str],
) -> None:
    filetype, source, actual, seen = expected
    label = KINDS[actual].label
    findings = [("format.strijdig", f"{seen}; inhoud: {label}", f"gelezen als {label}")]
    assert decided(metadata, media_type, ending, content) == (filetype, source, actual, findings)


@pytest.mark.parametrize(
    ("metadata", "media_type", "ending", "seen"),
    [
        ("PDF", "application/pdf", ".pdf", "format: PDF; Content-Type: PDF; extensie: PDF; inhoud: HTML"),
        ("PDF", "text/html", "", "format: PDF; inhoud: HTML"),
        (None, "application/pdf", "", "Content-Type: PDF; inhoud: HTML"),
        (None, "text/html", ".pdf", "extensie: PDF; inhoud: HTML"),
        (None, "text/plain", "", "Content-Type: Plain text; inhoud: HTML"),
        ("CSV", "text/csv", "", "format: CSV; Content-Type: CSV; inhoud: HTML"),
        (None, "application/octet-stream", ".xls", "extensie: Excel XLS; inhoud: HTML"),
    ],
)
def test_a_web_page_in_place_of_what_is_claimed_is_not_harvested(
    metadata: str | None, media_type: str | None, ending: str, seen: str
) -> None:
    assert decided(metadata, media_type, ending, "HTML") == ("document.html-pagina", seen)


def test_a_page_that_begins_like_no_other_is_a_web_page_where_the_server_says_so() -> None:
    seen = "format: PDF; extensie: PDF; inhoud: HTML"
    assert decided("PDF", "text/html", ".pdf", TEXT) == ("document.html-pagina", seen)


@pytest.mark.parametrize(
    ("metadata", "media_type", "ending", "expected"),
    [
        ("HTML", "text/html", ".html", ("HTML", None, "HTML", [])),
        (None, "text/html", "", ("HTML", "content-type", "HTML", [])),
        (None, None, ".htm", ("HTML", "extensie", "HTML", [])),
        (None, None, "", ("HTML", "inhoud", "HTML", [])),
    ],
)
def test_a_document_that_is_html_and_called_so_is_harvested(
    metadata: str | None, media_type: str | None, ending: str, expected: object
) -> None:
    assert decided(metadata, media_type, ending, "HTML") == expected


def test_a_page_that_the_publisher_gives_as_html_is_harvested_whatever_the_server_calls_it() -> None:
    findings = [("format.strijdig", "Content-Type: PDF; inhoud: HTML", "gelezen als HTML")]
    assert decided("HTML", "application/pdf", "", "HTML") == ("HTML", None, "HTML", findings)


@pytest.mark.parametrize(
    ("metadata", "media_type", "ending"),
    [("PDF", "application/pdf", ".pdf"), ("PDF", "image/jpeg", ""), (None, None, ".docx"), (None, None, "")],
)
def test_bytes_of_a_type_that_is_not_on_the_list_are_not_harvested_whatever_they_are_called(
    metadata: str | None, media_type: str | None, ending: str
) -> None:
    for content in (
        JPEG,
        DetectedFormat((), "application/vnd.ms-outlook"),
        DetectedFormat((), "application/x-msdownload"),
    ):
        assert decided(metadata, media_type, ending, content) == ("format.niet-ondersteund", content.unlisted)


@pytest.mark.parametrize("content", ["PDF", "HTML", TEXT, "ZIP"])
def test_what_the_publisher_says_is_not_on_the_list_is_not_harvested(content: DetectedFormat | str) -> None:
    assert decided("image/png", "application/pdf", ".pdf", content) == (
        "format.niet-ondersteund",
        "image/png",
    )


def test_what_a_server_or_a_name_says_is_not_on_the_list_is_harvested_where_the_bytes_are() -> None:
    seen = "Content-Type: application/save; inhoud: PDF"
    assert decided(None, "application/save", "", "PDF") == (
        *("PDF", "inhoud", "PDF"),
        [("format.strijdig", seen, "gelezen als PDF")],
    )
    assert decided(None, None, ".ai", "PDF") == (
        *("PDF", "inhoud", "PDF"),
        [("format.strijdig", "extensie: .ai; inhoud: PDF", "gelezen als PDF")],
    )


@pytest.mark.parametrize(
    ("media_type", "ending", "content", "seen"),
    [
        ("text/calendar", ".ics", TEXT, "text/calendar"),
        (None, ".eml", TEXT, ".eml"),
        (None, ".kmz", "ZIP", ".kmz"),
        ("application/json", ".pdf", TEXT, "application/json"),
        ("image/png", "", "HTML", "image/png"),
    ],
)
def test_but_not_where_the_bytes_may_be_of_many_kinds(
    media_type: str | None, ending: str, content: DetectedFormat | str, seen: str
) -> None:
    assert decided(None, media_type, ending, content) == ("format.niet-ondersteund", seen)


@pytest.mark.parametrize("code", ["TXT", "CSV", "HTML"])
def test_a_text_is_the_kind_of_text_that_it_is_called(code: str) -> None:
    assert decided(code, "text/plain", "", TEXT) == (code, None, code, [])
    assert decided(None, KINDS[code].media_type, "", TEXT) == (code, "content-type", code, [])
    assert decided(None, None, f".{code.lower()}", TEXT) == (code, "extensie", code, [])


def test_a_csv_may_come_as_a_spreadsheet() -> None:
    assert decided("CSV", "application/vnd.ms-excel", ".csv", TEXT) == ("CSV", None, "CSV", [])


def test_a_text_that_is_called_nothing_is_plain() -> None:
    assert decided(None, None, "", TEXT) == ("TXT", "inhoud", "TXT", [])


def test_xml_is_harvested_only_where_it_is_called_a_text_or_a_page() -> None:
    assert decided(None, "text/plain", "", XML) == ("TXT", "content-type", "TXT", [])
    assert decided(None, "application/xhtml+xml", "", XML) == ("HTML", "content-type", "HTML", [])
    assert decided("PDF", "application/pdf", ".pdf", XML) == ("format.niet-ondersteund", "text/xml")
    assert decided(None, "text/xml", ".xml", XML) == ("format.niet-ondersteund", "text/xml")
    assert decided(None, None, "", XML) == ("format.niet-ondersteund", "text/xml")


def test_an_old_slide_show_is_recognised_by_its_claimed_type() -> None:
    assert decided("PPS", "application/vnd.ms-powerpoint", ".pps", SLIDES) == ("PPS", None, "PPS", [])
    assert decided(None, "application/vnd.ms-powerpoint", "", SLIDES) == ("PPT", "content-type", "PPT", [])


def test_an_encrypted_office_file_is_what_it_claims_to_be() -> None:
    assert decided("Word DOCX", None, ".docx", ENCRYPTED) == ("DOCX", None, "DOCX", [])
    assert decided(None, None, ".xlsx", ENCRYPTED) == ("XLSX", "extensie", "XLSX", [])
    assert decided("PDF", None, "", ENCRYPTED) == ("format.niet-ondersteund", "application/x-ole-storage")


def test_so_is_a_damaged_one() -> None:
    assert decided("ODT", "application/zip", "", DAMAGED_ZIP) == ("ODT", None, "ODT", [])
    assert decided(None, "application/zip", "", DAMAGED_ZIP) == ("ZIP", "content-type", "ZIP", [])


def test_without_a_detected_format_the_claims_decide() -> None:
    assert decided("PDF", "application/pdf", "", NOTHING) == ("PDF", None, "PDF", [])
    assert decided("PDF", "text/html", "", NOTHING) == ("document.html-pagina", "PDF; Content-Type: HTML")
    assert decided(None, None, "", NOTHING) == ("format.onbekend", None)
