"""``documents=head`` decides as ``documents=download`` does: by the claims, or by a sample."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache

import pytest

from tests.diwoo.documents import blank
from tests.samples import SAMPLES
from woo_harvester.diwoo.filetype import TypeClaims, claims_of_type, decide_filetype, expected_filetype
from woo_harvester.diwoo.given import Value
from woo_harvester.documents import DetectedFormat, detect_beginning, detect_format, file_types

LOC = "https://www.a.nl/documenten/1"
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
        return claims_of_type(value, self.media_type, f"{LOC}{self.extension}", None)


ROWS = [
    Row(given, media_type, extension)
    for given in FORMATS
    for media_type in MEDIA_TYPES
    for extension in EXTENSIONS
]


def outcome(row: Row, content: DetectedFormat | None) -> tuple[str | None, str | None, str | None]:
    """Return the codes of the record's format and of the file's type, and the code of the finding."""
    found, report = blank(LOC)
    decision = decide_filetype(row.claims, report, content)
    code = found.codes[0] if found.codes else None
    return (decision.filetype.code, decision.content.code, code) if decision else (None, None, code)


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


@pytest.mark.parametrize("code", CONTENTS)
def test_head_and_download_give_the_same_type_or_the_reason_is_known(code: str) -> None:
    differ = [row for row in ROWS if by_head(row, code) != by_download(row, code)]
    assert [row for row in differ if why_not(row, code) is None] == []


@pytest.mark.parametrize("code", SAMPLES)
def test_a_document_that_is_what_its_claims_say_has_the_same_type_by_both(code: str) -> None:
    filetype = next(each for each in file_types() if each.code == code)
    for given in (None, filetype.label):
        for media_type in (None, "application/octet-stream", *filetype.media_types):
            for extension in ("", *(f".{each}" for each in filetype.extensions)):
                row = Row(given, media_type, extension)
                assert by_head(row, code) == by_download(row, code) or why_not(row, code) == TOO_LATE, row


@pytest.mark.parametrize(
    ("media_type", "extension", "codes"),
    [
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
    ],
)
def test_without_a_sample_the_claims_decide_as_the_bytes_most_probably_would(
    media_type: str, extension: str, codes: tuple[str, ...]
) -> None:
    row = Row(None, media_type, extension)
    decided = outcome(row, None)[:2]
    if not codes:
        assert decided == (None, None)
        return
    assert decided == (codes[0], codes[0])
    assert by_download(row, codes[0])[:2] == decided


@pytest.mark.parametrize(
    ("row", "is_needed"),
    [
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
        (Row(None, None, ".jpg"), True),
        (Row(None, "application/pdf", ".pdf"), False),
        (Row(None, "application/pdf", ""), False),
        (Row(None, "application/msword", ""), False),
        (Row("PDF", None, ""), False),
        (Row(None, None, ".pdf"), False),
        (Row("Word DOCX", "application/zip", ".docx"), False),
        (Row(None, "text/plain", ".csv"), False),
        (Row(None, "image/png", ".jpg"), False),
        (Row("image/png", "application/pdf", ".pdf"), False),
    ],
)
def test_a_sample_is_taken_where_claims_contradict_or_say_nothing(row: Row, is_needed: bool) -> None:
    assert row.claims.is_type_open is is_needed


def test_the_expected_type_is_that_of_the_decision() -> None:
    for row in ROWS:
        found = expected_filetype(row.claims)
        assert (found.code if found else None) == outcome(row, None)[1]
