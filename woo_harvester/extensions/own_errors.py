"""Reports each exception of the harvester itself, so that none is only in the log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeGuard, Unpack

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, IgnoreRequest

from woo_harvester.extensions.findings import THE_RUN, Findings, run_ended
from woo_harvester.findings import Finding
from woo_harvester.items import RecordItem, WooItem
from woo_harvester.report.funnel import OWN_ERROR, Account
from woo_harvester.report.run_folder import OWN_ERROR_FIRST
from woo_harvester.running.causes import cause_of
from woo_harvester.running.ending import CANNOT_START, RunError, fail_run
from woo_harvester.utils.program import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

#: The loggers of what Scrapy, Twisted and asyncio catch.
_LOGGERS = ("scrapy.", "woo_harvester.", "twisted", "asyncio")

#: The logger of exceptions that Scrapy also sends as a signal, with the request or item; and the beginning of
#: the message about those that it does not.
_SIGNALLED, _UNSIGNALLED = "scrapy.core.scraper", "Scraper bug"

#: Scrapy's finish reason if ``start()`` raised an exception.
_START_ERROR = "start_error"

_SKIPPED = "overgeslagen"


class _About(TypedDict, total=False):
    """What an error is about; the keys are attributes of a finding."""

    url: str | None
    host: str | None
    organisation: str | None
    sitemap: str | None
    action: str | None


class OwnErrors(logging.Handler):
    """The extension that makes a finding of each exception that Scrapy catches, and lets the run fail.

    Scrapy logs an exception in a callback, a pipeline, a middleware or a signal handler, and goes on. So does
    this run: the exception costs one document or file, and its host does not count as read completely. But
    the run ends with status 1, and its last line names the first exception. Callbacks and pipelines have
    signals. What other components raise is only in the log, so this is a handler of it too.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(logging.ERROR)
        self._crawler = crawler
        self._is_late = False
        """True once the run has ended, and only its files are left to write."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_error, signals.spider_error)
        crawler.signals.connect(extension.item_error, signals.item_error)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(extension.run_ended, run_ended)
        return extension

    def spider_opened(self) -> None:
        """Begin to listen to the log."""
        logging.root.addHandler(self)

    def spider_error(self, failure: Failure, response: Response | Failure) -> None:
        """Report an exception in a callback, or in a middleware around it."""
        error, request = failure.value, getattr(response, "request", None)
        if not _is_own_error(error):
            return
        if not isinstance(request, Request):
            self._report(error)
        elif isinstance(item := request.cb_kwargs.get("item"), WooItem):
            self._report_item(error, item)
        else:
            visit, host = request.cb_kwargs.get("visit"), request.meta.get("woo_host")
            about = {"url": request.url, "host": host} if visit is None else visit.about_error(request)
            self._report(error, **about)

    def item_error(self, item: Any, failure: Failure) -> None:
        """Report an exception in a pipeline."""
        error = failure.value
        if not _is_own_error(error):
            return
        if isinstance(item, WooItem):
            self._report_item(error, item)
        elif isinstance(item, RecordItem) and item.host is not None:
            self._report(error, url=item.file, host=item.host)
        else:
            self._report(error)

    def emit(self, record: logging.LogRecord) -> None:
        """Report an exception in any other component: Scrapy only logs it."""
        error = record.exc_info[1] if record.exc_info else None
        if not record.name.startswith(_LOGGERS) or not _is_own_error(error):
            return
        if record.name == _SIGNALLED and not str(record.msg).startswith(_UNSIGNALLED):
            return
        if record.name == "asyncio" and isinstance(error, OSError):  # of a connection
            return
        self._report(error)

    def engine_stopped(self) -> None:
        """Let the run fail if there was an error."""
        self._is_late = True
        self._fail()

    def run_ended(self) -> None:
        """Stop listening to the log."""
        logging.root.removeHandler(self)

    def _report_item(self, error: BaseException, item: WooItem) -> None:
        """Report an error about a document. It is lost, unless it is a withdrawal or was counted before."""
        report = item.report
        is_lost = item.source is not None and report.error is None and not item.is_counted
        item.is_counted = True
        self._report(
            error,
            url=item.record.document.weblocatie,
            host=report.host,
            organisation=report.organisation,
            sitemap=report.bound.get("sitemap") if is_lost else None,
            action=_SKIPPED if is_lost else None,
        )

    def _report(self, error: BaseException, **about: Unpack[_About]) -> None:
        """Report an error, and let the host that it is about count as read incompletely."""
        findings = self._crawler.get_extension(Findings)
        if findings is None:  # the spider says that it needs it
            return
        if (host := about.get("host")) is not None:
            self._note_incomplete(host, findings.accounts.get(host))
        findings.report_own_error(Finding(code=OWN_ERROR, seen=cause_of(error), **about))
        if self._is_late:
            self._fail()

    def _note_incomplete(self, host: str, account: Account | None) -> None:
        """Let a host count as read incompletely, also if all of it has been read."""
        note: Callable[[str], None] | None = getattr(self._crawler.spider, "note_incomplete", None)
        if note is not None:
            note(host)
        if account is not None and account.complete:
            account.complete, stats = False, self._crawler.stats
            stats.inc_value("woo/hosts/complete", -1)
            stats.inc_value("woo/hosts/incomplete")

    def _fail(self) -> None:
        """Let the run fail if there was an error; the last line has their number and the first one."""
        stats = self._crawler.stats
        first, reason = stats.get_value(OWN_ERROR_FIRST), stats.get_value("finish_reason")
        if first is None or reason == CANNOT_START:  # the last line says why
            return
        if reason == _START_ERROR:
            fail_run(self._crawler, f"the run could not start: {first.removeprefix(f'{THE_RUN}: ')}")
        else:
            errors = counted(stats.get_value(f"woo/findings/{OWN_ERROR}"), "error")
            fail_run(self._crawler, f"{errors} of the harvester itself, the first about {first}")


def _is_own_error(error: BaseException | None) -> TypeGuard[Exception]:
    """Return whether nothing else reports an exception: a run that has to end says why itself."""
    is_reported = isinstance(error, CloseSpider | RunError | IgnoreRequest)
    return isinstance(error, Exception) and not is_reported
