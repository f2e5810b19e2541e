"""A sitemap that is scanned, and read in full from where the scanner stops."""

from __future__ import annotations

import gzip

import pytest

from tests.sitemaps.scanning import MAXSIZE, ONE, TWO, scanned, sitemap
from woo_harvester.demo.sitemaps import SITEMAP_NAMESPACE
from woo_harvester.sitemaps.reader import Entry, OtherRootError
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
            self.reader.processed(self._process(batch))
        return self.entries

    def _process(self, batch: object) -> int:
        assert isinstance(batch, list)
        for number, entry in enumerate(batch):
            assert isinstance(entry, (Entry, ScannedEntry))
            if isinstance(entry, ScannedEntry) and (entry.loc == self.refused or not can_be_parsed(entry)):
                return number
            self.entries.append((entry.loc, isinstance(entry, ScannedEntry)))
        return len(batch)


def can_be_parsed(entry: ScannedEntry) -> bool:
    try:
        entry.parse()
    except NotPlainError:
        return False
    return True


@pytest.mark.parametrize("packed", [False, True])
def test_a_plain_file_is_scanned(packed: bool) -> None:
    body = sitemap(ONE, TWO)
    reading = Reading(gzip.compress(body) if packed else body)
    assert (reading.reader.entries, reading.reader.complete, reading.reader.contents.namespace) == (
        0,
        False,
        None,
    )
    assert reading.run() == [("https://a.nl/1.pdf", True), ("https://a.nl/2.pdf", True)]
    assert (reading.reader.entries, reading.reader.complete) == (2, True)
    assert reading.reader.contents.namespace == SITEMAP_NAMESPACE
    assert reading.reader.contents.size == len(body)


@pytest.mark.parametrize("refused", [1, 2])
def test_from_an_entry_that_could_not_be_processed_on_the_file_is_read_in_full(refused: int) -> None:
    body = sitemap(ONE, TWO, ONE.replace("1.pdf", "3.pdf"))
    reading = Reading(body, f"https://a.nl/{refused}.pdf")
    assert reading.run() == [(f"https://a.nl/{number}.pdf", number < refused) for number in (1, 2, 3)]
    assert (reading.reader.entries, reading.reader.complete) == (3, True)
    assert reading.reader.contents.namespace == SITEMAP_NAMESPACE
    assert reading.reader.contents.size == len(body)


def test_a_file_that_is_not_plain_is_read_in_full() -> None:
    reading = Reading(sitemap(ONE, COMMENTED))
    assert reading.run() == [("https://a.nl/1.pdf", False), ("https://a.nl/3.pdf", False)]
    assert reading.reader.complete


def test_a_file_without_entries_is_complete() -> None:
    reading = Reading(sitemap())
    assert reading.run() == []
    assert reading.reader.complete


def test_a_file_that_breaks_off_raises_the_error_after_its_entries() -> None:
    reading = Reading(sitemap(ONE, "<url><loc>https://a.nl/2", end=""))
    with pytest.raises(SitemapError) as caught:
        reading.run()
    assert caught.value.reason == "afgebroken"
    assert [loc for loc, _ in reading.entries] == ["https://a.nl/1.pdf"]
    assert not reading.reader.complete


def test_a_file_beyond_the_bound_or_of_another_kind_raises_the_error_of_the_full_reader() -> None:
    with pytest.raises(SitemapError) as caught:
        Reading(sitemap(ONE, TWO), maxsize=50).run()
    assert caught.value.reason == "te-groot"
    with pytest.raises(OtherRootError):
        Reading(b"<rss/>").run()


def test_lines_are_counted_in_any_order() -> None:
    entries = list(scanned([sitemap(ONE, "\n\n", TWO, "\n", ONE)]))
    assert [entry.line for entry in reversed(entries)] == [5, 4, 2]
    assert [entry.line for entry in entries] == [2, 4, 5]
