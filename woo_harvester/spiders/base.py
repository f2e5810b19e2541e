"""The base class of the spiders: arguments, register, state, and a last step once all has been read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, UsageError

from woo_harvester.crawl.answers import check_expected
from woo_harvester.extensions.findings import Findings
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.kinds import Kind
from woo_harvester.register import Register, RegisterError
from woo_harvester.register.fetch import obtain_register
from woo_harvester.register.names import Vocabulary
from woo_harvester.register.register import OpenRegister
from woo_harvester.report.run_folder import FILTERED
from woo_harvester.running.arguments import Arguments
from woo_harvester.running.causes import ArgumentError, StartError
from woo_harvester.running.ending import CANNOT_START, fail_run
from woo_harvester.running.paths import data_dir
from woo_harvester.state.resources import forget_host
from woo_harvester.state.store import StateError, StateSettingError
from woo_harvester.tooi.lists import ValueLists, bundled
from woo_harvester.tooi.stored import known_editions
from woo_harvester.utils.dates import day_of
from woo_harvester.utils.fetch import TrustError, trusted_context

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection
    from twisted.python.failure import Failure

    from woo_harvester.audit.given import GivenHost


_NO_JOBDIR = (
    "JOBDIR is set, and a run that is resumed from it may lose documents silently: leave it out, "
    "because the next run goes on where this one ends"
)


_NO_START = "%s overrides start without yielding what super().start() yields, so no host is read"

_NO_ADDON = (
    "the spider needs the extensions Findings and StateKeeper: "
    'add ADDONS = {"woo_harvester.Addon": 500} to the settings of the project, and switch neither off'
)


def _check(failure: Failure) -> None:
    check_expected(failure.value)


def status_of(error: Exception) -> int:
    """Return the exit status of a run that cannot start: 2 for a wrong argument or setting, otherwise 1."""
    return 2 if isinstance(error, ArgumentError | StateSettingError | UsageError) else 1


class HarvestSpider(Spider):
    """A spider that reads the register first, and makes its last records once all hosts have been read.

    A run that cannot start is closed with one line in the log, and with ``failure`` set, which the command
    ``crawl`` prints.
    """

    delivers_known = False
    """True: with ``DELTAFETCH_ENABLED`` off, it delivers known documents again, and keeps the state."""
    arguments_type: ClassVar[type[Arguments]]
    record_kind: ClassVar[Kind]
    """Kind of its records, which decides the columns of a CSV file and the search index."""
    _on_disk: Sequence[GivenHost] = ()
    """The argument ``_on_disk`` of an audit of files: what answers in the place of hosts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._argument_error: ArgumentError | None = None
        """What is wrong with the arguments: an exception here would be a traceback in the log."""
        try:
            self.arguments = self.arguments_type.read(kwargs)
        except ArgumentError as error:
            self._argument_error = error
        super().__init__(*args, **{key: value for key, value in kwargs.items() if key.startswith("_")})
        self.failure: tuple[int, str] | None = None
        """Exit status and message of a run that could not start or had to end; None for any other run."""
        self.renamed: dict[str, str] = {}
        """What to say of hosts that were typed under a name that the register does not have, by host."""
        self.of_register: list[Finding] = []
        """Findings about the register in a run over a part of it."""
        self._is_reading: bool | None = None
        """True until :meth:`all_read` is called, when no request is left; None before :meth:`start`."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        if settings["JOBDIR"]:
            spider._argument_error = ArgumentError(_NO_JOBDIR)
            settings.set("JOBDIR", None, settings.getpriority("JOBDIR") or 0)  # else Scrapy makes the folder
        crawler.signals.connect(spider.spider_idle, signals.spider_idle)
        return spider

    @property
    def on_disk(self) -> dict[str, GivenHost]:
        """The files of an audit that answer in the place of hosts, by host; empty in any other run."""
        return {host.host: host for host in self._on_disk}

    @classmethod
    def check_arguments(cls, given: Mapping[str, Any]) -> None:
        """Raise :class:`ArgumentError` if an argument is unknown or has an invalid value."""
        cls.arguments_type.read(given)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first requests, once the register is read and the state is open."""
        self._is_reading = False
        try:
            if self._argument_error is not None:
                raise self._argument_error
            await self._prepare()
            requests = self.first_requests()
        except (ArgumentError, RegisterError, StartError, StateError, TrustError, UsageError) as error:
            fail_run(self.crawler, str(error), status_of(error))
            raise CloseSpider(CANNOT_START) from error
        self._is_reading = True
        for request in requests:
            request.meta["is_start_request"] = True  # first in, first out, as Scrapy documents it
            yield request

    def spider_idle(self) -> None:
        """Schedule the call of :meth:`all_read`. Scrapy sends no such signal if a run is closed early."""
        if self._is_reading is None:
            self.logger.warning(_NO_START, self.name)
        was_reading, self._is_reading = self._is_reading, False
        if was_reading:
            request = Request("data:,", callback=self.all_read, errback=_check, dont_filter=True)
            self.crawler.engine.crawl(request)
            raise DontCloseSpider

    def host_locks(self, hosts: Iterable[str]) -> list[str]:
        """Return the names of the locks on *hosts* that a run of this spider has."""
        return list(hosts)

    def forget(self, connection: Connection, host: str) -> None:
        """Forget what the state knows of a host."""
        forget_host(connection, host)

    @abstractmethod
    def note_incomplete(self, host: str) -> None:
        """Note that the harvester itself failed on something of a host: it was not read completely."""

    @abstractmethod
    def select(self, register: Register) -> Register:
        """Select the hosts to read, and open the state for them. Return the register for this run.

        Raises ArgumentError or StateError.
        """

    @abstractmethod
    def first_requests(self) -> list[Request]:
        """Return the requests that the run begins with."""

    @abstractmethod
    def all_read(self, response: Response) -> Any:
        """Yield the records that can be made only when all hosts or entry pages have been read."""

    def is_registered(self, host: str) -> bool:
        """Return whether requests may go to *host*."""
        return self.register.is_registered(host)

    async def _prepare(self) -> None:
        """Read the register, and open the state."""
        settings = self.settings
        trusted_context()  # fails before the first request, because no publisher is at fault
        findings, keeper = self.crawler.get_extension(Findings), self.crawler.get_extension(StateKeeper)
        if findings is None or keeper is None:
            raise StartError(_NO_ADDON)
        self.run_folder, self.report = findings.run_folder, Reporter(findings.report)
        self.keeper = keeper
        self.accounts, self.common_cause = findings.accounts, findings.common_cause
        findings.arguments = self.arguments
        if self.arguments.is_filtered:
            self.crawler.stats.set_value(FILTERED, 1)
        today = day_of(datetime.now(UTC))
        report = self.report if self.arguments.is_over_register else Reporter(self.of_register.append)
        register = await self.read_register(settings, report)
        if register.date is not None:
            self.crawler.stats.set_value("woo/register/date", register.date.isoformat())
        self.vocabulary = Vocabulary(self._value_lists(today), register)
        self.register = self.select(register)
        for finding in filter(self.is_asked, self.of_register):
            self.report.send(finding)

    def is_asked(self, finding: Finding) -> bool:
        """Return whether a finding about the register is about what this run visits, a part of it."""
        return True

    async def read_register(self, settings: BaseSettings, report: Reporter) -> Register:
        """Return the register of this run. Raises RegisterError."""
        if self.on_disk:
            return OpenRegister()
        return await obtain_register(
            self.arguments.register_source or settings["WOO_REGISTER"],
            data_dir(settings),
            report,
            day_of(datetime.now(UTC)),
            user_agent=settings["USER_AGENT"],
        )

    def _value_lists(self, today: date) -> ValueLists:
        """Return the value lists of this run, and count those that are old."""
        stats = self.crawler.stats
        try:
            lists = ValueLists.make(known_editions(data_dir(self.settings)))
        except ValueError as error:
            self.logger.warning("%s; the lists that ship with the project are used", error)
            stats.set_value("woo/tooi/unusable", 1)
            lists = bundled()
        if outdated := lists.outdated(today):
            stats.set_value("woo/tooi/outdated", outdated)
        return lists
