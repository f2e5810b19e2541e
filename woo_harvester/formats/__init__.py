"""File types: which of the 19 harvested types a document has, and the name of its file."""

from woo_harvester.formats.claims import FormatClaim, from_extension, from_media_type, from_metadata
from woo_harvester.formats.content import DetectedFormat, detect_format, detected_before
from woo_harvester.formats.filename import FILE_NAME_MAXLENGTH, file_name
from woo_harvester.formats.filetypes import FileType, file_types

__all__ = [
    "FILE_NAME_MAXLENGTH",
    "DetectedFormat",
    "FileType",
    "FormatClaim",
    "detect_format",
    "detected_before",
    "file_name",
    "file_types",
    "from_extension",
    "from_media_type",
    "from_metadata",
]
