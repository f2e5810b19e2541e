"""What stands in a container: which Office document a zip or OLE file is.

Each function answers with the codes of the types that it may be, the usual one first, and the media type that
it has besides. A publisher's file may be damaged, or made to harm: the libraries read it through a window of
so many bytes, and what they cannot read may be any type that comes in such a container.
"""

from __future__ import annotations

import io
import logging
import re
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, cast

import olefile
from lxml import etree

from woo_harvester.formats.claims import from_media_type

logger = logging.getLogger(__name__)

#: Codes, and a media type.
Found = tuple[tuple[str, ...], str | None]

OLE_MAGIC: bytes = olefile.MAGIC
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

OLE_TYPE = "application/x-ole-storage"
#: By the stream in the root that tells the kind of file (MS-DOC 2.1, MS-XLS 2.1.2, MS-PPT 2.1).
_OLE_STREAMS: dict[str, Found] = {
    # An Office document with a password (MS-OFFCRYPTO 2.3.4.4): which one, only the key tells.
    "EncryptedPackage": (("DOCX", "XLSX", "PPTX", "PPSX", "DOC", "XLS", "PPT", "PPS"), OLE_TYPE),
    "WordDocument": (("DOC",), None),
    "Workbook": (("XLS",), None),
    "Book": (("XLS",), None),
    "PowerPoint Document": (("PPT", "PPS"), None),
    "__properties_version1.0": ((), "application/vnd.ms-outlook"),
    "VisioDocument": ((), "application/vnd.visio"),
}
_DAMAGED_OLE: Found = (("DOC", "XLS", "PPT", "PPS"), OLE_TYPE)
_DAMAGED_ZIP: Found = (("ZIP", "DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"), None)
_ZIP: Found = (("ZIP",), None)

#: Of an OLE file: its table of sectors, four bytes for every 512, and some eight thousand names.
_OLE_WINDOW = 1024 * 1024
_OLE_WINDOW_SHARE = 100
#: Of a zip file: its list of members, which takes some 100 bytes a member, and one or two of them. With more
#: members it is what it is called, as where it is damaged.
_ZIP_WINDOW = 1024 * 1024
#: Longest member that is read, in bytes after decompression.
_MEMBER_MAXSIZE = 1024 * 1024
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
#: The media types that a zip file may give itself.
_TYPE_OF_ZIP = re.compile(r"application/(vnd\.oasis\.opendocument\.[a-z.-]+|epub\+zip)")


class WindowError(OSError):
    """More of a file was asked for than its window allows."""


class Window(io.RawIOBase):
    """A file for a library to read: not more than *size* bytes of it in all, wherever they stand."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        """As of a file; raises WindowError where it is too much."""
        data = self._file.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise WindowError("more was to be read than tells a type")
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As of a file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As of a file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """As of a file."""
        return True


def in_ole(file: BinaryIO) -> Found:
    """Which document an OLE file is, by the streams in its root."""
    window = Window(file, _OLE_WINDOW + file.seek(0, io.SEEK_END) // _OLE_WINDOW_SHARE)
    container: olefile.OleFileIO[str]
    try:
        with olefile.OleFileIO(cast("BinaryIO", window)) as container:
            found = (kind for stream, kind in _OLE_STREAMS.items() if container.exists(stream))
            return next(found, ((), OLE_TYPE))
    except Exception as error:  # whatever its parser stumbles on
        logger.debug("OLE file that cannot be read: %r", error)
        return _DAMAGED_OLE


def in_zip(file: BinaryIO) -> Found:
    """Which document a zip file is: by the type of its main part (OPC), else its media type (ODF)."""
    try:
        with zipfile.ZipFile(cast("BinaryIO", Window(file, _ZIP_WINDOW))) as archive:
            return next((_found(name) for name in _media_types(archive)), _ZIP)
    except Exception as error:  # whatever its parser stumbles on
        logger.debug("Zip file that cannot be read: %r", error)
        return _DAMAGED_ZIP


def _found(media_type: str) -> Found:
    verdict = from_media_type(media_type)
    return ((verdict.filetype.code,), None) if verdict.filetype else ((), media_type)


def _media_types(archive: zipfile.ZipFile) -> Iterator[str]:
    """The media types that the archive gives itself, in lower case: of OPC, then of ODF."""
    for part in _elements(archive, "[Content_Types].xml", "Override"):
        name = part.get("ContentType", "").lower().removesuffix("+xml")
        if name.endswith(".main"):
            yield name.removesuffix(".main")
    given = (_member(archive, "mimetype") or b"").decode("ascii", "replace")
    files = _elements(archive, "META-INF/manifest.xml", "file-entry")
    for name in (given, *(file.get("media-type", "") for file in files if file.get("full-path") == "/")):
        if _TYPE_OF_ZIP.fullmatch(name.strip().lower()):
            yield name.strip().lower()


def _elements(archive: zipfile.ZipFile, member: str, name: str) -> Iterator[dict[str, str]]:
    """The attributes of the elements with this local name, without their namespaces."""
    content = _member(archive, member)
    if content is None:
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for element in etree.fromstring(content, parser).iter(f"{{*}}{name}"):
        yield {etree.QName(key).localname: str(value) for key, value in element.items()}


def _member(archive: zipfile.ZipFile, name: str) -> bytes | None:
    """The beginning of a member; None where there is none that is packed as these containers have it."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    if info.compress_type not in _METHODS:
        return None
    with archive.open(info) as member:
        return member.read(_MEMBER_MAXSIZE)
