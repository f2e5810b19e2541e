"""From the bytes of a message to its tree, within bounds: nothing is expanded, nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

from woo_harvester.findings import Finding
from woo_harvester.sitemaps.decompress import CorruptError, TooLargeError, TruncatedError, decompress
from woo_harvester.sitemaps.reader import local_name

#: What became of a message with a fault.
REFUSED = "bericht niet verwerkt"

#: Signs of markup in one message, elements and attributes alike. A tree costs some hundred bytes for each,
#: and libxml2 takes a second to tell what is wrong with as many. No message has a thousand.
MARKUP_MAX = 50_000

#: A DOCTYPE before the root element: after a byte order mark, white space, comments and instructions only.
_DOCTYPE = re.compile(rb"(?>\s+|<\?.*?\?>|<!--.*?-->)*+(<!DOCTYPE\s+([^\s<>\[]+))", re.DOTALL)

_HTML = frozenset({"html", "HTML", "{http://www.w3.org/1999/xhtml}html"})
_HTML_PAGE = "een HTML-pagina"

_BYTE_ORDER_MARKS = b"\xef\xbb\xbf\xff\xfe"

#: What stands around every element of the metadata, and tells nothing of where it is.
_AROUND = frozenset({"message", "vergunningzaak", "vergunningdocument", "meta"})

_PARSER = etree.XMLParser(
    resolve_entities=False,
    no_network=True,
    load_dtd=False,
    huge_tree=False,
    remove_comments=True,
    remove_pis=True,
    collect_ids=False,
)


class MessageError(ValueError):
    """The file holds no message that can be looked at; the finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.code)
        self.finding = finding


def parse(chunks: Iterable[bytes], maxsize: int) -> etree._Element:
    """The root element of a file, gzip or not, of at most *maxsize* bytes after decompression.

    Raises :class:`MessageError` with ``ipm.te-groot``, ``ipm.doctype`` or ``ipm.ongeldig``; an HTML page is
    no XML, whatever its DOCTYPE.
    """
    data = _joined(chunks, maxsize)
    _refuse_doctype(data)
    if len(data) > MARKUP_MAX and data.count(b"<") + data.count(b"=") > MARKUP_MAX:
        raise _error("ipm.te-groot", f"meer dan {MARKUP_MAX} elementen en attributen")
    try:
        root = etree.fromstring(data, _PARSER)
    except etree.XMLSyntaxError as error:
        raise _html_page(data) or _not_well_formed(error) from None
    doctype = root.getroottree().docinfo.internalDTD
    if doctype is not None:  # in an encoding in which its letters are written otherwise
        raise _error("ipm.doctype", f"<!DOCTYPE {doctype.name}>")
    if root.tag in _HTML:
        raise _error("ipm.ongeldig", _HTML_PAGE)
    return root


def _joined(chunks: Iterable[bytes], maxsize: int) -> bytes:
    try:
        return b"".join(decompress(chunks, maxsize))
    except TooLargeError:
        raise _error("ipm.te-groot", f"meer dan {maxsize} bytes") from None
    except (TruncatedError, CorruptError) as error:
        raise _error("ipm.ongeldig", str(error)) from None


def _refuse_doctype(data: bytes) -> None:
    """Before a parser sees it: a DOCTYPE can be written to bring a parser down."""
    text = data.replace(b"\0", b"") if b"\0" in data[:4] else data  # UTF-16 has zeros between
    if b"<!DOCTYPE" not in text:
        return
    if found := _DOCTYPE.match(text.lstrip(_BYTE_ORDER_MARKS)):
        if found[2].lower() == b"html":
            raise _error("ipm.ongeldig", _HTML_PAGE)
        line = text.count(b"\n", 0, found.start(1)) + 1
        raise _error("ipm.doctype", found[1].decode("ascii", errors="replace"), line)


def _not_well_formed(error: etree.XMLSyntaxError) -> MessageError:
    said = (error.msg or "not well-formed").partition(", line ")[0].strip()
    beyond = error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT
    return _error("ipm.te-groot" if beyond else "ipm.ongeldig", said, error.lineno)


def _html_page(data: bytes) -> MessageError | None:
    """The error for what is no XML but a page: in HTML the DOCTYPE may stand in small letters."""
    is_page = re.match(rb"\s*<(?:!doctype\s+)?html[\s>]", data, re.IGNORECASE)
    return _error("ipm.ongeldig", _HTML_PAGE) if is_page else None


def _error(code: str, seen: str, line: int | None = None) -> MessageError:
    return MessageError(Finding(code=code, line=line, seen=seen, action=REFUSED))


def path_of(element: etree._Element) -> str:
    """Names of an element and those around it below the message, such as ``owmskern/modified``."""
    names = [local_name(each.tag) for each in (element, *element.iterancestors())]
    return "/".join(name for name in reversed(names) if name not in _AROUND) or names[0]


def text_of(element: etree._Element) -> str | None:
    """The text without the white space around it; None for an empty element."""
    text = element.text
    return (text.strip() or None) if text else None
