"""The progress of a run as figures, read from statistics and accounts that the run keeps anyway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from woo_harvester.findings import Severity, explain, explanations
from woo_harvester.record import Oorzaak

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from woo_harvester.report.funnel import Account
    from woo_harvester.report.losses import HarvestKind

#: The number of slow hosts that are named, and the delay (in seconds) from which a host is slow.
_SLOWEST = 3
_SLOW_DELAY = 1.0

#: The nouns for what hosts list, by kind of harvest.
_NOUNS: dict[HarvestKind, str] = {"woo": "document", "vergunningen": "file"}

#: The figures that are sums over the accounts of hosts.
_COUNTED = ("listed", "read", "new", "changed", "unchanged", "supplied", "lost", "withdrawn")


@dataclass(frozen=True, slots=True)
class SlowHost:
    """A slow host that is still being read."""

    host: str
    delay: float
    """Seconds between two requests, from its robots.txt or from AutoThrottle."""
    documents: int
    """The number of documents or files that it has listed so far."""
    noun: str = "document"
    """The noun for what it lists."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The progress of a run at one moment. ``listed`` is None for a spider that keeps no accounts."""

    spider: str
    seconds: float
    """Seconds since the start of the run."""
    requests: int
    records: int
    selected: int | None
    """Hosts to visit; None for a spider that does not count them."""
    done: int
    complete: int
    kind: HarvestKind = "woo"
    """What the figures are about: documents; or files with messages, and cases of permits."""
    listed: int | None = None
    read: int = 0
    """The part of those that was read or recognised so far. Documents are listed when they are read."""
    new: int = 0
    """New documents or cases, and those that are published again after withdrawal."""
    changed: int = 0
    unchanged: int = 0
    supplied: int = 0
    """Unchanged documents that were delivered again, with content that their records lacked."""
    lacking: int = 0
    """Harvested documents whose content a later run fetches."""
    again: int = 0
    """Unchanged documents that were delivered again, because the run delivers all documents."""
    left_out: int = 0
    """Entries that the run did not choose."""
    lost: int = 0
    """Listed documents that are not harvested; a finding says why."""
    withdrawn: int = 0
    dropped: int = 0
    """Items that a pipeline of another project dropped."""
    refused: int = 0
    """Documents that Elasticsearch refused."""
    outdated_lists: int = 0
    """Value lists that are older than ``WOO_TOOI_MAX_AGE``."""
    unusable_lists: bool = False
    """True if the value lists in the data folder could not be used."""
    codes: dict[str, int] = field(default_factory=dict)
    """The number of findings by code."""
    slowest: tuple[SlowHost, ...] = ()
    ahead: float | None = None
    """For the host furthest from its end: expected remaining documents, divided by those read so far."""

    @property
    def unit(self) -> str:
        """The unit of the speed."""
        return "requests" if self.listed is None else self.noun + "s"

    @property
    def noun(self) -> str:
        """The noun for what hosts list."""
        return _NOUNS[self.kind]

    @property
    def handled(self) -> int:
        """The count from which the speed is calculated: documents or files read, or else responses."""
        return self.requests if self.listed is None else self.read

    def findings(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(count for code, count in self.codes.items() if explain(code).severity == severity)

    @property
    def seconds_left(self) -> float | None:
        """The estimated number of seconds to the end, or None if it is not known yet.

        Hosts are read at the same time, so the one furthest from its end decides. Without an earlier run to
        expect numbers from, each remaining host is expected to take as long as those that are done.
        """
        if self.ahead is not None:
            return self.seconds * self.ahead
        if not self.selected or not self.done:
            return None
        return self.seconds / self.done * (self.selected - self.done)


def read_figures(
    crawler: Crawler, accounts: Sequence[Account] = (), expected: Mapping[str, int] | None = None
) -> Figures:
    """Return the figures at this moment.

    *accounts* are those of the hosts of the run; *expected* is the number of documents of each host in an
    earlier run.
    """
    stats = crawler.stats
    began = stats.get_value("start_time")
    codes = {code: count for code in explanations() if (count := stats.get_value(f"woo/findings/{code}"))}
    return Figures(
        spider=crawler.spidercls.name,
        kind=accounts[0].kind if accounts else "woo",
        seconds=(datetime.now(UTC) - began).total_seconds() if began else 0.0,
        requests=stats.get_value("downloader/response_count", 0),
        records=stats.get_value("item_scraped_count", 0),
        selected=stats.get_value("woo/hosts/selected"),
        done=stats.get_value("woo/hosts/done", 0),
        complete=stats.get_value("woo/hosts/complete", 0),
        dropped=_dropped(crawler, accounts),
        lacking=stats.get_value("woo/documents/lacking", 0),
        again=stats.get_value("woo/documents/delivered_again", 0),
        left_out=stats.get_value("woo/entries/left_out", 0),
        refused=stats.get_value("woo/elasticsearch/refused", 0),
        outdated_lists=stats.get_value("woo/tooi/outdated", 0),
        unusable_lists=bool(stats.get_value("woo/tooi/unusable", 0)),
        codes=codes,
        slowest=tuple(_slowest(crawler, accounts)),
        ahead=_ahead(accounts, expected or {}),
        **_documents(accounts),
    )


def _dropped(crawler: Crawler, accounts: Sequence[Account]) -> int:
    """Return how many items were dropped; of a harvest of hosts, without those that have a finding."""
    if accounts:
        return sum(account.dropped for account in accounts)
    dropped: int = crawler.stats.get_value("item_dropped_count", 0)
    return dropped


def _documents(accounts: Sequence[Account]) -> dict[str, int]:
    """Return the totals of the document counts; nothing if there are no accounts."""
    if not accounts:
        return {}
    counts = dict.fromkeys(_COUNTED, 0)
    for account in accounts:
        harvested = account.harvested
        counts["listed"] += account.listed
        counts["read"] += account.read
        counts["new"] += harvested.get(Oorzaak.AANLEVERING, 0) + harvested.get(Oorzaak.HERPUBLICATIE, 0)
        counts["changed"] += harvested.get(Oorzaak.WIJZIGING, 0)
        counts["unchanged"] += account.unchanged
        counts["supplied"] += account.supplied
        counts["lost"] += sum(account.lost.values())
        counts["withdrawn"] += account.withdrawn
    return counts


def _ahead(accounts: Sequence[Account], expected: Mapping[str, int]) -> float | None:
    """Return :attr:`Figures.ahead`. An entry page of permits says itself how many files it has."""
    ratios = []
    for account in accounts:
        total = account.listed if account.kind == "vergunningen" else expected.get(account.host)
        if account.complete is None and account.read and total is not None:
            ratios.append(max(total - account.read, 0) / account.read)
    return max(ratios, default=None)


def _slowest(crawler: Crawler, accounts: Sequence[Account]) -> Iterable[SlowHost]:
    """Return the hosts with active or waiting requests and the longest delays, slowest first."""
    listed = {account.host: account.listed for account in accounts}
    noun = _NOUNS[accounts[0].kind if accounts else "woo"]
    slow = [
        SlowHost(host, slot.delay, listed.get(host, 0), noun)
        for host, slot in crawler.engine.downloader.slots.items()
        if slot.delay >= _SLOW_DELAY and (slot.active or slot.queue)
    ]
    return _slowest_of(slow)


def _slowest_of(slow: Iterable[SlowHost]) -> tuple[SlowHost, ...]:
    return tuple(sorted(slow, key=lambda each: (-each.delay, each.host))[:_SLOWEST])
