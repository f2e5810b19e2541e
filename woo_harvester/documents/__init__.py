"""File types: which of the 19 harvested types a document has, and the name of its file."""

from woo_harvester.documents.content import DetectedFormat, detect_beginning, detect_format, detected_before
from woo_harvester.documents.filename import FILE_NAME_MAXLENGTH, file_name, title_name
from woo_harvester.documents.formats import (
    FileType,
    FormatClaim,
    file_types,
    from_extension,
    from_media_type,
    from_metadata,
)
from woo_harvester.documents.pages import ask_for_documents, documents_asked_for, documents_of_landing_page

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
    "title_name",
]
