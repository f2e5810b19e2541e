"""The 19 file types that may be harvested, with their extensions and media types.

Source: seed "Technische implementatie", section "Bestandsformaten"; list ``ccw_plooi_filetypes``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from woo_harvester.tooi.lists import filetypes
from woo_harvester.tooi.values import normal_label
from woo_harvester.utils.urls import last_segment

_OOXML = "application/vnd.openxmlformats-officedocument"
_OASIS = "application/vnd.oasis.opendocument"
_OASIS_OLD = "application/x-vnd.oasis.opendocument"
_SLIDE_SHOW_TYPE = "application/vnd.ms-powerpoint"
#: Extensions, and media types as servers send them, by the code at the end of the URI; the usual ones first.
_NAMES: Mapping[str, tuple[str, str]] = {
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


@dataclass(frozen=True, slots=True)
class FileType:
    """One of the 19 types that may be harvested."""

    uri: str
    label: str
    extensions: tuple[str, ...]
    """File name extensions without dot, in lower case; the usual one first."""
    media_types: tuple[str, ...]
    """Media types in lower case, the registered one first. PPS has none: it shares that of PPT."""

    @property
    def code(self) -> str:
        """The end of the URI, such as ``DOCX``."""
        return _code(self.uri)

    @property
    def media_type(self) -> str:
        """The registered media type."""
        return self.media_types[0] if self.media_types else _SLIDE_SHOW_TYPE


@cache
def file_types() -> tuple[FileType, ...]:
    """Return the 19 types, in the order of the list."""
    return tuple(
        FileType(concept.uri, concept.label, *(tuple(names.split()) for names in _NAMES[_code(concept.uri)]))
        for concept in filetypes()
    )


def _code(uri: str) -> str:
    return uri.rpartition("/")[2]


#: Media types that servers send for any file: they claim nothing.
_GENERIC_MEDIA_TYPE = re.compile(
    r"(application|binary|content|unknown)/"
    r"(octet-?stream|(x-)?(force-?)?download|(x-)?octet-?stream|(x-)?unknown|(x-)?binary|vnd\.ms-office|x-ole-storage)"
    r"|\*/\*"
)
#: Extensions of common files outside the 19 types. An extension that is not here claims nothing, such as the
#: .2 of "besluit 1.2" or the .aspx of a page that sends a PDF.
_OTHER_EXTENSION = re.compile(
    "docm|dotx?|dotm|xlsm|xlsb|xltx?|pptm|potx?|odg|odb|odm|ott|ots|otp|pages|numbers|key|wpd|epub|mobi|ps|eps|xps"
    "|xml|xsd|xsl|json|jsonld|geojson|rdf|ttl|yaml|yml|md|tsv|sql|mdb|accdb|parquet|css|js"
    "|jpe?g|png|gif|bmp|tiff?|webp|svg|heic|avif|ico|psd|ai|indd"
    "|mp[34]|m4[av]|mpe?g|avi|mov|wmv|mkv|webm|wav|ogg|flac|srt|vtt"
    "|rar|tar|gz|tgz|bz2|xz|iso|exe|msi|apk|eml|msg|pst|mht|mhtml|ics|vcf"
    "|dwg|dxf|dgn|ifc|shp|gml|kml|kmz|gpkg|tab|vsdx?|mpp"
)
_FILE_TYPE_URI = re.compile(
    r"https?://publications\.europa\.eu/resource/authority/file-type/(\w+)/*", re.IGNORECASE
)
_MEDIA_TYPE_URI = re.compile(r"https?://www\.iana\.org/assignments/media-types/", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
#: PDF/A is PDF, at each of its levels.
_PDF_A = re.compile("pdf[/ -]?a([ -]?[1-4][abuef]?)?")
#: Longest text that is read as the name of a file type, in characters.
_MAXLENGTH = 200


@dataclass(frozen=True, slots=True)
class FormatClaim:
    """What one source claims about the file type. Both fields are None if it claims nothing."""

    filetype: FileType | None = None
    """The claimed type, if it is one of the 19."""
    unlisted: str | None = None
    """The claimed type as given, if it is not one of the 19."""


_NOTHING = FormatClaim()


def from_metadata(label: str | None, uri: str | None) -> FormatClaim:
    """Return the claim of the element ``format``.

    Both *label* and *uri* may be a URI, label, code, extension or media type. The URI goes before the label.
    A text that names no type, such as a placeholder, claims nothing.
    """
    by_uri, by_label = _from_text(uri), _from_text(label)
    if by_uri.filetype or (by_uri.unlisted and not by_label.filetype):
        return by_uri
    return by_label


def _from_text(text: str | None) -> FormatClaim:
    return _from_name(text.strip()) if text and len(text) <= _MAXLENGTH else _NOTHING


@lru_cache(maxsize=1024)
def from_media_type(text: str | None) -> FormatClaim:
    """Return the claim of a ``Content-Type``. Its parameters and letter case make no difference.

    Types that servers send for any file, such as ``application/octet-stream``, claim nothing.
    """
    name = re.split("[;,]", text or "", maxsplit=1)[0].strip().lower()
    if filetype := _by_media_type().get(name):
        return FormatClaim(filetype)
    is_claim = _MEDIA_TYPE.fullmatch(name) and not _GENERIC_MEDIA_TYPE.fullmatch(name)
    return FormatClaim(unlisted=name) if is_claim else _NOTHING


def from_extension(url_or_name: str) -> FormatClaim:
    """Return the claim of the extension of a file name, or of a URL's last path segment."""
    name = last_segment(url_or_name) if "://" in url_or_name else url_or_name
    _, dot, extension = name.strip().lower().rpartition(".")
    if not dot:
        return _NOTHING
    if filetype := _by_extension().get(extension):
        return FormatClaim(filetype)
    return FormatClaim(unlisted=f".{extension}") if _OTHER_EXTENSION.fullmatch(extension) else _NOTHING


@lru_cache(maxsize=4096)
def _from_name(text: str) -> FormatClaim:
    """Return the claim of one text of ``format``: its URI or its label."""
    code = _FILE_TYPE_URI.fullmatch(text)
    name = normal_label(code[1] if code else _MEDIA_TYPE_URI.sub("", text))
    if filetype := _by_name().get(name.removeprefix(".")) or _by_pdf_a(name):
        return FormatClaim(filetype)
    if code:
        return FormatClaim(unlisted=text)
    return from_media_type(name) if "/" in name else from_extension(f".{name.removeprefix('.')}")


def _by_pdf_a(name: str) -> FileType | None:
    return _by_name()["pdf"] if _PDF_A.fullmatch(name) else None


@cache
def _by_name() -> dict[str, FileType]:
    """Return the types by code, label and extension, each in the form for comparison."""
    names = {}
    for filetype in file_types():
        for name in (filetype.code, filetype.label, *filetype.extensions):
            names[normal_label(name)] = filetype
    return names


@cache
def _by_extension() -> dict[str, FileType]:
    return {extension: filetype for filetype in file_types() for extension in filetype.extensions}


@cache
def _by_media_type() -> dict[str, FileType]:
    return {media_type: filetype for filetype in file_types() for media_type in filetype.media_types}
