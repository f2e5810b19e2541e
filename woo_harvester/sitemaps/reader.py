"""Read a sitemap or a sitemap index as a stream: from bytes to entries, without a tree of the whole file.

Source: the sitemaps protocol as in seed "Sitemapindex en Sitemaps". XML is read by libxml2 without entity
expansion, external entities or network; a DOCTYPE is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from woo_harvester.sitemaps.repair import NAMESPACES, Repair
from woo_harvester.sitemaps.xml_stream import (
    ENTRY_MAXSIZE,
    CorruptError,
    ErrorReason,
    SitemapError,
    TooLargeError,
    TruncatedError,
    close_parser,
    decompress,
    feed_parser,
    has_end_tag,
    local_name,
    namespace,
    new_parser,
    peek_root,
)
from woo_harvester.utils.encodings import DECLARATION_SIZE, with_head, xml_encoding
from woo_harvester.utils.urls import is_tidy, tidy_loc

SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

#: Most entries that the guide allows in one file: seed "Sitemapindex en Sitemaps", section "Het
#: sitemapprotocol".
GUIDE_MAXENTRIES = 50_000

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
_METADATA_NAMES = frozenset({_DOCUMENT, "DiWoo", "MDTO", "extraMetadata"})

#: The names of what an entry is read from, by their small letters; and those of entries too.
_EXACT_NAMES = frozenset(("loc", "lastmod", *_METADATA_NAMES))
_READ_NAMES = {name.lower(): name for name in _EXACT_NAMES}
PROPER_NAMES = _READ_NAMES | {name: name for name in (*_ENTRY_NAMES.values(), *_PROTOCOL_NAMES)}

#: Namespaces of which an element directly below the root is no extension, which the protocol allows there.
_OWN_NAMESPACES = frozenset({"", SITEMAP_NAMESPACE, NAMESPACES["diwoo"], NAMESPACES["mdto"]})

#: Most names of elements that are kept for a finding, and most characters of a text.
_NAMES_SHOWN = 5
_TEXT_SHOWN = 100


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
    """The location, as :func:`tidy_loc` makes it; empty if there is none."""
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
    odd_names: tuple[str, ...] = ()
    """The names of what it was read from as written, where they differ in the case of letters."""
    unread: tuple[str, ...] = ()
    """What it has beside its loc, as tags: another address or another entry. These are not read."""
    foreign: str | None = None
    """The namespace of its loc, if that is another one than the entry's own."""
    other_lastmod: str | None = None
    """A second lastmod that says something else. The first one counts."""
    given_loc: str | None = None
    """The location as given, if it has a space, an invisible sign or markup in it that are no part of it."""

    def tidy(self) -> None:
        """Have the loc as it is to be used, once it is known."""
        if not is_tidy(self.loc) and (loc := tidy_loc(self.loc)) != self.loc:
            self.loc, self.given_loc = loc, self.loc

    @property
    def digest(self) -> None:
        """None: only the scanner computes a digest of an entry's bytes."""
        return None

    def parse(self) -> Entry:
        """Return the entry itself: the full reader has parsed it already."""
        return self


@dataclass(slots=True)
class OddNames:
    """Elements of a file that are named in one wrong way: their number, first names, and the first's line."""

    count: int = 0
    names: dict[str, None] = field(default_factory=dict)
    line: int | None = None
    inside: str = ""
    """The name of the entries that are directly in the first one; empty if there are none."""

    def add(self, name: str, line: int, inside: str = "") -> None:
        """Count one more element."""
        if not self.count:
            self.line, self.inside = line, inside
        self.count += 1
        if len(self.names) < _NAMES_SHOWN:
            self.names[name] = None


class FileContents:
    """What has been read of a sitemap or an index so far."""

    def __init__(self) -> None:
        self.entries = 0
        """Number of entries that were read."""
        self.others = 0
        """Number of entries of the other kind so far: sitemaps in a sitemap, documents in an index."""
        self.size = 0
        """Bytes of XML read so far."""
        self.root: str | None = None
        """Local name of the root element; None before it is read."""
        self.declared: Set[str | None] | None = None
        """The prefixes that the root element declares; None before it is read."""
        self.root_line = 1
        """The line of the root element."""
        self.namespace: str | None = None
        """Namespace of a root of the protocol; None before it is read, and for another root."""
        self.unknown = OddNames()
        """Elements directly below the root that are neither entries nor an extension. They are not read."""
        self.text = ""
        """The beginning of the text that a file has beside its entries or in their place."""
        self.crowded = OddNames()
        """Addresses and entries in an entry that has an address already. They are not read."""
        self.foreign = OddNames()
        """Namespaces of entries, or of their locs, other than the protocol's, although the root has that."""
        self.other_case = OddNames()
        """Elements that were read although the letters of their names have another case."""
        self.false_encoding: str | None = None
        """The encoding that the file declares, if it does not have it. Then it is read as UTF-8."""
        self.complete = False
        """True once the file has been read to its end, and all that is in it is known."""
        self.repair: Repair | None = None
        """What was repaired, if the file is repaired."""


class SitemapReader(FileContents):
    """An iterator over one file, in batches of entries.

    *chunks* is the response's body in pieces (gzip or not), *maxsize* its limit in bytes after decompression.
    *root_name* says which entries are read. They are read under any root element, since software mixes up the
    roots of sitemaps and indexes. Iterating raises :class:`OtherRootError` if there are none of them, unless
    the file is an empty sitemap or index. It raises :class:`SitemapError` after all entries before the error.
    An iteration without an error has read the file to its end, completely unless it has elements below the
    root that may not be there. With *repair* the file is repaired while it is read; without, *charset* is the
    encoding that its server names.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        root_name: RootName,
        maxsize: int,
        repair: Repair | None = None,
        charset: str | None = None,
    ) -> None:
        super().__init__()
        self.repair = repair
        self._root_name = root_name
        self._charset = charset
        self._encoding: str | None = None if repair is None else "utf-8"
        """The encoding of the file, if it is not the one that the file declares."""
        self._doubted: str | None = None
        self._is_ascii = True
        self._names: tuple[str, ...] = ()
        self._known: dict[str, str] = {}
        """The names of all entries, of this kind and the other one, by their small letters."""
        self._own_namespaces = _OWN_NAMESPACES
        self._extensions = OddNames()
        """Elements below the root that are an extension, unless the file has no entries."""
        self._taken: etree._Element | None = None
        """The last element below the root that was read."""
        pieces = self._counted(decompress(chunks, maxsize))
        self._pieces = pieces if repair is None else repair.apply(pieces)

    def __iter__(self) -> Iterator[list[Entry]]:
        try:
            yield from self._read()
        except SitemapError:
            if self._is_other_kind():
                raise self._other_kind() from None
            raise
        if not self._is_ascii:  # it is in UTF-8, since there was no error
            self.false_encoding = self.false_encoding or self._doubted
        if self._is_other_kind():
            raise self._other_kind()
        self.complete = not (self.unknown.count or self.crowded.count or self.text)

    def _read(self) -> Iterator[list[Entry]]:
        try:
            head, pieces = with_head(iter(self._pieces), DECLARATION_SIZE)
            if self.repair is None:
                encoding = xml_encoding(head, self._charset)
                self._encoding, self.false_encoding = encoding.override, encoding.false_label
                self._doubted = encoding.doubted_label
            root, self.root_line, self.declared, whole = peek_root(pieces, self._encoding)
            self.root = local_name(root)
            self.namespace = namespace(root) if self.root in _ENTRY_NAMES else None
            for batch in self._batches(root, whole):
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
        self.unknown, self.text = OddNames(), ""  # the error says all of it
        return OtherRootError(str(self.root), self.root_line, self.others)

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.size += len(piece)
            self._is_ascii = self._is_ascii and piece.isascii()
            yield piece

    def _batches(self, root_tag: str, pieces: Iterable[bytes]) -> Iterator[list[Entry]]:
        # There is no DOCTYPE before the root element, so no entity can be expanded. "internal" only makes
        # libxml2 report an undefined entity with its line.
        root_name = local_name(root_tag)
        self._names = entry_names(self._root_name, root_name)
        known = {*_ENTRY_NAMES.values(), *entry_names("urlset", root_name)}
        self._known = {name.lower(): name for name in known}
        self._own_namespaces = _OWN_NAMESPACES | {namespace(root_tag)}
        tags = [root_tag, *("{*}" + name for name in known)]
        parser = new_parser(("start", "end"), tags, entities="internal", encoding=self._encoding)
        root: etree._Element | None = None
        since_progress = 0
        tail = b""
        for piece in pieces:
            error = feed_parser(parser, piece)
            ended: etree._Element | None = None
            for event, element in parser.read_events():
                if event == "start":
                    root = element if root is None else root
                elif element.getparent() is root:
                    ended = element
            children = [] if root is None else self._children(root, ended)
            yield self._entries_in(children, prefixes_may_lack=error is not None)
            if error:
                raise error
            since_progress = 0 if root is not None and len(root) > 1 else since_progress + len(piece)
            if since_progress > ENTRY_MAXSIZE:
                if root is not None and self._is_unknown(root):
                    return
                raise close_parser(parser, "te-groot") or SitemapError("te-groot", "an endless element")
            if root is not None:
                self._note_text(root, root[:-1])
                del root[:-1]  # all but the open element, so that the tree has no more than one piece
            tail = (tail + piece)[-_TAIL_SIZE:]
        reason: ErrorReason = "ongeldig" if has_end_tag(tail, root_name) else "afgebroken"
        if error := close_parser(parser, reason, tail):
            raise error
        if root is not None:
            if last := self._entries_in(self._children(root, next(iter(root), None))):
                yield last
            self._note_text(root, root)
            if not (self.entries or self.others or self.unknown.count):
                self.unknown = self._extensions

    def _children(self, root: etree._Element, ended: etree._Element | None) -> list[etree._Element]:
        """Return the elements below the root that are complete and were not read yet.

        The last one is, if it is *ended*: the parser does not say when an element of another name ends.
        """
        children = list(root)
        if children and children[-1] is not ended:
            children.pop()
        if children and children[0] is self._taken:
            del children[0]
        if children:
            self._taken = children[-1]
        return children

    def _entries_in(
        self, children: Iterable[etree._Element], *, prefixes_may_lack: bool = False
    ) -> list[Entry]:
        """Return the entries among elements below the root, and count the others."""
        entries: list[Entry] = []
        for child in children:
            if prefixes_may_lack and _has_undeclared_prefix(child):
                break
            given = local_name(child.tag)
            name = self._known.get(given.lower())
            if name is None:
                self._note_unknown(child)
                continue
            if name not in self._names:
                self.others += 1
            elif name == _DOCUMENT and not len(child) and _has_content(child):
                self._note_unknown(child)
            elif (entry := _entry_of_any(child, name)) is not None:
                for extra in entry.unread:
                    self.crowded.add(f"{given}><{extra}", entry.line)
                if name != given:
                    self.other_case.add(given, entry.line)
                for odd in entry.odd_names:
                    self.other_case.add(odd, entry.line)
                if name != _DOCUMENT:
                    self._note_namespace(namespace(child.tag), entry)
                entry.tidy()
                entries.append(entry)
        return entries

    def _note_namespace(self, space: str, entry: Entry) -> None:
        """Count an entry that is in another namespace than the protocol's, or has its loc in another one."""
        if self.namespace != SITEMAP_NAMESPACE:
            return
        if space != SITEMAP_NAMESPACE:
            self.foreign.add(space, entry.line)
        elif entry.foreign is not None:
            self.foreign.add(entry.foreign, entry.line, "loc")

    def _note_unknown(self, child: etree._Element) -> None:
        """Count an element below the root that is no entry, unless it is an extension, which may be there."""
        space, name = namespace(child.tag), local_name(child.tag)
        if space in self._own_namespaces or name in _METADATA_NAMES:
            inside = (local_name(each.tag) for each in child)
            entry = next((each for each in inside if each.lower() in self._known), "")
            self.unknown.add(name, _line(child), entry)
        elif entries := [each for each in child.iter() if local_name(each.tag).lower() in self._known]:
            self.unknown.add(name, _line(child), local_name(entries[0].tag))
        elif len(child) or _has_content(child):
            self._extensions.add(name, _line(child))

    def _is_unknown(self, root: etree._Element) -> bool:
        """Return whether the open element is no entry; note it if so."""
        before = self.unknown.count
        for child in root[-1:]:
            if local_name(child.tag).lower() not in self._known:
                self._note_unknown(child)
        return self.unknown.count > before

    def _note_text(self, root: etree._Element, children: Iterable[etree._Element]) -> None:
        """Note the text below the root, before and after these children; a stray mark is no text.

        It may be entries that were escaped, or the error of a program that was to write more of them.
        """
        texts = (root.text, *(child.tail for child in children))
        if not self.text and (found := next((text for text in texts if text and is_text(text)), None)):
            self.text = " ".join(found.split())[:_TEXT_SHOWN]


def is_text(text: str) -> bool:
    """Return whether a text has a letter or a digit in it."""
    return not text.isspace() and any(map(str.isalnum, text))


def _has_content(element: etree._Element) -> bool:
    """Return whether an element without elements in it has a text or an attribute."""
    return is_text(element.text or "") or bool(element.attrib)


def _has_undeclared_prefix(element: etree._Element) -> bool:
    """Return whether an element of an entry has a prefix that is not declared. libxml2 goes on after that."""
    names = (name for each in element.iter() for name in (each.tag, *each.attrib))
    return any(":" in local_name(name) for name in names)


def entry_names(kind: RootName, root: str) -> tuple[str, ...]:
    """Return the names of the entries of a sitemap or an index with the root element *root*."""
    if kind == "urlset" and root.lower() == _DOCUMENTS.lower():
        return _ENTRY_NAMES[kind], _DOCUMENT
    return (_ENTRY_NAMES[kind],)


def entry_of(element: etree._Element) -> Entry:
    """Return the entry in a ``url`` or ``sitemap`` element. The first value that is not empty counts.

    A loc in the namespace of the entry comes before one in another namespace, such as that of an image.
    """
    loc, lastmod, document = "", None, None
    foreign: str | None = None
    other_lastmod: str | None = None
    odd_names: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    outside: list[etree._Element] | None = None
    for child in element:
        name = local_name(child.tag)
        if name not in _EXACT_NAMES and (right := _READ_NAMES.get(name.lower())) is not None:
            odd_names += (name,)
            name = right
        if name == "loc":
            if not (given := _text(child)):
                continue
            if (space := namespace(child.tag)) != namespace(element.tag):
                loc, foreign = (loc, foreign) if loc else (given, space)
            elif not loc or foreign is not None:
                loc, foreign = given, None
            elif given != loc:
                unread += ("loc><loc",)
        elif name == "lastmod":
            given = (_text(child) if len(child) else child.text or "").strip()
            lastmod = lastmod or given or None
            other_lastmod = given if given and given != lastmod else other_lastmod
        elif name == _DOCUMENT and document is None:
            document = child
        elif name in _METADATA_NAMES:
            outside = outside or []
            outside.append(child)
        elif name in _ENTRY_NAMES.values() and len(child):
            unread += (name,)
    return Entry(
        loc,
        lastmod,
        _line(element),
        document,
        outside or (),
        element,
        odd_names=odd_names,
        unread=unread,
        foreign=foreign,
        other_lastmod=other_lastmod,
    )


def _text(element: etree._Element) -> str:
    """Return the text of an element without what XML calls white space; an element in it becomes tags."""
    text = element.text or ""
    for each in element if len(element) else ():
        name = local_name(each.tag)
        text += f"<{name}>{_text(each)}</{name}>{each.tail or ''}"
    return text.strip(" \t\r\n")


def _entry_of_any(element: etree._Element, name: str) -> Entry | None:
    """Return the entry in an element below the root; None for the empty one of a page without documents."""
    if name != _DOCUMENT:
        return entry_of(element)
    return _entry_of_document(element) if len(element) else None


def _entry_of_document(document: etree._Element) -> Entry:
    """Return the entry in a ``diwoo:Document`` that is no part of a ``url``.

    Its loc and lastmod are in it, or in its ``diwoo:DiWoo``. They are taken out: the rest is metadata.
    """
    entry = Entry("", None, _line(document), document)
    for parent in (document, *(child for child in document if local_name(child.tag).lower() == "diwoo")):
        for child in list(parent):
            written, text = local_name(child.tag), _text(child)
            name = written.lower()
            if name == "loc":
                entry.loc = entry.loc or text
            elif name == "lastmod":
                entry.lastmod = entry.lastmod or text or None
            if name in _PROTOCOL_NAMES:
                parent.remove(child)
            if _READ_NAMES.get(name) == name != written:
                entry.odd_names += (written,)
    return entry


def _line(element: etree._Element) -> int:
    """Return the line on which an element's start tag ends.

    libxml2 keeps line numbers in 16 bits. Beyond that it gives the line on which the element's first text
    ends.
    """
    line = element.sourceline or 0
    return line if line < LINE_MAX else line - str(next(element.itertext(), "")).count("\n")
