"""Runs the spider's own parts on publishers of the model: no network, no Scrapy engine, a state in memory.

What is left out is what Scrapy does between a request and its callback. A run can be killed before any of its
transactions: then what it has not confirmed is cut off its output, as the state does at the next start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from scrapy import Request
from scrapy.http import Headers
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from tests.simulation.play import KilledError
from tests.simulation.publishers import File, Publisher, number_of, register_of
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.items import WooItem
from woo_harvester.pipelines.metadata import MetadataPipeline
from woo_harvester.register.names import Vocabulary
from woo_harvester.register.register import Register
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.responses import StreamedResponse
from woo_harvester.settings import BOT_NAME
from woo_harvester.spiders.woo import WooSpider
from woo_harvester.state.locked import LockedState
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


class _Signals:
    def connect(self, *args: object, **kwargs: object) -> None:
        """No signal is sent here."""


class _Stats(MemoryStatsCollector):
    def __init__(self) -> None:
        self._stats: dict[str, Any] = {}
        self._dump = False


class SimulatedState(State):
    """A state in memory that outlives its runs, and that can kill one before any of its transactions."""

    kill_in: int | None = None
    """How many transactions are left before the kill."""

    @contextmanager
    def begin(self) -> Iterator[Any]:
        if self.kill_in is not None:
            if not self.kill_in:
                raise KilledError
            self.kill_in -= 1
        with super().begin() as connection:
            yield connection

    def close(self) -> None:
        """The next run goes on with it."""


class _Keeper(StateKeeper):
    """The keeper of the state, which is there already."""

    def __init__(self, crawler: Any, state: State) -> None:
        super().__init__(crawler)
        self._given = state

    def _open_state(self, hosts: object) -> LockedState:
        return LockedState(self._given)


@dataclass
class Outcome:
    """What a run did."""

    hosts: list[str]
    records: list[dict[str, Any]] = field(default_factory=list)
    """Delivered, in order: loc, oorzaak, lastmod, title, sitemap."""
    findings: list[Finding] = field(default_factory=list)
    complete: set[str] = field(default_factory=set)
    """Hosts that were read completely."""
    read: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    """What each host listed in this run, by the content that the harvester has: by path, by loc."""
    wrong: dict[str, dict[str, int]] = field(default_factory=dict)
    """By host and path: entries with an http loc, by the content that the harvester has."""
    accounts: Accounts = field(default_factory=Accounts)
    named: dict[str, set[str]] = field(default_factory=dict)
    """By host: the indexes that its robots.txt named, as the harvester read it."""
    ended: bool = False
    """It came to its end: it was not killed, and its output did not fail."""
    is_concluded: bool = False
    """It came to its end, whatever became of its output."""

    def lists(self, host: str) -> dict[str, set[int]]:
        """The versions of each document that a host listed."""
        found: dict[str, set[int]] = {}
        for documents in self.read.get(host, {}).values():
            for loc, version in documents.items():
                found.setdefault(loc, set()).add(version)
        return found

    def count(self, code: str, host: str) -> int:
        return sum(finding.code == code and finding.host == host for finding in self.findings)


@dataclass
class Day:
    """What happens in one run."""

    hosts: list[str]
    registered: frozenset[str]
    random: Random
    now: float
    kill_in: int | None = None
    output_fails_after: int | None = None
    unreachable: frozenset[str] = frozenset()
    """Documents that cannot be fetched."""


class Harvester:
    """One installation: its state, and what its publishers served at the last complete read of each file."""

    def __init__(self, state: SimulatedState, publishers: dict[str, Publisher]) -> None:
        self.state = state
        self.publishers = publishers
        self.held: dict[str, File] = {}
        """By URL of a sitemap: the content that the harvester was given last, with status 200."""
        self._pipeline = MetadataPipeline()

    def run(self, day: Day) -> Outcome:
        """Run the spider over these hosts."""
        run = _Run(self, day)
        try:
            asyncio.run(run.go())
        except KilledError:
            pass
        finally:
            self.state.kill_in = None
        return run.outcome


@cache
def _read_register(registered: frozenset[str]) -> tuple[Register, Vocabulary]:
    """Return the register with these hosts and its vocabulary, which takes long to make."""
    register = register_of(registered)
    return register, Vocabulary(bundled(), register)


class _Run:
    def __init__(self, harvester: Harvester, day: Day) -> None:
        self._harvester = harvester
        self._day = day
        self.outcome = Outcome(day.hosts)
        self._written = 0
        self._crawler = self._make_crawler()
        self._queue: list[Request] = []
        self._metadata = harvester._pipeline

    def _make_crawler(self) -> Any:
        slot = SimpleNamespace(closing=None)
        return SimpleNamespace(
            settings=Settings(SETTINGS),
            signals=_Signals(),
            stats=_Stats(),
            spidercls=WooSpider,
            engine=SimpleNamespace(running=True, _slot=slot),
            spider=None,
            get_downloader_middleware=lambda cls: None,
            get_item_pipeline=lambda cls: None,
        )

    async def go(self) -> None:
        """Do what the engine does, one request at a time, in any order of hosts."""
        day, outcome = self._day, self.outcome
        spider = WooSpider(documents="none", domains=",".join(day.hosts))
        spider.crawler, spider.settings = self._crawler, self._crawler.settings
        self._crawler.spider = spider
        keeper = _Keeper(self._crawler, self._harvester.state)
        keeper.outputs = keeper.feeds = 1
        self._keeper = keeper
        spider.report, spider.keeper, spider.accounts = Reporter(self._report), keeper, outcome.accounts
        spider.run_folder, spider.common_cause = RunFolder(Path("/dev/shm")), CommonCause()
        self._harvester.state.kill_in = day.kill_in
        register, spider.vocabulary = _read_register(day.registered)
        spider.register = spider.select(register)
        spider.withdrawals._pending = Path("/dev/null")
        self._queue = spider.first_requests()
        try:
            await self._work()
            while True:
                made = [one async for one in spider.all_read(cast("Any", None))]
                self._deliver([one for one in made if isinstance(one, WooItem)])
                self._queue = [one for one in made if isinstance(one, Request)]
                if not self._queue:
                    break
                await self._work()
        finally:
            read = {host: visit for host, visit in spider.visits.items() if visit.reading_done}
            outcome.complete = {host for host, visit in read.items() if not visit.incomplete}
            outcome.named = {host: set(visit.selection.named) for host, visit in read.items()}
        outcome.is_concluded = True
        outcome.ended = day.output_fails_after is None

    def _report(self, finding: Finding) -> None:
        self.outcome.findings.append(finding)
        self.outcome.accounts.count_finding(finding)

    async def _work(self) -> None:
        while self._queue:
            request = self._queue.pop(self._day.random.randrange(len(self._queue)))
            response = self._answer(request)
            callback = cast("Any", request.callback)
            items: list[WooItem] = []
            async for made in callback(response, **request.cb_kwargs):
                if isinstance(made, Request):
                    self._queue.append(made)
                else:
                    items.append(made)
                    if self._day.random.random() < 0.3:
                        self._deliver(items)
                        items = []
            self._deliver(items)

    def _answer(self, request: Request) -> StreamedResponse:
        host, _, path = request.url.removeprefix("https://").partition("/")
        path = f"/{path}"
        status, file = self._harvester.publishers[host].serve(path)
        asked = request.headers.get("If-None-Match")
        if status == 200 and asked is not None and asked.decode() == file.etag:
            status = 304
        if number_of(path) is not None:
            if status == 200 and file.etag != '"cut"':
                self._harvester.held[request.url] = file
            if status in (200, 304) and file.etag != '"cut"':
                held = self._harvester.held.get(request.url, File())
                self.outcome.read.setdefault(host, {})[path] = dict(held.documents)
                self.outcome.wrong.setdefault(host, {})[path] = held.wrong
        body = file.body if status == 200 else b""
        return StreamedResponse(
            request.url,
            status=status,
            headers=Headers({"ETag": file.etag}),
            request=request,
            file=BytesIO(body),
            size=len(body),
            sha256=sha256(body).hexdigest(),
        )

    def _deliver(self, items: list[WooItem]) -> None:
        """Write records to the output and have the state learn of them."""
        deliveries, records = [], []
        for item in items:
            loc = item.record.document.weblocatie
            if loc in self._day.unreachable and item.source is not None:
                item.report("document.onbereikbaar", seen="HTTP 503", action="overgeslagen")
                self._keeper.note_not_harvested(item, refused=False)
                continue
            fails = self._day.output_fails_after
            if fails is not None and self._written >= fails:
                continue
            self._written += 1
            self._metadata.process_item(item)
            host = item.report.host
            if host is not None:
                self.outcome.accounts.of(host).count_record(item.record)
            deliveries.append(item.delivery)
            title = item.record.document.titelcollectie.officieleTitel
            records.append(
                {
                    "loc": loc,
                    "oorzaak": str(item.record.versies[-1].oorzaak),
                    "lastmod": item.record.herkomst.lastmod,
                    "titel": title,
                    "host": host,
                    "described": bool(item.record.document.omschrijvingen),
                    "categorised": item.source is not None and item.source.category is not None,
                }
            )
        if records:
            self._keeper.durable(cast("Any", deliveries), {})
            self.outcome.records += records
