"""The spider that harvests what Dutch public bodies publish under the Woo."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, NotConfigured
from scrapy.spiders import SitemapSpider

from woo_harvester.arguments import ArgumentError, read_arguments
from woo_harvester.dates import day_of
from woo_harvester.extensions.ending import end_run
from woo_harvester.extensions.findings import Findings
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.folders import data_dir
from woo_harvester.items import WooItem
from woo_harvester.register import RegisterError
from woo_harvester.register_fetch import obtain_register
from woo_harvester.spiders.conclusion import Conclusion
from woo_harvester.spiders.documents import Documents
from woo_harvester.spiders.entries import Entries
from woo_harvester.spiders.hostreader import HostReader
from woo_harvester.spiders.hosts import select_hosts
from woo_harvester.spiders.visit import Visit
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.store import StateError
from woo_harvester.state.withdrawal import Limits

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response


NO_JOBDIR = (
    "JOBDIR is set, and a run that is resumed from it may lose documents without telling: leave it out, "
    "since the next run goes on where this one ends"
)


class WooSpider(SitemapSpider):
    """Visits hosts, reads their robots.txt, indexes and sitemaps, and makes an item of each document.

    What is read is decided by the naming convention of the guide, not by ``sitemap_follow``; how, by
    :class:`~woo_harvester.spiders.hostreader.HostReader`. The arguments are those of
    :class:`~woo_harvester.arguments.WooArguments`.
    """

    name = "woo"
    opens_state = True
    """Opens the state itself, when it knows its hosts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.arguments = read_arguments(kwargs)
        super().__init__(*args, **{key: value for key, value in kwargs.items() if key.startswith("_")})
        self.failure: tuple[int, str] | None = None
        """Exit status and line of a run that could not start or not go on."""
        self._visits: list[Visit] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.spider_idle, signals.spider_idle)
        return spider

    @classmethod
    def check_arguments(cls, given: Mapping[str, Any]) -> None:
        """Raise :class:`ArgumentError` for an argument that makes no sense."""
        read_arguments(given)

    async def start(self) -> AsyncIterator[Request]:
        """The robots.txt of each host."""
        try:
            hosts = await self._prepare()
        except (ArgumentError, RegisterError, StateError) as error:
            self.failure = (2 if isinstance(error, ArgumentError) else 1, str(error))
            raise CloseSpider("cannot_start") from error
        self.crawler.stats.set_value("woo/hosts/selected", len(hosts))
        for host in hosts:
            visit = self._visit(host)
            self._visits.append(visit)
            yield self.reader.robots(visit)

    def is_registered(self, host: str) -> bool:
        """Whether requests may go to *host*."""
        return self.register.is_registered(host)

    def spider_idle(self) -> None:
        """Conclude what is gone, once all hosts were read; a run that is closed early does not come here."""
        visits, self._visits = self._visits, []
        if visits:
            request = Request(
                "data:,", callback=self.conclude, cb_kwargs={"visits": visits}, dont_filter=True
            )
            self.crawler.engine.crawl(request)
            raise DontCloseSpider

    def conclude(self, response: Response, visits: list[Visit]) -> Iterator[WooItem]:
        """The records of withdrawals."""
        for verdict, count in self.entries.counts.items():
            self.crawler.stats.inc_value(f"woo/documents/{verdict.name.lower()}", count)
        self.crawler.stats.inc_value("deltafetch/skipped", self.entries.skipped)
        try:
            for visit in visits:
                yield from self.conclusion.items(visit)
        except OSError as error:
            end_run(self.crawler, "report_failed", f"what is held back could not be listed: {error}")

    async def _prepare(self) -> tuple[str, ...]:
        """Read the register, choose the hosts and open their state."""
        settings = self.settings
        if settings["JOBDIR"]:
            raise StateError(NO_JOBDIR)
        findings, keeper = self._extensions()
        register = await obtain_register(
            self.arguments.register_source or settings["WOO_REGISTER"],
            data_dir(settings),
            findings.report,
            day_of(datetime.now(UTC)),
            user_agent=settings["USER_AGENT"],
        )
        self.report = findings.report
        self.register, hosts = select_hosts(register, self.arguments, self.report)
        keeper.open(hosts, reset=self.arguments.deltafetch_reset)
        self.keeper = keeper
        patience = timedelta(days=settings.getfloat("WOO_REFUSED_DAYS"))
        self.entries = Entries(self.register, self.report, keeper, patience)
        uses_content = settings["FILES_STORE"] or settings.getbool("WOO_TEXT")
        mode = self.arguments.documents or ("download" if uses_content else "head")
        documents = Documents(mode, keeper, settings)
        self.reader = HostReader(self.crawler, keeper, self.entries, documents)
        documents.finish = self.reader.finish
        limits = Limits(
            settings.getfloat("WOO_WITHDRAW_SHARE"),
            settings.getint("WOO_WITHDRAW_DOCUMENTS"),
            settings.getint("WOO_WITHDRAW_ALL_OF"),
            settings.getint("WOO_WITHDRAW_RUNS"),
        )
        held = findings.folder / "held.jsonl"
        self.conclusion = Conclusion(self.register, keeper, self.report, limits, held)
        return hosts

    def _extensions(self) -> tuple[Findings, StateKeeper]:
        findings = self.crawler.get_extension(Findings)
        keeper = self.crawler.get_extension(StateKeeper)
        if findings is None or keeper is None:
            raise NotConfigured(
                "The spider needs the extensions Findings and StateKeeper of woo_harvester.Addon"
            )
        return findings, keeper

    def _visit(self, host: str) -> Visit:
        bodies = self.register.organisations_of_host(host)
        with self.keeper.begin() as connection:
            known = host_of_state(connection, host)
        return Visit(
            host,
            bodies[0].identifier if len(bodies) == 1 else None,
            known,
            self.settings.getint("WOO_HOST_BACKLOG"),
            self.report,
            self.is_registered,
        )
