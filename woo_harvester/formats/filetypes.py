"""The 19 file types that may be harvested, with their extensions and media types.

Source: seed "Technische implementatie", section "Bestandsformaten"; list ``ccw_plooi_filetypes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from woo_harvester.tooi import filetypes

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
