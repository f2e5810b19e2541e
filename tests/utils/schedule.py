"""The moments at which a run sent its requests, by the run's own clock.

What a server sees of a pause depends on how busy the machine is; what the run planned does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from time import monotonic
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from scrapy.crawler import Crawler

from tests.utils.command import Run
from woo_harvester.demo.server import LoopbackServer
from woo_harvester.extensions.politeness import CountingQueue, Politeness, Queued

#: Settings of a run by which it writes them to its statistics.
SETTINGS: Mapping[str, object] = {"EXTENSIONS": '{"tests.utils.schedule.Schedule": 1}'}

#: Two moments are compared up to the rounding of the clock.
ROUNDING = 1e-6


class Sent(NamedTuple):
    """A request that a run sent."""

    path: str
    at: float
    """Seconds on the monotonic clock."""
    delay: float
    """Seconds that the run left between two requests to this host, at that moment."""
    concurrency: int
    """Requests to this host that the run allowed at once."""


class Schedule:
    """Extension that notes each request when Scrapy takes it from the queue of its host, and each pause."""

    def __init__(self, crawler: Crawler) -> None:
        stats = crawler.stats
        popleft, pause = CountingQueue.popleft, Politeness.pause

        def noted_popleft(queue: CountingQueue) -> Queued:
            taken = popleft(queue)
            url, slot = urlsplit(taken[0].url), queue._slot
            sent = Sent(url.path, slot.lastseen, slot.delay, slot.concurrency)
            stats.set_value(f"sent/{url.netloc}", [*stats.get_value(f"sent/{url.netloc}", []), sent])
            return taken

        def noted_pause(politeness: Politeness, host: str, seconds: float) -> None:
            stats.set_value(f"paused/{host}", [*stats.get_value(f"paused/{host}", []), monotonic()])
            pause(politeness, host, seconds)

        CountingQueue.popleft = noted_popleft  # type: ignore[assignment, method-assign]
        Politeness.pause = noted_pause  # type: ignore[assignment, method-assign]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


def sent(run: Run, site: LoopbackServer) -> list[Sent]:
    """Return the requests that a run sent to a site, in order."""
    return [Sent(*each) for each in run.stats[f"sent/{site.host}"]]


def pauses(run: Run, site: LoopbackServer) -> list[float]:
    """Return the seconds between each request to a site and the next, plus ``ROUNDING``."""
    return [after.at - before.at + ROUNDING for before, after in pairwise(sent(run, site))]


def paused(run: Run) -> dict[str, list[float]]:
    """Return the moments at which the run was asked to leave hosts alone for a time, by host."""
    found = run.stats.items()
    return {key.partition("/")[2]: value for key, value in found if key.startswith("paused/")}
