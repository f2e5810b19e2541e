"""The type of a document by its bytes, and which Office document a zip or OLE file is.

Each function returns the codes of the possible types, the usual one first, and a media type if the file is
something else. A file may be damaged or malicious, so the libraries may read only a limited number of its
bytes. A file that they cannot read may be any of the types that come in such a container.

Of a file of which only the beginning is there, the list of members of a zip and the table of sectors of an
OLE file are missing: both are near the end. The rules of filetype for first bytes may still show its type.
"""

from __future__ import annotations

import io
import logging
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import BinaryIO, cast

import olefile
from filetype import guess_mime
from lxml import etree
from w3lib.encoding import read_bom
from xtractmime import RESOURCE_HEADER_BUFFER_LENGTH, extract_mime

from woo_harvester.documents.formats import FileType, file_types, from_media_type

logger = logging.getLogger(__name__)

#: Codes of the possible types (the last part of a type's URI), and a media type.
_Found = tuple[tuple[str, ...], str | None]

OLE_MAGIC: bytes = olefile.MAGIC
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

_OLE_TYPE = "application/x-ole-storage"
#: Types by the name of a stream in the root of the OLE file (MS-DOC 2.1, MS-XLS 2.1.2, MS-PPT 2.1).
_OLE_STREAMS: dict[str, _Found] = {
    # An Office document with a password (MS-OFFCRYPTO 2.3.4.4): without the key its type is unknown.
    "EncryptedPackage": (("DOCX", "XLSX", "PPTX", "PPSX", "DOC", "XLS", "PPT", "PPS"), _OLE_TYPE),
    "WordDocument": (("DOC",), None),
    "Workbook": (("XLS",), None),
    "Book": (("XLS",), None),
    "PowerPoint Document": (("PPT", "PPS"), None),
    "__properties_version1.0": ((), "application/vnd.ms-outlook"),
    "VisioDocument": ((), "application/vnd.visio"),
}
_DAMAGED_OLE: _Found = (("DOC", "XLS", "PPT", "PPS"), _OLE_TYPE)
_DAMAGED_ZIP: _Found = (("ZIP", "DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF"), None)
_ZIP: _Found = (("ZIP",), None)
#: Types by the code of what filetype says of first bytes. Its rules for XLS and PPT fit any OLE file with a
#: table of sectors at its beginning, and it sees no difference between a slide show and a presentation.
_RECOGNISED = {
    **{code: (code,) for code in ("DOC", "DOCX", "XLSX", "ODT", "ODS", "ODP")},
    "PPTX": ("PPTX", "PPSX"),
}
#: An OLE file whose streams are not known: an old Office document, or one with a password.
_ANY_OLE: _Found = (("DOC", "XLS", "PPT", "PPS", "DOCX", "XLSX", "PPTX", "PPSX"), _OLE_TYPE)
#: Bytes of an OLE file that may be read, besides 1/100 of its size. That suffices for its table of sectors
#: (four bytes for each 512) and some eight thousand names.
_OLE_READ_MAXSIZE = 1024 * 1024
_OLE_READ_SHARE = 100
#: Bytes of a zip file that may be read. That suffices for its list of members (some 100 bytes each) and one
#: or two members. A file with more members counts as damaged: the claims decide its type.
_ZIP_READ_MAXSIZE = 1024 * 1024
#: Bytes of a member that are read, after decompression.
_MEMBER_MAXSIZE = 1024 * 1024
#: Compression methods that Office documents use.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
#: Media types that an OpenDocument or EPUB file declares for itself.
_TYPE_OF_ZIP = re.compile(r"application/(vnd\.oasis\.opendocument\.[a-z.-]+|epub\+zip)")


class _ReadLimitError(OSError):
    """A library read more of a file than it may."""


class _LimitedFile(io.RawIOBase):
    """A file of which at most *size* bytes can be read in total, from any position."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        """Read as from any file. Raises _ReadLimitError beyond the limit."""
        data = self._file.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise _ReadLimitError("the type of the file needs too many bytes to detect")
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Seek as in any file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return True: the libraries seek."""
        return True


def in_ole(file: BinaryIO) -> _Found:
    """Return the type of an OLE file, by the streams in its root."""
    limited = _LimitedFile(file, _OLE_READ_MAXSIZE + file.seek(0, io.SEEK_END) // _OLE_READ_SHARE)
    container: olefile.OleFileIO[str]
    try:
        with olefile.OleFileIO(cast("BinaryIO", limited)) as container:
            found = (kind for stream, kind in _OLE_STREAMS.items() if container.exists(stream))
            return next(found, ((), _OLE_TYPE))
    except Exception as error:  # a damaged file can make the library raise anything
        logger.debug("OLE file that cannot be read: %r", error)
        return _DAMAGED_OLE


def has_password(file: BinaryIO) -> bool:
    """Return whether a file is an Office document with a password (MS-OFFCRYPTO 2.3.4.4)."""
    head = file.read(len(OLE_MAGIC))
    return head == OLE_MAGIC and in_ole(file) == _OLE_STREAMS["EncryptedPackage"]


def in_zip(file: BinaryIO) -> _Found:
    """Return the type of a zip file, by the type of its main part (OPC), else by its media type (ODF)."""
    try:
        with zipfile.ZipFile(cast("BinaryIO", _LimitedFile(file, _ZIP_READ_MAXSIZE))) as archive:
            return next((_found(name) for name in _media_types(archive)), _ZIP)
    except Exception as error:  # a damaged file can make the library raise anything
        logger.debug("Zip file that cannot be read: %r", error)
        return _DAMAGED_ZIP


def _found(media_type: str) -> _Found:
    claim = from_media_type(media_type)
    return ((claim.filetype.code,), None) if claim.filetype else ((), media_type)


def _media_types(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the media types that the archive declares for itself, in lower case: OPC, then ODF."""
    for part in _elements(_member(archive, "[Content_Types].xml"), "Override"):
        name = part.get("ContentType", "").lower().removesuffix("+xml")
        if name.endswith(".main"):
            yield name.removesuffix(".main")
    given = (_member(archive, "mimetype") or b"").decode("ascii", "replace")
    files = _elements(_member(archive, "META-INF/manifest.xml"), "file-entry")
    for name in (given, *(file.get("media-type", "") for file in files if file.get("full-path") == "/")):
        if _TYPE_OF_ZIP.fullmatch(name.strip().lower()):
            yield name.strip().lower()


def _elements(content: bytes | None, name: str) -> Iterator[dict[str, str]]:
    """Yield the attributes of each element with this local name, without their namespaces."""
    if content is None:
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for element in etree.fromstring(content, parser).iter(f"{{*}}{name}"):
        yield {etree.QName(key).localname: str(value) for key, value in element.items()}


def _member(archive: zipfile.ZipFile, name: str) -> bytes | None:
    """Return the beginning of a member; None without such a member, or with another compression method."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    if info.compress_type not in _METHODS:
        return None
    with archive.open(info) as member:
        return member.read(_MEMBER_MAXSIZE)


#: Bytes that are read first: as many as filetype uses.
_HEAD_SIZE = 8192
#: The "binary data bytes" of the standard MIME Sniffing, section 3.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
#: First bytes of nearly all PDFs, and of no other file.
_PDF_MAGIC = b"%PDF-"
#: Readers of PDF take a file whose header stands within the first kilobyte (ISO 32000-1, annex H.3.4.1).
_PDF_HEADER = re.compile(rb"%PDF-\d\.\d")
_PDF_WITHIN = 1023 + len("%PDF-1.7")
#: What follows the header of a PDF, and no text that is only about PDF.
_PDF_OBJECT = re.compile(rb"[\r\n]\d+ \d+ obj\b")
#: The beginning of XML whose root element is ``html``.
_XHTML = re.compile(
    rb"(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*+<(?:[\w.-]+:)?html[\s/>]", re.IGNORECASE | re.DOTALL
)
#: Results of xtractmime that are used. Its others come from short magic numbers that a text may begin with.
_MARKUP = frozenset({b"text/html", b"text/xml", b"application/pdf", b"application/postscript"})
#: A plain text may be CSV, and HTML that begins with other tags than browsers look for.
_TEXT = ("TXT", "CSV", "HTML")
#: XML may be a plain text or HTML, but only if a source claims that.
_XML = ("TXT", "HTML")


@dataclass(frozen=True, slots=True)
class DetectedFormat:
    """The format detected from the content of a document. Both fields are empty if nothing was detected."""

    may_be: tuple[FileType, ...] = ()
    """The types of the list that the bytes can be, the usual one first."""
    unlisted: str | None = None
    """Media type outside the list. The document is harvested only if a source claims a type of ``may_be``."""
    is_open: bool = False
    """True if the bytes that are there leave the type open, unless a source claims a type of ``may_be``."""

    def resolve(self, claimed: FileType | None, *others: FileType | None) -> FileType | None:
        """Return the first claimed type that the bytes can be, else their usual type; None if unlisted."""
        for filetype in (claimed, *others):
            if filetype in self.may_be:
                return filetype
        return self.may_be[0] if self.may_be and not self.unlisted else None


def detect_format(file: BinaryIO) -> DetectedFormat:
    """Return the format of *file*, which must be seekable; only a small part of a large file is read.

    No content raises an error: a damaged container may be any type that comes in such a container. Raises
    OSError if the file itself cannot be read.
    """
    file.seek(0)
    head = file.read(_HEAD_SIZE)
    if head.startswith(_PDF_MAGIC):  # first, since most documents are PDF
        return _content(("PDF",))
    if head.startswith(OLE_MAGIC):
        return _content(*in_ole(file))
    if head.startswith(ZIP_MAGIC):
        return _content(*in_zip(file))
    header = _PDF_HEADER.search(head, 0, _PDF_WITHIN)
    if header is not None and _PDF_OBJECT.search(head, header.end()):  # after a mail's headers, for one
        return _content(("PDF",))
    text = _as_text(head)
    return _text_content(text) if text is not None else _binary_content(head)


def detect_beginning(file: BinaryIO) -> DetectedFormat:
    """Return the format of a document of which *file* has only the first bytes: some kilobytes.

    It is the format of the complete document, except of containers: what shows their type may come later.
    Of these filetype recognises some by their first members or their first sector.
    """
    file.seek(0)
    head = file.read(_HEAD_SIZE)
    if not head.startswith((OLE_MAGIC, *ZIP_MAGIC)):
        return detect_format(file)
    guessed = from_media_type(guess_mime(head)).filetype
    if guessed is not None and guessed.code in _RECOGNISED:
        return _content(_RECOGNISED[guessed.code])
    is_ole = head.startswith(OLE_MAGIC)
    return replace(_content(*(_ANY_OLE if is_ole else _DAMAGED_ZIP)), is_open=is_ole)


def detected_before(media_type: str | None) -> DetectedFormat | None:
    """Return the format detected in an earlier run, of which the media type was kept; None if nothing was."""
    filetype = from_media_type(media_type).filetype
    return DetectedFormat((filetype,)) if filetype else None


def _as_text(head: bytes) -> bytes | None:
    """Return the beginning of a text in UTF-8 or a code page, without leading white space.

    Returns None if the bytes are no text.
    """
    encoding, mark = read_bom(head)
    if encoding:
        # The end may be half a character; bytes that cannot be decoded are no markup.
        head = head[len(mark or b"") :].decode(encoding, "ignore").encode("utf-8", "ignore")
    return head.lstrip() if head and not _BINARY.search(head, 0, RESOURCE_HEADER_BUFFER_LENGTH) else None


def _text_content(text: bytes) -> DetectedFormat:
    kind = extract_mime(text, http_origin=False)
    if kind == b"text/xml":
        return _content(("HTML",)) if _XHTML.match(text) else _content(_XML, "text/xml")
    if kind in _MARKUP:
        return _named(kind.decode())
    guessed = guess_mime(text)
    return _named(guessed) if guessed == "application/rtf" else _content(_TEXT)


def _binary_content(head: bytes) -> DetectedFormat:
    if _PDF_HEADER.search(head, 0, _PDF_WITHIN):
        return _content(("PDF",))
    return _named(guess_mime(head))


def _named(media_type: str | None) -> DetectedFormat:
    claim = from_media_type(media_type)
    return DetectedFormat((claim.filetype,) if claim.filetype else (), claim.unlisted)


def _content(codes: tuple[str, ...], unlisted: str | None = None) -> DetectedFormat:
    return DetectedFormat(tuple(_by_code()[code] for code in codes), unlisted)


@cache
def _by_code() -> dict[str, FileType]:
    return {filetype.code: filetype for filetype in file_types()}
