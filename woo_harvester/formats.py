"""File types: which of the 19 that may be harvested a document is, and how its file is called.

Three sources tell the type, each in its own notation: the metadata, the media type of the response, and the
extension. Each answers with a Verdict, so that "says nothing" (ask the next source) and "names a type that is
not on the list" (not harvested) stay apart. Source: seed "Bestandsformaten"; list ``ccw_plooi_filetypes``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import collapse_rfc2231_value
from functools import cache, lru_cache
from typing import Any
from urllib.parse import unquote

from woo_harvester.tooi import filetypes, normal_label
from woo_harvester.urls import last_segment

_OOXML = "application/vnd.openxmlformats-officedocument"
_OASIS = "application/vnd.oasis.opendocument"
_OASIS_OLD = "application/x-vnd.oasis.opendocument"
#: By the code at the end of the URI: extensions, and media types as servers send them, the usual ones first.
_KINDS: Mapping[str, tuple[str, str]] = {
    "7z": ("7z", "application/x-7z-compressed"),
    "CSV": ("csv", "text/csv application/csv text/x-csv application/x-csv text/comma-separated-values"),
    "XLS": (
        "xls",
        "application/vnd.ms-excel application/msexcel application/x-msexcel application/excel "
        "application/x-excel application/xls application/x-xls",
    ),
    "XLSX": ("xlsx", f"{_OOXML}.spreadsheetml.sheet"),
    "HTML": ("html htm xhtml", "text/html application/xhtml+xml"),
    "ODF": ("odf", f"{_OASIS}.formula"),
    "ODP": ("odp", f"{_OASIS}.presentation {_OASIS_OLD}.presentation"),
    "ODS": ("ods", f"{_OASIS}.spreadsheet {_OASIS_OLD}.spreadsheet"),
    "ODT": ("odt", f"{_OASIS}.text {_OASIS_OLD}.text"),
    "PDF": ("pdf", "application/pdf application/x-pdf application/acrobat application/vnd.pdf text/pdf"),
    "TXT": ("txt", "text/plain"),
    "PPSX": ("ppsx", f"{_OOXML}.presentationml.slideshow"),
    "PPT": ("ppt", "application/vnd.ms-powerpoint application/mspowerpoint application/powerpoint"),
    "PPTX": ("pptx", f"{_OOXML}.presentationml.presentation"),
    "PPS": ("pps", ""),  # its media type is that of PPT
    "RTF": ("rtf", "application/rtf text/rtf application/x-rtf text/richtext"),
    "DOC": ("doc", "application/msword application/x-msword application/vnd.ms-word application/doc"),
    "DOCX": ("docx", f"{_OOXML}.wordprocessingml.document"),
    "ZIP": ("zip", "application/zip application/x-zip-compressed application/x-zip multipart/x-zip"),
}
#: Media types that servers give to anything: the next source must tell.
_SAYS_NOTHING = re.compile(
    r"(application|binary|content|unknown)/"
    r"(octet-?stream|(x-)?(force-?)?download|(x-)?octet-?stream|(x-)?unknown|(x-)?binary|vnd\.ms-office|x-ole-storage)"
    r"|\*/\*"
)
#: Extensions of other files than the 19 types, as far as they stand among documents. What is not here may be
#: anything, such as the .2 of "besluit 1.2" or the .aspx of a page that sends a PDF.
_OTHER_EXTENSION = re.compile(
    "docm|dotx?|dotm|xlsm|xlsb|xltx?|pptm|potx?|odg|odb|odm|ott|ots|otp|pages|numbers|key|wpd|epub|mobi|ps|eps|xps"
    "|xml|xsd|xsl|json|jsonld|geojson|rdf|ttl|yaml|yml|md|tsv|sql|mdb|accdb|parquet|css|js"
    "|jpe?g|png|gif|bmp|tiff?|webp|svg|heic|avif|ico|psd|ai|indd"
    "|mp[34]|m4[av]|mpe?g|avi|mov|wmv|mkv|webm|wav|ogg|flac|srt|vtt"
    "|rar|tar|gz|tgz|bz2|xz|iso|exe|msi|apk|eml|msg|pst|mht|mhtml|ics|vcf"
    "|dwg|dxf|dgn|ifc|shp|gml|kml|kmz|gpkg|tab|vsdx?|mpp"
)
_FILE_TYPE_URI = re.compile(
    r"https?://publications\.europa\.eu/resource/authority/file-type/(\w+)", re.IGNORECASE
)
_MEDIA_TYPE_URI = re.compile(r"https?://www\.iana\.org/assignments/media-types/", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
#: PDF/A is PDF, whichever of its levels a publisher names.
_PDF_A = re.compile("pdf[/ -]?a([ -]?[1-4][abuef]?)?")
#: No name of a file type is longer, in characters.
_MAXLENGTH = 200

#: Longest file name, in bytes of UTF-8: what common file systems hold.
FILE_NAME_MAXLENGTH = 255
#: Longest Content-Disposition that is read, in characters; a file name of 255 bytes needs far less.
_DISPOSITION_MAXLENGTH = 4096
#: Separators, what Windows refuses, control and formatting characters (which turn names round), surrogates.
_UNSAFE = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ud800-\udfff]+'
)
#: Names of devices in Windows, with any extension.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FileType:
    """One of the 19 types that may be harvested."""

    uri: str
    label: str
    extensions: tuple[str, ...]
    """Without dot, in lower case; the usual one first."""
    media_types: tuple[str, ...]
    """In lower case, the registered one first; none for a slide show (PPS), which shares that of PPT."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a source says of the file type; neither of the two where it says nothing."""

    filetype: FileType | None = None
    named: str | None = None
    """The type that it names, where that is not on the list."""


_NOTHING = Verdict()


@cache
def file_types() -> tuple[FileType, ...]:
    """The 19 types, in the order of the list."""
    return tuple(
        FileType(concept.uri, concept.label, *(tuple(names.split()) for names in _KINDS[_code(concept.uri)]))
        for concept in filetypes()
    )


def from_metadata(label: str | None, uri: str | None) -> Verdict:
    """What the element ``format`` says: each part may be a URI, label, code, extension or media type.

    The URI goes before the label; a part that names no type at all, such as a placeholder, says nothing.
    """
    verdicts = [_from_name(text.strip()) for text in (uri, label) if text and len(text) <= _MAXLENGTH]
    known = (verdict for verdict in verdicts if verdict.filetype)
    return next(known, None) or next((verdict for verdict in verdicts if verdict.named), _NOTHING)


@lru_cache(maxsize=1024)
def from_media_type(text: str | None) -> Verdict:
    """What a ``Content-Type`` says, its parameters and letter case left aside.

    Types that servers give to anything, such as ``application/octet-stream``, say nothing.
    """
    name = re.split("[;,]", text or "", maxsplit=1)[0].strip().lower()
    if filetype := _by_media_type().get(name):
        return Verdict(filetype)
    return (
        Verdict(named=name) if _MEDIA_TYPE.fullmatch(name) and not _SAYS_NOTHING.fullmatch(name) else _NOTHING
    )


def from_extension(url_or_name: str) -> Verdict:
    """What the extension of a URL's last path segment, or of a file name, says."""
    name = last_segment(url_or_name) if "://" in url_or_name else url_or_name
    _, dot, extension = name.strip().lower().rpartition(".")
    if not dot:
        return _NOTHING
    if filetype := _by_extension().get(extension):
        return Verdict(filetype)
    return Verdict(named=f".{extension}") if _OTHER_EXTENSION.fullmatch(extension) else _NOTHING


def file_name(content_disposition: str | bytes | None, url: str) -> str | None:
    """The name of a document's file, safe for file systems; None where nothing tells one.

    From ``Content-Disposition`` (RFC 6266: ``filename*`` before ``filename``), else the URL's last segment.
    """
    told = _safe_name(_disposition_name(content_disposition)) if content_disposition else ""
    return told or _safe_name(last_segment(url)) or None


@lru_cache(maxsize=4096)
def _from_name(text: str) -> Verdict:
    """What one part of ``format`` says."""
    code = _FILE_TYPE_URI.fullmatch(text)
    name = normal_label(code[1] if code else _MEDIA_TYPE_URI.sub("", text))
    if filetype := _by_name().get(name.removeprefix(".")) or _by_pdf_a(name):
        return Verdict(filetype)
    if code:
        return Verdict(named=text)
    return from_media_type(name) if "/" in name else from_extension(f".{name.removeprefix('.')}")


def _code(uri: str) -> str:
    return uri.rpartition("/")[2]


def _by_pdf_a(name: str) -> FileType | None:
    return _by_name()["pdf"] if _PDF_A.fullmatch(name) else None


@cache
def _by_name() -> dict[str, FileType]:
    """By code, label and extension."""
    names = {}
    for filetype in file_types():
        for name in (_code(filetype.uri), filetype.label, *filetype.extensions):
            names[normal_label(name)] = filetype
    return names


@cache
def _by_extension() -> dict[str, FileType]:
    return {extension: filetype for filetype in file_types() for extension in filetype.extensions}


@cache
def _by_media_type() -> dict[str, FileType]:
    return {media_type: filetype for filetype in file_types() for media_type in filetype.media_types}


def _disposition_name(value: str | bytes) -> str:
    """The file name in a ``Content-Disposition``, or an empty text."""
    if isinstance(value, bytes):
        value = _decoded(value)
    header = Message()
    header["Content-Disposition"] = value[:_DISPOSITION_MAXLENGTH]
    parameters = header.get_params(header="Content-Disposition") or []
    names: list[Any] = [name for key, name in parameters if key.lower() == "filename"]
    # The library gives filename* as charset, language and text.
    if extended := [name for name in names if isinstance(name, tuple)]:
        return collapse_rfc2231_value(extended[0])
    return _unquoted(names[0]) if names else ""


def _decoded(value: bytes) -> str:
    """Header bytes as text: RFC 9110 has Latin-1, servers send UTF-8 as well."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _unquoted(name: str) -> str:
    """Many servers percent-encode ``filename`` too (RFC 6266, appendix D); browsers decode it."""
    try:
        return unquote(name, errors="strict")
    except UnicodeDecodeError:
        return name


def _safe_name(name: str) -> str:
    """The last part of a path as a name that any file system takes; empty where nothing is left of it."""
    name = re.split(r"[/\\]", name.strip().rstrip("/\\"))[-1]
    name = " ".join(_UNSAFE.sub("_", name).split()).lstrip(". ").rstrip(". ")
    name = _DEVICE.sub(r"\g<0>_", name) if _DEVICE.match(name) else name
    if not name.strip("_"):
        return ""
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension.encode()) > 20:
        stem, extension = name, ""
    ending = f"{dot}{extension}" if extension else ""
    return _cut(stem, FILE_NAME_MAXLENGTH - len(ending.encode())) + ending


def _cut(text: str, length: int) -> str:
    """The text, cut to a length in bytes of UTF-8 without breaking a character."""
    return text.encode()[:length].decode(errors="ignore").rstrip(". ")
