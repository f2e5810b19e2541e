"""Runs the spider's own parts on publishers of the model: no network, no Scrapy engine, a state in memory.

What is left out is what Scrapy does between a request and its callback. A run can be killed before any of its
transactions: then what it has not confirmed is cut off its output, as the state does at the next start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Literal, Protocol, cast

import time_machine
from scrapy import Request
from scrapy.exceptions import DownloadConnectionRefusedError
from scrapy.http import Headers, Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from sqlalchemy import delete, insert, select
from twisted.python.failure import Failure

from tests.simulation.play import KilledError
from tests.simulation.publishers import ROBOTS, File, Publisher, moment_of, register_of, version_of
from woo_harvester.downloader.middlewares import RedirectRefused, RobotsForbidden, WooRedirectMiddleware
from woo_harvester.extensions.state import StateKeeper, complete_delivery
from woo_harvester.findings import Finding, Reporter
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.items import StreamedResponse, WooItem
from woo_harvester.pipelines.record import MetadataPipeline
from woo_harvester.register.names import Vocabulary
from woo_harvester.register.register import Register
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.settings import BOT_NAME
from woo_harvester.spiders.woo import WooSpider
from woo_harvester.state.contents import Delivery
from woo_harvester.state.schema import contents, documents, hosts, listings, repeated, resources
from woo_harvester.state.store import State
from woo_harvester.tooi.lists import bundled

SETTINGS: dict[str, Any] = {
    "BOT_NAME": BOT_NAME,
    "DELTAFETCH_ENABLED": True,
    "WOO_FULL_READ_DAYS": 7,
    "WOO_REFUSED_DAYS": 7,
    "WOO_HOST_BACKLOG": 100,
    "WOO_HOST_BUDGET": 0,
    "WOO_INDEX_MAXSIZE": 50_000_000,
    "WOO_SITEMAP_MAXSIZE": 200_000_000,
    "WOO_DOCUMENT_MAXSIZE": 1_000_000,
    "WOO_DOCUMENT_TIMEOUT": 600,
    "WOO_WITHDRAW_SHARE": 0.5,
    "WOO_WITHDRAW_DOCUMENTS": 2,
    "WOO_WITHDRAW_ALL_OF": 4,
    "WOO_WITHDRAW_RUNS": 3,
}
_SETTINGS = Settings(SETTINGS)
#: The tables of a state of documents, those that others refer to first.
TABLES = (contents, hosts, resources, documents, listings, repeated)


@dataclass(frozen=True)
class Record:
    """What a reader of the output sees of a record."""

    loc: str
    oorzaak: str
    host: str
    """Whose entry it came from, by its title; of a withdrawal, the host that was read."""
    version: int = -1
    at: float = 0.0
    described: bool = False
    sha256: str | None = None
    """Of the document, if the run received it."""
    is_supplied: bool = False
    """It adds something to the version before, and is that version."""


@dataclass(eq=False)
class Run:
    """One run: what it is to do, and what becomes of it."""

    hosts: Sequence[str]
    owners: dict[str, str]
    random: Random
    now: float
    kill_in: int | None = None
    """How many transactions are left before it is killed."""
    output_fails_after: int | None = None
    """How many records it can write."""
    unreachable: frozenset[str] = frozenset()
    """Documents that cannot be fetched."""
    refused: frozenset[str] = frozenset()
    """Documents that are fetched and refused."""
    since: int | None = None
    """It chooses entries of this version and newer ones."""
    downloads: bool = False
    """It receives the documents."""
    ended: Literal["well", "without output", "killed"] = "killed"
    findings: list[Finding] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    accounts: Accounts = field(default_factory=Accounts)

    def found(self, code: str, host: str | None = None) -> list[str | None]:
        """The URLs of the findings with a code."""
        return [one.url for one in self.findings if one.code == code and host in (None, one.host)]


class Watcher(Protocol):
    """Who follows what is served and delivered."""

    def began(self, run: Run) -> None: ...
    def served(self, run: Run, host: str, path: str, status: int, file: File) -> None: ...
    def fetched(self, run: Run, loc: str, status: int, file: File) -> None: ...
    def processed(self, run: Run, host: str, path: str) -> None: ...
    def all_read(self, run: Run) -> None: ...
    def delivered(self, run: Run, record: Record) -> None: ...
    def ended(self, run: Run) -> None: ...


class _Signals:
    def connect(self, *args: object, **kwargs: object) -> None:
        """No signal is sent here."""


class _Stats(MemoryStatsCollector):
    def __init__(self) -> None:
        self._stats: dict[str, Any] = {}
        self._dump = False


class _KillingState(State):
    """The state of an installation, as a run sees it that may be killed before any of its transactions."""

    def __init__(self, state: State, kill_in: int | None) -> None:
        super().__init__(state._engine, state._connection, state.name)
        self._kill_in = kill_in

    @contextmanager
    def begin(self) -> Iterator[Any]:
        if self._kill_in is not None:
            if not self._kill_in:
                raise KilledError
            self._kill_in -= 1
        with super().begin() as connection:
            yield connection

    def close(self) -> None:
        """The next run goes on with it."""


class _Keeper(StateKeeper):
    """The keeper of the state, which is there already."""

    def __init__(self, crawler: Any, state: State) -> None:
        super().__init__(crawler)
        self._given = state
        self.outputs = self.feeds = 1

    def _open_state(self, hosts: object) -> State:
        return self._given


BackUp = list[list[dict[str, Any]]]


class Harvester:
    """One installation with its state."""

    def __init__(self, state: State, publishers: dict[str, Publisher], watcher: Watcher) -> None:
        self.state = state
        self.publishers = publishers
        self.watcher = watcher
        self.metadata = MetadataPipeline()

    def run(self, *runs: Run) -> None:
        """Run the spider; several runs go on at once, on hosts of their own."""
        with time_machine.travel(runs[0].now, tick=False):
            asyncio.run(self._go(runs))
        for run in runs:
            self.watcher.ended(run)

    async def _go(self, runs: Sequence[Run]) -> None:
        for result in await asyncio.gather(*(_Crawl(self, run).go() for run in runs), return_exceptions=True):
            if isinstance(result, BaseException) and not isinstance(result, KilledError):
                raise result

    def back_up(self) -> BackUp:
        """Return all that the state has."""
        with self.state.begin() as connection:
            return [[row._asdict() for row in connection.execute(select(table))] for table in TABLES]

    def put_back(self, rows: BackUp) -> None:
        """Have the state be what it was."""
        with self.state.begin() as connection:
            for table in reversed(TABLES):
                connection.execute(delete(table))
            for table, given in zip(TABLES, rows, strict=True):
                if given:
                    connection.execute(insert(table), given)


@cache
def _read_register(owners: frozenset[tuple[str, str]]) -> tuple[Register, Vocabulary]:
    """Return the register with these hosts and its vocabulary, which takes long to make."""
    register = register_of(dict(owners))
    return register, Vocabulary(bundled(), register)


class _Crawl:
    """A run while it goes on."""

    def __init__(self, harvester: Harvester, run: Run) -> None:
        self._harvester, self._run, self._watcher = harvester, run, harvester.watcher
        self._queue: list[Request] = []
        self._written = 0
        self._rules: dict[str, frozenset[str]] = {}
        """By host: the paths that its robots.txt disallows."""
        self._spider = self._make_spider()

    def _make_spider(self) -> WooSpider:
        run = self._run
        crawler: Any = SimpleNamespace(
            settings=_SETTINGS,
            signals=_Signals(),
            stats=_Stats(),
            spidercls=WooSpider,
            engine=SimpleNamespace(running=True, _slot=SimpleNamespace(closing=None)),
            spider=None,
            get_downloader_middleware=lambda cls: None,
            get_item_pipeline=lambda cls: None,
        )
        given = {} if run.since is None else {"since": moment_of(run.since).date().isoformat()}
        mode = "download" if run.downloads else "none"
        spider = WooSpider(documents=mode, domains=",".join(run.hosts), **given)
        spider.crawler, spider.settings, crawler.spider = crawler, crawler.settings, spider
        self._keeper = _Keeper(crawler, _KillingState(self._harvester.state, run.kill_in))
        spider.report, spider.keeper, spider.accounts = Reporter(self._report), self._keeper, run.accounts
        spider.run_folder, spider.common_cause = RunFolder(Path("/dev/shm")), CommonCause()
        self._redirects = WooRedirectMiddleware.from_crawler(crawler)
        return spider

    async def go(self) -> None:
        """Do what the engine does, one request at a time, in any order of hosts."""
        spider = self._spider
        register, spider.vocabulary = _read_register(frozenset(self._run.owners.items()))
        spider.register = spider.select(register)
        spider.withdrawals._pending = Path("/dev/null")
        self._queue = spider.first_requests()
        self._watcher.began(self._run)
        await self._work()
        if any(visit.postponed for visit in spider.visits.values()):
            self._queue = [cast("Request", one) async for one in spider.all_read(cast("Any", None))]
            await self._work()
        self._watcher.all_read(self._run)
        made = [one async for one in spider.all_read(cast("Any", None))]
        self._deliver([one for one in made if isinstance(one, WooItem)])
        self._run.ended = "well" if self._run.output_fails_after is None else "without output"

    def _report(self, finding: Finding) -> None:
        self._run.findings.append(finding)
        self._run.accounts.count_finding(finding)

    async def _work(self) -> None:
        random = self._run.random
        while self._queue:
            request = self._queue.pop(random.randrange(len(self._queue)))
            for _ in range(random.randrange(3)):
                await asyncio.sleep(0)  # another run may go on
            host, path = _place(request.url)
            if request.meta["woo_kind"] == "document":
                status, file = self._fetch(request)
                self._watcher.fetched(self._run, request.url, status, file)
                await self._process(request, status, file)
                continue
            status, file, request = self._ask(host, path, request)
            self._watcher.served(self._run, host, path, status, file)
            await self._process(request, status, file)
            self._watcher.processed(self._run, host, path)

    def _ask(self, host: str, path: str, request: Request) -> tuple[int, File, Request]:
        """Return what a publisher answers, and the request that got it: perhaps the target of a redirect.

        Status 0 stands for no answer, -1 where it does not want to be asked, -2 where a redirect is refused.
        """
        if path in self._rules.get(host, frozenset()):
            return -1, File(), request
        target = self._harvester.publishers[host].target(path)
        if target is None:
            return *self._serve(host, path, request), request
        answer = Response(request.url, 302, {"Location": target})
        try:
            request = cast("Request", self._redirects.process_response(request, answer))
        except RedirectRefused as refused:
            request.meta["refused"] = refused
            return -2, File(), request
        return *self._serve(host, path, request), request

    def _serve(self, host: str, path: str, request: Request) -> tuple[int, File]:
        """Return what a publisher serves; status 0 for no answer."""
        status, file = self._harvester.publishers[host].serve(path)
        if path == ROBOTS and status == 200:
            self._rules[host] = file.disallows
        return (304 if status == 200 and _is_known(request, file) else status), file

    def _fetch(self, request: Request) -> tuple[int, File]:
        """Return a document, empty if it is to be refused; status 0 for no answer."""
        loc = request.url
        if loc in self._run.unreachable:
            return 0, File()
        if loc in self._run.refused:
            return 200, File()
        file = self._harvester.publishers[_place(loc)[0]].document(loc)
        return (304 if _is_known(request, file) else 200), file

    async def _process(self, request: Request, status: int, file: File) -> None:
        """Have the spider read an answer, and deliver what it makes of it."""
        if status > 0:
            made = cast("Any", request.callback)(_response(request, status, file), **request.cb_kwargs)
        else:
            failure: Any = Failure(_error(request, status))  # type: ignore[no-untyped-call]
            failure.request = request
            made = cast("Any", request.errback)(failure)
        if made is None:
            return
        items: list[WooItem] = []
        async for one in made:
            if isinstance(one, Request):
                self._queue.append(one)
            else:
                items.append(one)
                if self._run.random.random() < 0.3:
                    self._deliver(items)
                    items = []
        self._deliver(items)

    def _deliver(self, items: Sequence[WooItem]) -> None:
        """Write records to the output and have the state learn of them."""
        run, deliveries, records = self._run, [], []
        for item in items:
            loc = item.record.document.weblocatie
            if item.source is not None and not run.downloads and loc in run.unreachable | run.refused:
                code = "document.onbereikbaar" if loc in run.unreachable else "format.niet-ondersteund"
                item.report(code, seen="HTTP 503", action="overgeslagen")
                self._keeper.note_not_harvested(item, refused=loc in run.refused)
                continue
            if run.output_fails_after is not None and self._written >= run.output_fails_after:
                continue
            self._written += 1
            self._harvester.metadata.process_item(item)
            if item.report.host is not None:
                run.accounts.of(item.report.host).count_record(item.record)
            deliveries.append(complete_delivery(item, cast("Delivery", item.delivery), self._keeper.wanted))
            records.append(_record(item))
        if records:
            self._keeper.durable(cast("Any", deliveries), {})
            for record in records:
                run.records.append(record)
                self._watcher.delivered(run, record)


def _place(url: str) -> tuple[str, str]:
    """The host and the path of a URL."""
    host, slash, path = url.removeprefix("https://").partition("/")
    return host, slash + path


def _is_known(request: Request, file: File) -> bool:
    asked: bytes | None = request.headers.get("If-None-Match")
    return asked is not None and asked.decode() == file.etag


def _error(request: Request, status: int) -> Exception:
    """What Scrapy calls an errback with."""
    match status:
        case -1:
            return RobotsForbidden("Forbidden")
        case -2:
            return cast("RedirectRefused", request.meta["refused"])
    return DownloadConnectionRefusedError("refused")


def _response(request: Request, status: int, file: File) -> StreamedResponse:
    body = file.body if status == 200 else b""
    return StreamedResponse(
        request.url,
        status=status,
        headers=Headers({"ETag": file.etag} if file.etag else {}),
        request=request,
        file=BytesIO(body),
        size=len(body),
        sha256=sha256(body).hexdigest() if status == 200 else None,
    )


def _record(item: WooItem) -> Record:
    record = item.record
    oorzaak, at = str(record.versies[-1].oorzaak), record.herkomst.opgehaald
    if oorzaak == "intrekking":
        return Record(record.document.weblocatie, oorzaak, item.report.host or "")
    host, _, version = str(record.document.titelcollectie.officieleTitel).partition(" ")
    assert version_of(str(record.herkomst.lastmod)) == int(version), "the lastmod is another entry's"
    return Record(
        record.document.weblocatie,
        oorzaak,
        host,
        int(version),
        at.timestamp() if at else 0.0,
        bool(record.document.omschrijvingen),
        item.source.fetched.sha256 if item.source is not None and item.source.fetched is not None else None,
        bool(record.herkomst.aangevuld),
    )
