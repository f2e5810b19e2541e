"""Read a sitemap or a sitemap index as a stream: from bytes to entries, without a tree of the whole file.

Source: the sitemaps protocol as in seed "Sitemapindex en Sitemaps". XML is read by libxml2 without entity
expansion, external entities or network; a DOCTYPE is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from woo_harvester.sitemaps.decompress import CorruptError, TooLargeError, TruncatedError, decompress
from woo_harvester.sitemaps.repair import Repair
from woo_harvester.sitemaps.xml_stream import (
    ENTRY_MAXSIZE,
    ErrorReason,
    SitemapError,
    close_parser,
    feed_parser,
    has_end_tag,
    local_name,
    namespace,
    new_parser,
    peek_root,
)

SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

#: The guide's limits for one file: seed "Sitemapindex en Sitemaps", section "Het sitemapprotocol".
GUIDE_MAXENTRIES = 50_000
GUIDE_MAXSIZE = 50 * 1024 * 1024

#: Highest line number that libxml2 keeps for an element; see :func:`_line`.
LINE_MAX = 65_535

#: Last bytes of a file, enough for the end tag of its root element and white space after it.
_TAIL_SIZE = 256

RootName = Literal["urlset", "sitemapindex"]
#: The root elements of the protocol with their entries. Software mixes them up, so that the entries decide
#: what a file is.
_ENTRY_NAMES: dict[RootName, str] = {"urlset": "url", "sitemapindex": "sitemap"}

#: A root element that some software writes instead of ``urlset``, with entries of another name.
_DOCUMENTS, _DOCUMENT = "Documents", "Document"

#: Names of the elements of a ``url`` by the protocol.
_PROTOCOL_NAMES = frozenset({"loc", "lastmod", "changefreq", "priority"})

#: Names of elements with metadata: the one that an entry should have, and those that should be in it.
_METADATA_NAMES = frozenset({"Document", "DiWoo", "MDTO", "extraMetadata"})


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
    element: etree._Element | None = field(default=None, compare=False, repr=False)
    """The ``url`` or ``sitemap`` element itself; None of an entry that has none."""

    @property
    def digest(self) -> None:
        """None: only the scanner computes a digest of an entry's bytes."""
        return None

    def parse(self) -> Entry:
        """Return the entry itself: the full reader has parsed it already."""
        return self


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
            root, self.root_line, pieces = peek_root(self._pieces)
            self.root = local_name(root)
            self.namespace = namespace(root) if self.root in _ENTRY_NAMES else None
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
        return self.others > 0 or self.root not in (*_ENTRY_NAMES, _DOCUMENTS)

    def _other_kind(self) -> OtherRootError:
        return OtherRootError(str(self.root), self.root_line, self.others)

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.size += len(piece)
            yield piece

    def _batches(self, root_tag: str, pieces: Iterable[bytes]) -> Iterator[list[Entry]]:
        # There is no DOCTYPE before the root element, so no entity can be expanded. "internal" only makes
        # libxml2 report an undefined entity with its line.
        root_name = local_name(root_tag)
        names = entry_names(self._root_name, root_name)
        known = {*_ENTRY_NAMES.values(), *entry_names("urlset", root_name)}
        tags = [root_tag, *("{*}" + name for name in known)]
        parser = new_parser(("start", "end"), tags, entities="internal")
        root: etree._Element | None = None
        since_progress = 0
        tail = b""
        for piece in pieces:
            error = feed_parser(parser, piece)
            batch: list[Entry] = []
            for event, element in parser.read_events():
                if event == "start":
                    root = element if root is None else root
                elif element.getparent() is root:
                    if error and _has_undeclared_prefix(element):
                        break
                    if local_name(element.tag) not in names:
                        self.others += 1
                    elif (entry := _entry_of_any(element)) is not None:
                        batch.append(entry)
            yield batch
            if error:
                raise error
            since_progress = 0 if root is not None and len(root) > 1 else since_progress + len(piece)
            if since_progress > ENTRY_MAXSIZE:
                raise close_parser(parser, "te-groot") or SitemapError("te-groot", "an endless element")
            if root is not None:
                del root[:-1]  # all but the open element, so that the tree has no more than one piece
            tail = (tail + piece)[-_TAIL_SIZE:]
        reason: ErrorReason = "ongeldig" if has_end_tag(tail, root_name) else "afgebroken"
        if error := close_parser(parser, reason, tail):
            raise error


def _has_undeclared_prefix(element: etree._Element) -> bool:
    """Return whether an element of an entry has a prefix that is not declared. libxml2 goes on after that."""
    names = (name for each in element.iter() for name in (each.tag, *each.attrib))
    return any(":" in local_name(name) for name in names)


def entry_names(kind: RootName, root: str) -> tuple[str, ...]:
    """Return the names of the entries of a sitemap or an index with the root element *root*."""
    if kind == "urlset" and root == _DOCUMENTS:
        return _ENTRY_NAMES[kind], _DOCUMENT
    return (_ENTRY_NAMES[kind],)


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
    return Entry(loc, lastmod, _line(element), document, outside or (), element)


def _entry_of_any(element: etree._Element) -> Entry | None:
    """Return the entry in an element below the root; None for the empty one of a page without documents."""
    if local_name(element.tag) != _DOCUMENT:
        return entry_of(element)
    return _entry_of_document(element) if len(element) else None


def _entry_of_document(document: etree._Element) -> Entry:
    """Return the entry in a ``diwoo:Document`` that is no part of a ``url``.

    Its loc and lastmod are in it, or in its ``diwoo:DiWoo``. They are taken out: the rest is metadata.
    """
    loc = ""
    lastmod: str | None = None
    for parent in (document, *(child for child in document if local_name(child.tag) == "DiWoo")):
        for child in list(parent):
            name, text = local_name(child.tag), (child.text or "").strip()
            if name == "loc":
                loc = loc or text
            elif name == "lastmod":
                lastmod = lastmod or text or None
            if name in _PROTOCOL_NAMES:
                parent.remove(child)
    return Entry(loc, lastmod, _line(document), document)


def _line(element: etree._Element) -> int:
    """Return the line on which an element's start tag ends.

    libxml2 keeps line numbers in 16 bits. Beyond that it gives the line on which the element's first text
    ends.
    """
    line = element.sourceline or 0
    return line if line < LINE_MAX else line - str(next(element.itertext(), "")).count("\n")
