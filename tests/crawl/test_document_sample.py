"""The documents of a large host that an audit requests."""

from __future__ import annotations

from collections.abc import Iterable

from tests.utils.crawlers import item_of
from woo_harvester.crawl.document_sample import Chosen, DocumentSample
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.items import WooItem


def document(
    number: int, *, sitemap: str = "1", category: str = "convenanten", extension: str = "pdf"
) -> WooItem:
    given = GivenMetadata(informatiecategorieen=[Value(category, None)])
    item = item_of(given, loc=f"https://www.a.nl/documenten/{number}.{extension}")
    item.record.herkomst.sitemap = f"https://www.a.nl/{sitemap}.xml"
    return item


def locs(items: Iterable[WooItem]) -> list[str]:
    return [item.record.document.weblocatie for item in items]


def choose(items: Iterable[WooItem], size: int) -> tuple[Chosen, list[str]]:
    """Return what is chosen, and the locations of all that is left out, in the order of that."""
    sample = DocumentSample(size)
    out = [left for item in items for left in sample.offer(item)]
    chosen = sample.choose()
    return chosen, locs([*out, *chosen.left_out])


def test_each_document_is_requested_or_left_out_once() -> None:
    for count, size, groups in ((40, 40, 3), (3000, 400, 90), (500, 100, 500)):
        items = [
            document(number, sitemap=str(number % groups), category=f"c{number % groups}")
            for number in range(count)
        ]
        chosen, left_out = choose(items, size)
        assert len(chosen.requested) == size
        assert sorted([*locs(chosen.requested), *left_out]) == sorted(locs(items))


def test_each_sitemap_category_and_kind_is_in_it() -> None:
    rare = [
        document(1, sitemap="klein"),
        document(2, category="adviezen"),
        document(3, extension="docx"),
        document(4, extension="qqq"),
    ]
    chosen, _ = choose([*(document(number) for number in range(10, 20_000)), *rare], 400)
    assert set(locs(rare)) <= set(locs(chosen.requested))


def test_what_is_kept_does_not_grow_with_the_host() -> None:
    sample, kept = DocumentSample(100), 0
    for number in range(5000):
        item = document(number, sitemap=str(number), category=f"c{number}", extension=f"x{number}")
        kept += 1 - len(sample.offer(item))
    assert kept <= 100 + 40 + 20 + 20


def test_documents_are_drawn_evenly() -> None:
    chosen, _ = choose([document(number, sitemap=str(number % 4)) for number in range(8000)], 400)
    requested = [int(loc.split("/")[-1][:-4]) for loc in locs(chosen.requested)]
    from_each = [sum(number % 4 == part for number in requested) for part in range(4)]
    assert min(from_each) > 60
