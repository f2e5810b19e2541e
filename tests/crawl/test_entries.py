from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from scrapy.utils.test import get_crawler

from tests.register.exports import AMSTERDAM, organisation, read
from woo_harvester.crawl.entries import Entries, SitemapFilter
from woo_harvester.crawl.hosts import SitemapReading, Visit
from woo_harvester.demo.sitemaps import DiWoo, sitemap
from woo_harvester.demo.sitemaps import Entry as Given
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import WooItem
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.file_findings import Index, Sitemap
from woo_harvester.sitemaps.reader import Entry, SitemapReader
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.state.deliveries import PendingRead
from woo_harvester.state.resources import host_of_state, resource_of
from woo_harvester.tooi import bundled

HOST = "www.a.nl"
LOC = "https://www.a.nl/woo/besluit.pdf"
REGISTER = read(organisation("gemeente Amsterdam", "https://www.a.nl/woo", id="10", uri=AMSTERDAM))


INDEX = "sitemapindex-diwoo.xml"


@contextmanager
def reading_of(
    index: str = INDEX, keeps: SitemapFilter | None = None
) -> Iterator[tuple[Entries, SitemapReading, list[Finding]]]:
    findings: list[Finding] = []
    report = Reporter(findings.append)
    keeper = StateKeeper(get_crawler(settings_dict={"DELTAFETCH_ENABLED": False}))
    keeper.open([], reset=False)
    url = f"https://{HOST}/{index}"
    sitemap = Sitemap("https://www.a.nl/a.xml", Index(url, index_name(url)))
    with keeper.begin() as connection:
        host = host_of_state(connection, HOST)
        resource = resource_of(connection, host.id, sitemap.url, "sitemap", url)
        reader = Entries(REGISTER, Vocabulary(bundled(), REGISTER), report, keeper, keeps=keeps)
        visit = Visit(HOST, None, host, 1, report, REGISTER.is_registered, Account(HOST))
        reading = reader.start_reading(connection, visit, sitemap, PendingRead(resource.id))
    yield reader, reading, findings
    keeper.engine_stopped()


def read_all(*entries: Entry, index: str = INDEX) -> tuple[list[WooItem | None], list[Finding]]:
    found = []
    with reading_of(index) as (reader, reading, findings):
        for entry in entries:
            items, processed = reader.select([entry], reading)
            assert processed == 1
            found.append(next(items, None))
    return found, findings


def test_the_filter_gets_what_is_about_to_be_delivered_and_another_entry_may_count_instead() -> None:
    text = sitemap(Given(loc=LOC, lastmod="2024-01-02", diwoo=DiWoo(titel="Besluit")))
    link = b'<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" href="https://a.nl/y.pdf"/>'
    text = text.replace(b"</loc>", b"</loc><priority> 0.8 </priority>" + link)
    (batch,) = SitemapReader([text], "urlset", 10**6)
    seen: list[dict[str, Any]] = []

    def only_plain(entries: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for entry in entries:
            seen.append(entry)
            if "priority" not in entry:
                yield entry

    with reading_of(keeps=only_plain) as (reader, reading, _):
        entries = [*batch, Entry("http://b.nl/", None, 8, None), Entry(LOC, None, 9, None)]
        items, processed = reader.select(entries, reading)
        (item,) = items
        assert item.report.line == 9
        assert (processed, reading.left_out, reading.pending.must_reread) == (3, 1, True)
        again = Entry(LOC, None, 9, None)
        assert list(reader.select([again], reading)[0]) == []
    assert seen == [
        {
            "loc": LOC,
            "lastmod": "2024-01-02",
            "priority": "0.8",
            "Document": "",
            "alternate": ["https://a.nl/y.pdf"],
        },
        {"loc": LOC},
    ]


def test_an_item_says_where_it_came_from() -> None:
    (item,), findings = read_all(Entry(LOC, "2024-04-02T10:00:00+02:00", 7, None))
    assert item is not None
    assert findings == []
    assert item.record.document.weblocatie == LOC
    assert item.record.herkomst.index == f"https://{HOST}/{INDEX}"
    assert item.record.herkomst.sitemap == "https://www.a.nl/a.xml"
    assert item.record.herkomst.lastmod == "2024-04-02T10:00:00+02:00"
    assert item.record.herkomst.organisatie == AMSTERDAM


def test_a_loc_that_may_not_be_harvested_gives_no_item_but_a_finding() -> None:
    for loc, code in (("", "loc.ontbreekt"), ("https://www.b.nl/a.pdf", "loc.niet-geregistreerd")):
        items, (finding,) = read_all(Entry(loc, "2024-04-02", 7, None))
        assert items == [None]
        assert (finding.code, finding.line, finding.action) == (code, 7, "overgeslagen")
        assert finding.sitemap == "https://www.a.nl/a.xml"


def test_an_item_is_made_when_it_is_asked_for_and_the_entries_before_it_are_let_go() -> None:
    batch = [
        Entry(f"https://www.a.nl/woo/{name}.pdf", None, line, None) for name, line in (("a", 7), ("b", 9))
    ]
    first = batch[0]
    with reading_of() as (reader, reading, findings):
        items, processed = reader.select(batch, reading)
        batch.clear()
        assert processed == 2
        for line in (7, 9):
            assert next(items).record.document.weblocatie.startswith("https://www.a.nl/woo/")
            assert findings[-1].line == line
        assert sys.getrefcount(first) == 2  # the name here, and the argument
        assert next(items, None) is None


def test_the_name_of_the_index_gives_the_category_if_it_has_a_number() -> None:
    labels = {
        "sitemapindex-diwoo-infocat014.xml": "Woo-verzoeken en -besluiten",
        "sitemapindex-diwoo.xml": None,
    }
    for index, label in labels.items():
        (item,), _ = read_all(Entry(LOC, "2024-04-02", 7, None), index=index)
        assert item is not None
        assert item.source is not None
        assert (item.source.category and item.source.category.label) == label
