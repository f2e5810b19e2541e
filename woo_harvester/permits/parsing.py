"""Parses the bytes of a message into a tree, within limits: it expands and fetches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from lxml import etree

from woo_harvester.findings import Finding
from woo_harvester.sitemaps.file_findings import FileFinding, encoding_fault, repair_findings
from woo_harvester.sitemaps.repair import Repair
from woo_harvester.sitemaps.xml_stream import (
    CorruptError,
    DecompressError,
    TooLargeError,
    TruncatedError,
    decompress,
    has_root,
    local_name,
)
from woo_harvester.utils.encodings import DECLARATION_SIZE, xml_encoding

#: Action of a finding about a message that is not accepted.
UNPROCESSED = "bericht niet verwerkt"

#: Most signs of markup (``<`` and ``=``) in one message. A tree takes some hundred bytes for each, and
#: libxml2 needs a second to report on so many. No real message has a thousand.
_MARKUP_MAX = 50_000

#: What may come before a DOCTYPE: only white space, comments and instructions.
_PROLOG = rb"(?>\s+|<\?.*?\?>|<!--.*?-->)*+"
_DOCTYPE = re.compile(_PROLOG + rb"(<!DOCTYPE\s+[^\s<>\[]+)", re.DOTALL)
#: The beginning of an HTML page, which allows a DOCTYPE in small letters.
_HTML = re.compile(_PROLOG + rb"<(?:!doctype\s+)?html[\s>]", re.DOTALL | re.IGNORECASE)

#: White space and byte order marks.
_BLANKS = b" \t\r\n\xef\xbb\xbf\xff\xfe"

#: The bytes in which the root element is looked for.
_HEAD = 64 * 1024

#: What the namespaces of all versions begin with.
_VERSIONS = b"http://standaarden.overheid.nl/vergunningen"

#: What may come before the root element. A DOCTYPE may have an internal subset.
_BEFORE = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*)?>)*+", re.DOTALL | re.IGNORECASE
)
_ANY_ROOT = re.compile(rb"<(?:[^\s<>/:]+:)?([^\s<>/:]+)([^<>]*)")
_ROOTS = frozenset({b"message", b"vergunningzaak", b"vergunningdocument"})

#: Elements around all metadata, which :func:`element_path` leaves out.
_AROUND = frozenset({"message", "vergunningzaak", "vergunningdocument", "meta"})


@cache
def _parser(encoding: str | None) -> etree.XMLParser:
    """Return the parser of messages with this encoding; None if libxml2 finds it by itself."""
    return etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,  # between elements: less to validate and to walk
        collect_ids=False,
    )


class MessageError(ValueError):
    """The file has no message that can be parsed. The finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.code)
        self.finding = finding


def parse(
    chunks: Iterable[bytes], maxsize: int, charset: str | None = None
) -> tuple[etree._Element, list[Finding]]:
    """Return the root element of a file, gzip or not, of at most *maxsize* bytes after decompression.

    The second value is what was wrong with the file, and was read all the same. *charset* is the encoding
    that its server names. Raises :class:`MessageError` with ``ipm.te-groot``, ``ipm.doctype`` or
    ``ipm.ongeldig``. An HTML page is ``ipm.ongeldig``, whatever its DOCTYPE.
    """
    data = _joined(chunks, maxsize)
    if _HTML.match(data):
        raise _error("ipm.ongeldig", "een webpagina (HTML)")
    _refuse_doctype(data)
    if len(data) > _MARKUP_MAX and data.count(b"<") + data.count(b"=") > _MARKUP_MAX:
        raise _error("ipm.te-groot", f"meer dan {_MARKUP_MAX} elementen en attributen")
    encoding, found = xml_encoding(data[:DECLARATION_SIZE], charset), list[FileFinding]()
    try:
        root = etree.fromstring(data, _parser(encoding.override))
        if label := encoding.false_label or (None if data.isascii() else encoding.doubted_label):
            found.append(FileFinding("sitemap.kop", *encoding_fault(label)))
    except etree.XMLSyntaxError as error:
        root, found = _parse_repaired(data, encoding.override, charset, error)
    doctype = root.getroottree().docinfo.internalDTD
    if doctype is not None:  # its letters were hidden by the encoding
        raise _error("ipm.doctype", f"<!DOCTYPE {doctype.name}>")
    codes = ("ipm.kop" if each.code == "sitemap.kop" else "ipm.tekens" for each in found)
    return root, [
        Finding(code=code, line=each.line, seen=each.seen, action=each.action)
        for code, each in zip(codes, found, strict=True)
    ]


def _parse_repaired(
    data: bytes, encoding: str | None, charset: str | None, error: etree.XMLSyntaxError
) -> tuple[etree._Element, list[FileFinding]]:
    """Return the root element of a file after the repair that sitemaps have too, and what was repaired."""
    repair = Repair(drops_head=not has_root(data, encoding), charset=charset)
    try:
        root = etree.fromstring(b"".join(repair.apply([data])), _parser("utf-8"))
    except (etree.XMLSyntaxError, CorruptError):
        raise _not_well_formed(error) from None
    return root, [*repair_findings(repair)]


def has_message_root(chunks: Iterable[bytes]) -> bool:
    """Return whether the root of a file is that of a permit message, of any version.

    The root decides as far as it can be read: a message may be broken, or of another namespace. A file
    without a root is a message if its beginning names the namespace of messages.
    """
    head = _head(chunks)
    root = _ANY_ROOT.match(head, _BEFORE.match(head).end())  # type: ignore[union-attr]  # it matches nothing too
    return _VERSIONS in (head if root is None else root[2]) or (root is not None and root[1] in _ROOTS)


def _head(chunks: Iterable[bytes]) -> bytes:
    """Return the first bytes of a file, decompressed, without those that UTF-16 has between letters."""
    head = b""
    with suppress(DecompressError):  # reported when the message itself is read
        for chunk in decompress(chunks, _HEAD):
            head += chunk
    head = head.lstrip(_BLANKS)
    return head.replace(b"\0", b"") if b"\0" in head[:4] else head


def _joined(chunks: Iterable[bytes], maxsize: int) -> bytes:
    try:
        return b"".join(decompress(chunks, maxsize))
    except TooLargeError:
        raise _error("ipm.te-groot", f"meer dan {maxsize} bytes") from None
    except (TruncatedError, CorruptError) as error:
        raise _error("ipm.ongeldig", str(error)) from None


def _refuse_doctype(data: bytes) -> None:
    """Raise MessageError for a DOCTYPE, before the parser reads it: it may be made to crash a parser."""
    text = data.replace(b"\0", b"") if b"\0" in data[:4] else data  # UTF-16 has zeros between
    if b"<!DOCTYPE" not in text:
        return
    if found := _DOCTYPE.match(text.lstrip(_BLANKS)):
        line = text.count(b"\n", 0, found.start(1)) + 1
        raise _error("ipm.doctype", found[1].decode("ascii", errors="replace"), line)


def _not_well_formed(error: etree.XMLSyntaxError) -> MessageError:
    said = (error.msg or "not well-formed").partition(", line ")[0].strip()
    beyond = error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT
    return _error("ipm.te-groot" if beyond else "ipm.ongeldig", said, error.lineno)


def _error(code: str, seen: str, line: int | None = None) -> MessageError:
    return MessageError(Finding(code=code, line=line, seen=seen, action=UNPROCESSED))


def element_path(element: etree._Element) -> str:
    """Return the path of an element in the metadata, such as ``owmskern/modified``."""
    names = [local_name(each.tag) for each in (element, *element.iterancestors())]
    return "/".join(name for name in reversed(names) if name not in _AROUND) or names[0]


def text_of(element: etree._Element) -> str | None:
    """Return the text of an element without white space around it; None for an empty element."""
    text = element.text
    return (text.strip() or None) if text else None


class Notebook:
    """A collector of findings about one message."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def __call__(
        self, code: str, element: etree._Element, seen: str | None, action: str = UNPROCESSED, path: str = ""
    ) -> None:
        """Add a finding with *code* about an element, or about the one at *path* that it lacks."""
        line, path = element.sourceline, path or element_path(element)
        self.findings.append(Finding(code=code, line=line, element=path, seen=seen, action=action))

    def missing(self, parent: etree._Element, name: str) -> None:
        """Add a finding that *parent* lacks the element *name*, unless there is one about it already."""
        path = f"{element_path(parent)}/{name}"
        if not any(finding.element == path for finding in self.findings):
            self("ipm.schema", parent, "ontbreekt", f"{UNPROCESSED}; verplicht bij C en U", path)
