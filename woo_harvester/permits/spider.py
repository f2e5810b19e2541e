"""The spider that harvests permits, published as Vergunningen IPM 4.0, and its item."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from scrapy import Request

from woo_harvester.crawl.answers import is_ours
from woo_harvester.items import RecordItem, header
from woo_harvester.kinds import PERMITS, Kind
from woo_harvester.permits import batches
from woo_harvester.permits.account import PermitAccount
from woo_harvester.permits.entry_page_reader import EntryPageReader
from woo_harvester.permits.entry_pages import (
    EntryPage,
    EntryPageVisit,
    PermitArguments,
    entry_pages,
    given_entries,
    read_csv,
    report_ended,
    select_entries,
)
from woo_harvester.permits.links import without_the_rest
from woo_harvester.permits.mapping import check_conversion
from woo_harvester.permits.record import PermitRecord
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.state import (
    entry_page_id,
    entry_pages_lock,
    forget_entries,
    named_entries,
)
from woo_harvester.permits.transactions import permit_record
from woo_harvester.register import Register
from woo_harvester.register.names import shown_name
from woo_harvester.running.causes import ArgumentError, StartError
from woo_harvester.running.ending import end_run, is_closing
from woo_harvester.spiders.base import HarvestSpider, status_of
from woo_harvester.state.deliveries import Delivery
from woo_harvester.state.store import StateError
from woo_harvester.utils.statuses import is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.http.request import CallbackT
    from sqlalchemy import Connection
    from twisted.python.failure import Failure

    from woo_harvester.items import StreamedResponse


@dataclass(slots=True)
class PermitItem(RecordItem):
    """A permit case, in the version that this run reports."""

    kind = Kind.vergunningen

    record: PermitRecord
    delivery: object | None = None

    @property
    def host(self) -> str | None:
        """The host whose entry page offered the case; None if the record has no page."""
        page = self.record.herkomst.ingang
        return None if page is None else host_of(page)

    @property
    def file(self) -> str | None:
        """The URL of the file with its last message."""
        return self.record.herkomst.bestand


class VergunningenSpider(HarvestSpider):
    """The spider for entry pages: it reads the messages that they list, and yields each case that changed.

    Messages come in any order, so they are applied when all entry pages have been read. A run yields one
    record for a case. The arguments are those of :class:`~woo_harvester.permits.entry_pages.PermitArguments`.
    """

    name = "vergunningen"
    record_kind = PERMITS
    arguments_type = PermitArguments
    arguments: PermitArguments
    visits: Sequence[EntryPageVisit] = ()
    """The visits of the entry pages of this run."""

    async def _prepare(self) -> None:
        try:
            check_conversion()
        except ImportError as error:
            raise StartError(str(error)) from error
        await super()._prepare()

    def select(self, register: Register) -> Register:
        """Read the argument ``entries``, and open the state. A single URL may turn out to be a CSV file."""
        self._given = given_entries(self.arguments.entries)
        self._may_be_csv = isinstance(self.arguments.entries, tuple) and len(self._given) == 1
        self.rights = Rights(register, {})
        self.keeper.open((), reset=False)
        self.reader = EntryPageReader(self.crawler, self.keeper, self.vocabulary.lists.organisaties)
        domains = self.arguments.domains or ()
        for host in domains:
            if not register.is_registered(host):
                self.report("register.domein-ontbreekt", host=host, url=f"https://{host}/")
        return register.with_domains(domains)

    def first_requests(self) -> list[Request]:
        """Return the requests for the entry pages, or for the single URL that may be a CSV file."""
        if self._may_be_csv:
            ((_, url),) = self._given
            request = self.reader.page_request(url, frozenset({host_of(url)}))
            # Its response is made by our own handler.
            return [request.replace(callback=cast("CallbackT", self.parse_given), errback=self.given_failed)]
        return [self.reader.first_request(visit) for visit in self._visits_of(self._given)]

    async def parse_given(self, response: StreamedResponse) -> AsyncIterator[Request]:
        """Read the only URL in ``entries``, an entry page or a CSV file of them, and yield requests."""
        try:
            if not _is_csv(response):
                for visit in self._visits_of(self._given):
                    async for request in self.reader.parse_page(response, visit):
                        yield request
                return
            given = read_csv(b"".join(response.chunks()), response.url)
            visits = self._visits_of(given)
        except (ArgumentError, StateError) as error:
            end_run(self.crawler, "cannot_start", str(error), status_of(error))
            return
        for visit in visits:
            yield self.reader.first_request(visit)

    def given_failed(self, failure: Failure) -> None:
        """Report that the only URL in ``entries`` could not be fetched, as a finding about an entry page."""
        if is_ours(failure.value):
            return
        try:
            for visit in self._visits_of(self._given):
                self.reader.page_failed(failure.value, failure.request, visit)  # type: ignore[attr-defined]
        except (ArgumentError, StateError) as error:
            end_run(self.crawler, "cannot_start", str(error), status_of(error))

    def host_locks(self, hosts: Iterable[str]) -> list[str]:
        """Return the names of the locks on the entry pages of *hosts*."""
        return [entry_pages_lock(host) for host in hosts]

    def forget(self, connection: Connection, host: str) -> None:
        """Forget what the state knows of the entry pages of a host."""
        forget_entries(connection, host)

    async def all_read(self, response: Response) -> AsyncIterator[PermitItem]:
        """Apply the messages in batches, and yield the record of each case that changed."""
        numbers = [visit.number for visit in self.visits]
        report = without_the_rest(
            self.report, [visit.page.host for visit in self.visits if visit.is_sample or self.on_disk]
        )
        while not is_closing(self.crawler):
            with self.keeper.begin() as connection:
                made = batches.apply_next(connection, numbers, self.rights, report, datetime.now(UTC))
            if not made:
                for visit in self.visits:
                    visit.account.count_applied()
                self._report_ended()
                return
            for batch in made:
                for item in self._items(batch):
                    yield item
            await asyncio.sleep(0)

    def note_incomplete(self, host: str) -> None:
        """Let the entry pages of a host count as read incompletely."""
        for visit in self.visits:
            if visit.page.host == host:
                visit.complete = False

    def _report_ended(self) -> None:
        """Report the cases that ended long ago, once all messages have been applied."""
        with self.keeper.begin() as connection:
            for visit in self.visits:
                report_ended(connection, visit, datetime.now(UTC))

    def _items(self, batch: batches.Batch) -> list[PermitItem]:
        """Return the records of a batch; the state confirms them together."""
        delivery = Delivery(confirm=batches.confirm, number=batch.number)
        items = [PermitItem(permit_record(outcome)) for outcome in batch.outcomes]
        for item, outcome in zip(items, batch.outcomes, strict=True):
            self.keeper.expect(item, delivery)
            self.crawler.stats.inc_value(f"woo/zaken/{outcome.oorzaak}")
        return items

    def _visits_of(self, given: Sequence[tuple[str, str]]) -> list[EntryPageVisit]:
        """Return the visits of the entry pages that this run reads.

        Raises ArgumentError or StateError.
        """
        entries = entry_pages(given, self.register)
        chosen = select_entries(entries, self.arguments)
        self.common_cause.expect(page.host for page in chosen)
        hosts = tuple(dict.fromkeys(page.host for page in chosen))
        self.keeper.add_hosts(
            hosts, self.host_locks(hosts), forget_entries, reset=self.arguments.deltafetch_reset
        )
        with self.keeper.begin() as connection:
            visits = [self._visit(page, connection) for page in chosen]
            owners = {page.url: page.organisation for page in entries}
            names = {page.url: page.organisation for page in entries if page.is_named}
            self.rights = Rights(self.register, owners, named_entries(connection) | names)
            batches.undo_unconfirmed(connection, [visit.number for visit in visits])
        self.crawler.stats.set_value("woo/hosts/selected", len(hosts))
        self.crawler.stats.set_value("woo/ingangen/selected", len(visits))
        self.visits = visits
        return visits

    def _visit(self, page: EntryPage, connection: Connection) -> EntryPageVisit:
        account = cast("PermitAccount", self.accounts.of(page.host, PERMITS))
        if page.organisation != page.host:  # else it is not known
            name = shown_name(page.organisation, self.register, self.vocabulary.lists.organisaties)
            account.add_organisation(page.organisation, name or page.organisation)
        given = page.organisation if page.is_named else None
        number = entry_page_id(connection, page.url, page.host, given)
        backlog = self.settings.getint("WOO_HOST_BACKLOG")
        return EntryPageVisit(page, number, backlog, self.report, account, self._page_done)

    def _page_done(self, visit: EntryPageVisit) -> None:
        """Note in the state that an entry page is done; count its host if all its entry pages are."""
        self.reader.note_done(visit)
        if visit.account.complete is not None:
            self.crawler.stats.inc_value("woo/hosts/done")
            key = "woo/hosts/complete" if visit.account.complete else "woo/hosts/incomplete"
            self.crawler.stats.inc_value(key)


def _is_csv(response: StreamedResponse) -> bool:
    media_type = (header(response, "Content-Type") or "").partition(";")[0].strip().lower()
    return is_complete(response.status) and media_type == "text/csv"
