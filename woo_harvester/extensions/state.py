"""Keeps the state of a run: what was listed, and what every output has durably."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import create_looping_call
from sqlalchemy import Connection

from woo_harvester.items import RecordItem, WooItem
from woo_harvester.paths import node_name, state_url
from woo_harvester.running.components import NO_FEED
from woo_harvester.running.ending import end_run
from woo_harvester.state import documents, faults, listings, outputs, resources, visited
from woo_harvester.state.delivery import Delivery, Reading
from woo_harvester.state.listed import Listed
from woo_harvester.state.lock import LockedError, Locks
from woo_harvester.state.store import State, StateError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

logger = logging.getLogger(__name__)

STATE_FAILED = "state_failed"

NO_OUTPUT = (
    f"{NO_FEED}: see the error about it above, and keep "
    "woo_harvester.extensions.feedexport.DurableFeedExporter among EXTENSIONS"
)


class StateKeeper:
    """The state of the hosts of a run, behind ``WOO_STATE_URL``; in memory where DELTAFETCH_ENABLED is off.

    The state is the last write: each output calls :meth:`durable` for what it has durably, and only when the
    last one did does the state learn of it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._state: State | None = None
        self._broken = False
        self._locks: Locks | None = None
        self.outputs = 0
        """How many outputs there are; each one adds itself before the first item."""
        self.feeds = 0
        """How many of them are feeds; none where FEEDS names one that cannot be used."""
        self.key_of: Callable[[Response], bytes] | None = None
        """By which the state knows that a page of another project's spider gave an item."""
        self.expected = Listed()
        """Documents of which this run makes a record."""
        self._readings: dict[int, Reading] = {}
        self._node = ""
        """This machine, for a state that others share."""
        self._timer: LoopingCall | AsyncioLoopingCall | None = None
        """Of the heartbeat, where others wait for one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        keeper = cls(crawler)
        crawler.signals.connect(keeper.spider_opened, signals.spider_opened)
        crawler.signals.connect(keeper.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(keeper.item_dropped, signals.item_dropped)
        return keeper

    @property
    def is_open(self) -> bool:
        """Whether the run could begin."""
        return self._state is not None

    @property
    def is_broken(self) -> bool:
        """Whether the state could not be written, so that nothing can be confirmed any more."""
        return self._broken

    def spider_opened(self, spider: Spider) -> None:
        """Open the state for a spider of another project, which chooses no hosts."""
        if not getattr(spider, "opens_state", False):
            try:
                self.open((), reset=bool(getattr(spider, "deltafetch_reset", False)))
            except StateError as error:
                end_run(self._crawler, "cannot_start", str(error))
                raise CloseSpider("cannot_start") from error

    def open(self, hosts: Sequence[str], *, reset: bool) -> None:
        """Open the state and lock *hosts*; with *reset*, forget what is known of them.

        Cuts back the files of runs that were killed. Raises StateError.
        """
        if self._crawler.settings.getdict("FEEDS") and not self.feeds:
            raise StateError(NO_OUTPUT)
        if not self.outputs:  # with them it is only a cost
            self._crawler.signals.connect(self.item_scraped, signals.item_scraped)
        self._state = self._open_locked(hosts)
        if self._locks is not None and self._locks.heartbeat is not None:
            self._timer = create_looping_call(self._beat)
            self._timer.start(self._locks.heartbeat, now=False)
        with self.begin() as connection:
            self._cut_back(connection)
            if self._is_reset(reset):
                visited.forget_visited(connection, self._crawler.spidercls.name)
                for host in hosts:
                    resources.forget_host(connection, host)

    def _cut_back(self, connection: Connection) -> None:
        try:
            cut = outputs.cut_back(connection, self._locks, self._node)
        except OSError as error:
            raise StateError(f"a file of a run that was killed cannot be cut back: {error}") from error
        for path, size in cut.items():
            logger.warning(
                "Cut %(size)d bytes off %(path)s, where a run was killed", {"size": size, "path": path}
            )

    def add_hosts(
        self, hosts: Sequence[str], forget: Callable[[Connection, str], None], *, reset: bool
    ) -> None:
        """Lock hosts of a run that is open already; with *reset*, *forget* them. Raises StateError."""
        if self._state is None:
            raise RuntimeError("Hosts are added before StateKeeper.open()")
        self._lock(hosts, self._state)
        if self._is_reset(reset):
            with self.begin() as connection:
                for host in hosts:
                    forget(connection, host)

    def _is_reset(self, asked: bool, /) -> bool:
        return asked or self._crawler.settings.getbool("DELTAFETCH_RESET")

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction of the state; one that fails ends the run, and raises CloseSpider.

        After it there is no other: what is in memory may be ahead of the state by then, and would have it
        remember as read what was never delivered.
        """
        if self._state is None:
            raise RuntimeError("The state is used before StateKeeper.open()")
        if self._broken:
            raise CloseSpider(STATE_FAILED)
        try:
            with self._state.begin() as connection:
                yield connection
        except StateError as error:
            self._broken = True
            end_run(self._crawler, STATE_FAILED, str(error))
            raise CloseSpider(STATE_FAILED) from error

    def lock_output(self, path: Path) -> None:
        """Keep other runs on this state from writing to *path*. Raises StateError."""
        if self._locks is not None and not self._locks.try_acquire(outputs.lock_name(path, self._node)):
            raise StateError(outputs.ANOTHER_WRITER.format(path))

    def open_output(self, path: Path, size: int) -> None:
        """Note that this run writes to *path*, of which *size* bytes are durable. Raises StateError."""
        with self.begin() as connection:
            outputs.open_output(connection, path, size, self._node)

    def expect(self, item: RecordItem, delivery: Delivery) -> None:
        """Have the state wait for *item*; where items share a delivery, for all of them."""
        delivery.waiting += max(self.outputs, 1)
        item.delivery = delivery
        if delivery.reading is not None:
            delivery.reading.outstanding += 1

    def durable(
        self, deliveries: Iterable[Delivery], sizes: Mapping[Path, int], *, closed: bool = False
    ) -> None:
        """Learn that one output has *deliveries* durably, and up to where its files are durable."""
        done = []
        for delivery in deliveries:
            delivery.waiting -= 1
            if not delivery.waiting:
                done.append(delivery)
        with self.begin() as connection:
            outputs.keep_durable(connection, sizes, self._node, closed=closed)
            self._confirm(connection, done)

    def begin_reading(self, reading: Reading) -> None:
        """A sitemap is being read."""
        self._readings[reading.resource_id] = reading

    def flaw(self, resource_id: int) -> None:
        """A sitemap shares a document with another one; if it was read in this run, that is not relied on."""
        if (reading := self._readings.get(resource_id)) is not None:
            reading.flawed = True

    def read_completely(self, connection: Connection, reading: Reading, lacking: Sequence[int]) -> None:
        """Learn that a sitemap was read to its end; remember that once all its documents are confirmed.

        As long as it is known to have listed documents that it is *lacking* now, it is read each time: "not
        modified" would mean that they are there.
        """
        reading.complete = True
        reading.flawed |= bool(lacking)
        self._remember(connection, reading)

    def delivery_of(self, item: object, response: Response | None) -> Delivery | None:
        """What the state waits to learn of *item*; None where it learns nothing of it."""
        if isinstance(item, RecordItem):
            return _told(item, item.delivery) if isinstance(item.delivery, Delivery) else None
        if response is None or self.key_of is None:
            return None
        return Delivery(waiting=max(self.outputs, 1), visited=self.key_of(response))

    def not_harvested(self, item: WooItem, *, refused: bool) -> None:
        """Learn that a document was fetched and *refused*, or could not be fetched; its last error says why.

        What was refused is known by that: its sitemap need not be read again for it. What could not be
        fetched is not, so that the next run reads the sitemap and tries again.
        """
        delivery, error = item.delivery, item.report.error
        if not isinstance(delivery, Delivery) or delivery.harvested is None or error is None:
            return
        self._crawler.stats.inc_value("woo/documents/refused" if refused else "woo/documents/failed")
        harvested = delivery.harvested
        with self.begin() as connection:
            faults.keep_fault(
                connection,
                harvested,
                error.code,
                error.seen,
                # Of a version that is not told; after a jump of the clock the record's may lie ahead.
                at=int(time()),
                refused=refused,
            )
            if refused and delivery.reading is not None:
                delivery.reading.outstanding -= 1
                self._remember(connection, delivery.reading)

    def same(self, item: WooItem) -> None:
        """Learn that a document was received, and has the bytes that were known: nothing is delivered."""
        delivery = item.delivery
        if (
            not isinstance(delivery, Delivery)
            or (received := delivery.harvested) is None
            or not received.file
        ):
            return
        self._crawler.stats.inc_value("woo/documents/same")
        with self.begin() as connection:
            documents.confirm_same(connection, received, received.file)
            if delivery.reading is not None:
                delivery.reading.outstanding -= 1
                self._remember(connection, delivery.reading)

    def item_dropped(self, item: object) -> None:
        """A pipeline refuses a document, and has reported an error."""
        if isinstance(item, WooItem):
            with suppress(CloseSpider):
                self.not_harvested(item, refused=True)

    def item_scraped(self, item: object, response: Response | None) -> None:
        """Where there is no output at all, what was scraped is delivered."""
        if (delivery := self.delivery_of(item, response)) is not None:
            with suppress(CloseSpider):
                self.durable([delivery], {})

    def engine_stopped(self) -> None:
        """Close the state; all outputs are closed by now."""
        if self._timer is not None and self._timer.running:
            self._timer.stop()
        if self._state is not None:
            self._release()
            self._state.close()

    def _release(self) -> None:
        """Give the locks back; those of a connection that was lost are given back already."""
        if self._locks is None or self._broken:
            return
        try:
            self._locks.release()
        except StateError as error:
            end_run(self._crawler, STATE_FAILED, str(error))

    def _beat(self) -> None:
        """Show that the run goes on, and notice a state that is lost while nothing is written."""
        with suppress(CloseSpider), self.begin():
            if self._locks is not None:
                self._locks.beat()

    def _open_locked(self, hosts: Sequence[str]) -> State:
        """The state, of which this run has *hosts* for itself."""
        settings = self._crawler.settings
        state = State.open(state_url(settings))
        try:
            node = node_name(settings)
            self._node = node if state.is_shared else ""
            self._locks = state.locks(f"process {os.getpid()} on {node}")
            self._lock(hosts, state)
        except StateError:
            self._let_go(state)
            raise
        return state

    def _lock(self, hosts: Sequence[str], state: State) -> None:
        if self._locks is not None:
            try:
                self._locks.acquire(hosts)
            except LockedError as error:
                raise StateError(
                    f"another run works on {error} with the state {state.place}: wait until it ends"
                ) from error
            except OSError as error:
                raise StateError(f"hosts of the state {state.place} cannot be locked: {error}") from error

    def _let_go(self, state: State) -> None:
        if self._locks is not None:
            with suppress(StateError):  # of a state that cannot be used, which is told already
                self._locks.release()
        self._locks = None
        state.close()

    def _confirm(self, connection: Connection, done: Sequence[Delivery]) -> None:
        harvested = [one.harvested for one in done if one.harvested]
        for learn in {one.confirm for one in done if one.confirm is not None}:
            learn(connection, [one.number for one in done if one.confirm is learn])
        withdrawn = {one.withdrawn: one.withdrawn_at for one in done if one.withdrawn is not None}
        if withdrawn:
            documents.hold(connection, {*withdrawn, *(one.id for one in harvested)})
        documents.confirm(connection, harvested)
        for key in sorted({one.visited for one in done if one.visited is not None}):
            visited.add_visited(connection, self._crawler.spidercls.name, key, int(time()))
        documents.confirm_withdrawn(connection, withdrawn)
        for sitemap_id in listings.end_withdrawn(connection, sorted(withdrawn)):
            resources.forget_read(connection, sitemap_id)
        readings = [one.reading for one in done if one.reading is not None]
        for reading in readings:
            reading.outstanding -= 1
        for reading in sorted({id(one): one for one in readings}.values(), key=attrgetter("resource_id")):
            self._remember(connection, reading)
        self._crawler.stats.inc_value("deltafetch/stored", len(done))

    @staticmethod
    def _remember(connection: Connection, reading: Reading) -> None:
        if reading.complete and not reading.flawed and not reading.outstanding:
            resources.keep_read(
                connection,
                reading.resource_id,
                etag=reading.etag,
                last_modified=reading.last_modified,
                digest=reading.digest,
                at=reading.at,
            )


def _told(item: RecordItem, delivery: Delivery) -> Delivery:
    """The item's delivery, with what its record tells of the file by now."""
    if not isinstance(item, WooItem) or delivery.harvested is None or delivery.harvested.file is None:
        return delivery
    if files := item.record.versies[-1].bestanden:
        known = delivery.harvested.file
        delivery.harvested.file = replace(
            known,
            size=files[0].grootte,
            media_type=files[0].mime_type,
            file_name=files[0].bestandsnaam,
            pages=files[0].paginas,
        )
    return delivery
