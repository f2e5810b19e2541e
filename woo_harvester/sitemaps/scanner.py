"""Read the loc, the lastmod and a digest of each entry of a sitemap, without parsing the entries as XML.

On a normal day 99.9% of the entries have the same bytes as when they were last parsed. So the scanner only
finds where each entry begins, by a regular expression. Two rules keep that exact:

- The scanner reads only plain files; :class:`~woo_harvester.sitemaps.reader.SitemapReader`, the full reader,
  reads the others. Plain means: UTF-8 without a DOCTYPE; a root ``urlset`` without prefix; entries that begin
  with ``<url><loc>...</loc>``, then perhaps ``<lastmod>...</lastmod>``, and end with ``</url>``; only white
  space between them; only white space and comments after the root.
- An entry with an unknown digest is parsed, alone in the file's own root element. If that gives one element
  with the same loc and lastmod, its bytes are one complete ``url`` element anywhere under that root. An equal
  digest then proves the same on another day.

To use it, iterate over a :class:`Scan` and process the entries in order. Skip an entry whose digest is the
one kept with its loc; call :meth:`ScannedEntry.parse` on the others. On :class:`NotPlainError`, from the
iteration or from ``parse``, read the file again with the full reader, and skip as many entries as were
processed. The entries are then always those of the full reader. If the scan reaches the end of the file, the
full reader would do so too, without an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import repeat
from typing import Any, NamedTuple
from xml.sax.saxutils import unescape

from lxml import etree

from woo_harvester.sitemaps.reader import Entry, FileContents, entry_of, is_text
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.xml_stream import DecompressError, decompress, namespace
from woo_harvester.utils.urls import is_tidy, tidy_loc

#: Most entries in a batch: as many as the state looks up in one query.
_BATCH_SIZE = 1000

#: Bytes that are searched at once; few enough for the processor's cache.
BLOCK_SIZE = 256 * 1024

#: Most bytes of an entry that continues in the next block. Together with a block this is far below the full
#: reader's limit for an entry, so an entry that is too large for that reader is too large here.
_CARRIED_MAXSIZE = 256 * 1024

_ROOT_END = b"</urlset>"
_ENTRY_END = b"</url>"

#: White space and comments before and after the root element. The scanner skips them; lxml checks them.
_MISC = rb"(?:[ \t\r\n]|<!--(?:[^-]|-[^-])*+-->)"

_START = re.compile(
    rb"""
    (?:\xef\xbb\xbf)?
    (?:<\?xml \s+version\s*=\s*["']1\.0["'] (?:\s+encoding\s*=\s*["'](?i:utf-8)["'])?
        (?:\s+standalone\s*=\s*["'](?:yes|no)["'])? \s*\?>)?
    (?:_MISC|<\?xml-stylesheet\s[^?>]*+\?>)*+
    (<urlset(?:\s(?:[^<>"']|"[^<"]*+"|'[^<']*+')*+)?(?<!/)>)
    """.replace(b"_MISC", _MISC),
    re.VERBOSE,
)

#: The end of one entry and the beginning of the next. It is fast because it has no alternatives and begins
#: with a literal.
_BORDER = re.compile(
    rb"</url>([ \t\r\n]*+)<url>[ \t\r\n]*+"
    rb"<loc>([^<]*+)</loc>[ \t\r\n]*+"
    rb"(?:<lastmod>([^<]*+)</lastmod>)?"
)

_END = re.compile(rb"[ \t\r\n]*+</urlset[ \t\r\n]*+>%b*+" % _MISC)

#: A parser with the options of the full reader.
_PARSER = etree.XMLParser(
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
class _Block:
    """A part of the file, with the line numbers in it."""

    data: bytes
    root: bytes
    """Start tag of the file's root element."""
    line: int
    """The line of the file at position ``counted``."""
    counted: int = 0
    """Position in ``data`` up to which lines are counted. Requests in order count each line once."""

    def line_at(self, position: int) -> int:
        """Return the line of the file at *position* in ``data``."""
        if position < self.counted:
            self.line -= self.data.count(b"\n", position, self.counted)
        else:
            self.line += self.data.count(b"\n", self.counted, position)
        self.counted = position
        return self.line


class ScannedEntry(NamedTuple):
    """The position of an entry in the file, and its loc and lastmod. It keeps its block in memory."""

    loc: str
    """The same text as the full reader gives."""
    lastmod: str | None
    digest: bytes
    """12 bytes: 8 of the SHA-256 from ``<url>`` to ``</url>``, and 4 of that of the root's start tag."""
    block: _Block
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line on which the entry begins. It is counted on demand, since few entries have findings."""
        return self.block.line_at(self.start)

    def parse(self) -> Entry:
        """Return the entry as the full reader would give it; its document stays valid.

        Raises :class:`NotPlainError` if the full reader would give another entry, or none.
        """
        element = self.block.data[self.start : self.end]
        if b"xml:id" in element:
            raise NotPlainError("an ID, which must be the only one in the whole file")
        root = _parsed(self.block.root, element, _ROOT_END)
        if len(root) != 1:
            raise NotPlainError("not one element")
        entry = entry_of(root[0])
        entry.tidy()
        if entry.unread or entry.odd_names or is_text(root[0].tail or ""):
            raise NotPlainError("what only the reader of a whole file reports")
        if (entry.loc, entry.lastmod) != (self.loc, self.lastmod):
            raise NotPlainError("another loc or lastmod than it begins with")
        entry.line = self.line
        return entry


#: Makes an entry from a tuple, without the Python code of a named tuple's own constructor.
_entry: Callable[[tuple[Any, ...]], ScannedEntry] = partial(tuple.__new__, ScannedEntry)


class Scan:
    """An iterator over one sitemap, in batches of entries, in the order of the file.

    *chunks* is the response's body in pieces (gzip or not), *maxsize* its limit in bytes after decompression.
    Iterating raises :class:`NotPlainError` as soon as the file proves not to be plain.
    """

    def __init__(self, chunks: Iterable[bytes], maxsize: int) -> None:
        self.size = 0
        """Bytes of XML read so far."""
        self.namespace: str | None = None
        """Namespace of the root element; None before it is read."""
        self._root = b""
        self._root_digest = b""
        self._line = 1
        self._pieces = decompress(chunks, maxsize)

    def __iter__(self) -> Iterator[list[ScannedEntry]]:
        batch: list[ScannedEntry] = []
        try:
            for data, borders, end in self._parts():
                batch += self._entries(data, borders, end)
                while len(batch) >= _BATCH_SIZE:
                    yield batch[:_BATCH_SIZE]
                    del batch[:_BATCH_SIZE]
        except (DecompressError, UnicodeDecodeError) as error:
            raise NotPlainError(str(error)) from error
        if batch:
            yield batch

    def _block(self, carried: bytes = b"") -> bytes:
        """Return *carried* with the next pieces, at least a block of them; only *carried* at the end."""
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
        """Yield each part of the file, the matches at which its entries begin, and the end of the last."""
        data = _ENTRY_END + self._after_start(self._block())  # as if there were an entry before the first one
        while True:
            borders = list(_BORDER.finditer(data))
            if borders and borders[0].start() > 0:
                raise NotPlainError("an entry that does not begin with its loc")
            if len(borders) > 1:
                *borders, last = borders
                yield data, borders, last.start() + len(_ENTRY_END)
                self._line += data.count(b"\n", 0, last.start())
                data = data[last.start() :]
            if len(data) > _CARRIED_MAXSIZE:
                raise NotPlainError("a very long entry")
            carried, data = data, self._block(data)
            if len(data) == len(carried):
                break
        end = data.rfind(_ENTRY_END) + len(_ENTRY_END)
        self._check_end(data[end:])
        if end > len(_ENTRY_END):
            border = _BORDER.match(data)
            if border is None:
                raise NotPlainError("an entry that does not begin with its loc")
            yield data, [border], end

    def _after_start(self, block: bytes) -> bytes:
        """Read the root's start tag and all before it; return the bytes after it."""
        start = _START.match(block)
        if start is None:
            raise NotPlainError("another root element, encoding or declaration")
        self._root = start[1]
        self._root_digest = sha256(self._root).digest()[:4]
        self._line += start[0].count(b"\n")
        self.namespace = namespace(str(_parsed(start[0], _ROOT_END).tag))
        return block[start.end() :]

    def _check_end(self, rest: bytes) -> None:
        if not _END.fullmatch(rest):
            raise NotPlainError("more than white space between the entries, or no end")
        _parsed(self._root, rest)

    def _entries(self, data: bytes, borders: list[re.Match[bytes]], end: int) -> Iterator[ScannedEntry]:
        """Yield the entries that begin at *borders*. Columns are faster than rows for a million entries."""
        _, locs, lastmods = zip(*[border.groups(b"") for border in borders], strict=True)
        stops, starts = zip(*[border.span(1) for border in borders], strict=True)
        ends = (*stops[1:], end)
        view, root = memoryview(data), self._root_digest
        columns = (
            _texts(locs, tidy_loc),
            [lastmod or None for lastmod in _texts(lastmods)],
            [sha256(view[start:end]).digest()[:8] + root for start, end in zip(starts, ends, strict=True)],
            repeat(_Block(data, self._root, self._line)),
            starts,
            ends,
        )
        return map(_entry, zip(*columns, strict=False))  # one of them has no end


def _texts(given: Iterable[bytes], tidy: Callable[[str], str] = str.strip) -> list[str]:
    """Return the texts, unescaped and *tidy*, which nearly all of them are already.

    They are decoded and checked together, since none of them has a "<".
    """
    texts = b"<".join(given).decode().split("<")
    joined = "".join(texts)
    if "&" in joined:
        texts = list(map(unescape, texts))
        joined = "".join(texts)
    return texts if is_tidy(joined) else list(map(tidy, texts))


def _parsed(*parts: bytes) -> etree._Element:
    """Parse a file; return its root element. Raises NotPlainError if it is not well-formed."""
    try:
        root = etree.fromstring(b"".join(parts), _PARSER)
    except etree.XMLSyntaxError as error:
        raise NotPlainError(error.msg) from error
    if len(_PARSER.error_log.filter_from_errors()):
        raise NotPlainError("not well-formed")
    return root


class UrlsetReader:
    """An iterator over a sitemap in batches of entries. It raises the same errors as :class:`SitemapReader`.

    *chunks* returns the body from its first byte on each call, and *charset* is the encoding that its server
    names. After each batch the caller reports with
    :meth:`processed` how many of its entries it could process. If these are not all, the scanner cannot read
    the next one, and the full reader continues there. An empty batch is a moment at which the caller can do
    something else.
    """

    def __init__(
        self, chunks: Callable[[], Iterable[bytes]], maxsize: int, charset: str | None = None
    ) -> None:
        self._chunks = chunks
        self._maxsize = maxsize
        self._charset = charset
        self._reader: RepairingReader | None = None
        self._scan = Scan(chunks(), maxsize)
        self._batch = 0
        self.entries = 0
        """Number of entries processed so far."""
        self.complete = False
        """True once the file has been read to its end, and all that is in it is known."""

    @property
    def contents(self) -> FileContents:
        """What has been read so far. The scanner reads no file in which anything is odd."""
        if self._reader is not None:
            return self._reader.current
        found = FileContents()
        found.entries, found.complete = self.entries, self.complete
        found.size, found.namespace = self._scan.size, self._scan.namespace
        return found

    def __iter__(self) -> Iterator[Sequence[Entry | ScannedEntry]]:
        try:
            for batch in self._scan:
                self._batch = len(batch)
                yield batch
                if self._batch:
                    raise NotPlainError
        except NotPlainError:
            self._reader = RepairingReader(self._chunks, "urlset", self._maxsize, self._charset)
            yield from self._rest(self._reader)
        self.complete = self._reader is None or self._reader.current.complete

    def processed(self, count: int) -> None:
        """Report how many entries of the last batch were processed."""
        self.entries += count
        self._batch -= count

    def _rest(self, reader: RepairingReader) -> Iterator[Sequence[Entry]]:
        """Yield the batches of the full reader, without the entries that were processed already."""
        skipped = self.entries
        for batch in reader:
            rest = batch[skipped:]
            skipped -= len(batch) - len(rest)
            yield rest
