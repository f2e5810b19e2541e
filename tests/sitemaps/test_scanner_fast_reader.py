"""A sitemap that is scanned, and read in full from where the scanner stops."""

from __future__ import annotations

import gzip
from contextlib import suppress

import pytest

from tests.sitemaps.scanning import MAXSIZE, ONE, TWO, scanned, sitemap
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE
from woo_harvester.sitemaps.reader import OtherRootError
from woo_harvester.sitemaps.scanner import NotPlainError, ScannedEntry, UrlsetReader
from woo_harvester.sitemaps.xml_stream import SitemapError

COMMENTED = "<url><!-- not where an entry begins with its loc --><loc>https://a.nl/3.pdf</loc></url>"


class Reading:
    """A file that is read as the spider reads it, with an entry that the scanner cannot give."""

    def __init__(self, body: bytes, refused: str | None = None, maxsize: int = MAXSIZE) -> None:
        self.reader = UrlsetReader(lambda: [body], maxsize)
        self.refused = refused
        self.entries: list[tuple[str, bool]] = []
        """The loc of each entry, and whether it was scanned."""

    def run(self) -> list[tuple[str, bool]]:
        for batch in self.reader:
            count = 0
            with suppress(NotPlainError):
                for entry in batch:
                    if entry.loc == self.refused and isinstance(entry, ScannedEntry):
                        raise NotPlainError
                    entry.parse()
                    self.entries.append((entry.loc, isinstance(entry, ScannedEntry)))
                    count += 1
            self.reader.processed(count)
        return self.entries


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("refused", [1, 2, None])
def test_a_plain_file_is_scanned_up_to_an_entry_that_could_not_be_processed(
    packed: bool, refused: int | None
) -> None:
    body = sitemap(ONE, TWO, ONE.replace("1.pdf", "3.pdf"))
    reading = Reading(gzip.compress(body) if packed else body, f"https://a.nl/{refused}.pdf")
    reader = reading.reader
    assert (reader.entries, reader.complete, reader.contents.namespace) == (0, False, None)
    scanned_before = refused or 4
    assert reading.run() == [(f"https://a.nl/{number}.pdf", number < scanned_before) for number in (1, 2, 3)]
    assert (reader.entries, reader.complete) == (3, True)
    assert (reader.contents.namespace, reader.contents.size) == (SITEMAP_NAMESPACE, len(body))


def test_a_file_that_is_not_plain_is_read_in_full_and_one_without_entries_is_complete() -> None:
    reading = Reading(sitemap(ONE, COMMENTED))
    assert reading.run() == [("https://a.nl/1.pdf", False), ("https://a.nl/3.pdf", False)]
    empty = Reading(sitemap())
    assert (empty.run(), empty.reader.complete, reading.reader.complete) == ([], True, True)


def test_a_file_that_cannot_be_read_raises_the_error_of_the_full_reader_after_its_entries() -> None:
    reading = Reading(sitemap(ONE, "<url><loc>https://a.nl/2", end=""))
    with pytest.raises(SitemapError) as caught:
        reading.run()
    assert (caught.value.reason, reading.reader.complete) == ("afgebroken", False)
    assert [loc for loc, _ in reading.entries] == ["https://a.nl/1.pdf"]
    with pytest.raises(SitemapError) as caught:
        Reading(sitemap(ONE, TWO), maxsize=50).run()
    assert caught.value.reason == "te-groot"
    with pytest.raises(OtherRootError):
        Reading(b"<rss/>").run()


def test_lines_are_counted_in_any_order() -> None:
    entries = list(scanned([sitemap(ONE, "\n\n", TWO, "\n", ONE)]))
    assert [entry.line for entry in reversed(entries)] == [5, 4, 2]
    assert [entry.line for entry in entries] == [2, 4, 5]
