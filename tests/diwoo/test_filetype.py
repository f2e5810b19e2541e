"""The decision on the file type of a document, and whether it may be harvested."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from tests.diwoo.documents import blank, mapped
from tests.samples import SAMPLES
from woo_harvester.diwoo.filetype import TypeClaims, claims_of_type, decide_filetype, expected_filetype
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.documents.content import DetectedFormat, detect_beginning, detect_format
from woo_harvester.documents.formats import file_types

FILE_TYPE = "http://publications.europa.eu/resource/authority/file-type/"
LOC = "https://www.gemeente.nl/documenten/6fa459ea/download"


def decided(
    metadata: str | Value | None = None,
    media_type: str | None = None,
    loc: str = LOC,
    name: str | None = None,
) -> tuple[str | None, str | None, list[tuple[str, str | None, str | None]]]:
    """Return label and source of the type, and code, ``seen`` and ``action`` of the findings."""
    value = Value(metadata, None) if isinstance(metadata, str) else metadata
    outcome, report = blank(loc)
    decision = decide_filetype(claims_of_type(value, media_type, loc, name), report)
    findings = [(finding.code, finding.seen, finding.action) for finding in outcome.findings]
    return (decision.filetype.label, decision.source, findings) if decision else (None, None, findings)


def test_the_format_the_media_type_and_the_extension_decide_in_turn() -> None:
    cases: list[tuple[str | Value | None, str | None, str, str | None, str, str | None]] = [
        ("PDF", None, LOC, None, "PDF", None),
        (Value(None, f"{FILE_TYPE}ODT"), None, f"{LOC}.odt", None, "ODT", None),
        # Without a format the media type of the response decides.
        (None, "application/pdf; charset=binary", LOC, None, "PDF", "content-type"),
        ("PLACEHOLDER_format", "Application/PDF", LOC, None, "PDF", "content-type"),
        # Without a useful media type the extension of loc, and then that of the file name.
        *(
            (None, media_type, loc, name, label, "extensie")
            for media_type in (None, "", "application/octet-stream", "nonsense")
            for loc, name, label in (
                (f"{LOC}/a.docx?x=1", None, "Word DOCX"),
                (LOC, "besluit.pdf", "PDF"),
                (f"{LOC}.pdf", "a.docx", "PDF"),
                (f"{LOC}.xml", "a.docx", "Word DOCX"),
            )
        ),
        # A document may be a web page.
        ("HTML", "text/html", LOC, None, "HTML", None),
        (None, "text/html", LOC, None, "HTML", "content-type"),
        (None, "text/html", f"{LOC}.html", None, "HTML", "content-type"),
    ]
    for metadata, media_type, loc, name, label, source in cases:
        assert decided(metadata, media_type, loc, name) == (label, source, [])


def test_a_document_of_unknown_type_is_not_harvested() -> None:
    for media_type in [None, "application/octet-stream"]:
        assert decided("PLACEHOLDER", media_type) == (
            None,
            None,
            [("format.onbekend", media_type, "overgeslagen")],
        ), media_type


def test_a_type_that_is_not_on_the_list_is_not_harvested() -> None:
    cases: list[tuple[str | Value | None, str | None, str, str]] = [
        ("image/png", "application/pdf", f"{LOC}.pdf", "image/png"),
        (".docm", "application/pdf", LOC, ".docm"),
        (Value(None, f"{FILE_TYPE}JPEG"), None, LOC, f"{FILE_TYPE}JPEG"),
        (None, "image/png", f"{LOC}.pdf", "image/png"),
        (None, None, f"{LOC}.mp4", ".mp4"),
    ]
    for metadata, media_type, loc, seen in cases:
        assert decided(metadata, media_type, loc) == (
            None,
            None,
            [("format.niet-ondersteund", seen, "overgeslagen")],
        ), (metadata, media_type)


def test_a_web_page_in_place_of_a_document_is_not_harvested() -> None:
    for metadata, loc in [("PDF", LOC), (None, f"{LOC}.pdf"), ("pdf", f"{LOC}.pdf")]:
        assert decided(metadata, "text/html; charset=utf-8", loc) == (
            None,
            None,
            [("document.html-pagina", "PDF; Content-Type: HTML", "overgeslagen")],
        ), metadata


def test_contradicting_sources_are_a_finding_with_the_chosen_type() -> None:
    for metadata, media_type, loc, taken, seen in [
        ("PDF", "application/zip", LOC, "PDF", "PDF; Content-Type: ZIP"),
        ("PDF", "image/png", LOC, "PDF", "PDF; Content-Type: image/png"),
        ("PDF", "text/plain", f"{LOC}.txt", "PDF", "PDF; Content-Type: Plain text"),
        (None, "application/pdf", f"{LOC}.docx", "PDF", "Word DOCX; Content-Type: PDF"),
    ]:
        label, _, findings = decided(metadata, media_type, loc)
        assert label == taken, (metadata, media_type)
        assert findings == [("format.strijdig", seen, f"gelezen als {taken}")], (metadata, media_type)


def test_types_that_may_both_be_true_are_no_contradiction() -> None:
    for metadata, media_type in [
        ("docx", "application/zip"),
        ("ods", "application/x-zip-compressed"),
        ("csv", "text/plain"),
        ("csv", "application/vnd.ms-excel"),
        ("rtf", "application/msword"),
        ("pps", "application/vnd.ms-powerpoint"),
    ]:
        _, source, findings = decided(metadata, media_type)
        assert (source, findings) == (None, []), (metadata, media_type)


NAMES = st.one_of(
    st.sampled_from(
        [
            name
            for filetype in file_types()
            for name in (
                filetype.uri,
                filetype.uri.lower(),
                filetype.label,
                filetype.label.upper(),
                *filetype.extensions,
                *(f".{extension}" for extension in filetype.extensions),
                *filetype.media_types,
            )
        ]
    ),
    st.sampled_from(["", "PLACEHOLDER", "urn:x", "image/png", ".docm"]),
    st.text(max_size=5),
)


@given(label=NAMES, uri=NAMES)
def test_the_format_in_the_record_is_the_one_by_which_it_is_harvested(label: str, uri: str) -> None:
    value = Value(label.strip() or None, uri.strip() or None)
    outcome, report = blank(LOC)
    decision = decide_filetype(claims_of_type(value, None, LOC, None), report)
    found = mapped(GivenMetadata(format=value)).record.document.format if any(value) else None
    if decision:
        assert found is not None
        assert (found.id, found.label) == (decision.filetype.uri, decision.filetype.label)
    else:
        assert found is None or found.id is None
        assert outcome.codes in (["format.onbekend"], ["format.niet-ondersteund"])


# The decision on the file type of a fetched document, of which the content is known.


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


def decided_with_content(
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
    return decision.filetype.code, decision.source, decision.actual.code, findings


def test_a_sample_of_each_type_is_what_any_one_source_says() -> None:
    for code in SAMPLES:
        for source in ["format", "Content-Type", "extensie"]:
            filetype, content = KINDS[code], detect_format(io.BytesIO(SAMPLES[code].read_bytes()))
            _, report = blank(LOC)
            claims = claims_of_type(
                Value(filetype.label, None) if source == "format" else None,
                filetype.media_type if source == "Content-Type" else "application/octet-stream",
                f"{LOC}.{filetype.extensions[0]}" if source == "extensie" else LOC,
                None,
            )
            decision = decide_filetype(claims, report, content)
            assert decision is not None, (code, source)
            # A media type does not distinguish a slide show from a presentation.
            assert decision.actual is (
                KINDS["PPT"] if code == "PPS" and source == "Content-Type" else filetype
            )
            assert report.codes == [], (code, source)


def test_a_media_type_that_says_nothing_is_no_contradiction() -> None:
    for media_type in [None, "", "application/octet-stream", "binary/octet-stream"]:
        assert decided_with_content("PDF", media_type, "", "PDF") == ("PDF", None, "PDF", []), media_type
        assert decided_with_content(None, media_type, ".pdf", "PDF") == ("PDF", "extensie", "PDF", []), (
            media_type
        )


def test_nor_is_the_media_type_of_zip_for_an_office_file() -> None:
    for code in ["DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"]:
        assert decided_with_content(code, "application/zip", "", code) == (code, None, code, []), code
        assert decided_with_content(None, "application/zip", f".{code.lower()}", code) == (
            code,
            "extensie",
            code,
            [],
        )
        assert decided_with_content(None, "application/zip", "", code) == (code, "inhoud", code, []), code


def test_nor_is_a_media_type_that_servers_give_to_the_wider_kind() -> None:
    for media_type, code in [
        ("text/plain", "RTF"),
        ("application/msword", "RTF"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "PPSX"),
    ]:
        assert decided_with_content(code, media_type, f".{code.lower()}", code) == (code, None, code, []), (
            media_type
        )


def strijdig(seen: str, code: str) -> list[tuple[str, str, str]]:
    return [("format.strijdig", f"{seen}; inhoud: {code}", f"gelezen als {code}")]


NOT_LISTED = "format.niet-ondersteund"
#: What is claimed by metadata, media type and name, what the bytes are, and the decision.
DECISIONS: list[tuple[str | None, str | None, str, DetectedFormat | str, object]] = [
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


def test_what_is_claimed_and_what_the_bytes_are_decide_together() -> None:
    for metadata, media_type, ending, content, expected in DECISIONS:
        assert decided_with_content(metadata, media_type, ending, content) == expected


def test_the_bytes_decide_and_the_finding_has_each_source_that_contradicts_them() -> None:
    cases: list[
        tuple[str | None, str | None, str, DetectedFormat | str, tuple[str, str | None, str, str]]
    ] = [
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
    ]
    for metadata, media_type, ending, content, expected in cases:
        filetype, source, actual, seen = expected
        label = KINDS[actual].label
        findings = [("format.strijdig", f"{seen}; inhoud: {label}", f"gelezen als {label}")]
        assert decided_with_content(metadata, media_type, ending, content) == (
            filetype,
            source,
            actual,
            findings,
        )


def test_a_web_page_in_place_of_what_is_claimed_is_not_harvested() -> None:
    for metadata, media_type, ending, seen in [
        ("PDF", "application/pdf", ".pdf", "format: PDF; Content-Type: PDF; extensie: PDF; inhoud: HTML"),
        ("PDF", "text/html", "", "format: PDF; inhoud: HTML"),
        (None, "application/pdf", "", "Content-Type: PDF; inhoud: HTML"),
        (None, "text/html", ".pdf", "extensie: PDF; inhoud: HTML"),
        (None, "text/plain", "", "Content-Type: Plain text; inhoud: HTML"),
        ("CSV", "text/csv", "", "format: CSV; Content-Type: CSV; inhoud: HTML"),
        (None, "application/octet-stream", ".xls", "extensie: Excel XLS; inhoud: HTML"),
    ]:
        assert decided_with_content(metadata, media_type, ending, "HTML") == ("document.html-pagina", seen)


def test_bytes_of_a_type_that_is_not_on_the_list_are_not_harvested_whatever_they_are_called() -> None:
    for metadata, media_type, ending in [
        ("PDF", "application/pdf", ".pdf"),
        ("PDF", "image/jpeg", ""),
        (None, None, ".docx"),
        (None, None, ""),
    ]:
        for content in (
            JPEG,
            DetectedFormat((), "application/vnd.ms-outlook"),
            DetectedFormat((), "application/x-msdownload"),
        ):
            assert decided_with_content(metadata, media_type, ending, content) == (
                "format.niet-ondersteund",
                content.unlisted,
            )


def test_what_the_publisher_says_is_not_on_the_list_is_not_harvested() -> None:
    cases: list[DetectedFormat | str] = ["PDF", "HTML", TEXT, "ZIP"]
    for content in cases:
        assert decided_with_content("image/png", "application/pdf", ".pdf", content) == (
            "format.niet-ondersteund",
            "image/png",
        ), content


def test_a_text_is_the_kind_of_text_that_it_is_called() -> None:
    for code in ["TXT", "CSV", "HTML"]:
        assert decided_with_content(code, "text/plain", "", TEXT) == (code, None, code, []), code
        assert decided_with_content(None, KINDS[code].media_type, "", TEXT) == (
            code,
            "content-type",
            code,
            [],
        ), code
        assert decided_with_content(None, None, f".{code.lower()}", TEXT) == (code, "extensie", code, []), (
            code
        )


# ``documents=head`` decides as ``documents=download`` does: by the claims, or by a sample.


ADDRESS = "https://www.a.nl/documenten/1"
#: As many bytes as a sample has.
SIZE = 4 * 1024

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS = (None, "PDF", "Word DOCX", "HTML", "image/png")
MEDIA_TYPES = (
    *(None, "application/octet-stream", "application/save", "application/json", "text/plain", "text/html"),
    *("application/pdf", "application/zip", DOCX, "application/vnd.ms-excel", "image/png"),
)
EXTENSIONS = ("", ".pdf", ".docx", ".csv", ".html", ".xls", ".pps", ".zip", ".xml", ".jpg", ".aspx")
CONTENTS = {
    **{code: path.read_bytes() for code, path in SAMPLES.items()},
    "JPEG": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(6000),
    "XML": b"<?xml version='1.0'?><gegevens>" + b"<a/>" * 2000,
    "unknown": bytes(range(256)) * 32,
}

#: Why the two may differ, by what says so.
BELIEVED = "the claims agree, and are believed without a sample"
TOO_LATE = "what shows the type of this container comes after its first bytes"


@dataclass(frozen=True)
class Row:
    given: str | None
    media_type: str | None
    extension: str

    @property
    def claims(self) -> TypeClaims:
        value = Value(self.given, None) if self.given else None
        return claims_of_type(value, self.media_type, f"{ADDRESS}{self.extension}", None)


ROWS = [
    Row(given, media_type, extension)
    for given in FORMATS
    for media_type in MEDIA_TYPES
    for extension in EXTENSIONS
]


def outcome(row: Row, content: DetectedFormat | None) -> tuple[str | None, str | None, str | None]:
    """Return the codes of the record's format and of the file's type, and the code of the finding."""
    found, report = blank(ADDRESS)
    decision = decide_filetype(row.claims, report, content)
    code = found.codes[0] if found.codes else None
    return (decision.filetype.code, decision.actual.code, code) if decision else (None, None, code)


@cache
def detected(code: str) -> DetectedFormat:
    return detect_format(io.BytesIO(CONTENTS[code]))


@cache
def sampled(code: str) -> DetectedFormat:
    body = CONTENTS[code]
    detect = detect_format if len(body) <= SIZE else detect_beginning
    return detect(io.BytesIO(body[:SIZE]))


def by_head(row: Row, code: str) -> tuple[str | None, str | None, str | None]:
    return outcome(row, sampled(code) if row.claims.is_type_open else None)


def by_download(row: Row, code: str) -> tuple[str | None, str | None, str | None]:
    return outcome(row, detected(code))


def why_not(row: Row, code: str) -> str | None:
    """Return why ``head`` may decide otherwise than ``download`` on these claims and this content."""
    if not row.claims.is_type_open:
        return BELIEVED
    if code in ("XLS", "PPT", "PPS", "PPTX", "PPSX"):
        return TOO_LATE
    return None


def test_head_and_download_give_the_same_type_or_the_reason_is_known() -> None:
    for code in CONTENTS:
        differ = [row for row in ROWS if by_head(row, code) != by_download(row, code)]
        assert [row for row in differ if why_not(row, code) is None] == [], code


def test_a_document_that_is_what_its_claims_say_has_the_same_type_by_both() -> None:
    for code in SAMPLES:
        filetype = next(each for each in file_types() if each.code == code)
        for metadata in (None, filetype.label):
            for media_type in (None, "application/octet-stream", *filetype.media_types):
                for extension in ("", *(f".{each}" for each in filetype.extensions)):
                    row = Row(metadata, media_type, extension)
                    assert by_head(row, code) == by_download(row, code) or why_not(row, code) == TOO_LATE, row


def test_without_a_sample_the_claims_decide_as_the_bytes_most_probably_would() -> None:
    for media_type, extension, codes in [
        ("application/pdf", ".pdf", ("PDF",)),
        ("application/octet-stream", ".docx", ("DOCX",)),
        ("application/zip", ".docx", ("DOCX", "ODT")),
        ("application/save", ".pdf", ("PDF",)),
        ("text/plain", ".pdf", ("PDF",)),
        ("text/plain", ".csv", ("CSV",)),
        ("text/plain", ".rtf", ("RTF",)),
        ("text/plain", ".html", ("HTML",)),
        ("text/plain", ".docx", ("DOCX",)),
        ("application/vnd.ms-excel", ".csv", ("CSV",)),
        ("application/vnd.ms-powerpoint", ".pps", ("PPS",)),
        ("application/msword", ".rtf", ("RTF",)),
        ("application/json", ".csv", ()),
        ("image/png", ".pdf", ()),
    ]:
        row = Row(None, media_type, extension)
        found = outcome(row, None)[:2]
        if not codes:
            assert found == (None, None), (media_type, extension)
            continue
        assert found == (codes[0], codes[0]), (media_type, extension)
        assert by_download(row, codes[0])[:2] == found, (media_type, extension)


def test_a_sample_is_taken_where_claims_contradict_or_say_nothing() -> None:
    for row, is_needed in [
        (Row(None, None, ""), True),
        (Row(None, "application/octet-stream", ".aspx"), True),
        (Row("onbekend", "application/octet-stream", ""), True),
        (Row(None, "text/plain", ".pdf"), True),
        (Row(None, "text/plain", ""), True),
        (Row(None, "application/zip", ""), True),
        (Row(None, "application/save", ""), True),
        (Row(None, "image/png", ""), True),
        (Row(None, "text/html", ".pdf"), True),
        (Row("PDF", "text/html", ""), True),
        (Row("PDF", None, ".docx"), True),
        (Row("PDF", "image/png", ".jpg"), True),
        (Row(None, "application/vnd.ms-excel", ""), True),  # which may be a page with a table
        (Row("Excel XLS", "application/vnd.ms-excel", ".xls"), True),
        (Row("Excel XLSX", None, ".xlsx"), True),
        (Row(None, None, ".jpg"), True),
        (Row(None, "application/pdf", ".pdf"), False),
        (Row(None, "application/pdf", ""), False),
        (Row(None, "application/msword", ""), True),
        (Row("PDF", None, ""), False),
        (Row(None, None, ".pdf"), False),
        *((Row(None, None, f".{name}"), True) for name in ("docx", "ppt", "pptx", "ppsx", "odt", "ods")),
        (Row("Word DOCX", "application/zip", ".docx"), True),
        (Row(None, "text/plain", ".csv"), False),
        (Row(None, "image/png", ".jpg"), False),
        (Row("image/png", "application/pdf", ".pdf"), False),
    ]:
        assert row.claims.is_type_open is is_needed, row


def test_the_expected_type_is_that_of_the_decision() -> None:
    for row in ROWS:
        found = expected_filetype(row.claims)
        assert (found.code if found else None) == outcome(row, None)[1]
