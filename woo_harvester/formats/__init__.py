"""File types: which of the 19 harvested types a document has, and the name of its file."""

from woo_harvester.formats.claims import FormatClaim, from_extension, from_media_type, from_metadata
from woo_harvester.formats.content import DetectedFormat, detect_beginning, detect_format, detected_before
from woo_harvester.formats.filename import FILE_NAME_MAXLENGTH, file_name
from woo_harvester.formats.filetypes import FileType, file_types
from woo_harvester.formats.landing_page import (
    ask_for_documents,
    documents_asked_for,
    documents_of_landing_page,
)

__all__ = [
    "FILE_NAME_MAXLENGTH",
    "DetectedFormat",
    "FileType",
    "FormatClaim",
    "ask_for_documents",
    "detect_beginning",
    "detect_format",
    "detected_before",
    "documents_asked_for",
    "documents_of_landing_page",
    "file_name",
    "file_types",
    "from_extension",
    "from_media_type",
    "from_metadata",
]
