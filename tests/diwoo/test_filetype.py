"""The decision on the file type of a document, and whether it may be harvested."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.diwoo.documents import blank, mapped
from woo_harvester.diwoo.filetype import claims_of_type, decide_filetype
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.documents import file_types

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


@pytest.mark.parametrize(
    ("metadata", "media_type", "loc", "name", "label", "source"),
    [
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
    ],
)
def test_the_format_the_media_type_and_the_extension_decide_in_turn(
    metadata: str | Value | None, media_type: str | None, loc: str, name: str | None, label: str, source: str
) -> None:
    assert decided(metadata, media_type, loc, name) == (label, source, [])


@pytest.mark.parametrize("media_type", [None, "application/octet-stream"])
def test_a_document_of_unknown_type_is_not_harvested(media_type: str | None) -> None:
    assert decided("PLACEHOLDER", media_type) == (
        None,
        None,
        [("format.onbekend", media_type, "overgeslagen")],
    )


@pytest.mark.parametrize(
    ("metadata", "media_type", "loc", "seen"),
    [
        ("image/png", "application/pdf", f"{LOC}.pdf", "image/png"),
        (".docm", "application/pdf", LOC, ".docm"),
        (Value(None, f"{FILE_TYPE}JPEG"), None, LOC, f"{FILE_TYPE}JPEG"),
        (None, "image/png", f"{LOC}.pdf", "image/png"),
        (None, None, f"{LOC}.mp4", ".mp4"),
    ],
)
def test_a_type_that_is_not_on_the_list_is_not_harvested(
    metadata: str | Value | None, media_type: str | None, loc: str, seen: str
) -> None:
    assert decided(metadata, media_type, loc) == (
        None,
        None,
        [("format.niet-ondersteund", seen, "overgeslagen")],
    )


@pytest.mark.parametrize(("metadata", "loc"), [("PDF", LOC), (None, f"{LOC}.pdf"), ("pdf", f"{LOC}.pdf")])
def test_a_web_page_in_place_of_a_document_is_not_harvested(metadata: str | None, loc: str) -> None:
    assert decided(metadata, "text/html; charset=utf-8", loc) == (
        None,
        None,
        [("document.html-pagina", "PDF; Content-Type: HTML", "overgeslagen")],
    )


@pytest.mark.parametrize(
    ("metadata", "media_type", "loc", "taken", "seen"),
    [
        ("PDF", "application/zip", LOC, "PDF", "PDF; Content-Type: ZIP"),
        ("PDF", "image/png", LOC, "PDF", "PDF; Content-Type: image/png"),
        ("PDF", "text/plain", f"{LOC}.txt", "PDF", "PDF; Content-Type: Plain text"),
        (None, "application/pdf", f"{LOC}.docx", "PDF", "Word DOCX; Content-Type: PDF"),
    ],
)
def test_contradicting_sources_are_a_finding_with_the_chosen_type(
    metadata: str | None, media_type: str, loc: str, taken: str, seen: str
) -> None:
    label, _, findings = decided(metadata, media_type, loc)
    assert label == taken
    assert findings == [("format.strijdig", seen, f"gelezen als {taken}")]


@pytest.mark.parametrize(
    ("metadata", "media_type"),
    [
        ("docx", "application/zip"),
        ("ods", "application/x-zip-compressed"),
        ("csv", "text/plain"),
        ("csv", "application/vnd.ms-excel"),
        ("rtf", "application/msword"),
        ("pps", "application/vnd.ms-powerpoint"),
    ],
)
def test_types_that_may_both_be_true_are_no_contradiction(metadata: str, media_type: str) -> None:
    _, source, findings = decided(metadata, media_type)
    assert (source, findings) == (None, [])


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
