"""Read a file with the full reader, and once more with a repair if it is not well-formed.

A file is repaired only if it is well-formed afterwards, as far as it goes. Of a broken file the entries
before its first fault are read. A file is read from its first byte at most :data:`_CHECKS` + 3 times,
whatever is in it: as it is, with the repairs that are tried, with the one that helps, and to count what is
lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator

from woo_harvester.sitemaps.reader import Entry, OtherRootError, RootName, SitemapReader, entry_names
from woo_harvester.sitemaps.repair import NAMESPACES, Repair
from woo_harvester.sitemaps.xml_stream import DecompressError, SitemapError, decompress

#: Most readings to find out which repair makes a file well-formed: each may show one more prefix.
_CHECKS = len(NAMESPACES) + 1

#: What libxml2 says of a prefix that is not declared.
_UNDECLARED = re.compile(r"Namespace prefix (\S+) (?:for \S+ )?on \S+ is not defined")

#: Bytes of the start of an element that may be cut off at the end of a piece.
_NAME_MAXSIZE = 128

_Fault = SitemapError | OtherRootError
_Batches = Generator[list[Entry], None, _Fault | None]


class RepairingReader:
    """An iterator over one file, in batches of entries. It raises the same errors as :class:`SitemapReader`.

    *chunks* returns the body from its first byte on each call. An empty batch shows that the reader is at
    work: it is a moment at which the caller can do something else.
    """

    def __init__(self, chunks: Callable[[], Iterable[bytes]], root_name: RootName, maxsize: int) -> None:
        self._chunks = chunks
        self._root_name: RootName = root_name
        self._maxsize = maxsize
        self.current = SitemapReader(chunks(), root_name, maxsize)
        """The reader of the file, or of its repaired form."""

    def __iter__(self) -> Iterator[list[Entry]]:
        try:
            fault = yield from self._read(self.current)
            if fault is None:
                return
            prefixes = yield from self._find_prefixes(fault)
            if prefixes is None:
                raise fault
            read, repair = self.current.entries, Repair(prefixes)
            self.current = SitemapReader(self._chunks(), self._root_name, self._maxsize, repair)
            for batch in self.current:
                yield batch[read:]
                read = max(0, read - len(batch))
        except SitemapError as error:
            yield from self._count_lost(error)
            raise

    def _read(self, reader: SitemapReader) -> _Batches:
        """Yield the batches of a reader; return the fault that a repair may take away.

        libxml2 waits for a semicolon after a bare ampersand. So a file that breaks off may have one, too.
        """
        try:
            yield from reader
        except OtherRootError as error:
            if _undeclared_prefix(error) is None:
                raise
            return error
        except SitemapError as error:
            if error.reason == "doctype":
                raise
            return error
        return None

    def _find_prefixes(self, fault: _Fault) -> Generator[list[Entry], None, list[str] | None]:
        """Return the prefixes that must be declared to read a file; None if no repair helps."""
        prefixes: list[str] = []
        left: _Fault | None = fault
        for _ in range(_CHECKS):
            prefix = _undeclared_prefix(left)
            if prefix is not None:
                if prefix not in NAMESPACES or prefix in prefixes:
                    break
                prefixes.append(prefix)
            repair = Repair(prefixes)
            left = yield from self._check(repair)
            if left is None:
                return prefixes if prefixes or repair.ampersands else None
            if _undeclared_prefix(left) is None:
                break
        if isinstance(fault, SitemapError) and isinstance(left, SitemapError) and left.seen != fault.seen:
            fault.seen += f"; line {left.line}: {left.seen}"  # so that both are fixed at once
        return None

    def _check(self, repair: Repair) -> _Batches:
        """Return the fault that is left with a repair; None if the file is well-formed as far as it goes."""
        reader = SitemapReader(self._chunks(), self._root_name, self._maxsize, repair)
        batches = self._read(reader)
        while True:
            try:
                next(batches)
            except StopIteration as end:
                left: _Fault | None = end.value
                return None if isinstance(left, SitemapError) and left.reason != "ongeldig" else left
            except OtherRootError:
                return None
            yield []

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


def _undeclared_prefix(fault: _Fault | None) -> str | None:
    """Return the prefix that is declared nowhere, if that is the fault."""
    if isinstance(fault, OtherRootError):
        prefix, colon, _ = fault.root.partition(":")
        return prefix if colon else None
    match = _UNDECLARED.match(fault.seen) if fault is not None else None
    return match[1] if match else None
