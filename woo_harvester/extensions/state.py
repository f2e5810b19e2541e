"""Lets the state learn of records once all outputs have them: of the document, its file and its sitemap."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import attrgetter
from time import time
from typing import IO, TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, UsageError
from scrapy.utils.asyncio import create_looping_call
from sqlalchemy import Connection

from woo_harvester.items import RecordItem, WooItem
from woo_harvester.running.ending import end_run
from woo_harvester.running.paths import NO_FEED, node_name, state_url
from woo_harvester.running.streams import warn_always
from woo_harvester.state import NOWHERE, documents, resources
from woo_harvester.state.deliveries import Delivery, PendingRead
from woo_harvester.state.documents import confirm_harvested, confirm_withdrawn
from woo_harvester.state.outputs import Outputs
from woo_harvester.state.store import State, StateError
from woo_harvester.utils.document_set import DocumentSet

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall


def _describe_file(item: WooItem, delivery: Delivery) -> None:
    if delivery.harvested is None or delivery.harvested.file is None:
        return
    if files := item.record.versies[-1].bestanden:
        delivery.harvested.file = replace(
            delivery.harvested.file,
            size=files[0].grootte,
            media_type=files[0].mime_type,
            file_name=files[0].bestandsnaam,
            pages=files[0].paginas,
        )


def confirm_deliveries(connection: Connection, done: Sequence[Delivery], spider: str) -> set[int]:
    """Note in the state what all outputs have durably; *spider* is the name of the spider.

    Returns the sitemaps that earlier versions came from. These are to be read again.
    """
    harvested = [one.harvested for one in done if one.harvested]
    for confirm in {one.confirm for one in done if one.confirm is not None}:
        confirm(connection, [one.number for one in done if one.confirm is confirm])
    withdrawn = {one.withdrawn: one.withdrawn_at for one in done if one.withdrawn is not None}
    if withdrawn:
        documents.lock_rows(connection, {*withdrawn, *(one.id for one in harvested)})
    replaced = documents.other_sources(connection, {one.id: one.sitemap_id for one in harvested})
    confirm_harvested(connection, harvested)
    for key in sorted({one.visited for one in done if one.visited is not None}):
        resources.add_visited(connection, spider, key, int(time()))
    confirm_withdrawn(connection, withdrawn)
    return replaced


logger = logging.getLogger(__name__)

_STATE_FAILED = "state_failed"

_NO_OUTPUT = (
    f"{NO_FEED}: see the error about it above, and keep "
    "woo_harvester.outputs.feeds.DurableFeedExporter among EXTENSIONS"
)


class StateKeeper:
    """The extension that writes the state at ``WOO_STATE_URL``.

    If ``DELTAFETCH_ENABLED`` is off, the state is in memory, unless the spider delivers known documents
    again.

    The state is written last: each output calls :meth:`durable` for the records that it has durably, and a
    record is noted in the state when the last output did so.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._state: State | None = None
        self._broken = False
        self.outputs = 0
        """The number of outputs; each one adds itself before the first item."""
        self.feeds = 0
        """The number of outputs that are feeds: 0 if ``FEEDS`` names one that cannot be used."""
        self.lines: list[str] = []
        """What became of files that were to be replaced: the last lines of the run."""
        self.key_of: Callable[[Response], bytes] | None = None
        """The function that gives the key of a page that a subclass requests itself; it is visited once."""
        self.delivered = DocumentSet()
        """The documents of which this run makes a record: of each only one."""
        self.depth = 0
        """How much of each document this run delivers, a Depth."""
        self._readings: dict[int, PendingRead] = {}
        self._timer: LoopingCall | AsyncioLoopingCall | None = None
        """The timer of the heartbeat, if other runs wait for one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        keeper = cls(crawler)
        crawler.signals.connect(keeper.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(keeper.item_dropped, signals.item_dropped)
        return keeper

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """Return the keeper of a crawl. Raises RuntimeError if the extension is not enabled."""
        keeper = crawler.get_extension(cls)
        if keeper is None:
            raise RuntimeError("outputs of woo_harvester need the extension StateKeeper")
        return keeper

    @property
    def is_open(self) -> bool:
        """True if the state is open. False if the run could not begin, or writing the state has failed."""
        return self._state is not None and not self._broken

    def open(self, hosts: Sequence[str], *, reset: bool) -> None:
        """Open the state and lock *hosts*; with *reset*, forget what is known of them.

        Also finish the files of runs that died. Raises StateError, and UsageError if no feed can be used.
        """
        if self._crawler.settings.getdict("FEEDS") and not self.feeds:
            raise UsageError(_NO_OUTPUT)
        if not self.outputs:  # otherwise the handler would only cost time
            self._crawler.signals.connect(self.item_scraped, signals.item_scraped)
        self._state = state = self._open_state(hosts)
        if state.heartbeat is not None:
            self._timer = create_looping_call(self._beat)
            self._timer.start(state.heartbeat, now=False)
        for line in state.recover():
            warn_always(logger, line)
        with self.begin() as connection:
            if self._is_reset(reset):
                resources.forget_visited(connection, self._crawler.spidercls.name)
                for host in hosts:
                    resources.forget_host(connection, host)

    @property
    def delivers_all(self) -> bool:
        """True if documents that are known and did not change are delivered again."""
        return not self._crawler.settings.getbool("DELTAFETCH_ENABLED", True)

    def _open_state(self, hosts: Sequence[str]) -> State:
        settings = self._crawler.settings
        keeps_state = not self.delivers_all or getattr(self._crawler.spidercls, "delivers_known", False)
        url = state_url(settings) if keeps_state else NOWHERE
        return State.open_for_run(url, node_name(settings), hosts)

    def add_hosts(
        self,
        hosts: Sequence[str],
        locks: Sequence[str],
        forget: Callable[[Connection, str], None],
        *,
        reset: bool,
    ) -> None:
        """Take the *locks* of more hosts; with *reset*, *forget* these hosts. Raises StateError."""
        if self._state is None:
            raise RuntimeError("Hosts are added before StateKeeper.open()")
        self._state.lock_hosts(locks)
        if self._is_reset(reset):
            with self.begin() as connection:
                for host in hosts:
                    forget(connection, host)

    def _is_reset(self, asked: bool, /) -> bool:
        return asked or self._crawler.settings.getbool("DELTAFETCH_RESET")

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction of the state for the block. If it fails, end the run and raise CloseSpider.

        No other transaction follows a failed one. What is in memory may be ahead of the state by then, and
        the state would note as read what was never delivered.
        """
        with self._begin() as (_, connection):
            yield connection

    @contextmanager
    def _begin(self) -> Iterator[tuple[State, Connection]]:
        if self._state is None:
            raise RuntimeError("The state is used before StateKeeper.open()")
        if self._broken:
            raise CloseSpider(_STATE_FAILED)
        try:
            with self._state.begin() as connection:
                yield self._state, connection
        except StateError as error:
            self._broken = True
            end_run(self._crawler, _STATE_FAILED, str(error))
            raise CloseSpider(_STATE_FAILED) from error

    @property
    def files(self) -> Outputs:
        """The files of runs that the state knows."""
        if self._state is None:
            raise RuntimeError("The state is used before StateKeeper.open()")
        return self._state.outputs

    def expect(self, item: RecordItem, delivery: Delivery) -> None:
        """Wait for all outputs to have *item*; items that share a delivery are waited for together."""
        delivery.waiting += max(self.outputs, 1)
        item.delivery = delivery
        if delivery.reading is not None:
            delivery.reading.outstanding += 1

    def durable(self, deliveries: Iterable[Delivery], own: IO[bytes] | None = None) -> None:
        """Note that one output has *deliveries* durably, and all of its *own* file."""
        done = []
        for delivery in deliveries:
            delivery.waiting -= 1
            if not delivery.waiting:
                done.append(delivery)
        with self._begin() as (state, connection):
            if own is not None:
                state.outputs.keep_durable(connection, own)
            self._confirm(connection, done)

    def begin_reading(self, reading: PendingRead) -> None:
        """Note that a sitemap is being read."""
        self._readings[reading.resource_id] = reading

    def read_completely(self, connection: Connection, reading: PendingRead, lacking: Sequence[int]) -> None:
        """Note that a sitemap was read to its end; write that to the state once its documents are confirmed.

        It is read each time while it is *lacking* what it listed before: "not modified" would deny that.
        """
        reading.complete = True
        reading.must_reread |= bool(lacking)
        self._remember(connection, reading)

    def read_again(self, connection: Connection, sitemaps: Iterable[int]) -> None:
        """Have the next run read sitemaps in full, also those that this run has read."""
        for sitemap_id in sorted(sitemaps):
            resources.forget_read(connection, sitemap_id)
            if (reading := self._readings.get(sitemap_id)) is not None:
                reading.must_reread = True

    def delivery_of(self, item: object, response: Response | None) -> Delivery | None:
        """Return the delivery of *item*; None if the state notes nothing of it."""
        if isinstance(item, RecordItem):
            if not isinstance(item.delivery, Delivery):
                return None
            if isinstance(item, WooItem):
                _describe_file(item, item.delivery)
            return item.delivery
        if response is None or self.key_of is None:
            return None
        return Delivery(waiting=max(self.outputs, 1), visited=self.key_of(response))

    def note_not_harvested(self, item: WooItem, *, refused: bool) -> None:
        """Note that a document was fetched and *refused*, or could not be fetched; its last error says why.

        The sitemap of a refused document need not be read again for it. The sitemap of a document that could
        not be fetched is read again in the next run, which tries again.
        """
        delivery, error = item.delivery, item.report.error
        if not isinstance(delivery, Delivery) or delivery.harvested is None or error is None:
            return
        self._crawler.stats.inc_value("woo/documents/refused" if refused else "woo/documents/failed")
        with self.begin() as connection:
            documents.keep_fault(
                connection,
                delivery.harvested,
                error.code,
                error.seen,
                # Not the moment of the record: after a jump of the clock that may lie in the future.
                at=int(time()),
                refused=refused,
            )
            if refused:
                self._end(connection, delivery)

    def _end(self, connection: Connection, delivery: Delivery) -> None:
        """Note that a document of a sitemap needs no record of this run."""
        if delivery.reading is not None:
            delivery.reading.outstanding -= 1
            self._remember(connection, delivery.reading)

    def item_dropped(self, item: object, exception: BaseException) -> None:
        """Note that a pipeline refused a document and reported an error."""
        if isinstance(item, WooItem):
            with suppress(CloseSpider):
                self.note_not_harvested(item, refused=True)

    def item_scraped(self, item: object, response: Response | None) -> None:
        """Note an item as delivered once it was scraped, since there is no output."""
        if (delivery := self.delivery_of(item, response)) is not None:
            with suppress(CloseSpider):
                self.durable([delivery])

    def engine_stopped(self) -> None:
        """Close the state; all outputs are closed by now."""
        if self._timer is not None and self._timer.running:
            self._timer.stop()
        if self._state is not None:
            if not self._broken:  # the locks of a lost connection are released already
                try:
                    self._state.release()
                except StateError as error:
                    end_run(self._crawler, _STATE_FAILED, str(error))
            self._state.close()

    def _beat(self) -> None:
        """Show that the run goes on, and notice a lost state even if nothing is written."""
        with suppress(CloseSpider), self._begin() as (state, _):
            state.beat()

    def _confirm(self, connection: Connection, done: Sequence[Delivery]) -> None:
        self.read_again(connection, confirm_deliveries(connection, done, self._crawler.spidercls.name))
        readings = [one.reading for one in done if one.reading is not None]
        for reading in readings:
            reading.outstanding -= 1
        for reading in sorted({id(one): one for one in readings}.values(), key=attrgetter("resource_id")):
            self._remember(connection, reading)
        self._crawler.stats.inc_value("deltafetch/stored", len(done))

    def _remember(self, connection: Connection, reading: PendingRead) -> None:
        if reading.complete and not reading.must_reread and not reading.outstanding:
            resources.keep_read(
                connection,
                reading.resource_id,
                etag=reading.etag,
                last_modified=reading.last_modified,
                digest=reading.digest,
                at=reading.at,
                depth=self.depth,
            )
