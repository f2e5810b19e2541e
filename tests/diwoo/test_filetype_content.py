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


def strijdig(seen: str, code: str) -> list[tuple[str, str, str]]:
    return [("format.strijdig", f"{seen}; inhoud: {code}", f"gelezen als {code}")]


NOT_LISTED = "format.niet-ondersteund"
#: What is claimed by metadata, media type and name, what the bytes are, and the decision.
DECISIONS = [
    # Without any claim the bytes decide.
    (None, None, "", "PDF", ("PDF", "inhoud", "PDF", [])),
    ("PLACEHOLDER", "application/octet-stream", "", "PDF", ("PDF", "inhoud", "PDF", [])),
    # A document that is HTML and is called so; a page in place of another document.
    ("HTML", "text/html", ".html", "HTML", ("HTML", None, "HTML", [])),
    (None, "text/html", "", "HTML", ("HTML", "content-type", "HTML", [])),
    (None, None, ".htm", "HTML", ("HTML", "extensie", "HTML", [])),
    (None, None, "", "HTML", ("HTML", "inhoud", "HTML", [])),
    ("HTML", "application/pdf", "", "HTML", ("HTML", None, "HTML", strijdig("Content-Type: PDF", "HTML"))),
    ("PDF", "text/html", ".pdf", TEXT, ("document.html-pagina", "format: PDF; extensie: PDF; inhoud: HTML")),
    # A type that a server or a name says is not on the list counts if the bytes may be of many kinds.
    (
        None,
        "application/save",
        "",
        "PDF",
        ("PDF", "inhoud", "PDF", strijdig("Content-Type: application/save", "PDF")),
    ),
    (None, None, ".ai", "PDF", ("PDF", "inhoud", "PDF", strijdig("extensie: .ai", "PDF"))),
    (None, "text/calendar", ".ics", TEXT, (NOT_LISTED, "text/calendar")),
    (None, None, ".eml", TEXT, (NOT_LISTED, ".eml")),
    (None, None, ".kmz", "ZIP", (NOT_LISTED, ".kmz")),
    (None, "application/json", ".pdf", TEXT, (NOT_LISTED, "application/json")),
    (None, "image/png", "", "HTML", (NOT_LISTED, "image/png")),
    # A text, which may be CSV that comes as a spreadsheet; XML is harvested as a text or a page.
    ("CSV", "application/vnd.ms-excel", ".csv", TEXT, ("CSV", None, "CSV", [])),
    (None, None, "", TEXT, ("TXT", "inhoud", "TXT", [])),
    (None, "text/plain", "", XML, ("TXT", "content-type", "TXT", [])),
    (None, "application/xhtml+xml", "", XML, ("HTML", "content-type", "HTML", [])),
    ("PDF", "application/pdf", ".pdf", XML, (NOT_LISTED, "text/xml")),
    (None, "text/xml", ".xml", XML, (NOT_LISTED, "text/xml")),
    (None, None, "", XML, (NOT_LISTED, "text/xml")),
    # What the bytes leave open is what is claimed: old slide shows, encrypted and damaged files.
    ("PPS", "application/vnd.ms-powerpoint", ".pps", SLIDES, ("PPS", None, "PPS", [])),
    (None, "application/vnd.ms-powerpoint", "", SLIDES, ("PPT", "content-type", "PPT", [])),
    ("Word DOCX", None, ".docx", ENCRYPTED, ("DOCX", None, "DOCX", [])),
    (None, None, ".xlsx", ENCRYPTED, ("XLSX", "extensie", "XLSX", [])),
    ("PDF", None, "", ENCRYPTED, (NOT_LISTED, "application/x-ole-storage")),
    ("ODT", "application/zip", "", DAMAGED_ZIP, ("ODT", None, "ODT", [])),
    (None, "application/zip", "", DAMAGED_ZIP, ("ZIP", "content-type", "ZIP", [])),
    # Without a detected format the claims decide.
    ("PDF", "application/pdf", "", NOTHING, ("PDF", None, "PDF", [])),
    ("PDF", "text/html", "", NOTHING, ("document.html-pagina", "PDF; Content-Type: HTML")),
    (None, None, "", NOTHING, ("format.onbekend", None)),
]


@pytest.mark.parametrize(("metadata", "media_type", "ending", "content", "expected"), DECISIONS)
def test_what_is_claimed_and_what_the_bytes_are_decide_together(
    metadata: str | None, media_type: str | None, ending: str, content: DetectedFormat | str, expected: object
) -> None:
    assert decided(metadata, media_type, ending, content) == expected


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


@pytest.mark.parametrize("code", ["TXT", "CSV", "HTML"])
def test_a_text_is_the_kind_of_text_that_it_is_called(code: str) -> None:
    assert decided(code, "text/plain", "", TEXT) == (code, None, code, [])
    assert decided(None, KINDS[code].media_type, "", TEXT) == (code, "content-type", code, [])
    assert decided(None, None, f".{code.lower()}", TEXT) == (code, "extensie", code, [])
