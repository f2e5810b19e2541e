"""Read a sitemap or a sitemap index as a stream: from bytes to entries, without a tree of the whole file.

Source: the sitemaps protocol as in seed "Sitemapindex en Sitemaps". XML is read by libxml2 without entity
expansion, external entities or network; a DOCTYPE is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

from lxml import etree

from woo_harvester.sitemaps.decompress import CorruptError, TooLargeError, TruncatedError, decompress
from woo_harvester.sitemaps.repair import Repair

SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

#: Largest entry, in bytes of XML. Its tree takes some thirty times as much memory.
_ENTRY_MAXSIZE = 2 * 1024 * 1024

#: The guide's limits for one file: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
GUIDE_MAXENTRIES = 50_000
GUIDE_MAXSIZE = 50 * 1024 * 1024

#: Highest line number that libxml2 keeps for an element; see :func:`_line`.
_LINE_MAX = 65_535

#: Last bytes of a file, enough for the end tag of its root element and white space after it.
_TAIL_SIZE = 256

#: Bytes that the parser gets at once until the root element begins.
_PEEK_SIZE = 4 * 1024

RootName = Literal["urlset", "sitemapindex", "Documents"]
#: Names of the entries by root element. "Documents" is no sitemap, but some software writes it: its entries
#: are only counted.
ENTRY_NAMES: dict[RootName, str] = {"urlset": "url", "sitemapindex": "sitemap", "Documents": "Document"}

#: The root elements of the protocol. Software mixes them up, so that the entries decide what a file is.
PROTOCOL_ROOTS = ("urlset", "sitemapindex")

#: Names of elements with metadata: the one that an entry should have, and those that should be in it.
_METADATA_NAMES = frozenset({"Document", "DiWoo", "MDTO", "extraMetadata"})

_Event = Literal["start", "end"]

ErrorReason = Literal["ongeldig", "afgebroken", "te-groot", "doctype"]


class SitemapError(ValueError):
    """The file cannot be read, or not to its end. The entries before the error were yielded first.

    *reason* is the last part of the finding's code, *seen* the detail that the finding shows.
    """

    def __init__(self, reason: ErrorReason, seen: str, line: int | None = None) -> None:
        super().__init__(seen)
        self.reason: ErrorReason = reason
        self.seen = seen
        self.line = line
        self.lost = 0
        """Number of entries in the file that were not read, as far as they can be counted."""


class OtherRootError(ValueError):
    """The file is XML, but it is of another kind: it has none of the expected entries.

    *others* is the number of entries of the other kind: sitemaps in a sitemap, documents in an index.
    """

    def __init__(self, root: str, line: int, others: int) -> None:
        super().__init__(f"<{root}>")
        self.root = root
        self.line = line
        self.others = others


@dataclass(slots=True)
class Entry:
    """One ``url`` or ``sitemap`` element."""

    loc: str
    """The location as given, stripped; empty if there is none."""
    lastmod: str | None
    """The text as given; None if absent or empty. The seed has ``changefreq`` and ``priority`` ignored."""
    line: int
    """The line on which the start tag ends."""
    document: etree._Element | None
    """``diwoo:Document``; valid only until the next batch is read."""
    outside: Sequence[etree._Element] = ()
    """Metadata that stand directly in the entry, outside ``document``, and a second ``diwoo:Document``."""

    @property
    def digest(self) -> None:
        """None: only the scanner computes a digest of an entry's bytes."""
        return None

    def parse(self) -> Entry:
        """Return the entry itself: the full reader has parsed it already."""
        return self


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


local_name: Callable[[Any], str] = lru_cache(maxsize=1024)(_local_name)
"""Return the name in an element's tag without its namespace, which publishers often misspell.

Cached: a file has the same few names a million times.
"""


def namespace(tag: str) -> str:
    """Return the namespace in an element's tag; empty if it has none."""
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""


class SitemapReader:
    """An iterator over one file, in batches of entries.

    *chunks* is the response's body in pieces (gzip or not), *maxsize* its limit in bytes after decompression.
    *root_name* says which entries are read. They are read under any root element, since software mixes up the
    roots of sitemaps and indexes. Iterating raises :class:`OtherRootError` if there are none of them, unless
    the file is an empty sitemap or index. It raises :class:`SitemapError` after all entries before the error.
    An iteration without an error has read the file to its end. With *repair* the file is repaired while it is
    read.
    """

    def __init__(
        self, chunks: Iterable[bytes], root_name: RootName, maxsize: int, repair: Repair | None = None
    ) -> None:
        self.entries = 0
        """Number of entries yielded so far."""
        self.others = 0
        """Number of entries of the other kind so far: sitemaps in a sitemap, documents in an index."""
        self.size = 0
        """Bytes of XML read so far."""
        self.root: str | None = None
        """Local name of the root element; None before it is read."""
        self.root_line = 1
        """The line of the root element."""
        self.namespace: str | None = None
        """Namespace of a root of the protocol; None before it is read, and for another root."""
        self.complete = False
        """True once the file has been read to its end."""
        self._root_name = root_name
        self.repair = repair
        """What was repaired so far, if the file is repaired."""
        pieces = self._counted(decompress(chunks, maxsize))
        self._pieces = pieces if repair is None else repair.apply(pieces)

    def __iter__(self) -> Iterator[list[Entry]]:
        try:
            yield from self._read()
        except SitemapError:
            if self._is_other_kind():
                raise self._other_kind() from None
            raise
        if self._is_other_kind():
            raise self._other_kind()
        self.complete = True

    def _read(self) -> Iterator[list[Entry]]:
        try:
            root, self.root_line, pieces = _peek_root(self._pieces)
            self.root = local_name(root)
            self.namespace = namespace(root) if self.root in PROTOCOL_ROOTS else None
            for batch in self._batches(root, pieces):
                self.entries += len(batch)
                yield batch
        except TooLargeError as error:
            raise SitemapError("te-groot", str(error)) from error
        except TruncatedError as error:
            raise SitemapError("afgebroken", str(error)) from error
        except CorruptError as error:
            raise SitemapError("ongeldig", str(error)) from error

    def _is_other_kind(self) -> bool:
        """Return whether the file is of another kind, as far as it was read."""
        if self.entries or self.root is None:
            return False
        return self.others > 0 or self.root not in (*PROTOCOL_ROOTS, self._root_name)

    def _other_kind(self) -> OtherRootError:
        return OtherRootError(str(self.root), self.root_line, self.others)

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.size += len(piece)
            yield piece

    def _batches(self, root_tag: str, pieces: Iterable[bytes]) -> Iterator[list[Entry]]:
        # There is no DOCTYPE before the root element, so no entity can be expanded. "internal" only makes
        # libxml2 report an undefined entity with its line.
        name = ENTRY_NAMES[self._root_name]
        names = {name, "url", "sitemap"}
        tags = [root_tag, *("{*}" + each for each in names)]
        parser = _parser(("start", "end"), tags, entities="internal")
        root: etree._Element | None = None
        since_progress = 0
        tail = b""
        for piece in pieces:
            error = _feed(parser, piece)
            batch: list[Entry] = []
            for event, element in parser.read_events():
                if event == "start":
                    root = element if root is None else root
                elif element.getparent() is root:
                    if error and _has_undeclared_prefix(element):
                        break
                    if local_name(element.tag) == name:
                        batch.append(entry_of(element))
                    else:
                        self.others += 1
            yield batch
            if error:
                raise error
            since_progress = 0 if root is not None and len(root) > 1 else since_progress + len(piece)
            if since_progress > _ENTRY_MAXSIZE:
                raise _close(parser, "te-groot") or SitemapError("te-groot", "an endless element")
            if root is not None:
                del root[:-1]  # all but the open element, so that the tree has no more than one piece
            tail = (tail + piece)[-_TAIL_SIZE:]
        reason: ErrorReason = "ongeldig" if _has_end_tag(tail, local_name(root_tag)) else "afgebroken"
        if error := _close(parser, reason, tail):
            raise error


def _parser(
    events: Iterable[_Event], tag: list[str] | None = None, entities: bool | Literal["internal"] = False
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
    """Return the tag and line of the root element, and all pieces again from the first byte.

    Raises :class:`SitemapError` if the file is not XML or has a DOCTYPE. The parser here expands nothing, and
    gets no more bytes than it needs to reach the root element.
    """
    parser = _parser(("start",))
    read = []
    size = 0
    for piece in pieces:
        read.append(piece)
        for start in range(0, len(piece), _PEEK_SIZE):
            error = _feed(parser, piece[start : start + _PEEK_SIZE])
            for _, element in parser.read_events():
                _refuse_doctype(element)
                return str(element.tag), element.sourceline or 1, chain(read, pieces)
            if error:
                raise _doctype(b"".join(read)) or error
        size += len(piece)
        if size > _ENTRY_MAXSIZE:
            break
    raise _no_root(b"".join(read))


def _no_root(head: bytes) -> SitemapError:
    """Return the error for a file without a root element that the parser found no error in."""
    text = _ascii(head).strip()
    if not text:
        return SitemapError("ongeldig", "no root element" if head else "the file is empty")
    is_cut_off = text.startswith(b"<") and len(head) <= _ENTRY_MAXSIZE
    return _doctype(head) or SitemapError("afgebroken" if is_cut_off else "ongeldig", "no root element")


def _doctype(head: bytes) -> SitemapError | None:
    """Return the error for a DOCTYPE before the root element that the parser stopped at."""
    doctype = re.search(rb"<!DOCTYPE\s+([^\s<>\[]+)", _ascii(head))
    if doctype is None:
        return None
    if doctype[1].lower() == b"html":
        return SitemapError("ongeldig", "an HTML page")
    return SitemapError("doctype", doctype[0].decode("ascii", errors="replace"))


def _ascii(data: bytes) -> bytes:
    """Return the ASCII characters of markup in UTF-8 or UTF-16: without zero bytes and byte order mark."""
    return data.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")


def _refuse_doctype(root: etree._Element) -> None:
    doctype = root.getroottree().docinfo.internalDTD
    names = {local_name(root.tag).lower(), (doctype.name or "").lower() if doctype is not None else ""}
    if "html" in names:
        raise SitemapError("ongeldig", "an HTML page", root.sourceline)
    if doctype is not None:
        raise SitemapError("doctype", f"<!DOCTYPE {doctype.name}>", root.sourceline)


def _feed(parser: etree.XMLPullParser, piece: bytes) -> SitemapError | None:
    """Feed the parser; return the error if the file is not well-formed up to here.

    libxml2 does not raise every error at once. A stray ampersand or an undeclared prefix is only in its log.
    """
    try:
        parser.feed(piece)
    except etree.XMLSyntaxError as error:
        return SitemapError("ongeldig", _message(error.msg), error.lineno)
    errors = parser.feed_error_log.filter_from_errors()
    return SitemapError("ongeldig", _message(errors[0].message), errors[0].line) if len(errors) else None


def _close(parser: etree.XMLPullParser, reason: ErrorReason, tail: bytes = b"") -> SitemapError | None:
    """Close the parser; return its error, if any, with *reason* unless a stray ampersand caused it.

    libxml2 waits for a semicolon after an ampersand, so it often finds a stray one only at the end. One in
    the last bytes may be an entity that was cut off.
    """
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        stray = "EntityRef" in (error.msg or "") and not re.search(rb"&[#\w]*;?$", _ascii(tail))
        return SitemapError("ongeldig" if stray else reason, _message(error.msg), error.lineno)
    return None


def _has_undeclared_prefix(element: etree._Element) -> bool:
    """Return whether an element of an entry has a prefix that is not declared. libxml2 goes on after that."""
    names = (name for each in element.iter() for name in (each.tag, *each.attrib))
    return any(":" in local_name(name) for name in names)


def _has_end_tag(tail: bytes, root: str) -> bool:
    """Return whether the file ends with the root's end tag, so that nothing was cut off."""
    text = _ascii(tail).rstrip()
    return re.search(rb"</([^<>\s:]+:)?" + re.escape(root).encode() + rb"\s*>$", text) is not None


def _message(text: str | None) -> str:
    return (text or "not well-formed").partition(", line ")[0].strip()


def entry_of(element: etree._Element) -> Entry:
    """Return the entry in a ``url`` or ``sitemap`` element. The first value that is not empty counts."""
    loc, lastmod, document = "", None, None
    outside: list[etree._Element] | None = None
    for child in element:
        name = local_name(child.tag)
        if name == "loc" and not loc:
            loc = (child.text or "").strip()
        elif name == "lastmod" and not lastmod:
            lastmod = (child.text or "").strip() or None
        elif name == "Document" and document is None:
            document = child
        elif name in _METADATA_NAMES:
            outside = outside or []
            outside.append(child)
    return Entry(loc, lastmod, _line(element), document, outside or ())


def _line(element: etree._Element) -> int:
    """Return the line on which an element's start tag ends.

    libxml2 keeps line numbers in 16 bits. Beyond that it gives the line on which the element's first text
    ends.
    """
    line = element.sourceline or 0
    return line if line < _LINE_MAX else line - str(next(element.itertext(), "")).count("\n")
