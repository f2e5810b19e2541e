"""Repair what is not well-formed in a file but can mean one thing only, without changing its lines.

- A bare ``&``, one that begins no reference, becomes ``&amp;``. The one in ``&nbsp;`` is not bare: it begins
  a reference that XML does not know, and what was meant by it is a guess.
- A usual prefix that is declared nowhere is declared on the root element.

The file passes through as a stream. At most :data:`_LOOKAHEAD` bytes wait for those that come after them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from woo_harvester.sitemaps.xml_stream import CorruptError
from woo_harvester.utils.encodings import with_head

#: The namespaces that usual prefixes stand for.
NAMESPACES = {
    "diwoo": "https://standaarden.overheid.nl/diwoo/metadata/",
    "mdto": "https://www.nationaalarchief.nl/mdto",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

#: Most lines with a bare ampersand that are kept for the finding.
LINES_MAX = 11

#: Bytes around a bare ampersand that are kept for the finding, on each side.
_CONTEXT = 200

#: Bytes that are kept back until more follow. Longer than what any pattern below matches.
_LOOKAHEAD = 256

#: An ampersand that begins no reference to a character or an entity.
_BARE = re.compile(
    rb"&(?!(?:[A-Za-z_:\x80-\xff][\w:.\x80-\xff-]{0,99}+|\#[0-9]{1,20}+|\#x[0-9A-Fa-f]{1,20}+);)"
)

#: The beginning of markup in which an ampersand has no meaning; and that of the root element.
_MARKUP = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_MARKUP_OR_ROOT = re.compile(_MARKUP.pattern + rb"|<[^\s<>/!?&]{1,100}+(?=[\s/>])")

_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}

#: What bounds the text around an ampersand.
_BOUND = re.compile(rb"[<>\"\r\n\t]")

#: The first bytes of a file in UTF-16: a byte order mark, or "<" as two bytes.
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"<\0": "utf-16-le", b"\xfe\xff": "utf-16-be", b"\0<": "utf-16-be"}


class Repair:
    """The repair of one file while it is read. *prefixes* are the keys of NAMESPACES to declare."""

    def __init__(self, prefixes: Iterable[str] = ()) -> None:
        self.prefixes = tuple(prefixes)
        self.ampersands = 0
        """Number of bare ampersands so far."""
        self.lines: list[int] = []
        """The first lines with a bare ampersand."""
        self.seen = ""
        """The text around the first bare ampersand."""
        self._line = 1
        """The line of the byte at ``_counted`` in the data at hand."""
        self._counted = 0
        self._before = b""
        """The last bytes that have passed, until there is a bare ampersand."""
        self._markup = _MARKUP_OR_ROOT if self.prefixes else _MARKUP
        self._end = b""
        """The end of the comment, CDATA section or instruction that the next bytes are in; else empty."""

    def apply(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the repaired file, in the same encoding. Raises CorruptError for what is no UTF-16."""
        head, pieces = with_head(iter(pieces), 2)
        encoding = _UTF_16.get(head[:2])
        if encoding is None:
            yield from self._repaired(pieces)
            return
        try:
            narrow = codecs.iterencode(codecs.iterdecode(pieces, encoding), "utf-8")
            yield from codecs.iterencode(codecs.iterdecode(self._repaired(narrow), "utf-8"), encoding)
        except UnicodeDecodeError as error:
            raise CorruptError(str(error)) from error

    def _repaired(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        data = b""
        for piece in pieces:
            data += piece
            stop = max(0, len(data) - _LOOKAHEAD)
            # A reference has no other ampersand in it, so none goes on beyond the last ampersand.
            last = data.rfind(b"&", max(0, stop - _LOOKAHEAD), stop)
            repaired, passed = self._replace(data, stop if last < 0 else last)
            yield repaired
            data = data[passed:]
        yield self._replace(data, len(data))[0]

    def _replace(self, data: bytes, stop: int) -> tuple[bytes, int]:
        """Return the repaired first part of *data*, and its length before: up to *stop*, or just beyond."""
        parts: list[bytes] = []
        position = 0
        while position < stop:
            if self._end:
                found = data.find(self._end, position)
                if found < 0:
                    break
                end = found + len(self._end)
                self._end = b""
                parts.append(data[position:end])
            else:
                match = self._markup.search(data, position)
                begin = stop if match is None else min(match.start(), stop)
                parts.append(self._escaped(data, position, begin))
                end = begin
                if match is not None and begin < stop:
                    parts.append(self._begun(match[0]))
                    end = match.end()
            position = end
        passed = max(position, stop)
        parts.append(data[position:passed])
        self._line += data.count(b"\n", self._counted, passed)
        self._counted = 0
        self._before = (
            b"" if self.seen else (self._before + data[max(0, passed - _CONTEXT) : passed])[-_CONTEXT:]
        )
        return b"".join(parts), passed

    def _begun(self, markup: bytes) -> bytes:
        """Return the beginning of markup; of the root element with the declarations that belong there."""
        if markup in _ENDS:
            self._end = _ENDS[markup]
            return markup
        self._markup = _MARKUP
        declarations = (f' xmlns:{prefix}="{NAMESPACES[prefix]}"' for prefix in self.prefixes)
        return markup + "".join(declarations).encode()

    def _escaped(self, data: bytes, start: int, end: int) -> bytes:
        """Return a part of *data* in which each bare ampersand is a reference, and note them."""
        text, count = _BARE.subn(b"&amp;", data[start:end])
        if count:
            self.ampersands += count
            self._note(data, start, end)
        return text

    def _note(self, data: bytes, start: int, end: int) -> None:
        """Note the lines of the first bare ampersands, and the text around the very first one."""
        while len(self.lines) < LINES_MAX and (match := _BARE.search(data, start, end)):
            place = match.start()
            self._line += data.count(b"\n", self._counted, place)
            self._counted = place
            if self._line not in self.lines:
                self.lines.append(self._line)
            if not self.seen:
                before = (self._before + data[max(0, place - _CONTEXT) : place])[-_CONTEXT:]
                text = _BOUND.split(before)[-1] + _BOUND.split(data[place : place + _CONTEXT])[0]
                self.seen = text.decode(errors="replace").strip()
            start = data.find(b"\n", place, end)
            if start < 0:
                return
