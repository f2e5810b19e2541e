"""One host in one run: what is still to be read of it, and whether all of it could be read."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import ceil, inf
from time import monotonic

from woo_harvester.crawl.capacity import Room
from woo_harvester.findings import Finding, Reporter, Severity
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.url_selection import Index, Sitemap, UrlSelection
from woo_harvester.state.delivery import PendingRead
from woo_harvester.state.document_set import DocumentSet
from woo_harvester.state.resources import KnownHost

#: Errors about a name in robots.txt that is not an index by the convention: nothing of the host is missing.
ONLY_A_NAME = frozenset({"index.naam", "index.infocat-onbekend"})


class Visit(Room):
    """The reading of one host: indexes first, then their sitemaps, one at a time.

    One at a time keeps at most one sitemap of a host in work, whatever it weighs, while the next one is
    fetched already; hosts go on side by side.
    """

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
        """The only body that is registered for the host."""
        self.known = known
        """What the state knows of the host."""
        self.account = account
        """What becomes of the documents that it lists."""
        self.listed = DocumentSet()
        """Documents that it listed in this run; those of sitemaps that are unchanged are not in it."""
        self.read: set[int] = set()
        """Sitemaps that were read to their end, or that are unchanged since they were."""
        self.lacking: dict[int, Sequence[int]] = {}
        """Documents that each of these no longer lists."""
        self.own_sitemaps: set[int] = set()
        """All sitemaps of the host that the state knows."""
        self.postponed: deque[Sitemap] = deque()
        """Sitemaps with entries of others' documents, which wait until their own hosts are read."""
        self.first_readings: dict[int, PendingRead] = {}
        """Their first readings, by number."""
        self.left_to: dict[str, Counter[str]] = {}
        """Of each of these: how many of its entries are of documents that other hosts list themselves."""
        self.is_second = False
        """Whether these are being read now, for such entries only."""
        self._report = report
        self.report = Reporter(self._send, host=host, organisation=organisation)
        """Reports findings about what is read of the host."""
        self.selection = UrlSelection(is_registered, self.report)
        self.indexes: deque[Index] = deque()
        self.sitemaps: deque[Sitemap] = deque()
        self.asked = 0
        """Files that were asked for and are not read yet."""
        self.turn = asyncio.Lock()
        """Held by the sitemap that is being read."""
        self.incomplete: list[str] = []
        """Codes of what kept the host from being read completely."""
        self.asked_for = 0
        """Documents that were asked for in this run."""
        self.left = 0
        """Documents that were not, since the time for the host was used up."""
        self._end = inf if budget is None else monotonic() + budget

    def _send(self, finding: Finding) -> None:
        """Send a finding about what is read of the host; an error means that something of it is missing."""
        if finding.severity is Severity.ERROR and finding.code not in ONLY_A_NAME:
            self.incomplete.append(finding.code)
        self._report.send(finding)

    @property
    def reading_done(self) -> bool:
        """Nothing is left to read."""
        return not (self.asked or self.indexes or self.sitemaps)

    @property
    def finished(self) -> bool:
        """Nothing is left to read or to fetch."""
        return self.reading_done and not self.under_way and not self.postponed

    def read_again(self) -> None:
        """Read the sitemaps that were postponed."""
        self.is_second = True
        self.sitemaps.extend(self.postponed)
        self.postponed.clear()

    @property
    def is_over(self) -> bool:
        """Whether the time for the host is used up."""
        return monotonic() >= self._end

    def give_up(self) -> None:
        """Ask for no more of its documents: what is not asked for yet is left."""
        self._end = -inf

    @property
    def days_left(self) -> int:
        """How many days the documents that are left take, at a run a day that gets as far as this one."""
        return ceil(self.left / max(1, self.asked_for))
