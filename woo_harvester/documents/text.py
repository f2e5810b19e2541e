"""The text of a document, its properties and its title, read by the libraries for each type."""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

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
from lxml import etree

from woo_harvester.documents.content import has_password
from woo_harvester.documents.extracted import Extracted, Limits, TextFailedError
from woo_harvester.documents.formats import file_types
from woo_harvester.documents.pages import decode_page

#: The languages that the library detects.
_TABLE = """
afr=af aka=ak amh=am ara=ar aze=az bel=be ben=bn bul=bg cat=ca ces=cs cmn=zh cym=cy dan=da deu=de ell=el
eng=en epo=eo est=et fin=fi fra=fr guj=gu heb=he hin=hi hrv=hr hun=hu hye=hy ind=id ita=it jav=jv jpn=ja
kan=kn kat=ka khm=km kor=ko lat=la lav=lv lit=lt mal=ml mar=mr mkd=mk mya=my nep=ne nld=nl nob=nb ori=or
pan=pa pes=fa pol=pl por=pt ron=ro rus=ru sin=si slk=sk slv=sl sna=sn spa=es srp=sr swe=sv tam=ta tel=te
tgl=tl tha=th tuk=tk tur=tr ukr=uk urd=ur uzb=uz vie=vi yid=yi zul=zu
"""
_CODES = dict(pair.split("=") for pair in _TABLE.split())


_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PAGE = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}page"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
#: Elements for white space.
_SPACES = (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break")


def _elements(archive: zipfile.ZipFile, name: str, *tags: str) -> Iterator[etree._Element]:
    """Yield the elements with these tags, each at its end tag."""
    with _opened(archive, name) as file:
        for _, element in etree.iterparse(file, tag=tags, resolve_entities=False, no_network=True):
            yield element


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    try:
        return archive.open(name)
    except KeyError as error:
        raise ValueError(f"the file has no {name}") from error


def _words(paragraph: etree._Element) -> str:
    for space in paragraph.iter(*_SPACES):
        space.tail = f" {space.tail or ''}"
    return "".join(paragraph.itertext()).strip()


def _opendocument_title(archive: zipfile.ZipFile) -> str | None:
    if "meta.xml" not in archive.namelist():
        return None
    return next((element.text for element in _elements(archive, "meta.xml", _TITLE)), None)


#: Most names of members that the text of an archive has.
MEMBERS_MAXIMUM = 10_000
#: Longest title, in characters.
TITLE_MAXLENGTH = 500
#: Longest message of a library in an error, in characters.
_MESSAGE_MAXLENGTH = 200
#: Number of characters for detecting the language, and the lowest confidence of the library (0 to 1).
_SAMPLE = 20_000
_CONFIDENCE = 0.5
#: Characters that are removed: byte order marks, surrogates, and control characters except tab and line feed.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufeff\ufffe\uffff\ud800-\udfff]+")
#: A hyphen that is only there to split a word between lines. Other hyphens may belong to a word.
_SOFT_HYPHEN = re.compile(r"\xad\n?")
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


class _Content(NamedTuple):
    """The result of a reader, as the document has it."""

    text: str
    pages: int | None = None
    title: str | None = None


def prepare(limits: Limits) -> None:
    """Read a small PDF, so that the library writes its files before the first document.

    It unpacks PDFium into the temporary folder. For OCR it makes folders in its cache.
    """
    extract_bytes_sync(_SMALL_PDF, "application/pdf", config=_config(ocr=limits.ocr))


def extract(path: Path, filetype: str, limits: Limits) -> Extracted:
    """Return the text of the document at *path*; *filetype* is the code of its type, such as PDF.

    Raises :class:`TextFailedError` if the library cannot read it.
    """
    reader = _READERS.get(filetype, _read_document)
    try:
        content = reader(path, filetype, limits)
    except Exception as error:  # a damaged file can make a library raise anything
        if "password" in str(error).lower() or _has_password(path):
            return Extracted("", has_password=True)
        raise TextFailedError(_one_line(error)) from error
    text = _clean(content.text[: limits.maxlength])
    return Extracted(
        text,
        content.pages,
        _language(text),
        _title(content.title),
        truncated=len(content.text) > limits.maxlength,
    )


def _has_password(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return has_password(file)
    return False


def _read_document(path: Path, filetype: str, limits: Limits) -> _Content:
    """Read a document with the library, which gets its type as a media type.

    Of a presentation of Office before 2007 it counts notes and masters as slides.
    """
    config = _config(ocr=limits.ocr, slides=filetype in {"PPTX", "PPSX"})
    result = extract_file_sync(path, mime_type=_media_types()[filetype], config=config)
    pages = None if filetype in {"PPT", "PPS"} else _pages(result)
    return _Content(result.content, pages, _text(result, "title"))


def _read_html(path: Path, filetype: str, limits: Limits) -> _Content:
    """Read a page with the library, which assumes UTF-8: the page is converted first."""
    page = _decoded(path.read_bytes()).encode("utf-8", errors="ignore")
    result = extract_bytes_sync(page, _media_types()[filetype], config=_config())
    return _Content(result.content, title=_text(result, "title"))


def _read_plain(path: Path, filetype: str, limits: Limits) -> _Content:
    """Read a plain text, up to the limit of length."""
    with path.open("rb") as file:
        return _Content(_decoded(file.read(limits.maxlength * _BYTES + _BYTES)))


def _read_zip(path: Path, filetype: str, limits: Limits) -> _Content:
    """Read the names of the members, not their content."""
    with zipfile.ZipFile(path) as archive:
        return _Content("\n".join(_first(entry.filename for entry in archive.infolist())))


def _read_7z(path: Path, filetype: str, limits: Limits) -> _Content:
    """Read the names of the members. The library also decompresses them, within the worker's memory."""
    result = extract_file_sync(path, mime_type=_media_types()[filetype], config=_config())
    names: list[str] = result.metadata.get("file_list") or []
    return _Content("\n".join(_first(iter(names))))


def _read_presentation(path: Path, filetype: str, limits: Limits) -> _Content:
    """Read the paragraphs of OpenDocument in the order of the file, and count the slides."""
    with zipfile.ZipFile(path) as archive:
        paragraphs, slides = [], 0
        for element in _elements(archive, "content.xml", *_PARAGRAPHS, _PAGE):
            if element.tag == _PAGE:
                slides += 1
                element.clear()
            else:
                paragraphs.append(_words(element))
        return _Content("\n".join(filter(None, paragraphs)), slides or None, _opendocument_title(archive))


#: Readers by the code of the file type. The library reads all other types.
_READERS: dict[str, Callable[[Path, str, Limits], _Content]] = {
    "7z": _read_7z,
    "CSV": _read_plain,
    "HTML": _read_html,
    "ODF": _read_presentation,
    "ODP": _read_presentation,
    "TXT": _read_plain,
    "ZIP": _read_zip,
}


@cache
def _config(*, ocr: bool = False, slides: bool = False, language: bool = False) -> ExtractionConfig:
    """Return the options of the library: nothing on disk, and one thread, since there are more workers."""
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
    """Return the usual media type by code; a slide show (PPS) has that of PPT."""
    types = {kind.uri.rpartition("/")[2]: kind.media_types for kind in file_types()}
    return {code: (names or types["PPT"])[0] for code, names in types.items()}


def _pages(result: ExtractionResult) -> int | None:
    """Return the number of pages as the library counts it, else as Word noted it; None without either."""
    metadata: dict[str, Any] = dict(result.metadata)
    counts = (
        metadata.get("page_count"),
        (metadata.get("pages") or {}).get("total_count"),
        (metadata.get("app_properties") or {}).get("pages"),
    )
    return next((count for count in counts if isinstance(count, int) and count > 0), None)


def _text(result: ExtractionResult, field: str) -> str | None:
    value = dict(result.metadata).get(field)
    return value if isinstance(value, str) else None


def _language(text: str) -> str | None:
    """Return the language that the library detects in the beginning of the text, or None."""
    sample = text[:_SAMPLE]
    if not sample.strip():
        return None
    result = extract_bytes_sync(sample.encode(), "text/plain", config=_config(language=True))
    return _CODES.get(result.get_detected_language() or "")


def _decoded(content: bytes) -> str:
    """Decode a text by its byte order mark or the charset of an HTML page, else as UTF-8 or Windows-1252."""
    return "".join(decode_page(iter((content,)), None)[1])


def _clean(text: str) -> str:
    """Return a text without signs that no reader sees, in composed form (NFC)."""
    joined = _SOFT_HYPHEN.sub("", _LINE_END.sub("\n", text))
    return unicodedata.normalize("NFC", _CONTROL.sub("", joined)).strip()


def _title(text: str | None) -> str | None:
    """Return a title on one line, or None if it is empty."""
    return " ".join(_clean(text or "").split())[:TITLE_MAXLENGTH] or None


def _first(names: Iterator[str]) -> Iterator[str]:
    return (name for _, name in zip(range(MEMBERS_MAXIMUM), names, strict=False))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:_MESSAGE_MAXLENGTH] or type(error).__name__
