"""File types: which of the 19 that may be harvested a document is, and how its file is called."""

from woo_harvester.formats.claims import Verdict, from_extension, from_media_type, from_metadata
from woo_harvester.formats.content import Content, known_content, read_content
from woo_harvester.formats.filename import FILE_NAME_MAXLENGTH, file_name
from woo_harvester.formats.kinds import FileType, file_types

__all__ = [
    "FILE_NAME_MAXLENGTH",
    "Content",
    "FileType",
    "Verdict",
    "file_name",
    "file_types",
    "from_extension",
    "from_media_type",
    "from_metadata",
    "known_content",
    "read_content",
]
