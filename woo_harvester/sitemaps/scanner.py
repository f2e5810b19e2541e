"""Reads a sitemap of which most entries are known: loc, lastmod and a digest of each, without parsing them.

Day after day 99.9% of the entries are the same, to the byte, as when they were last parsed. So the scanner
only finds where they begin, by a regular expression. What that cannot see is proven otherwise:

- a file that is not of the plain shape is left to :class:`~woo_harvester.sitemaps.reader.SitemapReader`.
  Plain is UTF-8 without a DOCTYPE; a root ``urlset`` without prefix; entries that begin with
  ``<url><loc>...</loc>``, then ``<lastmod>...</lastmod>`` where there is one, and end with ``</url>``;
  only white space between them; only white space and comments after the root;
- an entry whose digest is not known is parsed, alone in the file's own root element. If that gives one
  element with the same loc and lastmod, these bytes are one whole ``url`` element wherever they stand under
  that root, and an equal digest proves the same on another day.

The protocol: iterate over a :class:`Scan` and take each entry in turn. Either its digest is the one that was
kept with its loc when it was parsed on another day, or :meth:`ScannedEntry.parse` it now.
:class:`NotPlainError`, from the iteration or from that, means: read the file again from its first byte with
the full reader, and pass over as many entries as were taken. Then, whatever the file, the entries are those
of the full reader; and where the scan comes to its end, the full reader would have, without an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import repeat
from typing import Any, NamedTuple
from xml.sax.saxutils import unescape

from lxml import etree

from woo_harvester.sitemaps.reader import Entry, entry_of, namespace
from woo_harvester.sitemaps.unpack import UnpackError, unpack

#: Entries in a batch: as many as the state looks up in one query.
BATCH_SIZE = 1000

#: Bytes that are searched together; few enough to stay in the processor's cache.
BLOCK_SIZE = 256 * 1024

#: Bytes of an entry that is not complete at the end of a block. With the size of a block that stays well
#: within the full reader's bound, which counts in other steps: too large for that is too large here.
CARRIED_MAXSIZE = 256 * 1024

ROOT_END = b"</urlset>"
ENTRY_END = b"</url>"

#: What can stand before and after the root element, and can be passed over; lxml judges it.
MISC = rb"(?:[ \t\r\n]|<!--(?:[^-]|-[^-])*+-->)"

START = re.compile(
    rb"""
    (?:\xef\xbb\xbf)?
    (?:<\?xml \s+version\s*=\s*["']1\.0["'] (?:\s+encoding\s*=\s*["'](?i:utf-8)["'])?
        (?:\s+standalone\s*=\s*["'](?:yes|no)["'])? \s*\?>)?
    (?:MISC|<\?xml-stylesheet\s[^?>]*+\?>)*+
    (<urlset(?:\s(?:[^<>"']|"[^<"]*+"|'[^<']*+')*+)?(?<!/)>)
    """.replace(b"MISC", MISC),
    re.VERBOSE,
)

#: Between two entries, or the root's start tag and an entry: the end of the one and the begin of the other.
#: No alternatives, and a literal to begin with: that is what makes it fast.
BORDER = re.compile(
    rb"</url>([ \t\r\n]*+)<url>[ \t\r\n]*+"
    rb"<loc>([^<]*+)</loc>[ \t\r\n]*+"
    rb"(?:<lastmod>([^<]*+)</lastmod>)?"
)

END = re.compile(rb"[ \t\r\n]*+</urlset[ \t\r\n]*+>%b*+" % MISC)

#: Options as those of the full reader.
PARSER = etree.XMLParser(
    resolve_entities="internal",
    no_network=True,
    load_dtd=False,
    huge_tree=False,
    remove_comments=True,
    remove_pis=True,
)


class NotPlainError(ValueError):
    """Only the full reader can read this file."""


@dataclass(slots=True)
class Block:
    """A part of the file."""

    data: bytes
    root: bytes
    """Start tag of the file's root element."""
    line: int
    """The line of the file at ``counted``."""
    counted: int = 0
    """Up to where lines are counted: on from there, so that who asks in order counts each line once."""

    def line_at(self, position: int) -> int:
        """The line of the file at *position* of this part."""
        if position < self.counted:
            self.line -= self.data.count(b"\n", position, self.counted)
        else:
            self.line += self.data.count(b"\n", self.counted, position)
        self.counted = position
        return self.line


class ScannedEntry(NamedTuple):
    """Where an entry stands, and what it says about itself. It keeps its part of the file in memory."""

    loc: str
    """As the full reader gives it."""
    lastmod: str | None
    digest: bytes
    """Of the bytes from ``<url>`` to ``</url>``, and of the root's start tag; 12 bytes."""
    block: Block
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line on which it begins, counted only for who asks: few entries are ever told of."""
        return self.block.line_at(self.start)

    def parse(self) -> Entry:
        """The entry that the full reader would give; its document stays valid.

        Raises :class:`NotPlainError` where it would give another one, or none.
        """
        element = self.block.data[self.start : self.end]
        if b"xml:id" in element:
            raise NotPlainError("an ID, which must be the only one in the whole file")
        root = _parsed(self.block.root, element, ROOT_END)
        if len(root) != 1:
            raise NotPlainError("not one element")
        entry = entry_of(root[0])
        if (entry.loc, entry.lastmod) != (self.loc, self.lastmod):
            raise NotPlainError("another loc or lastmod than it begins with")
        entry.line = self.line
        return entry


#: Makes an entry of a tuple, without the Python code in a named tuple's own constructor.
_entry: Callable[[tuple[Any, ...]], ScannedEntry] = partial(tuple.__new__, ScannedEntry)


class Scan:
    """Iterates over one sitemap in batches of entries, in the order of the file.

    *chunks* is the response's body in pieces (gzip or not), *maxsize* its bound in bytes after
    decompression. Raises :class:`NotPlainError` as soon as the file turns out to be of another shape.
    """

    def __init__(self, chunks: Iterable[bytes], maxsize: int) -> None:
        self.size = 0
        """Bytes of XML read so far."""
        self.namespace: str | None = None
        """Namespace of the root element; None until it is read."""
        self._root = b""
        self._root_digest = b""
        self._line = 1
        self._pieces = unpack(chunks, maxsize)

    def __iter__(self) -> Iterator[list[ScannedEntry]]:
        batch: list[ScannedEntry] = []
        try:
            for data, borders, end in self._parts():
                batch += self._entries(data, borders, end)
                while len(batch) >= BATCH_SIZE:
                    yield batch[:BATCH_SIZE]
                    del batch[:BATCH_SIZE]
        except (UnpackError, UnicodeDecodeError) as error:
            raise NotPlainError(str(error)) from error
        if batch:
            yield batch

    def _block(self, carried: bytes = b"") -> bytes:
        """*carried* and the next pieces, at least a block; as it is where there are no more."""
        parts = [carried]
        size = 0
        for piece in self._pieces:
            parts.append(piece)
            size += len(piece)
            if size >= BLOCK_SIZE:
                break
        self.size += size
        return b"".join(parts) if size else carried

    def _parts(self) -> Iterator[tuple[bytes, list[re.Match[bytes]], int]]:
        """Part after part of the file, where its entries begin, and where the last of them ends."""
        data = ENTRY_END + self._after_start(self._block())  # as if another entry had stood before the first
        while True:
            borders = list(BORDER.finditer(data))
            if borders and borders[0].start() > 0:
                raise NotPlainError("an entry that does not begin with its loc")
            if len(borders) > 1:
                *borders, last = borders
                yield data, borders, last.start() + len(ENTRY_END)
                self._line += data.count(b"\n", 0, last.start())
                data = data[last.start() :]
            if len(data) > CARRIED_MAXSIZE:
                raise NotPlainError("a very long entry")
            carried, data = data, self._block(data)
            if len(data) == len(carried):
                break
        end = data.rfind(ENTRY_END) + len(ENTRY_END)
        self._check_end(data[end:])
        if end > len(ENTRY_END):
            border = BORDER.match(data)
            if border is None:
                raise NotPlainError("an entry that does not begin with its loc")
            yield data, [border], end

    def _after_start(self, block: bytes) -> bytes:
        """Take in all up to the root's start tag; gives what comes after it."""
        start = START.match(block)
        if start is None:
            raise NotPlainError("another root element, encoding or declaration")
        self._root = start[1]
        self._root_digest = sha256(self._root).digest()[:4]
        self._line += start[0].count(b"\n")
        self.namespace = namespace(str(_parsed(start[0], ROOT_END).tag))
        return block[start.end() :]

    def _check_end(self, rest: bytes) -> None:
        if not END.fullmatch(rest):
            raise NotPlainError("more than white space between the entries, or no end")
        _parsed(self._root, rest)

    def _entries(self, data: bytes, borders: list[re.Match[bytes]], end: int) -> Iterator[ScannedEntry]:
        """The entries that begin at *borders*, column by column: a million of them come by here."""
        _, locs, lastmods = zip(*[border.groups(b"") for border in borders], strict=True)
        stops, starts = zip(*[border.span(1) for border in borders], strict=True)
        ends = (*stops[1:], end)
        view, root = memoryview(data), self._root_digest
        columns = (
            _texts(locs),
            [lastmod or None for lastmod in _texts(lastmods)],
            [sha256(view[start:end]).digest()[:8] + root for start, end in zip(starts, ends, strict=True)],
            repeat(Block(data, self._root, self._line)),
            starts,
            ends,
        )
        return map(_entry, zip(*columns, strict=False))  # one of them has no end


def _texts(given: Iterable[bytes]) -> list[str]:
    """The texts, decoded all at once: none of them has a "<"."""
    joined = b"<".join(given).decode()
    texts = map(str.strip, joined.split("<"))
    return list(map(unescape, texts) if "&" in joined else texts)


def _parsed(*parts: bytes) -> etree._Element:
    """The root element of a well-formed file."""
    try:
        root = etree.fromstring(b"".join(parts), PARSER)
    except etree.XMLSyntaxError as error:
        raise NotPlainError(error.msg) from error
    if len(PARSER.error_log.filter_from_errors()):
        raise NotPlainError("not well-formed")
    return root
