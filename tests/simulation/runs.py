"""Runs of the harvester as a user has them, over HTTPS on loopback, and what others see of each.

A crawl in this process costs a tenth of a second of processor time (``AsyncCrawlerRunner``); a run that is to
be killed is a process of its own. Nothing of the product is used but its commands, its settings, and what it
writes.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

import time_machine
from scrapy.cmdline import execute
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import Settings
from scrapy.utils.project import ENVVAR, get_project_settings
from sqlalchemy import Engine, event
from twisted.internet import asyncioreactor

from tests.simulation.publishers import (
    BEGIN,
    FOLDERS,
    File,
    Owners,
    day_of,
    moment_of,
    write_register,
)
from tests.utils.command import environment
from tests.utils.forked_runs import Forked
from woo_harvester.demo.server import Authority

#: The product's defaults, but for what tests of every kind need on loopback, and for limits that fit hosts
#: with few documents.
SETTINGS: dict[str, Any] = {
    "WOO_CONTACT": "https://www.beheerder.example/woo",
    "WOO_ALLOW_PRIVATE_HOSTS": 1,
    "AUTOTHROTTLE_ENABLED": 0,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
    "WOO_PROGRESS_INTERVAL": 0,
    "WOO_SUMMARY": 0,
    "RETRY_TIMES": 0,
    # Garbage of all runs would be looked for when each begins.
    "EXTENSIONS": '{"woo_harvester.running.lighter_scrapy.RareCollections": null}',
    "WOO_WITHDRAW_SHARE": 0.5,
    "WOO_WITHDRAW_DOCUMENTS": 3,
    "WOO_WITHDRAW_ALL_OF": 3,
}
Line = dict[str, Any]


class Answer(NamedTuple):
    """What a server sends; status 0 for none."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""
    is_dropped: bool = False


Answering = Callable[[str, str, str, Mapping[str, str]], Answer]
"""Given host, method, target and headers."""


class Web:
    """The servers of all hosts, in the loop in which the crawls of this process run."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        asyncioreactor.install(self.loop)  # type: ignore[no-untyped-call]
        from twisted.internet import reactor

        reactor.startRunning(installSignalHandlers=False)
        authority = Authority()
        self.folder = Path(tempfile.mkdtemp(prefix="woo-simulation-", dir=_memory()))
        self.ca = authority.write_bundle(self.folder / "ca.pem")
        os.environ["SSL_CERT_FILE"] = str(self.ca)
        os.environ.setdefault(ENVVAR, "woo_harvester.settings")  # in the process of the simulation alone
        self.answer: Answering = lambda *_: Answer(503)
        context, sockets = authority.server_context(), _sockets(len(FOLDERS))
        self.hosts = {
            name: f"localhost:{one.getsockname()[1]}" for name, one in zip(FOLDERS, sockets, strict=True)
        }
        for one in sockets:
            self.run(asyncio.start_server(self._serve, sock=one, ssl=context))

    def run(self, doing: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(doing)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while await self._serve_one(reader, writer):
                pass
        writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        answer = self.answer(headers["host"], method, target, headers)
        if not answer.status:
            writer.transport.abort()
            return False
        length = len(answer.body) + 100 * answer.is_dropped
        sent = {"Content-Length": str(length), **answer.headers} if answer.status != 304 else answer.headers
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        writer.write(f"HTTP/1.1 {answer.status} X\r\n{head}\r\n".encode())
        if method != "HEAD" and answer.status != 304:
            writer.write(answer.body)
        await writer.drain()
        return not answer.is_dropped


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _sockets(count: int) -> list[socket.socket]:
    """Return sockets on the same ports each time, if they are free: hosts are ordered by their names."""
    for first in range(42_100, 43_100, 10):
        found: list[socket.socket] = []
        try:
            found.extend(socket.create_server(("127.0.0.1", first + n)) for n in range(count))
        except OSError:
            for one in found:
                one.close()
        else:
            return found
    raise OSError("No ports are free")


@cache
def web() -> Web:
    """The servers of this process."""
    return Web()


@dataclass(frozen=True)
class Record:
    """What a reader of the output sees of a record."""

    loc: str
    oorzaak: str
    title: str = ""
    lastmod: str = ""
    at: float = 0.0
    sha256: str | None = None

    @classmethod
    def read(cls, line: Line) -> Record:
        origin, document, version = line["herkomst"], line["document"], line["versies"][-1]
        files = version.get("bestanden", [{}])
        return cls(
            document["weblocatie"],
            version["oorzaak"],
            document.get("titelcollectie", {}).get("officieleTitel", ""),
            origin.get("lastmod", ""),
            moment_of(origin["opgehaald"]) or 0.0,
            files[0].get("hash"),
        )


@dataclass(frozen=True)
class Asked:
    """A file that a run was served; status -1 where a redirect leads away."""

    host: str
    path: str
    status: int
    file: File


@dataclass(eq=False)
class Run:
    """One run: what it is to do, and what became of it."""

    hosts: Sequence[str]
    owners: Owners
    now: float
    kill_at: int | None = None
    """Before which of the acts that last, such as a commit, its process is killed."""
    stop_at: int | None = None
    """At which request somebody stops it."""
    since: str = ""
    bad: Mapping[str, str] = field(default_factory=dict)
    """Documents that cannot be fetched (``503``), or are refused (``html``)."""
    downloads: bool = False
    ended: Literal["well", "stopped", "killed"] = "killed"
    asked: list[Asked] = field(default_factory=list)
    documents: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By loc: the status and the SHA-256 with which a server answered last."""
    lines: list[Line] = field(default_factory=list)
    """The records as they are in its file."""
    findings: list[Line] = field(default_factory=list)
    pending: list[Line] = field(default_factory=list)
    """The documents that are gone, and wait."""
    accounts: dict[str, Line] = field(default_factory=dict)
    """The figures of each host in the report."""
    file: Path | None = None
    """With the records."""
    crawler: Crawler | None = None
    shown: str = ""
    requests: int = 0

    @cached_property
    def records(self) -> list[Record]:
        return [Record.read(line) for line in self.lines]

    def found(self, code: str, host: str | None = None) -> set[str]:
        """The URLs of the findings with a code."""
        found = [one for one in self.findings if one["code"] == code]
        return {one.get("url", "") for one in found if host in (None, one.get("host"))}


class Installation:
    """A folder in which the harvester runs with one of its spiders."""

    spider: str

    def __init__(self, state: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(dir=web().folder))
        self.register = self.folder / "register.xml"
        self.reports = self.folder / "reports"
        paths = {"WOO_REPORT_DIR": "reports", "WOO_DATA_DIR": ".scrapy", "WOO_REGISTER": "register.xml"}
        self.planted = ""
        """The fault that runs in processes of their own are to have (``faults``)."""
        self.given = SETTINGS | {name: str(self.folder / path) for name, path in paths.items()}
        if state:
            self.given["WOO_STATE_URL"] = state
        (self.folder / "scrapy.cfg").write_text("[settings]\ndefault = woo_harvester.settings\n")
        self.state = self.folder / ".scrapy"

    def close(self) -> None:
        os.chdir("/")
        shutil.rmtree(self.folder)

    def _settings(self) -> Settings:
        settings = get_project_settings()
        settings.setdict(self.given, "cmdline")
        return settings

    # Operators

    def command(self, now: float, *arguments: str) -> str:
        """Do what an operator types; return what is shown. Status 1 says that there was nothing to do."""
        os.chdir(self.folder)
        shown = StringIO()
        with time_machine.travel(now, tick=False), redirect_stdout(shown), redirect_stderr(shown):
            try:
                execute(["scrapy", *arguments], self._settings())
            except SystemExit as ended:
                if ended.code not in (None, 0, 1):
                    raise AssertionError(f"{arguments}: status {ended.code}: {shown.getvalue()}") from ended
        return shown.getvalue()

    def back_up(self) -> Path:
        copy = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.state, copy / "state", dirs_exist_ok=True)
        return copy / "state"

    def put_back(self, copy: Path) -> None:
        shutil.rmtree(self.state)
        shutil.copytree(copy, self.state)

    # Runs

    def run(self, *runs: Run) -> None:
        """Run the spider, several runs at once on hosts of their own; learn what came of them."""
        os.chdir(self.folder)
        self.register.write_text(write_register(runs[0].owners), encoding="utf-8")
        of = {host: run for run in runs for host in run.hosts}

        def answer(host: str, method: str, target: str, headers: Mapping[str, str]) -> Answer:
            run = of.get(self._owner(host, target), runs[0])
            run.requests += 1
            if run.requests == run.stop_at and run.crawler is not None:
                web().loop.create_task(run.crawler.stop_async())
            return self._answer(run, host, target, headers.get("if-none-match"))

        web().answer = answer
        before = set(self.reports.glob(f"{self.spider}-*"))
        with time_machine.travel(runs[0].now, tick=False) as clock:
            web().run(self._all(runs, clock))
        for report in set(self.reports.glob(f"{self.spider}-*")) - before:
            self._read_report(report, runs)
        for run in runs:
            assert run.ended == "killed" or run.file is not None, f"a run did not begin: {run.shown}"

    async def _all(self, runs: Sequence[Run], clock: time_machine.Traveller) -> None:
        tasks: list[asyncio.Future[None]] = []
        for run in runs:
            if tasks:  # the name of a run is the moment at which it begins
                await asyncio.sleep(0.05)
                clock.move_to(run.now)
            tasks.append(asyncio.ensure_future(self._one(run)))
        await asyncio.gather(*tasks)

    async def _one(self, run: Run) -> None:
        arguments = self._arguments(run)
        await (self._crawl(run, arguments) if run.kill_at is None else self._fork(run, arguments))

    def _arguments(self, run: Run) -> dict[str, str]:
        """Return the arguments of the spider for a run."""
        raise NotImplementedError

    def _owner(self, host: str, target: str) -> str:
        """Return the host whose file is asked for."""
        return host

    def _answer(self, run: Run, host: str, target: str, etag: str | None) -> Answer:
        """Return what a host serves; *etag* is what the harvester knows."""
        raise NotImplementedError

    def _read_report(self, report: Path, runs: Sequence[Run]) -> None:
        """Learn of a run what it wrote; its report says which one it was."""
        run = runs[-1]  # only the last of several may be killed, and leave no report
        if (report / "report.json").exists():
            content = json.loads((report / "report.json").read_text(encoding="utf-8"))
            started = content["run"]["started"]
            run = next(each for each in runs if abs((moment_of(started) or 0) - each.now) < 0.5)
            run.accounts = {each["host"]: each for each in content["hosts"]}
            run.findings = read_lines(report / "findings.jsonl")
            run.pending = read_lines(report / "pending.jsonl")
        run.file = self.folder / "records" / f"{report.name}.jsonl"
        run.lines = read_lines(run.file)

    async def _crawl(self, run: Run, arguments: Mapping[str, str]) -> None:
        """Crawl in this process."""
        settings = get_project_settings()
        settings.setdict(self.given | {"ASYNCIO_EVENT_LOOP": None}, "cmdline")
        runner = AsyncCrawlerRunner(settings)
        run.crawler = crawler = runner.create_crawler(self.spider)
        await runner.crawl(crawler, **arguments)
        assert crawler.stats is not None
        stats = crawler.stats.get_stats()
        run.ended = "well" if stats.get("finish_reason") == "finished" else "stopped"
        assert run.stop_at is not None or run.ended == "well", f"the run ended: {stats.get('finish_reason')}"
        assert not stats.get("log_count/ERROR"), f"the run logs {stats['log_count/ERROR']} errors"

    async def _fork(self, run: Run, arguments: Mapping[str, str]) -> None:
        """Crawl in a process of its own, which is killed or ends before that."""
        options = [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
        options += [part for name, value in self.given.items() for part in ("-s", f"{name}={value}")]
        given = environment(web().ca, {NOW: str(run.now), KILL: str(run.kill_at), PLANTED: self.planted})
        process = Forked(["crawl", self.spider, *options], self.folder, given, prepare)
        while not process.ended:
            await asyncio.sleep(0.005)
        status = process.process.exitcode
        assert status in (0, 1, -signal.SIGKILL), f"status {status}: {process.stderr}"
        run.shown = process.stderr
        run.ended = "killed" if status == -signal.SIGKILL else "well"


def read_lines(path: Path) -> list[Line]:
    """The records or findings in a file, if there is one."""
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


NOW, KILL, PLANTED = "WOO_SIMULATED_NOW", "WOO_SIMULATED_KILL", "WOO_SIMULATED_FAULT"


def prepare() -> None:
    """Have a run in a process of its own begin at its moment, and be killed before an act that lasts."""
    time_machine.travel(float(os.environ[NOW]), tick=False).start()
    left = int(os.environ[KILL])

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    fsync = os.fsync

    def counted_fsync(descriptor: Any) -> None:
        count()
        fsync(descriptor)

    vars(os)["fsync"] = counted_fsync
    event.listen(Engine, "commit", count)
    if name := os.environ.get(PLANTED):
        from tests.simulation.faults import FAULTS, planted

        (fault,) = (each for each in FAULTS if each.name == name)
        planted(fault).__enter__()


class Operated:
    """An installation, its clock, the oracle that follows it, and what happened: both worlds have these."""

    def __init__(self, oracle: Any, installation: Installation, planted: str, *, has_server: bool) -> None:
        self.story: list[str] = []
        self.names = {host: name for name, host in web().hosts.items()}
        self.oracle = oracle
        self.installation = installation
        self.installation.planted = planted
        self.has_server = has_server
        self.now = BEGIN.timestamp()
        self.backed_up: tuple[Path, Any] | None = None

    @property
    def today(self) -> int:
        """The number of the day."""
        return day_of(self.now)

    def note(self, line: str) -> None:
        """Add a line to the story, with the names of hosts in place of their ports."""
        for host, name in self.names.items():
            line = line.replace(host, f"{name}.nl")
        self.story.append(f"day {self.today}: {line}")

    def close(self) -> None:
        self.installation.close()

    def _back_up(self, _of: object, _random: Random) -> None:
        if self.installation.state.exists() and not self.has_server:
            self.backed_up = self.installation.back_up(), self.oracle.back_up()
            self.note("the state is backed up")

    def _put_back(self, _of: object, _random: Random) -> None:
        if self.backed_up is not None:
            copy, knowledge = self.backed_up
            self.installation.put_back(copy)
            self.oracle.put_back(knowledge)
            self.note("the back-up of the state is put back")
