"""The findings of a run, kept, written and made into its report."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider

from woo_harvester.findings import Finding, Severity
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.findings.texts import in_words
from woo_harvester.items import RecordItem, WooItem
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.assemble import make_report
from woo_harvester.report.findings_file import FindingsFile
from woo_harvester.report.funnel import OWN_ERROR, Account
from woo_harvester.report.run_folder import (
    AUDIT,
    FINISHED,
    OWN_ERROR_FIRST,
    ReportsFolder,
    RunFolder,
    run_name,
)
from woo_harvester.running.causes import cause_of
from woo_harvester.running.ending import end_run, fail_run
from woo_harvester.utils.dates import iso_now
from woo_harvester.utils.terminal import printable

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from woo_harvester.findings.common_cause import Cause
    from woo_harvester.running.arguments import Arguments


logger = logging.getLogger(__name__)

_FAILED = "report_failed"

#: Sent with ``folder``, when findings, statistics and report have been written, or could not be.
run_written = object()

#: Sent after all handlers of ``run_written``: the run does nothing more.
run_ended = object()

#: What an error of the harvester itself is about, if it is about no URL and no host.
THE_RUN = "the run"


class Findings:
    """The extension that writes the folder of the run, ``<WOO_REPORT_DIR>/<spider>-<time>/``.

    The folder has the findings, the accounts of hosts, the statistics and the report. A report is
    made if the spider fills :attr:`accounts`. The statistics count each finding by code
    (``woo/findings/<code>``), and the accounts count it by host.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        reports = ReportsFolder(Path(crawler.settings["WOO_REPORT_DIR"]))
        self.run_folder = reports.run(run_name(crawler.spidercls.name))
        """The folder of this run and its files; the name is the same for all that the run writes."""
        self._file: FindingsFile | None = None
        self._lock: IO[bytes] | None = None
        """The lock that keeps the folder from being removed while the run goes on."""
        self.accounts = Accounts()
        """The accounts of the hosts; filled by the spider, the findings and the items."""
        self.first_errors: dict[tuple[str | None, str], Finding] = {}
        """The first finding of each host and code that is an error."""
        self.common_cause = CommonCause()
        """The check whether nearly all hosts fail in the same way."""
        self._has_accounts = False
        self.arguments: Arguments | None = None
        """The arguments of the run, once the spider has begun; None for a spider of another project."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.item_scraped, signals.item_scraped)
        crawler.signals.connect(extension.item_dropped, signals.item_dropped)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    @property
    def folder(self) -> Path:
        """The path of the folder of this run."""
        return self.run_folder.path

    @property
    def run_name(self) -> str:
        """The name of this run: its spider, and when it began."""
        return self.run_folder.name

    def spider_opened(self) -> None:
        """Make the folder of this run, and open the file of findings. A run that cannot start has none."""
        if getattr(self._crawler.spider, "failure", None) is not None:
            return
        try:
            self.folder.mkdir(parents=True)
            self._file = FindingsFile(self.run_folder.open_findings())
            self._lock = self.run_folder.lock()
            if self._crawler.settings.getbool("WOO_AUDIT"):  # at once, since it may be killed
                self._crawler.stats.set_value(AUDIT, 1)
                self.run_folder.write_stats({AUDIT: 1})
        except OSError as error:
            self._fail(error)
            raise CloseSpider(_FAILED) from error

    def report(self, finding: Finding) -> None:
        """Write and count a finding; a ``Reporter`` sends its findings here."""
        if self._file is None:
            raise RuntimeError(f"Finding {finding.code} was made before the spider was opened")
        self._write(replace(finding, at=iso_now()), self._file)

    def report_own_error(self, finding: Finding) -> None:
        """Write and count an error of the harvester itself; only count it if the file is closed by now."""
        stats = self._crawler.stats
        if stats.get_value(OWN_ERROR_FIRST) is None:
            about = printable(finding.url or finding.host or THE_RUN)
            seen = printable(in_words(OWN_ERROR, finding.seen or "", "en"))
            stats.set_value(OWN_ERROR_FIRST, f"{about}: {seen}")
        if self._file is not None and not self._file.closed:
            self.report(finding)
            return
        stats.inc_value(f"woo/findings/{finding.code}")
        with suppress(OSError):  # the disk may be the error
            if self._file is not None:
                self.run_folder.write_stats(stats.get_stats())

    def host_tried(self, host: str, cause: Cause | None) -> None:
        """Note how the first request to *host* failed, or with None that the host answered."""
        self.common_cause.tried(host, cause)

    def _check_own_side(self) -> None:
        """Report it if nearly all hosts failed in the same way, and leave these hosts out of the report."""
        cause = self.common_cause.verdict()
        if cause is None:
            return
        hosts = set(self.common_cause.hosts(cause))
        seen = (finding.seen for (host, _), finding in self.first_errors.items() if host in hosts)
        finding, line = self.common_cause.explanation(cause, seen)
        self.accounts.leave_out(hosts)
        self.report(finding)
        fail_run(self._crawler, line)

    def _check_sums(self) -> None:
        """Report each host of which not all that it lists is harvested, unchanged or lost for a reason."""
        for account in self.accounts:
            if account.unaccounted:
                judged = account.listed - account.unaccounted
                seen = f"{account.listed} vermeld, {judged} met een uitkomst"
                logger.error("%s: %s", account.host, in_words(OWN_ERROR, seen, "en"))
                self.report_own_error(Finding(code=OWN_ERROR, host=account.host, seen=seen))

    def _write(self, finding: Finding, file: FindingsFile) -> None:
        try:
            file.write(self._as_written(finding))
        except OSError as error:
            self._fail(error)
        self.accounts.count_finding(finding)
        if finding.severity is Severity.ERROR:
            self.first_errors.setdefault((finding.host, finding.code), finding)
        self._crawler.stats.inc_value(f"woo/findings/{finding.code}")
        logger.debug("%(code)s %(url)s", {"code": finding.code, "url": finding.url})

    def _as_written(self, finding: Finding) -> Finding:
        """Return a finding as the file has it."""
        return finding

    def item_scraped(self, item: Any) -> None:
        """Count an item that passed all pipelines."""
        if not isinstance(item, RecordItem) or item.host is None:
            return
        account = self.accounts.of(item.host, item.kind)
        if not isinstance(item, WooItem):
            account.count_cause(item.record.versies[-1].oorzaak)
            return
        item.is_counted = True
        if item.source is not None and item.source.is_again:
            account.count_entries(0, 1)
            self._crawler.stats.inc_value("woo/documents/delivered_again")
        else:
            account.count_record(item.record)
        # Not a signal of its own: for each item, that would cost more than what is done here.
        if (comparison := getattr(self._crawler.spider, "register_comparison", None)) is not None:
            comparison.count(item)

    def item_dropped(self, item: Any) -> None:
        """Count an item that another project's pipeline dropped, without a finding about it."""
        if not isinstance(item, RecordItem) or item.host is None:
            return
        if isinstance(item, WooItem):
            if item.report.error is not None:
                return
            item.is_counted = True
        account = self.accounts.of(item.host, item.kind)
        account.dropped += 1
        account.dropped_listed += isinstance(item, WooItem) and item.source is not None

    def spider_closed(self, spider: Spider, reason: str = FINISHED) -> None:
        """Check whether the hosts could be reached and the sums close, and close the file of findings."""
        self._has_accounts = bool(self.accounts)
        if self._file is not None:
            with suppress(OSError):  # the disk may be full, and the buffer not empty
                self._check_own_side()
                if reason == FINISHED:  # what other runs did not reach is open
                    self._check_sums()
            try:
                self._file.end()
            except OSError as error:
                self._fail(error)
            with suppress(OSError):
                self._file.close()

    async def engine_stopped(self) -> None:
        """Write the statistics, and then make the report.

        By now all outputs are closed and confirmed to the state, so an error here loses nothing of the run.
        Handlers of Scrapy's last signal run at the same time, so what reads the folder waits for
        ``run_written``.
        """
        try:
            self.run_folder.write_accounts(self.accounts)
            self.run_folder.write_stats(self._crawler.stats.get_stats())  # they say that the run ended
            if self._has_accounts:
                await asyncio.to_thread(self._make_report)
        except OSError as error:
            self._fail(error)
        else:
            what = "Findings, statistics and report" if self._has_accounts else "Findings and statistics"
            logger.info("%(what)s are in %(folder)s", {"what": what, "folder": self.folder})
        await self._crawler.signals.send_catch_log_async(signal=run_written, folder=self.folder)
        self._crawler.signals.send_catch_log(run_ended)
        if self._lock is not None:
            self._lock.close()

    def _make_report(self) -> None:
        is_choosing = self.arguments is not None and self.arguments.is_choosing
        failure = make_run_report(self.run_folder, self._crawler.settings, in_history=not is_choosing)
        if failure is not None:
            fail_run(self._crawler, failure)

    def _fail(self, error: OSError) -> None:
        end_run(self._crawler, _FAILED, f"the report in {self.folder} could not be written: {error}")


def make_run_report(folder: RunFolder, settings: BaseSettings, *, in_history: bool) -> str | None:
    """Make the report of a run; return why the run has failed, or None.

    *in_history* says whether later runs compare themselves with this one. Raises OSError.
    """
    is_harvest = settings.getbool("WOO_REPORT_HISTORY")
    try:
        make_report(folder, lang=settings["WOO_REPORT_LANG"], history=in_history and is_harvest)
    except OSError:
        raise
    except Exception as error:
        logger.error("No report was made of %s: %s", folder.path, cause_of(error))  # noqa: TRY400
        return f"no report was made of {folder.path}: {cause_of(error)}"
    if is_harvest:
        try:
            folder.reports.lead_to(folder)
        except OSError as error:  # such as a file system without links
            latest = folder.reports.latest(folder.kind)
            logger.warning("%s does not lead to the newest report: %s", latest, cause_of(error))
    return None


def accounts_of(crawler: Crawler) -> list[Account]:
    """Return the accounts of the hosts of a run; an empty list for a spider that keeps none."""
    extension = crawler.get_extension(Findings)
    return list(extension.accounts) if extension is not None else []


def feed_uri_params(params: dict[str, Any], spider: Spider) -> dict[str, Any]:
    """Add ``%(run)s`` to the parameters of a feed's URI: spider and time, unique to a run."""
    findings = spider.crawler.get_extension(Findings)
    return {**params, "run": findings.run_name if findings else f"{spider.name}-{params['time']}"}
