"""Repair what is not well-formed in a file but can mean one thing only, without changing its lines.

- A bare ``&``, one that begins no reference, becomes ``&amp;``. The one in ``&nbsp;`` is not bare: it begins
  a reference that XML does not know, and what was meant by it is a guess.
- A usual prefix that the root element does not declare is declared there.
- A declaration, comments and white space before the root element are left out, if they are not well-formed.

The file passes once as a stream, and comes out in UTF-8. At most :data:`_LOOKAHEAD` bytes wait for those that
come after them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence

from woo_harvester.sitemaps.xml_stream import CorruptError
from woo_harvester.utils.encodings import encoding_of, with_head, xml_label

#: The namespaces that usual prefixes stand for.
NAMESPACES = {
    "diwoo": "https://standaarden.overheid.nl/diwoo/metadata/",
    "mdto": "https://www.nationaalarchief.nl/mdto",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

#: Most lines with a bare ampersand that are kept for the finding.
LINES_MAX = 11

#: Bytes around a bare ampersand that are kept for the finding, on each side, and those of a beginning.
_CONTEXT = 200
_BEGINNING = 100

#: Bytes that are kept back until more follow. Longer than what any pattern below matches.
_LOOKAHEAD = 256

#: Bytes in which the XML declaration ends.
_DECLARATION_SIZE = 1024

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

#: White space and byte order marks, which may stand before the root element.
_BLANKS = b" \t\r\n\xef\xbb\xbf"

#: A usual prefix in the name of an element or an attribute, and one that an element declares.
_ANY_PREFIX = "|".join(NAMESPACES).encode()
_USED = re.compile(rb"<(?=(%b):)|\s(?=(%b):[\w.-]{1,60}\s{0,9}=)" % (_ANY_PREFIX, _ANY_PREFIX))
_DECLARED = re.compile(rb"\sxmlns:(%b)\s{0,9}=" % _ANY_PREFIX)


class Repair:
    """The repair of one file while it is read.

    *undeclared* are the usual prefixes that the root element does not declare, and *lacking* is the one that
    the file uses without a declaration. *drops_head*: leave out what stands before the root element.
    """

    def __init__(
        self, undeclared: Sequence[str] = (), lacking: str | None = None, *, drops_head: bool = False
    ) -> None:
        self._undeclared = undeclared
        self._lacking = lacking
        self._used: set[str] = set()
        self._declared: set[str] = set()
        self.head = ""
        """The beginning of what stood before the root element and was left out."""
        self.ampersands = 0
        """Number of bare ampersands so far."""
        self.lines: list[int] = []
        """The first lines with a bare ampersand."""
        self.seen = ""
        """The text around the first bare ampersand."""
        self._drops = drops_head
        self._line = 1
        """The line of the byte at ``_counted`` in the data at hand."""
        self._counted = 0
        self._before = b""
        """The last bytes that have passed, until there is a bare ampersand."""
        self._markup = _MARKUP_OR_ROOT
        self._end = b""
        """The end of the comment, CDATA section or instruction that the next bytes are in; else empty."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The usual prefixes that the file uses so far, and declares nowhere or not for each use."""
        used = {*self._used - self._declared, self._lacking}
        return tuple(prefix for prefix in self._undeclared if prefix in used)

    def apply(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the repaired file in UTF-8. Raises CorruptError for bytes that its encoding cannot have."""
        head, pieces = with_head(iter(pieces), _DECLARATION_SIZE)
        encoding = encoding_of(head, xml_label(head))
        try:
            # Bytes that are no UTF-8 pass as they are: the parser knows their line.
            text = codecs.iterdecode(pieces, encoding, "surrogateescape")
            yield from self._repaired(codecs.iterencode(text, "utf-8", "surrogateescape"))
        except UnicodeError as error:
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
        self._used.update((match[1] or match[2]).decode() for match in _USED.finditer(data))
        self._declared.update(prefix.decode() for prefix in _DECLARED.findall(data))
        parts: list[bytes] = []
        position = 0
        while position < stop:
            if self._end:
                found = data.find(self._end, position)
                end = stop if found < 0 else found + len(self._end)
                parts.append(self._inside(data[position:end]))
                self._end = self._end if found < 0 else b""
            else:
                match = self._markup.search(data, position)
                end = stop if match is None else min(match.start(), stop)
                parts.append(self._escaped(data, position, end))
                if match is not None and match.start() < stop:
                    end = match.end()
                    parts.append(self._begun(match[0]))
            position = end
        self._line += data.count(b"\n", self._counted, position)
        self._counted = 0
        passed = data[max(0, position - _CONTEXT) : position]
        self._before = b"" if self.seen else (self._before + passed)[-_CONTEXT:]
        return b"".join(parts), position

    def _begun(self, markup: bytes) -> bytes:
        """Return the beginning of markup; of the root element with the declarations that belong there."""
        if markup in _ENDS:
            self._end = _ENDS[markup]
            return self._inside(markup)
        self._markup, self._drops = _MARKUP, False
        declarations = (f' xmlns:{prefix}="{NAMESPACES[prefix]}"' for prefix in self._undeclared)
        return markup + "".join(declarations).encode()

    def _inside(self, data: bytes) -> bytes:
        """Return a part of a comment and the like, or only its line ends if it is left out."""
        if not self._drops:
            return data
        self.head = (self.head + data.decode(errors="replace"))[:_BEGINNING]
        return b"\n" * data.count(b"\n")

    def _escaped(self, data: bytes, start: int, end: int) -> bytes:
        """Return a part of *data* in which each bare ampersand is a reference, and note them."""
        if self._drops and not data[start:end].strip(_BLANKS):
            return self._inside(data[start:end])
        self._drops = False
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
