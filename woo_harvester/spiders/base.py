"""The base of this project's spiders: arguments, register, state, and a last step after all reading."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, NotConfigured

from woo_harvester.arguments import ArgumentError, Arguments
from woo_harvester.dates import day_of
from woo_harvester.extensions.findings import Findings
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import RecordItem
from woo_harvester.paths import data_dir
from woo_harvester.register import Register, RegisterError
from woo_harvester.register.fetch import obtain_register
from woo_harvester.search.record_kind import RecordKind
from woo_harvester.state.store import StateError
from woo_harvester.trust import TrustError, trusted_context

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response


NO_JOBDIR = (
    "JOBDIR is set, and a run that is resumed from it may lose documents silently: leave it out, "
    "because the next run goes on where this one ends"
)

Output = AsyncIterator[Request | RecordItem]


def status_of(error: Exception) -> int:
    """Return the exit status of a run that cannot start: 2 for a wrong argument, otherwise 1."""
    return 2 if isinstance(error, ArgumentError) else 1


class HarvestSpider(Spider):
    """Reads the register, opens the state for its hosts, and takes a last step once all have been read.

    A run that cannot start is closed with ``failure`` set, which the command ``crawl`` prints.
    """

    opens_state = True
    """The spider opens the state itself, when it knows its hosts."""
    arguments_type: ClassVar[type[Arguments]]
    search_kind: ClassVar[RecordKind]
    """The kind of its records in the search index."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.arguments = self.arguments_type.read(kwargs)
        super().__init__(*args, **{key: value for key, value in kwargs.items() if key.startswith("_")})
        self.failure: tuple[int, str] | None = None
        """Exit status and message of a run that could not start or not go on."""
        self._is_reading = False
        """Whether :meth:`all_read` is still to be called, when nothing is under way any more."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.spider_idle, signals.spider_idle)
        return spider

    @classmethod
    def check_arguments(cls, given: Mapping[str, Any]) -> None:
        """Raise :class:`ArgumentError` for an argument that makes no sense."""
        cls.arguments_type.read(given)

    async def start(self) -> AsyncIterator[Request]:
        """Give the first request of each host or entry page."""
        try:
            await self._prepare()
            requests = self.first_requests()
        except (ArgumentError, RegisterError, StateError, TrustError) as error:
            self.failure = (status_of(error), str(error))
            raise CloseSpider("cannot_start") from error
        self._is_reading = True
        for request in requests:
            yield request

    def spider_idle(self) -> None:
        """Have :meth:`all_read` called; Scrapy sends no such signal to a run that is closed early."""
        if self._is_reading:
            self._is_reading = False
            request = Request("data:,", callback=self.all_read, dont_filter=True)
            self.crawler.engine.crawl(request)
            raise DontCloseSpider

    def read_more(self) -> None:
        """Have :meth:`all_read` called once more, after what it requests has been read."""
        self._is_reading = True

    @abstractmethod
    def select(self, register: Register) -> Register:
        """Select what is read, and open the state for it; return the register as this run sees it.

        Raises ArgumentError or StateError.
        """

    @abstractmethod
    def first_requests(self) -> list[Request]:
        """Return the requests that the run begins with."""

    @abstractmethod
    def all_read(self, response: Response) -> Any:
        """Give the records that can be made only when all hosts or entry pages have been read."""

    def is_registered(self, host: str) -> bool:
        """Return whether requests may go to *host*."""
        return self.register.is_registered(host)

    async def _prepare(self) -> None:
        """Read the register, and open the state."""
        settings = self.settings
        if settings["JOBDIR"]:
            raise StateError(NO_JOBDIR)
        trusted_context()  # fails before the first request, because no publisher is at fault
        findings, keeper = self.crawler.get_extension(Findings), self.crawler.get_extension(StateKeeper)
        if findings is None or keeper is None:
            raise NotConfigured(
                "The spider needs the extensions Findings and StateKeeper of woo_harvester.Addon"
            )
        self.run_folder, self.report = findings.run_folder, Reporter(findings.report)
        self.keeper = keeper
        self.accounts, self.common_cause = findings.accounts, findings.common_cause
        register = await obtain_register(
            self.arguments.register_source or settings["WOO_REGISTER"],
            data_dir(settings),
            self.report,
            day_of(datetime.now(UTC)),
            user_agent=settings["USER_AGENT"],
        )
        if register.date is not None:
            self.crawler.stats.set_value("woo/register/date", register.date.isoformat())
        self.register = self.select(register)
