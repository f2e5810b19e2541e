"""Reads one document, inside a worker process: :mod:`woo_harvester.text.worker`.

Importing this module loads the library with all its formats, so the main process does not.
"""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kreuzberg import (
    ConcurrencyConfig,
    ExtractionConfig,
    ExtractionResult,
    LanguageDetectionConfig,
    OcrConfig,
    PageConfig,
    extract_bytes_sync,
    extract_file_sync,
)
from w3lib.encoding import html_to_unicode

from woo_harvester.formats import file_types
from woo_harvester.text.extracted import Extracted, Limits, TextFailedError
from woo_harvester.text.languages import iso_639_1
from woo_harvester.text.ole import read_properties
from woo_harvester.text.opendocument import read_formula, read_presentation, read_title

#: Most names of an archive's members that are listed.
MEMBERS_MAXIMUM = 10_000
#: Longest title, in characters.
TITLE_MAXLENGTH = 500
#: Longest message of a library that is repeated, in characters.
_MESSAGE_MAXLENGTH = 200
#: Characters from which the language is told, and how sure the library must be (0 to 1).
_SAMPLE = 20_000
_CONFIDENCE = 0.5
#: No characters of a text: control characters but tab and line feed, byte order marks, surrogates.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufeff\ufffe\uffff\ud800-\udfff]+")
_LINE_END = re.compile("\r\n?|\x0c")
#: One empty page.
_SMALL_PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
"""
#: UTF-8 takes at most four bytes for a character.
_BYTES = 4


class Content(NamedTuple):
    """What a reader finds, as the document has it."""

    text: str
    pages: int | None = None
    title: str | None = None


def prepare(limits: Limits) -> None:
    """Load what the library loads when it first reads a PDF: it unpacks PDFium into the temporary folder.

    For OCR it makes folders in its cache, which it does not need.
    """
    extract_bytes_sync(_SMALL_PDF, "application/pdf", config=_config(ocr=limits.ocr))


def extract(path: Path, filetype: str, limits: Limits) -> Extracted:
    """The text of the document at *path*; *filetype* is the code at the end of its type's URI, such as PDF.

    Raises :class:`TextFailedError` where the library cannot read it.
    """
    reader = _READERS.get(filetype, _read_document)
    try:
        content = reader(path, filetype, limits)
    except Exception as error:  # at a damaged file libraries raise what they like
        raise TextFailedError(_one_line(error)) from error
    text = _clean(content.text[: limits.maxlength])
    return Extracted(
        text,
        content.pages,
        _language(text),
        _title(content.title),
        truncated=len(content.text) > limits.maxlength,
    )


def _read_document(path: Path, filetype: str, limits: Limits) -> Content:
    """By the library, which knows the type by its media type."""
    config = _config(ocr=limits.ocr, slides=filetype in {"PPTX", "PPSX"})
    result = extract_file_sync(path, mime_type=_media_types()[filetype], config=config)
    return Content(result.content, _pages(result), _text(result, "title"))


def _read_html(path: Path, filetype: str, limits: Limits) -> Content:
    """By the library, which takes every page for UTF-8."""
    page = _decoded(path.read_bytes()).encode("utf-8", errors="ignore")
    result = extract_bytes_sync(page, _media_types()[filetype], config=_config())
    return Content(result.content, title=_text(result, "title"))


def _read_plain(path: Path, filetype: str, limits: Limits) -> Content:
    """As it is; the rest of a longer file is not read."""
    with path.open("rb") as file:
        return Content(_decoded(file.read(limits.maxlength * _BYTES + _BYTES)))


def _read_zip(path: Path, filetype: str, limits: Limits) -> Content:
    """The names of the members; their content is not read."""
    with zipfile.ZipFile(path) as archive:
        return Content("\n".join(_first(entry.filename for entry in archive.infolist())))


def _read_7z(path: Path, filetype: str, limits: Limits) -> Content:
    """The names of the members; the library unpacks them all the same, within the worker's memory."""
    result = extract_file_sync(path, mime_type=_media_types()[filetype], config=_config())
    names: list[str] = result.metadata.get("file_list") or []
    return Content("\n".join(_first(iter(names))))


def _read_ods(path: Path, filetype: str, limits: Limits) -> Content:
    """By the library, which does not tell the title of a spreadsheet of OpenDocument."""
    return _read_document(path, filetype, limits)._replace(title=read_title(path))


def _read_ole(path: Path, filetype: str, limits: Limits) -> Content:
    """By the library; it tells no pages, of slides it also counts notes and masters, and of XLS no title."""
    title, pages = read_properties(path)
    content = _read_document(path, filetype, limits)
    return Content(content.text, pages, content.title or title)


def _read_presentation(path: Path, filetype: str, limits: Limits) -> Content:
    return Content(*read_presentation(path))


def _read_formula(path: Path, filetype: str, limits: Limits) -> Content:
    return Content(*read_formula(path))


#: By code; the library itself reads the others.
_READERS: dict[str, Callable[[Path, str, Limits], Content]] = {
    "7z": _read_7z,
    "CSV": _read_plain,
    "DOC": _read_ole,
    "HTML": _read_html,
    "ODF": _read_formula,
    "ODP": _read_presentation,
    "ODS": _read_ods,
    "PPS": _read_ole,
    "PPT": _read_ole,
    "TXT": _read_plain,
    "XLS": _read_ole,
    "ZIP": _read_zip,
}


@cache
def _config(*, ocr: bool = False, slides: bool = False, language: bool = False) -> ExtractionConfig:
    """Nothing is kept on disk, and one thread works: there are as many workers as are wanted."""
    return ExtractionConfig(
        use_cache=False,
        enable_quality_processing=False,
        output_format="plain",
        concurrency=ConcurrencyConfig(max_threads=1),
        ocr=OcrConfig(backend="tesseract", language="nld") if ocr else None,
        pages=PageConfig(extract_pages=True) if slides else None,
        language_detection=LanguageDetectionConfig(min_confidence=_CONFIDENCE) if language else None,
    )


@cache
def _media_types() -> dict[str, str]:
    """The usual media type by code; a slide show (PPS) has that of PPT."""
    types = {kind.uri.rpartition("/")[2]: kind.media_types for kind in file_types()}
    return {code: (names or types["PPT"])[0] for code, names in types.items()}


def _pages(result: ExtractionResult) -> int | None:
    """As counted by the library, or as Word noted it."""
    metadata: dict[str, Any] = dict(result.metadata)
    told = (
        metadata.get("page_count"),
        (metadata.get("pages") or {}).get("total_count"),
        (metadata.get("app_properties") or {}).get("pages"),
    )
    return next((count for count in told if isinstance(count, int) and count > 0), None)


def _text(result: ExtractionResult, field: str) -> str | None:
    value = dict(result.metadata).get(field)
    return value if isinstance(value, str) else None


def _language(text: str) -> str | None:
    """By the library, from the beginning of the text."""
    sample = text[:_SAMPLE]
    if not sample.strip():
        return None
    result = extract_bytes_sync(sample.encode(), "text/plain", config=_config(language=True))
    return iso_639_1(result.get_detected_language())


def _decoded(content: bytes) -> str:
    """By its byte order mark, by what an HTML page declares, else as UTF-8 or Windows-1252."""
    _, text = html_to_unicode(None, content, auto_detect_fun=_utf_8_or_windows)
    return text


def _utf_8_or_windows(content: bytes) -> str:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)  # a character may be cut at the end
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _clean(text: str) -> str:
    return _CONTROL.sub("", _LINE_END.sub("\n", text)).strip()


def _title(text: str | None) -> str | None:
    """On one line."""
    return " ".join(_clean(text or "").split())[:TITLE_MAXLENGTH] or None


def _first(names: Iterator[str]) -> Iterator[str]:
    return (name for _, name in zip(range(MEMBERS_MAXIMUM), names, strict=False))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:_MESSAGE_MAXLENGTH] or type(error).__name__
