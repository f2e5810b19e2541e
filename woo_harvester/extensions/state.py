"""Keeps the state of a run: what was listed, and what every output has durably."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Self

from scrapy import signals

from woo_harvester.folders import state_url
from woo_harvester.items import WooItem
from woo_harvester.state import documents, outputs, resources
from woo_harvester.state.documents import Harvested
from woo_harvester.state.listed import Listed
from woo_harvester.state.lock import LockedError, Locks
from woo_harvester.state.store import State, StateError, sqlite_file

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

logger = logging.getLogger(__name__)


@dataclass
class Reading:
    """The reading of one sitemap: whether the next run may rely on it depends on all its documents."""

    resource_id: int
    etag: str | None = None
    last_modified: str | None = None
    digest: bytes | None = None
    at: int = 0
    complete: bool = False
    """Read to its end, without a fault."""
    flawed: bool = False
    """It must be read each time: it shares a document with another sitemap, or no longer lists one."""
    outstanding: int = 0
    """Documents that no output has durably yet."""


@dataclass
class Delivery:
    """One record on its way to the outputs; the state learns of it when the last of them has it durably."""

    waiting: int = 0
    """Outputs that do not have it durably yet."""
    harvested: Harvested | None = None
    withdrawn: int | None = None
    """Id of the document, of an intrekking."""
    reading: Reading | None = None


@dataclass
class Withdrawals:
    """Withdrawals of a host whose hold is over once they are all confirmed."""

    host_id: int
    complete_at: int
    ids: set[int] = field(default_factory=set)


class StateKeeper:
    """The state of the hosts of a run, behind ``WOO_STATE_URL``; in memory where DELTAFETCH_ENABLED is off.

    The state is the last write: each output calls :meth:`durable` for what it has durably, and only when the
    last one did does the state learn of it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._state: State | None = None
        self._locks: Locks | None = None
        self.outputs = 0
        """How many outputs there are; each one adds itself before the first item."""
        self.listed = Listed()
        self._withdrawals: list[Withdrawals] = []
        self._readings: dict[int, Reading] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        keeper = cls(crawler)
        crawler.signals.connect(keeper.item_scraped, signals.item_scraped)
        crawler.signals.connect(keeper.engine_stopped, signals.engine_stopped)
        return keeper

    def open(self, hosts: Sequence[str], *, reset: bool) -> None:
        """Open the state and lock *hosts*; with *reset*, forget what is known of them.

        Cuts back the files of runs that were killed. Raises StateError.
        """
        url = state_url(self._crawler.settings)
        self._lock(url, hosts)
        self._state = State.open(url)
        with self.begin() as connection:
            for path, size in outputs.cut_back(connection, self._locks).items():
                logger.warning(
                    "Cut %(size)d bytes off %(path)s, where a run was killed", {"size": size, "path": path}
                )
            if reset or self._crawler.settings.getbool("DELTAFETCH_RESET"):
                for host in hosts:
                    resources.forget_host(connection, host)

    def begin(self) -> AbstractContextManager[Connection]:
        """A transaction of the state."""
        if self._state is None:
            raise RuntimeError("The state is used before StateKeeper.open()")
        return self._state.begin()

    def open_output(self, path: Path, size: int) -> None:
        """Note that this run writes to *path*, of which *size* bytes are durable. Raises StateError."""
        if self._locks is not None and not self._locks.try_acquire(str(path)):
            raise StateError(f"another run writes to {path}: give each run a file of its own")
        with self.begin() as connection:
            outputs.open_output(connection, path, size)

    def expect(self, item: WooItem, delivery: Delivery) -> None:
        """Have the state wait for *item*."""
        delivery.waiting = self.outputs
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
            outputs.keep_durable(connection, sizes, closed=closed)
            self._confirm(connection, done)

    def begin_reading(self, reading: Reading) -> None:
        """A sitemap is being read."""
        self._readings[reading.resource_id] = reading

    def flaw(self, resource_id: int) -> None:
        """A sitemap shares a document with another one; if it was read in this run, that is not relied on."""
        if (reading := self._readings.get(resource_id)) is not None:
            reading.flawed = True

    def read_completely(self, reading: Reading) -> None:
        """A sitemap was read to its end; remembered once all its documents are confirmed.

        As long as the state has a document of it that it no longer lists, it is read each time: "not
        modified" would mean that the document is there.
        """
        reading.complete = True
        with self.begin() as connection:
            ids = documents.not_withdrawn(connection, reading.resource_id)
            reading.flawed |= any(key not in self.listed for key, _ in ids)
            self._remember(connection, reading)

    def expect_withdrawals(self, withdrawals: Withdrawals) -> None:
        """Have the host's hold end when all these are confirmed."""
        self._withdrawals.append(withdrawals)

    def item_scraped(self, item: object) -> None:
        """Where there is no output at all, what was scraped is delivered."""
        if not self.outputs and isinstance(item, WooItem) and isinstance(item.delivery, Delivery):
            item.delivery.waiting = 1
            self.durable([item.delivery], {})

    def engine_stopped(self) -> None:
        """Close the state; all outputs are closed by now."""
        if self._state is not None:
            with self.begin() as connection:
                for one in self._withdrawals:
                    if not one.ids:
                        resources.keep_host(connection, one.host_id, complete_at=one.complete_at, held_runs=0)
            self._state.close()
        if self._locks is not None:
            self._locks.release()

    def _lock(self, url: str, hosts: Sequence[str]) -> None:
        file = sqlite_file(url)
        if file is not None:
            try:
                self._locks = Locks.beside(file)
                self._locks.acquire(hosts)
            except LockedError as error:
                raise StateError(
                    f"another run works on {error} with the state {file}: wait until it ends"
                ) from error
            except OSError as error:
                raise StateError(f"the lock of the state {file} cannot be used: {error}") from error

    def _confirm(self, connection: Connection, done: Sequence[Delivery]) -> None:
        documents.confirm(connection, [one.harvested for one in done if one.harvested])
        withdrawn = {one.withdrawn for one in done if one.withdrawn is not None}
        documents.confirm_withdrawn(connection, withdrawn, int(time()))
        for host in self._withdrawals:
            host.ids -= withdrawn
        for delivery in done:
            if delivery.reading is not None:
                delivery.reading.outstanding -= 1
                self._remember(connection, delivery.reading)
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
