"""Writes records to Elasticsearch during the harvest, and confirms to the state those that it has stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.asyncio import create_looping_call

from woo_harvester.extensions.state import StateKeeper
from woo_harvester.extensions.stopping import OUTPUTS, outputs_given_up
from woo_harvester.items import RecordItem
from woo_harvester.kinds import WOO, Kind
from woo_harvester.outputs.document import BATCH_BYTES, BulkAction, Withdrawn, bulk_action
from woo_harvester.record import json_value
from woo_harvester.running.ending import end_run, fail_run
from woo_harvester.state.deliveries import Delivery
from woo_harvester.utils.program import counted, to_install

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from woo_harvester.outputs.bulk import BulkOutcome, BulkWriter

logger = logging.getLogger(__name__)

MISSING = f"Elasticsearch needs the package elasticsearch: {to_install('elasticsearch')}"
_NO_ANSWER = "Elasticsearch did not answer before the run had to stop: see WOO_STOP_TIMEOUT"
_FAILED = "elasticsearch_failed"


@dataclass(slots=True)
class _Batch:
    """The documents of one request, by id; the last version of each."""

    actions: dict[str, BulkAction] = field(default_factory=dict)
    deliveries: dict[str, list[Delivery]] = field(default_factory=dict)
    size: int = 0
    """The size of the lines in bytes."""

    def add(self, action: BulkAction, delivery: Delivery | None) -> None:
        """Add a document; it replaces an earlier version of itself."""
        self.actions[action.id] = action
        self.size += len(action.lines)
        if delivery is not None:
            self.deliveries.setdefault(action.id, []).append(delivery)


class ElasticsearchExporter:
    """The extension that writes records to Elasticsearch; off until ``WOO_ELASTICSEARCH_URL`` is set.

    The spider's ``record_kind`` determines the index. A batch is written in a thread while the next one
    fills; when that is full too, the crawl waits. Only records that the server acknowledged are confirmed to
    the state. Refused records come again in the next run.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        settings = crawler.settings
        self._kind: Kind = getattr(crawler.spidercls, "record_kind", WOO)
        self._withdrawn = Withdrawn(settings["WOO_ELASTICSEARCH_WITHDRAWN"])
        self._max_actions = settings.getint("WOO_ELASTICSEARCH_BATCH")
        self._batch = _Batch()
        self._writer: BulkWriter | None = None
        self._writing: asyncio.Task[None] | None = None
        self._failed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="elasticsearch")
        self._timer = create_looping_call(self._begin)  # or records wait long in a slow crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings["WOO_ELASTICSEARCH_URL"]:
            raise NotConfigured  # without a message, for which Scrapy would log a warning
        exporter = cls(crawler)
        crawler.signals.connect(exporter.spider_opened, signals.spider_opened)
        crawler.signals.connect(exporter.item_scraped, signals.item_scraped)
        crawler.signals.connect(exporter.spider_closed, signals.spider_closed)
        crawler.signals.connect(exporter.engine_stopped, signals.engine_stopped)
        crawler.signals.connect(exporter.given_up, outputs_given_up)
        return exporter

    async def spider_opened(self, spider: Spider) -> None:
        """Prepare the index, and count it as an output for the state. Without the index, the run ends."""
        try:
            self._keeper().outputs += 1
            self._writer = await self._in_thread(self._open)
        except Exception as error:
            self._failed = True
            end_run(self._crawler, "cannot_start", _line(error))
            raise CloseSpider("cannot_start") from error
        self._timer.start(self._crawler.settings.getfloat("WOO_DURABLE_INTERVAL"), now=False)

    def item_scraped(self, item: Any, response: Response | None = None) -> Coroutine[Any, Any, None] | None:
        """Add the record to the batch; return an awaitable if the batch is full and cannot be written yet."""
        try:
            self._add_to_batch(item, response)
        except Exception as error:  # Scrapy would only log it
            self._fail(_line(error))
        return self._wait_for_capacity() if self._full() else None

    async def _wait_for_capacity(self) -> None:
        """Wait until the previous batch is written, while the current one is full."""
        while self._full() and self._writing is not None:
            await self._wait_a_second(self._writing)

    async def _wait_a_second(self, writing: asyncio.Task[None]) -> None:
        """Wait for the write, at most a second; in a run that is being stopped, end its retries."""
        if not self._crawler.crawling and self._writer is not None:
            self._writer.give_up.set()
        await asyncio.wait([writing], timeout=1)

    def _add_to_batch(self, item: Any, response: Response | None) -> None:
        if self._failed:
            return
        record = json_value(item.record) if isinstance(item, RecordItem) else ItemAdapter(item).asdict()
        try:
            action = bulk_action(self._kind, record, self._withdrawn)
        except ValueError as error:
            self._refuse(str(record.get("id")), str(error))
            return
        self._batch.add(action, self._keeper().delivery_of(item, response))
        if self._full():
            self._begin()

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """Write the last batch, and report refused documents."""
        if self._timer.running:
            self._timer.stop()
        while self._writing is not None or (self._batch.actions and not self._failed):
            if self._writing is not None:
                await self._wait_a_second(self._writing)
            self._begin()
        self._thread.shutdown(wait=False)
        if refused := self._crawler.stats.get_value("woo/elasticsearch/refused"):
            documents = counted(refused, "document")
            fail_run(self._crawler, f"Elasticsearch refused {documents}: see the log")

    async def engine_stopped(self) -> None:
        """End the active write, after a limited wait.

        If a run is stopped at its very end, Scrapy does not wait for :meth:`spider_closed`.
        """
        if self._writing is not None and self._writer is not None:
            self._writer.give_up.set()
            seconds = self._crawler.settings.getfloat("WOO_STOP_TIMEOUT") * OUTPUTS
            _, pending = await asyncio.wait([self._writing], timeout=seconds)
            if pending:
                self.given_up()

    def given_up(self) -> None:
        """Cancel the write to a server that does not answer; unconfirmed records come again next run."""
        if self._writing is not None:
            self._writing.cancel()
        elif self._batch.actions and not self._failed:
            self._fail(_NO_ANSWER)

    def _open(self) -> BulkWriter:
        """Connect and prepare the index; runs in the thread."""
        from woo_harvester.outputs.bulk import BulkWriter, connect  # noqa: PLC0415
        from woo_harvester.outputs.indices import prepare_index  # noqa: PLC0415

        settings = self._crawler.settings
        client = connect(settings)
        alias = settings[self._kind.setting]
        name = prepare_index(client, alias, self._kind)
        logger.info("Records go to the index %(name)s, alias %(alias)s", {"name": name, "alias": alias})
        return BulkWriter(client, alias, settings.getfloat("WOO_ELASTICSEARCH_PATIENCE"))

    def _full(self) -> bool:
        return len(self._batch.actions) >= self._max_actions or self._batch.size >= BATCH_BYTES

    def _begin(self) -> None:
        """Start writing the batch, unless it is empty or another one is being written."""
        if self._writing is None and self._batch.actions and not self._failed:
            batch, self._batch = self._batch, _Batch()
            self._writing = asyncio.get_running_loop().create_task(self._deliver(batch))

    async def _deliver(self, batch: _Batch) -> None:
        writer = cast("BulkWriter", self._writer)
        try:
            outcome = await self._in_thread(writer.write, list(batch.actions.values()))
            self._record_outcome(batch, outcome)
        except CloseSpider:
            self._failed = True  # the state could not be written, and has reported that
        except asyncio.CancelledError:  # by given_up()
            self._fail(_NO_ANSWER)
        except Exception as error:
            self._fail(_line(error))
        finally:
            self._writing = None
            self._crawler.stats.set_value("woo/elasticsearch/retries", writer.retries)
        if self._full():
            self._begin()

    def _fail(self, why: str) -> None:
        self._failed = True
        self._crawler.stats.inc_value("woo/outputs/failed")
        end_run(self._crawler, _FAILED, f"{why}; what is not in the index comes again in the next run")

    def _record_outcome(self, batch: _Batch, outcome: BulkOutcome) -> None:
        """Confirm what is in the index, and count the results."""
        done = [
            delivery for action in outcome.acknowledged for delivery in batch.deliveries.get(action.id, ())
        ]
        if done:
            self._keeper().durable(done)
        stats = self._crawler.stats
        stats.inc_value("woo/elasticsearch/acknowledged", len(outcome.acknowledged))
        stats.inc_value("woo/elasticsearch/newer", outcome.newer)
        for one in outcome.refused:
            self._refuse(one.action.id, one.reason)

    def _refuse(self, key: str, reason: str) -> None:
        """Log and count a document that is not in the index, so that it comes again."""
        self._crawler.stats.inc_value("woo/elasticsearch/refused")
        logger.error("Elasticsearch refuses the document %(id)s: %(why)s", {"id": key, "why": reason})

    def _keeper(self) -> StateKeeper:
        return StateKeeper.of(self._crawler)

    async def _in_thread(self, function: Any, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)


def _line(error: Exception) -> str:
    """Return an error as one line; for an unexpected error, with its type."""
    if isinstance(error, ImportError):
        return f"{MISSING} ({error})"
    from woo_harvester.outputs.bulk import SearchError  # noqa: PLC0415  -- of the extra

    return str(error) if isinstance(error, SearchError) else f"Elasticsearch cannot be used: {error!r}"
