"""Reads a sitemap or a sitemap index as a stream: from bytes to entries, never the whole file as a tree.

Source: the sitemaps protocol as in seed "Sitemapindex en Sitemaps". XML is read by libxml2 without entity
expansion, external entities or network; a DOCTYPE is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

from lxml import etree

from woo_harvester.sitemaps.unpack import CorruptError, TooLargeError, TruncatedError, unpack

SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

#: One entry in bytes of XML. A tree costs some thirty times its text, and no metadata comes near this.
ENTRY_MAXSIZE = 2 * 1024 * 1024

#: The guide's bounds for one file: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
GUIDE_MAXENTRIES = 50_000
GUIDE_MAXSIZE = 50 * 1024 * 1024

#: Lines that libxml2 counts for each element; see :func:`_line`.
LINE_MAX = 65_535

#: Last bytes of a file, enough for the end tag of its root element and white space after it.
TAIL_SIZE = 256

#: Bytes that are looked at together until the root element begins.
PEEK_SIZE = 4 * 1024

Kind = Literal["urlset", "sitemapindex", "Documents"]
#: "Documents" is no sitemap: some software writes it, and what is lost by that is counted.
ENTRY_NAMES: dict[Kind, str] = {"urlset": "url", "sitemapindex": "sitemap", "Documents": "Document"}

Event = Literal["start", "end"]

Fault = Literal["ongeldig", "afgebroken", "te-groot", "doctype"]


class SitemapError(ValueError):
    """The file cannot be read, or not to its end; the entries before the fault have been given."""

    def __init__(self, fault: Fault, seen: str, line: int | None = None) -> None:
        super().__init__(seen)
        self.fault: Fault = fault
        self.seen = seen
        self.line = line


class OtherKindError(ValueError):
    """A well-formed file with another root element than was asked for."""

    def __init__(self, root: str, line: int) -> None:
        super().__init__(f"<{root}>")
        self.root = root
        self.line = line


@dataclass(slots=True)
class Entry:
    """One ``url`` or ``sitemap`` element."""

    loc: str
    """As given, without the white space around it; empty where there is none."""
    lastmod: str | None
    """As given; None where absent or empty. ``changefreq`` and ``priority`` are ignored, as the seed says."""
    line: int
    document: etree._Element | None
    """``diwoo:Document``; valid only until the next batch is asked for."""

    @property
    def digest(self) -> None:
        """Of the entry's bytes: the full reader has none, only the scanner."""
        return None

    def parse(self) -> Entry:
        """Itself: the full reader has read it."""
        return self


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


local_name: Callable[[Any], str] = lru_cache(maxsize=1024)(_local_name)
"""The name in an element's tag without the namespace: prefixes are free, and namespaces are often misspelt.

Cached, because the same few names come by a million times.
"""


def namespace(tag: str) -> str:
    """The namespace in an element's tag, empty without one."""
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


class SitemapReader:
    """Iterates over one file in batches of entries.

    *chunks* is the response's body in pieces (gzip or not), *maxsize* its bound in bytes after
    decompression. Iterating raises :class:`OtherKindError` or :class:`SitemapError`, the latter after all
    entries before the fault; an iteration that ends without an error has read the file to its end.
    """

    def __init__(self, chunks: Iterable[bytes], kind: Kind, maxsize: int) -> None:
        self.entries = 0
        """Entries given so far."""
        self.size = 0
        """Bytes of XML read so far."""
        self.namespace: str | None = None
        """Namespace of the root element, known from the first batch on; None where it is another element."""
        self.complete = False
        """The file was read to its end."""
        self._kind = kind
        self._pieces = self._counted(unpack(chunks, maxsize))

    def __iter__(self) -> Iterator[list[Entry]]:
        try:
            root, line, pieces = _peek_root(self._pieces)
            if local_name(root) != self._kind:
                raise OtherKindError(local_name(root), line)
            self.namespace = namespace(root)
            for batch in self._batches(root, pieces):
                self.entries += len(batch)
                yield batch
            self.complete = True
        except TooLargeError as error:
            raise SitemapError("te-groot", str(error)) from error
        except TruncatedError as error:
            raise SitemapError("afgebroken", str(error)) from error
        except CorruptError as error:
            raise SitemapError("ongeldig", str(error)) from error

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.size += len(piece)
            yield piece

    def _batches(self, root_tag: str, pieces: Iterable[bytes]) -> Iterator[list[Entry]]:
        # No DOCTYPE came before the root element, so there is no entity that could be expanded;
        # "internal" only makes libxml2 report an undefined one where it stands.
        tags = [root_tag, "{*}" + ENTRY_NAMES[self._kind]]
        parser = _parser(("start", "end"), tags, entities="internal")
        root: etree._Element | None = None
        since_progress = 0
        tail = b""
        for piece in pieces:
            fault = _feed(parser, piece)
            batch: list[Entry] = []
            for event, element in parser.read_events():
                if event == "start":
                    root = element if root is None else root
                elif element.getparent() is root:
                    batch.append(entry_of(element))
            yield batch
            if fault:
                raise fault
            since_progress = 0 if root is not None and len(root) > 1 else since_progress + len(piece)
            if since_progress > ENTRY_MAXSIZE:
                raise _close(parser, "te-groot") or SitemapError("te-groot", "an endless element")
            if root is not None:
                del root[:-1]  # but the element that is still open: the tree never holds more than a piece
            tail = (tail + piece)[-TAIL_SIZE:]
        cut: Fault = "ongeldig" if _ends_well(tail, local_name(root_tag)) else "afgebroken"
        if fault := _close(parser, cut, tail):
            raise fault


def _parser(
    events: Iterable[Event], tag: list[str] | None = None, entities: bool | Literal["internal"] = False
) -> etree.XMLPullParser:
    return etree.XMLPullParser(
        events=events,
        tag=tag,
        resolve_entities=entities,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _peek_root(pieces: Iterator[bytes]) -> tuple[str, int, Iterable[bytes]]:
    """Tag and line of the root element, and all pieces again from the first byte.

    Raises :class:`SitemapError` for what is not XML and for a DOCTYPE. The parser used here expands
    nothing, and is given no more than what it needs to see the root element begin.
    """
    parser = _parser(("start",))
    read = []
    size = 0
    for piece in pieces:
        read.append(piece)
        for start in range(0, len(piece), PEEK_SIZE):
            fault = _feed(parser, piece[start : start + PEEK_SIZE])
            for _, element in parser.read_events():
                _refuse_doctype(element)
                return str(element.tag), element.sourceline or 1, chain(read, pieces)
            if fault:
                raise _doctype(b"".join(read)) or fault
        size += len(piece)
        if size > ENTRY_MAXSIZE:
            break
    raise _no_root(b"".join(read))


def _no_root(head: bytes) -> SitemapError:
    """What is wrong with a file in which no root element begins, though nothing in it is wrong by itself."""
    text = _ascii(head).strip()
    if not text:
        return SitemapError("ongeldig", "no root element" if head else "the file is empty")
    cut: Fault = "afgebroken" if text.startswith(b"<") and len(head) <= ENTRY_MAXSIZE else "ongeldig"
    return _doctype(head) or SitemapError(cut, "no root element")


def _doctype(head: bytes) -> SitemapError | None:
    """The DOCTYPE in what stands before the root element, where the parser did not get past it."""
    doctype = re.search(rb"<!DOCTYPE\s+([^\s<>\[]+)", _ascii(head))
    if doctype is None:
        return None
    if doctype[1].lower() == b"html":
        return SitemapError("ongeldig", "an HTML page")
    return SitemapError("doctype", doctype[0].decode("ascii", errors="replace"))


def _ascii(data: bytes) -> bytes:
    """The markup in bytes of any encoding that is read: UTF-16 has zeros between, and a byte order mark."""
    return data.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")


def _refuse_doctype(root: etree._Element) -> None:
    doctype = root.getroottree().docinfo.internalDTD
    names = {local_name(root.tag).lower(), (doctype.name or "").lower() if doctype is not None else ""}
    if "html" in names:
        raise SitemapError("ongeldig", "an HTML page", root.sourceline)
    if doctype is not None:
        raise SitemapError("doctype", f"<!DOCTYPE {doctype.name}>", root.sourceline)


def _feed(parser: etree.XMLPullParser, piece: bytes) -> SitemapError | None:
    """The fault that makes the file not well-formed, once the parser has met it.

    libxml2 does not raise for each of them at once (an ampersand that stands alone, a prefix that was not
    declared), but has it in its log.
    """
    try:
        parser.feed(piece)
    except etree.XMLSyntaxError as error:
        return SitemapError("ongeldig", _message(error.msg), error.lineno)
    errors = parser.feed_error_log.filter_from_errors()
    return SitemapError("ongeldig", _message(errors[0].message), errors[0].line) if len(errors) else None


def _close(parser: etree.XMLPullParser, cut: Fault, tail: bytes = b"") -> SitemapError | None:
    """What the parser still has against the file, *cut* being the fault if that is only that it ends here.

    libxml2 waits for a semicolon after an ampersand, so a stray one is often met only now; one in the last
    bytes may be an entity that was cut off.
    """
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        stray = "EntityRef" in (error.msg or "") and not re.search(rb"&[#\w]*;?$", _ascii(tail))
        return SitemapError("ongeldig" if stray else cut, _message(error.msg), error.lineno)
    return None


def _ends_well(tail: bytes, root: str) -> bool:
    """Whether the last bytes are the root's end tag, so that nothing can be missing after them."""
    text = _ascii(tail).rstrip()
    return re.search(rb"</([^<>\s:]+:)?" + re.escape(root).encode() + rb"\s*>$", text) is not None


def _message(text: str | None) -> str:
    return (text or "not well-formed").partition(", line ")[0].strip()


def entry_of(element: etree._Element) -> Entry:
    """What a ``url`` or ``sitemap`` element says."""
    loc, lastmod, document = "", None, None
    for child in element:
        name = local_name(child.tag)
        if name == "loc" and not loc:
            loc = (child.text or "").strip()
        elif name == "lastmod" and not lastmod:
            lastmod = (child.text or "").strip() or None
        elif name == "Document" and document is None:
            document = child
    return Entry(loc, lastmod, _line(element), document)


def _line(element: etree._Element) -> int:
    """The line on which an element's start tag ends.

    libxml2 keeps it in 16 bits, and beyond that gives the line on which the first text in the element ends.
    """
    line = element.sourceline or 0
    return line if line < LINE_MAX else line - str(next(element.itertext(), "")).count("\n")
