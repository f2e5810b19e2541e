from __future__ import annotations

from io import BytesIO
from typing import Any, cast

import pytest

from tests.utils.crawlers import crawler_of
from woo_harvester.crawl.entry_pages import EntryPage, EntryPageVisit
from woo_harvester.crawl.permit_files import PermitFiles
from woo_harvester.demo.permit_messages import message
from woo_harvester.findings import Reporter
from woo_harvester.items import StreamedResponse
from woo_harvester.permits.listing import Link
from woo_harvester.report.accounts import PermitAccount

URL = "https://www.voorbeeldstad.nl/xml/"


def test_a_file_that_nothing_can_be_made_of_gives_its_place_back() -> None:
    nothing = cast("Any", None)
    crawler = crawler_of(WOO_MESSAGE_MAXSIZE=1_000_000, WOO_FULL_READ_DAYS=7)
    reader = PermitFiles(crawler, nothing, nothing)
    page = EntryPage(URL, "Voorbeeldstad", frozenset())
    visit = EntryPageVisit(page, 1, 1, Reporter(lambda finding: None), PermitAccount(page.host))
    visit.begin_request()
    response = StreamedResponse(f"{URL}a.xml", file=BytesIO(message()))
    with pytest.raises(AttributeError):
        reader.parse_file(response, visit, Link(f"{URL}a.xml", is_xml=True), None)
    assert visit.under_way == 0
