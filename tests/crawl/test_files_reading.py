from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from tests.crawl.test_hosts import visit_of
from tests.utils.crawlers import crawler_of
from woo_harvester.crawl.documents import Documents
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.files import HostReader
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.sitemaps.facts import Terms


def test_a_host_whose_last_documents_end_together_is_counted_once() -> None:
    crawler = crawler_of()
    keeper = cast("StateKeeper", None)  # nothing is read or written here
    entries = cast("Entries", SimpleNamespace(terms=Terms()))
    reader = HostReader(crawler, keeper, entries, Documents("head", keeper, crawler))
    visit = visit_of()
    visit.begin_request()
    reader.finish(visit)
    assert crawler.stats.get_value("woo/hosts/done") is None
    visit.end_request()
    for _ in range(2):
        reader.finish(visit)
    assert crawler.stats.get_value("woo/hosts/done") == 1
    assert crawler.stats.get_value("woo/hosts/complete") == 1
