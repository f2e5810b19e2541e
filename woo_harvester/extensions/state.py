"""What the state learns of records once all outputs have them: of the document, its file and content."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, UsageError
from scrapy.utils.asyncio import create_looping_call
from sqlalchemy import Connection

from woo_harvester.items import NothingAddedError, RecordItem, WooItem
from woo_harvester.running.components import NO_FEED
from woo_harvester.running.ending import end_run
from woo_harvester.running.paths import node_name, state_url
from woo_harvester.running.startlog import warn_always
from woo_harvester.state import NOWHERE, documents, listings, resources
from woo_harvester.state.contents import (
    Content,
    Delivery,
    Depth,
    KnownText,
    PendingRead,
    TextResult,
    Wanted,
    begin_wanting,
)
from woo_harvester.state.documents import confirm_content, confirm_harvested, confirm_same, confirm_withdrawn
from woo_harvester.state.locks import entry_pages_lock
from woo_harvester.state.store import State, StateError
from woo_harvester.utils.document_set import DocumentSet

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall


def complete_delivery(item: RecordItem, delivery: Delivery, wanted: Wanted | None) -> Delivery:
    """Return the item's delivery, with what its record says of the file by now."""
    if isinstance(item, WooItem) and delivery.harvested is not None:
        delivery.content = content_of(item, wanted.content) if wanted is not None else None
        _describe_file(item, delivery)
    return delivery


def _number_contents(connection: Connection, deliveries: Sequence[Delivery], wanted: Wanted | None) -> None:
    """Set the numbers of the contents of what was harvested."""
    for one in deliveries:
        if wanted is not None and one.harvested is not None and one.content is not None:
            one.harvested.content = wanted.number_of(connection, one.content)


def confirm_nothing_added(connection: Connection, item: WooItem, wanted: Wanted | None) -> None:
    """Note what is known of the content of a document for which no record is delivered."""
    delivery, content = item.delivery, content_of(item, wanted.content) if wanted is not None else None
    if isinstance(delivery, Delivery) and delivery.harvested and wanted is not None and content is not None:
        confirm_content(connection, delivery.harvested.id, wanted.number_of(connection, content))


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


def content_of(item: WooItem, wanted: Content) -> Content | None:
    """Return what is known of the content of an item's document, once the pipelines are done with it.

    A run that wants the text has read it, or tried to: a result that no pipeline reported is a failure. The
    store has the document, or the run would have ended.
    """
    source = item.source
    if source is None:
        return None
    if source.fetched is None or source.fetched.sha256 is None:
        content = Content(Depth.NONE if source.fetched is None else Depth.HEADERS)
        return source.again if source.again is not None and source.again.depth > content.depth else content
    text = KnownText(wanted.text.limits, source.text or TextResult.FAILED) if wanted.text else None
    content = Content(Depth.FILE, wanted.store, text)
    before = source.content or source.again
    return content.with_earlier(before) if before is not None else content


def confirm_deliveries(
    connection: Connection, done: Sequence[Delivery], wanted: Wanted | None, spider: str
) -> set[int]:
    """Note in the state what all outputs have durably; *spider* is the name of the spider.

    Returns the sitemaps that earlier versions came from, and others of the host that list the documents.
    These are to be read again: they may list a document twice on one host, or as the owner's while another
    run delivered another's entry.
    """
    harvested = [one.harvested for one in done if one.harvested]
    for confirm in {one.confirm for one in done if one.confirm is not None}:
        confirm(connection, [one.number for one in done if one.confirm is confirm])
    withdrawn = {one.withdrawn: one.withdrawn_at for one in done if one.withdrawn is not None}
    if withdrawn:
        documents.lock_rows(connection, {*withdrawn, *(one.id for one in harvested)})
    _number_contents(connection, done, wanted)
    replaced = documents.other_sources(connection, harvested)
    confirm_harvested(connection, harvested)
    for key in sorted({one.visited for one in done if one.visited is not None}):
        resources.add_visited(connection, spider, key, int(time()))
    confirm_withdrawn(connection, withdrawn)
    for sitemap_id in sorted(replaced.union(listings.end_withdrawn(connection, sorted(withdrawn)))):
        resources.forget_read(connection, sitemap_id)
    return replaced


logger = logging.getLogger(__name__)

_STATE_FAILED = "state_failed"

_NO_OUTPUT = (
    f"{NO_FEED}: see the error about it above, and keep "
    "woo_harvester.outputs.feedexport.DurableFeedExporter among EXTENSIONS"
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
        self.check_feeds: Callable[[], None] = lambda: None
        """Raises UsageError if nothing can be added to a file; the files of killed runs are cut back then."""
        self.key_of: Callable[[Response], bytes] | None = None
        """The function that gives the key of a page that a subclass requests itself; it is visited once."""
        self.expected, self.supplied = DocumentSet(), DocumentSet()
        """The documents of which this run makes a record; those of which it delivers the known version."""
        self.wanted: Wanted | None = None
        """What this run wants to know of the content of documents; None for a spider without documents."""
        self._readings: dict[int, PendingRead] = {}
        self._timer: LoopingCall | AsyncioLoopingCall | None = None
        """The timer of the heartbeat, if other runs wait for one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        keeper = cls(crawler)
        crawler.signals.connect(keeper.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(keeper.item_dropped, signals.item_dropped)
        return keeper

    @property
    def is_open(self) -> bool:
        """True if the state is open. False if the run could not begin."""
        return self._state is not None

    @property
    def is_broken(self) -> bool:
        """True if writing the state has failed. After that, nothing more is confirmed."""
        return self._broken

    def open(self, hosts: Sequence[str], *, reset: bool) -> None:
        """Open the state and lock *hosts*; with *reset*, forget what is known of them.

        Also cut back the output files of runs that were killed. Raises StateError, and UsageError if no feed
        can be used.
        """
        if self._crawler.settings.getdict("FEEDS") and not self.feeds:
            raise UsageError(_NO_OUTPUT)
        if not self.outputs:  # otherwise the handler would only cost time
            self._crawler.signals.connect(self.item_scraped, signals.item_scraped)
        self._state = state = self._open_state(hosts)
        if state.heartbeat is not None:
            self._timer = create_looping_call(self._beat)
            self._timer.start(state.heartbeat, now=False)
        with self.begin() as connection:
            for line in state.cut_back(connection).lines():
                warn_always(logger, line)
            self.check_feeds()
            if self._is_reset(reset):
                resources.forget_visited(connection, self._crawler.spidercls.name)
                for host in hosts:
                    resources.forget_host(connection, host)

    def want(self, content: Content) -> Wanted:
        """Set what this run wants to know of the content of documents, and return it."""
        with self.begin() as connection:
            self.wanted = begin_wanting(connection, content)
        return self.wanted

    @property
    def _wanted_number(self) -> int | None:
        return None if self.wanted is None else self.wanted.number

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
        self, hosts: Sequence[str], forget: Callable[[Connection, str], None], *, reset: bool
    ) -> None:
        """Lock the entry pages of *hosts*; with *reset*, *forget* these hosts. Raises StateError."""
        if self._state is None:
            raise RuntimeError("Hosts are added before StateKeeper.open()")
        self._state.lock_hosts([entry_pages_lock(host) for host in hosts])
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

    def lock_output(self, path: Path) -> None:
        """Keep other runs on this state from writing to *path*. Raises StateError."""
        if self._state is not None:
            self._state.lock_output(path)

    def open_output(self, path: Path, size: int, *, made: bool) -> str:
        """Note that this run writes to *path*, of which *size* bytes are durable. Raises StateError.

        *made* says that the run made the file. Return the name of the state for the claims of the run.
        """
        with self._begin() as (state, connection):
            return state.open_output(connection, path, size, made=made)

    def expect(self, item: RecordItem, delivery: Delivery) -> None:
        """Wait for all outputs to have *item*; items that share a delivery are waited for together."""
        delivery.waiting += max(self.outputs, 1)
        item.delivery = delivery
        if delivery.reading is not None:
            delivery.reading.outstanding += 1

    def durable(
        self, deliveries: Iterable[Delivery], sizes: Mapping[Path, int], *, closed: bool = False
    ) -> None:
        """Note that one output has *deliveries* durably, and how many bytes of its files are durable."""
        done = []
        for delivery in deliveries:
            delivery.waiting -= 1
            if not delivery.waiting:
                done.append(delivery)
        with self._begin() as (state, connection):
            state.keep_durable(connection, sizes, closed=closed)
            self._confirm(connection, done)

    def begin_reading(self, reading: PendingRead) -> None:
        """Note that a sitemap is being read."""
        self._readings[reading.resource_id] = reading

    def require_reread(self, resource_id: int) -> None:
        """Have a sitemap read again in the next run: it shares a document with another one of this run."""
        if (reading := self._readings.get(resource_id)) is not None:
            reading.must_reread = True

    def read_completely(self, connection: Connection, reading: PendingRead, lacking: Sequence[int]) -> None:
        """Note that a sitemap was read to its end; write that to the state once its documents are confirmed.

        It is read each time while it is *lacking* what it listed before: "not modified" would deny that.
        """
        reading.complete = True
        reading.must_reread |= bool(lacking)
        self._remember(connection, reading)

    def delivery_of(self, item: object, response: Response | None) -> Delivery | None:
        """Return the delivery of *item*; None if the state notes nothing of it."""
        if isinstance(item, RecordItem):
            if not isinstance(item.delivery, Delivery):
                return None
            return complete_delivery(item, item.delivery, self.wanted)
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
                wanted=self._wanted_number,
            )
            if refused:
                self._end(connection, delivery)

    def note_same(self, item: WooItem) -> None:
        """Note that a document was received and is the same as before: no record is delivered."""
        delivery = item.delivery
        received = delivery.harvested if isinstance(delivery, Delivery) else None
        if not isinstance(delivery, Delivery) or received is None or not received.file:
            return
        self._crawler.stats.inc_value("woo/documents/same")
        with self.begin() as connection:
            confirm_same(connection, received, received.file)
            self._end(connection, delivery)

    def note_nothing_added(self, item: WooItem) -> None:
        """Note what is known of the content of a document by now: no record is delivered."""
        with self.begin() as connection:
            confirm_nothing_added(connection, item, self.wanted)
            if isinstance(item.delivery, Delivery):
                self._end(connection, item.delivery)

    def _end(self, connection: Connection, delivery: Delivery) -> None:
        """Note that a document of a sitemap needs no record of this run."""
        if delivery.reading is not None:
            delivery.reading.outstanding -= 1
            self._remember(connection, delivery.reading)

    def item_dropped(self, item: object, exception: BaseException) -> None:
        """Note that a pipeline refused a document and reported an error, or had nothing to add to it."""
        if isinstance(item, WooItem):
            with suppress(CloseSpider):
                if isinstance(exception, NothingAddedError):
                    self.note_nothing_added(item)
                else:
                    self.note_not_harvested(item, refused=True)

    def item_scraped(self, item: object, response: Response | None) -> None:
        """Note an item as delivered once it was scraped, since there is no output."""
        if (delivery := self.delivery_of(item, response)) is not None:
            with suppress(CloseSpider):
                self.durable([delivery], {})

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
        for replaced in confirm_deliveries(connection, done, self.wanted, self._crawler.spidercls.name):
            self.require_reread(replaced)
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
                wanted=self._wanted_number,
            )
