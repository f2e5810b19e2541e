"""Backpressure: a listed document becomes a request only when there is capacity for it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import ceil, inf
from time import monotonic

from woo_harvester.findings import Finding, Reporter, Severity
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.file_findings import Index, Sitemap, UrlSelection
from woo_harvester.state.contents import PendingRead
from woo_harvester.state.permit_history import DocumentSet
from woo_harvester.state.resources import KnownHost

#: Seconds to wait for capacity before the caller checks whether the run is being closed.
_TIMEOUT = 1.0


class Backlog:
    """The requests of one host that wait or are being downloaded; at most *limit* at once."""

    def __init__(self, limit: int) -> None:
        self.under_way = 0
        """Number of requests that wait or are being downloaded."""
        self._limit = limit
        self._has_changed = asyncio.Event()

    async def has_capacity(self, timeout: float = _TIMEOUT) -> bool:  # noqa: ASYNC109 -- the caller must go on
        """Return whether another request may be made; wait at most *timeout* seconds until it may."""
        if self.under_way >= self._limit:
            self._has_changed.clear()
            try:
                await asyncio.wait_for(self._has_changed.wait(), timeout)
            except TimeoutError:
                return False
        return self.under_way < self._limit

    def begin_request(self) -> None:
        """Count a request that is made."""
        self.under_way += 1

    def end_request(self) -> None:
        """Stop counting a request that is done, and wake the caller that waits for capacity."""
        self.under_way -= 1
        self._has_changed.set()


class Budget:
    """The time in which documents of one host may be requested, in seconds from now; None for no bound.

    Half of it is left for documents that are new or changed. The other half they share with documents that
    were harvested and only lack content.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = inf if seconds is None else monotonic() + seconds
        self._supplies_end = inf if seconds is None else monotonic() + seconds / 2
        self.supplies_left = 0
        """Number of documents whose lacking content was not requested, because the time was used up."""

    def is_over(self, *, supply: bool = False) -> bool:
        """Return whether it is used up; with *supply*, for documents that only lack content."""
        return monotonic() >= (self._supplies_end if supply else self._end)

    def give_up(self) -> None:
        """Use up all of it."""
        self._end = self._supplies_end = -inf


#: Errors about a name in robots.txt that does not follow the convention: nothing of the host is missing.
_ONLY_A_NAME = frozenset({"index.naam", "index.infocat-onbekend"})


class Visit(Backlog):
    """The reading of one host in one run: indexes first, then their sitemaps, one at a time.

    At most one sitemap of a host is being read, whatever its size, while the next one is downloaded. Hosts
    are read side by side.
    """

    unusable = 0
    """Number of entries whose loc cannot be used and says nothing: missing documents may be theirs."""

    def __init__(
        self,
        host: str,
        organisation: str | None,
        known: KnownHost,
        backlog: int,
        report: Reporter,
        is_registered: Callable[[str], bool],
        account: Account,
        budget: float | None = None,
    ) -> None:
        super().__init__(backlog)
        self.host = host
        self.organisation = organisation
        """The organisation that registered the host; None if several did, or none."""
        self.known = known
        """The host as the state knows it."""
        self.account = account
        """The counts of the documents that the host lists, by what was done with them."""
        self.listed = DocumentSet()
        """Documents that the host listed in this run, except those of unchanged sitemaps."""
        self.read: set[int] = set()
        """Sitemaps that were read to their end, or that are unchanged since they were."""
        self.lacking: dict[int, Sequence[int]] = {}
        """Documents that a sitemap in ``read`` no longer lists, by sitemap."""
        self.repeated = DocumentSet()
        """Documents that the host lists more than once, as far as is known."""
        self.left = DocumentSet()
        """Documents in ``listed`` of which this run has only read entries that are left to another entry."""
        self.own_sitemaps: set[int] = set()
        """Numbers of all sitemaps of the host that the state knows."""
        self.postponed: deque[Sitemap] = deque()
        """Sitemaps to read again: some of their entries wait until the hosts of their documents are read."""
        self.first_readings: dict[int, PendingRead] = {}
        """The first reading of each postponed sitemap, by its number in the state."""
        self.left_to_others: dict[str, Counter[str]] = {}
        """How many entries of each postponed sitemap are left to other hosts, by its URL and by host.

        Those hosts list the documents themselves.
        """
        self.is_second = False
        """True if the postponed sitemaps are being read now, only for the entries that waited."""
        self._run_report = report
        self.report = Reporter(self._send, host=host, organisation=organisation)
        """The reporter of findings about the files of the host."""
        self.selection = UrlSelection(is_registered, self.report)
        self.indexes: deque[Index] = deque()
        self.unread_indexes: dict[str, Index] = {}
        """Indexes that were not read to their end, or not yet, by URL."""
        self.sitemaps: deque[Sitemap] = deque()
        self.files_requested = 0
        """Number of files that were requested and are not read yet."""
        self.turn = asyncio.Lock()
        """Locked while a sitemap is being read."""
        self.incomplete: list[str] = []
        """Reasons why the host was not read completely; mostly codes of findings."""
        self.documents_requested = 0
        """Number of documents that were requested in this run, without those that only lack content."""
        self.documents_left = 0
        """Number of documents that were not requested, because the time for the host was used up."""
        self.is_counted = False
        """True if the host was counted as done."""
        self.budget = Budget(budget)

    def _send(self, finding: Finding) -> None:
        """Send a finding. After an error, the host does not count as read completely."""
        if finding.severity is Severity.ERROR and finding.code not in _ONLY_A_NAME:
            self.incomplete.append(finding.code)
        self._run_report.send(finding)

    @property
    def reading_done(self) -> bool:
        """True if nothing is left to read."""
        return not (self.files_requested or self.indexes or self.sitemaps)

    @property
    def is_complete(self) -> bool:
        """True if nothing kept the host from being read completely, and the spider left out no file of it."""
        return not self.incomplete and not self.selection.is_narrowed

    @property
    def finished(self) -> bool:
        """True if nothing is left to read or to download."""
        return self.reading_done and not self.under_way and not self.postponed

    def read_again(self) -> None:
        """Begin the second reading of the sitemaps that were postponed."""
        self.is_second = True
        self.sitemaps.extend(self.postponed)
        self.postponed.clear()

    @property
    def is_over(self) -> bool:
        """True if the time for the host is used up."""
        return self.budget.is_over()

    def give_up(self) -> None:
        """Request no more documents of the host in this run."""
        self.budget.give_up()

    def leave(self, *, supply: bool) -> None:
        """Count a document that is left to a later run; with *supply*, one that only lacks content."""
        if supply:
            self.budget.supplies_left += 1
            self.account.count_entries(0, 1)
        else:
            self.documents_left += 1

    @property
    def days_left(self) -> int:
        """Estimated number of daily runs that the remaining documents take."""
        return ceil(self.documents_left / max(1, self.documents_requested))
