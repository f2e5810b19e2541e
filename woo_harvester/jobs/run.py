"""A run whose hosts are divided over jobs: what the jobs get, and what is made of theirs at the end."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy.crawler import Crawler
from scrapy.utils.log import configure_logging

from woo_harvester.arguments import ArgumentError
from woo_harvester.extensions.metrics import metrics_file, metrics_problem
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.jobs.division import divide
from woo_harvester.jobs.feeds import SharedFiles, settings_of, shared_feeds
from woo_harvester.jobs.forking import Process, fork
from woo_harvester.jobs.report import OwnFolder, end_report
from woo_harvester.jobs.supervisor import JOBS_STOP, Supervisor
from woo_harvester.paths import node_name, state_url
from woo_harvester.report.registered import RunRegister
from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.report.run_name import run_name
from woo_harvester.running.causes import StartError
from woo_harvester.running.cores import usable_cores
from woo_harvester.running.job import Job, Plan
from woo_harvester.running.process import Failure
from woo_harvester.spiders.base import HarvestSpider
from woo_harvester.state.locked import LockedState
from woo_harvester.state.store import NOWHERE, State, StateError
from woo_harvester.terminal.formatting import counted
from woo_harvester.trust import trusted_context

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.settings import Settings

logger = logging.getLogger(__name__)

#: The most jobs of one run.
MOST_JOBS = 256

_NO_STATE = (
    "--jobs needs a state that its processes share, and this run keeps none: leave out DELTAFETCH_ENABLED=0, "
    "or set WOO_STATE_URL"
)

_KILLED = (
    "job {number} with {hosts} was ended by signal {signal}: "
    "what it did not finish comes again in the next run"
)
_FAILED = "job {number} with {hosts} failed: see its lines above, which begin with [{number}]"


class SharedRun:
    """A run of a spider in several processes."""

    def __init__(
        self, spider: HarvestSpider, settings: Settings, given: Settings, plan: Plan, own: OwnFolder
    ) -> None:
        self._spider = spider
        self._settings = settings
        self._given = given
        self._plan = plan
        self._own = own

    @classmethod
    def prepare(
        cls, settings: Settings, spidercls: type[Spider], arguments: Mapping[str, Any], jobs: int
    ) -> Self | None:
        """Read the register, and divide the hosts; None if one process is enough.

        Raises ArgumentError, RegisterError, StartError, StateError, TrustError and OSError. By then nothing
        has been started.
        """
        if not issubclass(spidercls, HarvestSpider):
            raise ArgumentError(f"--jobs divides hosts, and the spider {spidercls.name} has none")
        spidercls.check_arguments(arguments)
        try:
            crawler = Crawler(spidercls, settings)
            # As a crawl does: the add-on looks at the spider, and the spider's settings come before it.
            crawler.spider = spider = spidercls.from_crawler(crawler, **arguments)
            crawler.addons.load_settings(crawler.settings)
        except Exception:
            return None  # an ordinary run fails in the same way, and says which setting is wrong
        effective = crawler.settings
        name, url = run_name(spidercls.name), _state_url(spider, effective)
        feeds = shared_feeds(effective, spider, name, jobs)
        metrics = metrics_file(effective, spidercls.name)
        if metrics is not None and (problem := metrics_problem(metrics)) is not None:
            raise StartError(problem)
        trusted_context()
        configure_logging(effective)
        own = OwnFolder(ReportsFolder(Path(effective["WOO_REPORT_DIR"])), name)
        register = asyncio.run(spider.read_register(effective, own.report))
        groups = spider.host_groups(register)
        if len(groups) < 2:
            return None
        parts = divide(groups, _sizes(spider, url), jobs)
        plan = Plan(name, own.began, register, parts, feeds)
        return cls(spider, effective, settings, plan, own)

    def run(self, run_job: Callable[[Settings, Job], int]) -> list[Failure]:
        """Run the jobs to their end, make one report of them, and return why the run failed, if it did."""
        sizes = ", ".join(str(len(part)) for part in self._plan.parts)
        logger.info("%d jobs, with so many hosts each: %s", len(self._plan.parts), sizes)
        gc.freeze()  # the jobs share this memory as long as nobody writes to it
        job_settings = self._job_settings()
        processes = fork(self._plan, lambda job: run_job(job_settings, job))
        try:
            return self._watch(processes)
        except StateError as error:
            for process in processes:
                process.connection.close()  # those that may not begin end
            return [(1, str(error))]

    def _watch(self, processes: list[Process]) -> list[Failure]:
        settings, plan, common_cause = self._settings, self._plan, CommonCause()
        common_cause.expect(plan.hosts)
        url, node = state_url(settings), node_name(settings)
        # Refuse hosts on which another run works before one is read. The jobs lock their own.
        hosts = LockedState.open(url, node, self._spider.host_locks(sorted(plan.hosts)))
        self._reset(hosts)
        hosts.end()
        state = LockedState.open(url, node, ())
        files = SharedFiles(plan, state)
        supervisor = Supervisor(processes, files, common_cause, settings)
        asyncio.run(supervisor.watch())
        failures = _failures(plan, processes)
        try:
            files.close()
            state.end()
        except (StateError, OSError) as error:
            failures.append((1, str(error)))
        register = None
        arguments = self._spider.arguments
        if getattr(arguments, "is_over_register", False) and not arguments.is_choosing:
            register = RunRegister.of(plan.register, arguments.shard)
        figures = [each.figures for each in processes if each.figures is not None]
        in_history = not arguments.is_choosing
        failures += end_report(
            self._own,
            len(processes),
            figures,
            common_cause,
            settings,
            register,
            in_history=in_history,
        )
        return failures

    def _reset(self, state: LockedState) -> None:
        """Forget the hosts, if that is asked, before a job reads one: they may list the same documents."""
        if self._spider.arguments.deltafetch_reset or self._settings.getbool("DELTAFETCH_RESET"):
            with state.begin() as connection:
                for host in sorted(self._plan.hosts):
                    self._spider.forget(connection, host)

    def _job_settings(self) -> Settings:
        """Return the settings of the command for a job: its share of what the run may use."""
        settings, effective, jobs = self._given.copy(), self._settings, len(self._plan.parts)
        workers = effective["WOO_TEXT_WORKERS"]
        own = {
            "FEEDS": settings_of(self._plan.feeds, effective),
            "LOG_FILE_APPEND": True,
            "STATS_DUMP": False,
            "DELTAFETCH_RESET": False,
            "WOO_PROGRESS": False,
            "WOO_SUMMARY": False,
            "WOO_CONNECTIONS": max(1, effective.getint("WOO_CONNECTIONS") // jobs),
            "WOO_TEXT_WORKERS": max(1, (int(workers) if workers else usable_cores()) // jobs),
            "WOO_STOP_TIMEOUT": effective.getfloat("WOO_STOP_TIMEOUT") * JOBS_STOP,
        }
        settings.setdict(own, "cmdline")
        return settings


def _state_url(spider: HarvestSpider, settings: Settings) -> str:
    """Return the URL of the state. Raises ArgumentError for a state in memory, which jobs cannot share."""
    url = state_url(settings)
    is_off = not settings.getbool("DELTAFETCH_ENABLED", True) and not spider.delivers_known
    if is_off or url in (NOWHERE, f"{NOWHERE}/", f"{NOWHERE}/:memory:"):
        raise ArgumentError(_NO_STATE)
    return url


def _sizes(spider: HarvestSpider, url: str) -> dict[str, int]:
    state = State.open(url)
    try:
        with state.begin() as connection:
            return spider.host_sizes(connection)
    finally:
        state.close()


def _failures(plan: Plan, processes: list[Process]) -> list[Failure]:
    """Return why jobs failed, each reason once."""
    found: dict[Failure, None] = {}
    for process in processes:
        hosts = counted(len(plan.parts[process.number - 1]), "host")
        if process.failure is not None:
            found[process.failure] = None
        elif process.status is not None and process.status < 0:
            line = _KILLED.format(number=process.number, hosts=hosts, signal=-process.status)
            found[1, line] = None
        elif process.status:
            found[process.status, _FAILED.format(number=process.number, hosts=hosts)] = None
    return list(found)
