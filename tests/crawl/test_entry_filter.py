from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest

from woo_harvester.crawl.entry_filter import FilteredEntries, FilterError
from woo_harvester.demo.sitemaps import DiWoo, sitemap
from woo_harvester.demo.sitemaps import Entry as Given
from woo_harvester.sitemaps.reader import Entry, SitemapReader

Entries = Iterable[dict[str, Any]]


def numbered(count: int) -> list[Entry]:
    return [Entry(f"https://a.nl/{number}", None, number + 1, None) for number in range(count)]


def in_batches(entries: list[Entry], size: int = 100) -> Iterator[list[Entry]]:
    for start in range(0, len(entries), size):
        yield entries[start : start + size]


def kept(filtered: FilteredEntries) -> list[str]:
    return [entry.loc for batch in filtered for entry in batch]


def even(entries: Entries) -> Entries:
    return (entry for entry in entries if int(entry["loc"][-1]) % 2 == 0)


def test_entries_that_the_filter_does_not_yield_are_left_out() -> None:
    filtered = FilteredEntries(even, in_batches(numbered(10), 3))
    assert kept(filtered) == [f"https://a.nl/{number}" for number in (0, 2, 4, 6, 8)]
    assert filtered.left_out == 5


def test_the_batches_are_as_large_as_the_state_looks_up_at_once() -> None:
    filtered = FilteredEntries(lambda entries: entries, in_batches(numbered(2500)))
    assert [len(batch) for batch in filtered] == [1000, 1000, 500]
    assert filtered.left_out == 0


def test_a_filter_gets_entries_only_as_they_are_asked_for() -> None:
    read: list[int] = []

    def batches() -> Iterator[list[Entry]]:
        for batch in in_batches(numbered(3000), 500):
            read.append(len(batch))
            yield batch

    filtered = iter(FilteredEntries(lambda entries: entries, batches()))
    next(filtered)
    assert sum(read) == 1000


def test_the_file_is_read_to_its_end_when_the_filter_ends_before() -> None:
    filtered = FilteredEntries(lambda entries: islice(entries, 2), in_batches(numbered(500)))
    assert kept(filtered) == ["https://a.nl/0", "https://a.nl/1"]
    assert filtered.left_out == 498


def test_a_filter_may_sort_and_copy() -> None:
    def newest_first(entries: Entries) -> Entries:
        return [
            {**entry, "more": 1} for entry in sorted(entries, key=lambda entry: entry["loc"], reverse=True)
        ]

    filtered = FilteredEntries(newest_first, in_batches(numbered(3)))
    assert kept(filtered) == ["https://a.nl/2", "https://a.nl/1", "https://a.nl/0"]


@pytest.mark.parametrize("made", [{"loc": "https://other.nl/"}, {}, "https://a.nl/0"])
def test_a_filter_that_yields_something_else_is_an_error(made: Any) -> None:
    filtered = FilteredEntries(lambda entries: [made], in_batches(numbered(1)))
    with pytest.raises(FilterError, match="yields what it was not given"):
        kept(filtered)


def test_entries_without_a_location_do_not_go_through_the_filter() -> None:
    entries = [*numbered(2), Entry("", "2024-01-01", 3, None)]
    assert kept(FilteredEntries(lambda entries: [], in_batches(entries))) == [""]


def test_an_error_in_the_file_comes_after_its_entries_also_if_the_filter_catches_all() -> None:
    def broken() -> Iterator[list[Entry]]:
        yield numbered(2)
        raise LookupError("broken")

    def careless(entries: Entries) -> Entries:
        try:
            yield from entries
        except Exception:
            return

    batches = iter(FilteredEntries(careless, broken()))
    assert [entry.loc for entry in next(batches)] == ["https://a.nl/0", "https://a.nl/1"]
    with pytest.raises(LookupError, match="broken"):
        next(batches)


def test_an_error_of_the_filter_goes_on() -> None:
    with pytest.raises(KeyError, match="lastmod"):
        kept(FilteredEntries(lambda entries: (e for e in entries if e["lastmod"]), in_batches(numbered(1))))


def test_an_entry_has_the_texts_of_its_elements_by_name() -> None:
    text = sitemap(Given(loc="https://a.nl/x.pdf", lastmod="2024-01-02", diwoo=DiWoo(titel="Besluit")))
    link = b'<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" href="https://a.nl/y.pdf"/>'
    text = text.replace(b"</loc>", b"</loc><priority> 0.8 </priority>" + link)
    seen: list[dict[str, Any]] = []

    def look(entries: Entries) -> Entries:
        seen.extend(entries)
        return seen

    (batch,) = FilteredEntries(look, SitemapReader([text], "urlset", 10**6))
    assert seen == [
        {
            "loc": "https://a.nl/x.pdf",
            "priority": "0.8",
            "Document": "",
            "alternate": ["https://a.nl/y.pdf"],
            "lastmod": "2024-01-02",
        }
    ]
    (entry,) = batch
    assert entry.document is not None
    assert "Besluit" in "".join(map(str, entry.document.itertext()))
