"""Repair what is not well-formed in a file but can mean one thing only, without changing its lines.

- A byte that the encoding of the file does not have is read in another one (:func:`xml_encoding`).
- A character that XML does not allow is left out, and so is a reference to one.
- A bare ``&``, one that begins no reference, becomes ``&amp;``. The one in ``&nbsp;`` is not bare: it begins
  a reference that XML does not know, and what was meant by it is a guess.
- A usual prefix that the root element does not declare is declared there.
- A declaration, comments and unseen signs before the root element are left out, if they are not well-formed.

The file passes once as a stream, and comes out in UTF-8. At most :data:`_LOOKAHEAD` characters wait for those
that come after them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence

from woo_harvester.sitemaps.xml_stream import CorruptError
from woo_harvester.utils.encodings import DECLARATION_SIZE, XmlEncoding, with_head, xml_encoding
from woo_harvester.utils.terminal import is_unseen

#: The namespaces that usual prefixes stand for.
NAMESPACES = {
    "diwoo": "https://standaarden.overheid.nl/diwoo/metadata/",
    "mdto": "https://www.nationaalarchief.nl/mdto",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

#: Most lines with a fault that are kept for its finding, and most texts.
LINES_MAX = 11
_SEEN_MAX = 3

#: Characters around a bare ampersand that are kept for the finding, on each side, and those of a beginning.
_CONTEXT = 200
_BEGINNING = 100

#: Characters that are kept back until more follow. Longer than what any pattern below matches.
_LOOKAHEAD = 256

#: What XML does not allow (XML 1.0, section 2.2). Low surrogates stand for bytes that could not be decoded.
_SIGN = r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"
_RAW = re.compile(_SIGN)
#: A letter that has several bytes in UTF-8.
_DECODED = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")

#: In text and in attributes: a reference to a character, an ampersand that begins none to a character or an
#: entity, or such a sign.
_FAULT = re.compile(
    r"&\#(?:[0-9]{1,20}+|x[0-9A-Fa-f]{1,20}+);"
    r"|&(?![A-Za-z_:\x80-\U0010ffff][\w:.\x80-\U0010ffff-]{0,99}+;)"
    rf"|{_SIGN}"
)

#: The beginning of markup in which an ampersand has no meaning; and that of the root element.
_MARKUP = re.compile(r"<!--|<!\[CDATA\[|<\?")
_MARKUP_OR_ROOT = re.compile(_MARKUP.pattern + r"|<[^\s<>/!?&]{1,100}+(?=[\s/>])")

_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}

#: What bounds the text around an ampersand.
_BOUND = re.compile(r"[<>\"\r\n\t]")

#: A usual prefix in the name of an element or an attribute, and one that an element declares.
_ANY_PREFIX = "|".join(NAMESPACES)
_USED = re.compile(rf"<(?=({_ANY_PREFIX}):)|\s(?=({_ANY_PREFIX}):[\w.-]{{1,60}}\s{{0,9}}=)")
_DECLARED = re.compile(rf"\sxmlns:({_ANY_PREFIX})\s{{0,9}}=")


class Faults:
    """Faults of one kind in a file: their number, their first lines, and what was seen first."""

    def __init__(self) -> None:
        self.count = 0
        self.lines: list[int] = []
        self.seen: list[str] = []


class Repair:
    """The repair of one file while it is read.

    *undeclared* are the usual prefixes that the root element does not declare, and *lacking* is the one that
    the file uses without a declaration. *drops_head*: leave out what stands before the root element.
    *charset* is the encoding that the server names, if any.
    """

    def __init__(
        self,
        undeclared: Sequence[str] = (),
        lacking: str | None = None,
        *,
        drops_head: bool = False,
        charset: str | None = None,
    ) -> None:
        self._undeclared = undeclared
        self._lacking = lacking
        self._charset = charset
        self._used: set[str] = set()
        self._declared: set[str] = set()
        self.head = ""
        """The beginning of what stood before the root element and was left out."""
        self.ampersands = Faults()
        """The bare ampersands so far; of the first one the text around it is seen."""
        self.signs = Faults()
        """The signs so far that the file may not have."""
        self._drops = drops_head
        self._line = 1
        """The line of the character at ``_counted`` in the text at hand."""
        self._counted = 0
        self._before = ""
        """The last characters that have passed, until there is a bare ampersand."""
        self._markup = _MARKUP_OR_ROOT
        self._end = ""
        """The end of the comment, CDATA section or instruction that the next text is in; else empty."""
        self._encoding = XmlEncoding("utf-8")
        self.false_encoding: str | None = None
        """The encoding that the file declares, if it does not have it. Then it is read as UTF-8."""

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The usual prefixes that the file uses so far, and declares nowhere or not for each use."""
        used = {*self._used - self._declared, self._lacking}
        return tuple(prefix for prefix in self._undeclared if prefix in used)

    def apply(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the repaired file in UTF-8. Raises CorruptError for bytes that its encoding cannot have."""
        head, pieces = with_head(iter(pieces), DECLARATION_SIZE)
        self._encoding = xml_encoding(head, self._charset)
        self.false_encoding = self._encoding.false_label
        try:
            for text in self._repaired(codecs.iterdecode(pieces, self._encoding.name, "surrogateescape")):
                yield text.encode()
        except UnicodeError as error:
            raise CorruptError(str(error)) from error

    def _repaired(self, pieces: Iterable[str]) -> Iterator[str]:
        text = ""
        for piece in pieces:
            text += piece
            if self._encoding.doubted_label and self.false_encoding is None and _DECODED.search(piece):
                self.false_encoding = self._encoding.doubted_label
            stop = max(0, len(text) - _LOOKAHEAD)
            # A reference has no other ampersand in it, so none goes on beyond the last ampersand.
            last = text.rfind("&", max(0, stop - _LOOKAHEAD), stop)
            repaired, passed = self._replace(text, stop if last < 0 else last)
            yield repaired
            text = text[passed:]
        yield self._replace(text, len(text))[0]

    def _replace(self, text: str, stop: int) -> tuple[str, int]:
        """Return the repaired first part of *text*, and its length before: up to *stop*, or just beyond."""
        self._used.update(match[1] or match[2] for match in _USED.finditer(text))
        self._declared.update(_DECLARED.findall(text))
        parts: list[str] = []
        position = 0
        while position < stop:
            if self._end:
                found = text.find(self._end, position)
                end = stop if found < 0 else found + len(self._end)
                parts.append(self._inside(text, position, end))
                self._end = self._end if found < 0 else ""
            else:
                match = self._markup.search(text, position)
                end = stop if match is None else min(match.start(), stop)
                parts.append(self._outside(text, position, end))
                if match is not None and match.start() < stop:
                    end = match.end()
                    parts.append(self._begun(match))
            position = end
        self._line += text.count("\n", self._counted, position)
        self._counted = 0
        passed = text[max(0, position - _CONTEXT) : position]
        self._before = "" if self.ampersands.seen else (self._before + passed)[-_CONTEXT:]
        return "".join(parts), position

    def _begun(self, match: re.Match[str]) -> str:
        """Return the beginning of markup; of the root element with the declarations that belong there."""
        markup = match[0]
        if markup in _ENDS:
            self._end = ">" if self._drops and markup == "<?" else _ENDS[markup]  # it may lack the "?"
            return self._inside(match.string, *match.span())
        self._markup, self._drops = _MARKUP, False
        return markup + "".join(f' xmlns:{prefix}="{NAMESPACES[prefix]}"' for prefix in self._undeclared)

    def _inside(self, text: str, start: int, end: int) -> str:
        """Return a part of a comment and the like, or only its line ends if it is left out."""
        if not self._drops:
            return self._repair(_RAW, text, start, end)
        self.head = (self.head + _shown(text[start:end]))[:_BEGINNING]
        return "\n" * text.count("\n", start, end)

    def _outside(self, text: str, start: int, end: int) -> str:
        """Return a repaired part of the text outside comments and the like."""
        if self._drops and all(map(is_unseen, text[start:end])):
            return self._inside(text, start, end)
        self._drops = False
        return self._repair(_FAULT, text, start, end)

    def _repair(self, pattern: re.Pattern[str], text: str, start: int, end: int) -> str:
        """Return a part of *text* without the faults that a pattern finds, and note them."""
        parts: list[str] = []
        for match in pattern.finditer(text, start, end):
            right = self._right(match)
            if right is not None:
                parts += text[start : match.start()], right
                start = match.end()
        return "".join((*parts, text[start:end]))

    def _right(self, match: re.Match[str]) -> str | None:
        """Return what stands in the place of a fault, and note it; None if it is none."""
        fault = match[0]
        if fault == "&":
            self._note(self.ampersands, match, "" if self.ampersands.seen else _around(self._before, match))
            return "&amp;"
        if fault.startswith("&"):
            if _is_allowed(fault[2:-1]):
                return None
            self._note(self.signs, match, fault)
            return ""
        if not "\udc80" <= fault <= "\udcff":
            self._note(self.signs, match, f"U+{ord(fault):04X}")
            return ""
        byte = ord(fault) - 0xDC00
        right = bytes((byte,)).decode(self._encoding.fallback, "ignore") or chr(byte)
        if not self._encoding.names_fallback:
            self._note(self.signs, match, f"byte 0x{byte:02X} ({right})")
        return right

    def _note(self, faults: Faults, match: re.Match[str], seen: str) -> None:
        """Note the line of a fault, if it is one of the first, and what is seen of it."""
        faults.count += 1
        if len(faults.lines) < LINES_MAX:
            self._line += match.string.count("\n", self._counted, match.start())
            self._counted = match.start()
            if self._line not in faults.lines:
                faults.lines.append(self._line)
        if seen and seen not in faults.seen and len(faults.seen) < _SEEN_MAX:
            faults.seen.append(seen)


def _around(before: str, match: re.Match[str]) -> str:
    """Return the text around a match, up to markup or the end of the line on each side."""
    text, place = match.string, match.start()
    before = (before + text[max(0, place - _CONTEXT) : place])[-_CONTEXT:]
    return _shown(_BOUND.split(before)[-1] + _BOUND.split(text[place : place + _CONTEXT])[0]).strip()


def _shown(text: str) -> str:
    """Return a text that can be written, with a mark for each sign that XML does not allow."""
    return _RAW.sub("\ufffd", text)


def _is_allowed(number: str) -> bool:
    """Return whether XML allows the character of a reference (XML 1.0, section 2.2)."""
    code = int(number[1:], 16) if number.startswith("x") else int(number)
    return code <= 0x10FFFF and not _RAW.match(chr(code))
