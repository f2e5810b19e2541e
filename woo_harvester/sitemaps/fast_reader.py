"""Read a sitemap with the fast scanner, and continue with the full reader if the scanner cannot read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from woo_harvester.sitemaps.reader import Entry, OddNames
from woo_harvester.sitemaps.repair import Repair
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.scanner import NotPlainError, Scan, ScannedEntry


class UrlsetReader:
    """An iterator over a sitemap in batches of entries. It raises the same errors as :class:`SitemapReader`.

    *chunks* returns the body from its first byte on each call. After each batch the caller reports with
    :meth:`processed` how many of its entries it could process. If these are not all, the scanner cannot read
    the next one, and the full reader continues there. An empty batch is a moment at which the caller can do
    something else. Without *scans*, the full reader reads the file from its beginning.
    """

    def __init__(self, chunks: Callable[[], Iterable[bytes]], maxsize: int, *, scans: bool = True) -> None:
        self._chunks = chunks
        self._maxsize = maxsize
        self._reader: RepairingReader | None = None
        self._scan = Scan(chunks(), maxsize)
        self._scans = scans
        self._batch = 0
        self.entries = 0
        """Number of entries processed so far."""
        self.complete = False
        """True once the file has been read to its end, and all that is in it is known."""

    @property
    def size(self) -> int:
        """Bytes of XML read so far."""
        return self._reader.current.size if self._reader else self._scan.size

    @property
    def namespace(self) -> str | None:
        """Namespace of a root of the protocol; None before it is read, and for another root."""
        return self._reader.current.namespace if self._reader else self._scan.namespace

    @property
    def root(self) -> str | None:
        """Local name of the root element; None before it is known to be another one than ``urlset``."""
        return self._reader.current.root if self._reader else None

    @property
    def root_line(self) -> int:
        """The line of the root element; 1 before it is known to be another one than ``urlset``."""
        return self._reader.current.root_line if self._reader else 1

    @property
    def others(self) -> int:
        """Number of sitemaps in the file so far: the scanner reads no file that has one."""
        return self._reader.current.others if self._reader else 0

    @property
    def foreign(self) -> OddNames:
        """Namespaces of entries that are in another one than the root: the scanner reads no such file."""
        return self._reader.current.foreign if self._reader else OddNames()

    @property
    def unknown(self) -> OddNames:
        """Elements in the file that are neither entries nor an extension: the scanner reads no such file."""
        return self._reader.current.unknown if self._reader else OddNames()

    @property
    def crowded(self) -> OddNames:
        """Addresses and entries in an entry that has an address already."""
        return self._reader.current.crowded if self._reader else OddNames()

    @property
    def text(self) -> str:
        """The beginning of the text that a file has beside its entries or in their place."""
        return self._reader.current.text if self._reader else ""

    @property
    def other_case(self) -> OddNames:
        """Elements that were read although the letters of their names have another case."""
        return self._reader.current.other_case if self._reader else OddNames()

    @property
    def repair(self) -> Repair | None:
        """What was repaired in the file so far; None if nothing was."""
        return self._reader.current.repair if self._reader else None

    def __iter__(self) -> Iterator[Sequence[Entry | ScannedEntry]]:
        try:
            if not self._scans:
                raise NotPlainError
            for batch in self._scan:
                self._batch = len(batch)
                yield batch
                if self._batch:
                    raise NotPlainError
        except NotPlainError:
            self._reader = RepairingReader(self._chunks, "urlset", self._maxsize)
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
