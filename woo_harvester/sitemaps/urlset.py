"""Reads a sitemap as fast as its shape allows: by the scanner, and by the full reader from there on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from woo_harvester.sitemaps.reader import Entry, SitemapReader
from woo_harvester.sitemaps.scanner import NotPlainError, Scan, ScannedEntry


class UrlsetReader:
    """Iterates over a sitemap in batches of entries; what :class:`SitemapReader` raises, this raises.

    *chunks* gives the body from its beginning each time it is called. After each batch the caller says with
    :meth:`took` how many of its entries it has taken. Fewer than all means that the next one is not of the
    plain shape after all: the full reader then goes on from there.
    """

    def __init__(self, chunks: Callable[[], Iterable[bytes]], maxsize: int) -> None:
        self._chunks = chunks
        self._maxsize = maxsize
        self._reader: SitemapReader | None = None
        self._scan = Scan(chunks(), maxsize)
        self._batch = 0
        self.entries = 0
        """Entries taken so far."""
        self.complete = False
        """The file was read to its end."""

    @property
    def size(self) -> int:
        """Bytes of XML read so far."""
        return self._reader.size if self._reader else self._scan.size

    @property
    def namespace(self) -> str | None:
        """Namespace of the root element; None as long as that is not known, or it is another element."""
        return self._reader.namespace if self._reader else self._scan.namespace

    def __iter__(self) -> Iterator[Sequence[Entry | ScannedEntry]]:
        try:
            for batch in self._scan:
                self._batch = len(batch)
                yield batch
                if self._batch:
                    raise NotPlainError
        except NotPlainError:
            self._reader = SitemapReader(self._chunks(), "urlset", self._maxsize)
            yield from self._rest(self._reader)
        self.complete = True

    def took(self, count: int) -> None:
        """Say how many entries of the last batch were taken."""
        self.entries += count
        self._batch -= count

    def _rest(self, reader: SitemapReader) -> Iterator[Sequence[Entry]]:
        """What the full reader gives after the entries that were taken from the scanner."""
        skipped = self.entries
        for batch in reader:
            rest = batch[skipped:]
            skipped -= len(batch) - len(rest)
            if rest:
                yield rest
