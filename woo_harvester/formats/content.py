"""Detect the file type of a document from its bytes.

Libraries do the work: filetype knows the magic numbers, xtractmime the first tags of HTML by the WHATWG's
standard for sniffing, olefile and zipfile the content of a container. Candidates were compared on the 19
samples of the tests (bytes without a name) and on four PDFs of ministries, which all of them recognise:

====================  ====================================================================================
filetype 1.2 (MIT)    right of 7z, pdf, rtf, zip and Office files, but for ppsx (pptx) and odf (zip);
                      wrong of a text that begins with "MZ" or "GIF", so it is asked of binary files only
xtractmime 0.2 (BSD)  right of html, also after comments and white space; text or binary; no Office
olefile 0.47 (BSD)    the streams of doc, xls, ppt, msg; a pps is a ppt, byte for byte
puremagic 1.30 (MIT)  every zip, odt and xlsx is docx, every xls and ppt is doc; 2.x needs Python 3.12
python-magic 0.4      right but for ppsx; needs libmagic in the system, C code that reads hostile files
magika 1.0 (Apache)   not tried: a neural model, with a runtime far larger than the harvester
====================  ====================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import BinaryIO

from filetype import guess_mime
from lxml import etree
from w3lib.encoding import read_bom
from xtractmime import RESOURCE_HEADER_BUFFER_LENGTH, extract_mime

from woo_harvester.formats.claims import from_media_type
from woo_harvester.formats.containers import (
    OLE_MAGIC,
    ZIP_MAGIC,
    in_ole,
    in_ole_beginning,
    in_zip,
    in_zip_beginning,
)
from woo_harvester.formats.filetypes import FileType, file_types

#: Bytes that are read first: as many as filetype uses.
_HEAD_SIZE = 8192
#: Tags that HTML may begin with, besides those of the standard: pattern, mask for both letter cases, white
#: space to skip, type.
_OTHER_TAGS = tuple(
    (tag, bytes(0xDF if byte.isalpha() else 0xFF for byte in tag.decode()), None, b"text/html")
    for tag in (b"<META ", b"<LINK ", b"<FORM ")
)
#: The "binary data bytes" of the standard MIME Sniffing, section 3.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
#: First bytes of nearly all PDFs, and of no other file.
_PDF_MAGIC = b"%PDF-"
#: Readers of PDF take a file whose header stands within the first kilobyte (ISO 32000-1, annex H.3.4.1).
_PDF_HEADER = re.compile(rb"%PDF-\d\.\d")
_PDF_WITHIN = 1024
#: First two bytes of markup in UTF-16 without a byte order mark (XML 1.0, appendix F).
_UTF_16 = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
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
    text = _as_text(head)
    return _text_content(text) if text is not None else _binary_content(head)


def detect_beginning(file: BinaryIO) -> DetectedFormat:
    """Return the format of a document of which *file* has only the first bytes: some kilobytes.

    It is the format of the complete document, except of containers: what shows their type may come later.
    """
    file.seek(0)
    head = file.read(_HEAD_SIZE)
    if head.startswith(OLE_MAGIC):
        codes, media_type = in_ole_beginning(head)
        return replace(_content(codes, media_type), is_open=media_type is not None)
    if head.startswith(ZIP_MAGIC):
        return _content(*in_zip_beginning(head))
    return detect_format(file)


def detected_before(media_type: str | None) -> DetectedFormat | None:
    """Return the format detected in an earlier run, of which the media type was kept; None if nothing was."""
    filetype = from_media_type(media_type).filetype
    return DetectedFormat((filetype,)) if filetype else None


def _as_text(head: bytes) -> bytes | None:
    """Return the beginning of a text in UTF-8 or a code page, without leading white space.

    Returns None if the bytes are no text.
    """
    encoding, mark = read_bom(head)
    encoding = encoding or _UTF_16.get(head[:2])
    if encoding:
        # The end may be half a character; bytes that cannot be decoded are no markup.
        head = head[len(mark or b"") :].decode(encoding, "ignore").encode("utf-8", "ignore")
    return head.lstrip() if head and not _BINARY.search(head, 0, RESOURCE_HEADER_BUFFER_LENGTH) else None


def _text_content(text: bytes) -> DetectedFormat:
    kind = extract_mime(text, http_origin=False, extra_types=_OTHER_TAGS)
    if kind == b"text/xml":
        return _content(("HTML",)) if _is_xhtml(text) else _content(_XML, "text/xml")
    if kind in _MARKUP:
        return _named(kind.decode())
    guessed = guess_mime(text)
    return _named(guessed) if guessed == "application/rtf" else _content(_TEXT)


def _binary_content(head: bytes) -> DetectedFormat:
    if _PDF_HEADER.search(head, 0, _PDF_WITHIN):
        return _content(("PDF",))
    return _named(guess_mime(head))


def _is_xhtml(text: bytes) -> bool:
    """Return whether the root element is ``html``. Entities and DTDs are not read."""
    parser = etree.XMLPullParser(
        ("start",), encoding="utf-8", recover=True, resolve_entities=False, no_network=True
    )
    try:
        parser.feed(text)
        _, root = next(iter(parser.read_events()), (None, None))
    except etree.XMLSyntaxError:
        return False
    return root is not None and etree.QName(root).localname.lower() == "html"


def _named(media_type: str | None) -> DetectedFormat:
    claim = from_media_type(media_type)
    return DetectedFormat((claim.filetype,) if claim.filetype else (), claim.unlisted)


def _content(codes: tuple[str, ...], unlisted: str | None = None) -> DetectedFormat:
    return DetectedFormat(tuple(_by_code()[code] for code in codes), unlisted)


@cache
def _by_code() -> dict[str, FileType]:
    return {filetype.code: filetype for filetype in file_types()}
