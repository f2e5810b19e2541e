from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, cast

import pytest
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.utils.test import get_crawler
from sqlalchemy import func, select
from twisted.python.failure import Failure

from tests.utils.crawlers import crawler_of
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import StreamedResponse
from woo_harvester.permits import files as permit_writes
from woo_harvester.permits.account import PermitAccount
from woo_harvester.permits.demo_messages import message
from woo_harvester.permits.entry_pages import EntryPage, EntryPageVisit
from woo_harvester.permits.files import PermitFiles
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.listing import Link
from woo_harvester.permits.state import PermitFile, entry_page_id
from woo_harvester.permits.tables import permit_files
from woo_harvester.tooi.lists import organisaties

URL = "https://www.voorbeeldstad.nl/xml/"

PAGE = "https://www.voorbeeldstad.nl/xml/"
MANY = permit_writes._FILES


class Run:
    """A run on one entry page, with a state in memory."""

    def __init__(self) -> None:
        self.crawler = get_crawler(settings_dict={"DELTAFETCH_ENABLED": False})
        self.keeper = StateKeeper(self.crawler)
        self.keeper.outputs = 1
        self.keeper.open([], reset=False)
        with self.keeper.begin() as connection:
            self.number = entry_page_id(connection, PAGE, "www.voorbeeldstad.nl")
        page = EntryPage(PAGE, "Voorbeeldstad", frozenset())
        account = PermitAccount(page.host)
        self.visit = EntryPageVisit(page, self.number, 1, Reporter(lambda finding: None), account)
        self.files = PermitFiles(self.crawler, self.keeper, organisaties())
        self.read = 0

    def add(self, count: int = 1, size: int = 100) -> int:
        """Add files; return how many the state has then."""
        for _ in range(count):
            self.add_one(size)
        return self.written

    def add_one(self, size: int = 100) -> None:
        """Add a file, without asking the state."""
        self.read += 1
        link = Link(f"{PAGE}{self.read}.xml", is_xml=True)
        self.files._add(self.visit, link, PermitFile(RememberedFile("ab"), read_at=5), None, size)

    @property
    def written(self) -> int:
        """The number of files in the state."""
        with self.keeper.begin() as connection:
            return connection.scalar(select(func.count()).select_from(permit_files)) or 0


@pytest.fixture
def run() -> Iterator[Run]:
    made = Run()
    yield made
    made.keeper.engine_stopped()


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


# When the files of entry pages that were read are written to the state.
def test_files_are_written_together_when_there_are_many(run: Run) -> None:
    assert run.add(MANY - 1) == 0
    assert run.add() == MANY
    assert run.add(MANY - 1) == MANY
    assert run.add() == MANY * 2
    with run.keeper.begin() as connection:
        numbers = list(connection.execute(select(permit_files.c.id)).scalars())
    assert all(number in run.visit.listed for number in numbers)


def test_large_files_do_not_wait_for_many(run: Run) -> None:
    assert run.add(size=permit_writes._SIZE - 1) == 0
    assert run.add(size=1) == 2
    assert run.add(size=1) == 2


def test_the_rest_is_written_when_a_page_is_done(run: Run) -> None:
    run.add(3)
    run.files.write()
    assert run.written == 3
    run.files.write()
    assert run.written == 3


def test_the_rest_is_written_when_the_spider_is_closed(run: Run) -> None:
    run.add(2)
    run.crawler.signals.send_catch_log(signals.spider_closed, spider=None, reason="finished")
    assert run.written == 2


def test_a_state_that_fails_ends_the_run_and_is_not_written_again(run: Run) -> None:
    run.add(MANY - 1)
    run.keeper._broken = True
    with pytest.raises(CloseSpider):
        run.add()
    run.add_one()
    results = run.crawler.signals.send_catch_log(signals.spider_closed, spider=None, reason="finished")
    assert not any(
        isinstance(result, Failure) and isinstance(result.value, CloseSpider) for _, result in results
    )
