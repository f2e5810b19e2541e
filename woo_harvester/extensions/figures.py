"""How far a run is: read from its statistics and accounts, so that counting costs the harvest nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import Severity, explain, explanations
from woo_harvester.record import Oorzaak

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: How many hosts are named as the slowest, and from how many seconds a request on.
SLOWEST = 3
SLOW = 1.0


@dataclass(frozen=True, slots=True)
class SlowHost:
    """A host that is still being read, and is slow."""

    host: str
    delay: float
    """Seconds between two requests, by its robots.txt or as it answers."""
    documents: int
    """Documents seen of it so far."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Where a run is at one moment. Counts of documents are None for a spider that keeps no accounts."""

    spider: str
    seconds: float
    """Since the run began."""
    requests: int
    records: int
    selected: int | None
    """Hosts to visit; None for a spider that does not tell."""
    done: int
    complete: int
    listed: int | None = None
    new: int = 0
    """New, and back after withdrawal."""
    changed: int = 0
    unchanged: int = 0
    lost: int = 0
    """Listed and not harvested; a finding tells why."""
    withdrawn: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    """Findings by code."""
    slowest: tuple[SlowHost, ...] = ()

    @property
    def unit(self) -> str:
        """What the speed is measured in."""
        return "requests" if self.listed is None else "documents"

    @property
    def handled(self) -> int:
        """What the speed is measured by: documents looked at, else answers."""
        return self.requests if self.listed is None else self.listed

    def findings(self, severity: Severity) -> int:
        """How many findings of a severity there are."""
        return sum(count for code, count in self.codes.items() if explain(code).severity == severity)

    @property
    def seconds_left(self) -> float | None:
        """An estimate, if the hosts to come take as long as those that are done; None where none is."""
        if not self.selected or not self.done:
            return None
        return self.seconds / self.done * (self.selected - self.done)


def read_figures(crawler: Crawler) -> Figures:
    """The figures at this moment."""
    stats = crawler.stats
    began = stats.get_value("start_time")
    codes = {code: count for code in explanations() if (count := stats.get_value(f"woo/findings/{code}"))}
    documents, listed = _documents(crawler)
    return Figures(
        spider=crawler.spidercls.name,
        seconds=(datetime.now(UTC) - began).total_seconds() if began else 0.0,
        requests=stats.get_value("downloader/response_count", 0),
        records=stats.get_value("item_scraped_count", 0),
        selected=stats.get_value("woo/hosts/selected"),
        done=stats.get_value("woo/hosts/done", 0),
        complete=stats.get_value("woo/hosts/complete", 0),
        codes=codes,
        slowest=tuple(_slowest(crawler, listed)),
        **documents,
    )


def _documents(crawler: Crawler) -> tuple[dict[str, int], dict[str, int]]:
    """What became of the documents, all hosts together; and those listed by host."""
    extension = crawler.get_extension(Findings)
    if extension is None or not extension.accounts:
        return {}, {}
    counts = dict.fromkeys(("listed", "new", "changed", "unchanged", "lost", "withdrawn"), 0)
    for account in extension.accounts:
        harvested = account.harvested
        counts["listed"] += account.listed
        counts["new"] += harvested.get(Oorzaak.AANLEVERING, 0) + harvested.get(Oorzaak.HERPUBLICATIE, 0)
        counts["changed"] += harvested.get(Oorzaak.WIJZIGING, 0)
        counts["unchanged"] += account.unchanged
        counts["lost"] += sum(account.lost.values())
        counts["withdrawn"] += account.withdrawn
    return counts, {account.host: account.listed for account in extension.accounts}


def _slowest(crawler: Crawler, listed: dict[str, int]) -> Iterable[SlowHost]:
    """The hosts that have something under way and are asked least often, the slowest first."""
    slow = [
        SlowHost(host, slot.delay, listed.get(host, 0))
        for host, slot in crawler.engine.downloader.slots.items()
        if slot.delay >= SLOW and (slot.active or slot.queue)
    ]
    return sorted(slow, key=lambda each: (-each.delay, each.host))[:SLOWEST]
