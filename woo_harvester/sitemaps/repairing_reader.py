"""Read a file with the full reader, and once more with a repair if it is not well-formed.

Of a file that is broken all the same, the entries before its first fault that no repair takes away are read.
A third reading counts those that come after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from woo_harvester.sitemaps.reader import Entry, OtherRootError, RootName, SitemapReader, entry_names
from woo_harvester.sitemaps.repair import NAMESPACES, Repair
from woo_harvester.sitemaps.xml_stream import DecompressError, SitemapError, decompress

#: What libxml2 says of a prefix that is not declared.
_UNDECLARED = re.compile(r"Namespace prefix (\S+) (?:for \S+ )?on \S+ is not defined")

#: Bytes of the start of an element that may be cut off at the end of a piece.
_NAME_MAXSIZE = 128


class RepairingReader:
    """An iterator over one file, in batches of entries. It raises the same errors as :class:`SitemapReader`.

    *chunks* returns the body from its first byte on each call, and *charset* is the encoding that its server
    names. An empty batch shows that the reader is at
    work: it is a moment at which the caller can do something else.
    """

    def __init__(
        self,
        chunks: Callable[[], Iterable[bytes]],
        root_name: RootName,
        maxsize: int,
        charset: str | None = None,
    ) -> None:
        self._chunks = chunks
        self._root_name: RootName = root_name
        self._maxsize = maxsize
        self._charset = charset
        self.current = SitemapReader(chunks(), root_name, maxsize, charset=charset)
        """The reader of the file, or of its repaired form."""

    def __iter__(self) -> Iterator[list[Entry]]:
        first = self.current
        try:
            yield from first
        except (OtherRootError, SitemapError) as error:
            # libxml2 waits for a semicolon after a bare ampersand, so a file that breaks off may have one.
            fault = error
        else:
            return
        prefix = _undeclared_prefix(fault)
        if fault.reason == "doctype" if isinstance(fault, SitemapError) else prefix is None:
            raise fault
        undeclared = [] if first.declared is None else [*NAMESPACES.keys() - first.declared]
        repair = Repair(sorted(undeclared), prefix, drops_head=first.root is None, charset=self._charset)
        self.current = SitemapReader(self._chunks(), self._root_name, self._maxsize, repair)
        read = first.entries
        try:
            for batch in self.current:
                yield batch[read:]
                read = max(0, read - len(batch))
        except SitemapError as error:
            # Without a root element, nothing was repaired: the first fault says what stands in its place.
            left = fault if self.current.root is None and isinstance(fault, SitemapError) else error
            yield from self._count_lost(left)
            raise left from None

    def _count_lost(self, error: SitemapError) -> Iterator[list[Entry]]:
        """Count the entries that begin in a broken file beyond those that were read."""
        begins = -self.current.entries
        names = "|".join(entry_names(self._root_name, str(self.current.root))).encode()
        pattern = re.compile(rb"<(?:[^\s<>/!?&:]{1,60}+:)?(?i:%b)[\s/>]" % names)
        data = b""
        try:
            for piece in decompress(self._chunks(), self._maxsize):
                data += piece.replace(b"\0", b"")  # of UTF-16
                end = data.rfind(b"<", max(0, len(data) - _NAME_MAXSIZE))
                end = len(data) if end < 0 else end
                begins += len(pattern.findall(data, 0, end))
                data = data[end:]
                yield []
        except DecompressError:
            pass  # what comes after that cannot be counted
        error.lost = max(0, begins + len(pattern.findall(data)))


def _undeclared_prefix(fault: SitemapError | OtherRootError) -> str | None:
    """Return the prefix that is declared nowhere, if that is the fault."""
    if isinstance(fault, OtherRootError):
        prefix, colon, _ = fault.root.partition(":")
        return prefix if colon else None
    match = _UNDECLARED.match(fault.seen)
    return match[1] if match else None
