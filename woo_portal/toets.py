"""Audits that visitors start: their queue, a process for each, and their results on disk."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from ipaddress import IPv6Address, ip_network
from itertools import islice
from math import ceil
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from typing import TYPE_CHECKING

from markupsafe import Markup

from woo_harvester.findings import Explanation, Severity
from woo_harvester.report.html.page import part_of_page
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import Head, HostReport
from woo_harvester.report.retention import Left, prune_reports
from woo_harvester.report.run_folder import ReportsFolder, RunFolder, slug
from woo_harvester.running.paths import data_dir
from woo_portal.asking import BusyError
from woo_portal.typed_hosts import TypedHosts
from woo_portal.wording import explained

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_log = logging.getLogger(__name__)

#: The folder in the data folder, and the file in the folder of a host whose time is that of its last test.
FOLDER, BEGUN = "toets", "begun"
#: Settings of the portal that its audits have too, from wherever the portal has them.
_SHARED = ("WOO_REGISTER", "WOO_CONTACT", "WOO_ALLOW_PRIVATE_HOSTS")
#: The seconds after which an audit ends with what it has, and those after which it is killed.
_ENDS, _KILLED = 300, 360
#: The seconds between two tests that one visitor starts, and the most tests that wait.
_PAUSE, _MOST_WAITING = 60, 100
#: The age in seconds at which a result goes, and the most hosts whose result is kept.
_AGE, _MOST_KEPT = 30 * 24 * 3600, 10_000
#: The most findings that are read and those that are shown while a test goes on.
_MOST_READ, _SHOWN = 5000, 5


class TooSoonError(Exception):
    """The visitor started another test less than a minute ago; *seconds* are left of it."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"U kunt één toets per minuut starten. Dat kan weer over {seconds} seconden.")
        self.seconds = seconds


@dataclass(slots=True)
class _Job:
    task: asyncio.Task[None] | None = None
    begun: float | None = None
    """When it began, on the monotonic clock; None while it waits."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a test is."""

    place: int
    """Its place among those that wait, from 1; 0 if it goes on."""
    seconds: int = 0
    counts: Mapping[Severity, int] | None = None
    """The number of findings so far, by their severity."""
    worst: Sequence[Explanation] = ()
    """What they say, errors first."""


@dataclass(frozen=True, slots=True)
class Result:
    """The last result of a host."""

    head: Head
    host: HostReport
    page: Markup
    """The part of its page that the report of an audit has too."""
    json: bytes


class Toets:
    """The tests of one portal. Results are on disk; what waits is in memory, and ends with the portal."""

    def __init__(self, settings: BaseSettings) -> None:
        self.interval = settings.getfloat("WOO_TOETS_INTERVAL")
        self.sample = settings.getint("WOO_TOETS_SAMPLE")
        self.hosts = TypedHosts(settings)
        self._folder = data_dir(settings).absolute() / FOLDER
        given = {
            **{name: settings[name] for name in _SHARED if settings[name] is not None},
            "CLOSESPIDER_TIMEOUT": _ENDS,
            "WOO_DATA_DIR": self._folder.parent,
            "WOO_PRIVATE_HOSTS": "",  # not even the host that was typed
            "WOO_PROGRESS_INTERVAL": 0,
            "WOO_REPORT_HISTORY": True,
        }
        self._settings = [each for name, value in given.items() for each in ("-s", f"{name}={value}")]
        self._places = asyncio.Semaphore(settings.getint("WOO_TOETS_PROCESSES"))
        self._tidying = asyncio.Lock()
        self._jobs: dict[str, _Job] = {}
        self._visitors: dict[str, float] = {}

    async def open(self) -> None:
        """Get the register if there is none yet, and remove old results."""
        await self.hosts.obtain()
        await self._tidy()

    async def close(self) -> None:
        """Kill the audits that go on: half a result is none."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def start(self, host: str, visitor: str) -> None:
        """Have a host tested, unless it is being tested or was just now.

        *visitor* is the address of the client. Raises TooSoonError, and BusyError if too many tests wait.
        """
        if host in self._jobs or self.wait(host):
            return
        now, name = time.monotonic(), _one_visitor(visitor)
        self._visitors = {one: at for one, at in self._visitors.items() if now - at < _PAUSE}
        if name in self._visitors:
            raise TooSoonError(ceil(_PAUSE - (now - self._visitors[name])))
        if len(self._jobs) >= _MOST_WAITING:
            raise BusyError
        self._visitors[name] = now
        self._jobs[host] = job = _Job()
        job.task = asyncio.create_task(self._test(host, job))

    def wait(self, host: str) -> int:
        """Return the seconds until a host may be tested again."""
        return max(0, ceil(self.interval - self._since(host)))

    def is_unfinished(self, host: str) -> bool:
        """Return whether the last test of a host ended without a result."""
        begun, report = self._of(host) / BEGUN, RunFolder(ReportsFolder(self._of(host)).latest()).report
        if host in self._jobs or not begun.exists():
            return False
        return not report.exists() or report.stat().st_mtime < begun.stat().st_mtime

    def progress(self, host: str) -> Progress | None:
        """Return how far the test of a host is; None if there is none. This reads files."""
        jobs = dict(self._jobs)  # this is another thread
        job = jobs.get(host)
        if job is None:
            return None
        if (begun := job.begun) is None:
            waiting = [name for name, each in jobs.items() if each.begun is None or each is job]
            return Progress(waiting.index(host) + 1)
        codes = Counter[str]()
        runs = (folder for _, folder in ReportsFolder(self._of(host)).runs())
        newest = max(runs, key=lambda folder: folder.name, default=None)
        at = (self._of(host) / BEGUN).stat().st_mtime
        if newest is not None and newest.path.stat().st_mtime >= at and newest.findings.exists():
            codes.update(each["code"] for each in islice(newest.read_findings(), _MOST_READ))
        found = {code: explained(code) for code in codes}
        counts = Counter[Severity]()
        for code, number in codes.items():
            counts[found[code].severity] += number
        worst = sorted(found.values(), key=lambda each: [*Severity].index(each.severity))
        return Progress(0, int(time.monotonic() - begun), counts, worst[:_SHOWN])

    def result(self, host: str) -> Result | None:
        """Return the last result of a host; None if there is none, or if it is too old. This reads files."""
        latest = ReportsFolder(self._of(host)).latest()
        if self._since(host) > _AGE or not latest.exists():
            return None
        try:
            return _result(latest.resolve())
        except (OSError, ValueError) as error:
            _log.error("the result of %s cannot be read: %s", host, error)
            return None

    async def _test(self, host: str, job: _Job) -> None:
        errors = ""
        try:
            async with self._places:
                folder = self._of(host)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / BEGUN).touch()
                job.begun = time.monotonic()
                errors = await self._audit(host, folder)
            await self._tidy(host)
        except OSError as error:
            _log.error("the test of %s: %s", host, error)
        finally:
            del self._jobs[host]
        if self.is_unfinished(host):
            _log.error("the test of %s has no result: %s", host, errors)

    async def _audit(self, host: str, folder: Path) -> str:
        """Run the audit of a host, and return the last line that it writes to stderr."""
        process = self._begin(host, folder)
        try:
            _, errors = await asyncio.to_thread(process.communicate, timeout=_KILLED)
        except TimeoutExpired:
            return f"it took more than {_KILLED} seconds"
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return str(errors.decode(errors="replace").rstrip().rpartition("\n")[2])

    def _begin(self, host: str, folder: Path) -> Popen[bytes]:
        # Not with asyncio: Python 3.11 waits forever for a process whose task is cancelled as it begins.
        command = [sys.executable, "-m", "woo_harvester", "audit", host, "--lang", "nl", *self._settings]
        return Popen(  # noqa: S603 -- a list of arguments, of which the checked host alone is typed
            [*command, "--sample", str(self.sample), "-s", f"WOO_REPORT_DIR={folder}"],
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=PIPE,
            start_new_session=True,  # so that Ctrl-C is for the portal, which kills all that an audit started
        )

    async def _tidy(self, host: str | None = None) -> None:
        """Remove the earlier reports of a host, and the results of hosts that are too old or too many."""
        async with self._tidying:
            await asyncio.to_thread(self._remove_old, host)

    def _remove_old(self, host: str | None) -> None:
        if host is not None:
            now = datetime.now().astimezone()
            for outcome in prune_reports(ReportsFolder(self._of(host)), now, dry_run=False):
                is_error = isinstance(outcome, Left) and outcome.is_error
                _log.log(logging.ERROR if is_error else logging.DEBUG, "%s", outcome)
        ages = sorted((time.time() - path.stat().st_mtime, path) for path in self._folder.glob(f"*/{BEGUN}"))
        for number, (age, path) in enumerate(ages):
            if age > _AGE or number >= _MOST_KEPT:
                shutil.rmtree(path.parent)

    def _of(self, host: str) -> Path:
        """Return the folder with the reports of a host."""
        return self._folder / slug(host)

    def _since(self, host: str) -> float:
        """Return the seconds since the last test of a host began; since 1970 if there was none."""
        begun = self._of(host) / BEGUN
        return max(0.0, time.time() - (begun.stat().st_mtime if begun.exists() else 0))


@lru_cache(16)
def _result(folder: Path) -> Result | None:
    """Return the result in the folder of a run, which never changes; None if that has no host."""
    report = RunFolder(folder).report
    head, host = read_head(report), next(read_hosts(report), None)
    return Result(head, host, part_of_page(head, host), report.read_bytes()) if host else None


def _one_visitor(address: str) -> str:
    """Return what the addresses of one visitor have in common: a network with IPv6 gives out many."""
    try:
        given = IPv6Address(address)
    except ValueError:
        return address
    return str(given.ipv4_mapped or ip_network((given, 64), strict=False))
