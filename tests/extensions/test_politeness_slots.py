"""What the extension does to the slots of the downloader, without a run."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from protego import Protego
from scrapy import Request
from scrapy.core.downloader import Slot
from twisted.internet.defer import Deferred

from tests.utils.crawlers import crawler_of
from woo_harvester.extensions.politeness import SHORTEST_DELAY, CountingQueue, HostRestsError, Politeness

HOST = "a.nl"


class Rules:
    """A robots.txt with a Crawl-delay for this program, as Scrapy's robots parsers give it."""

    def __init__(self, delay: float | None) -> None:
        self._parsed = Protego.parse(f"User-agent: woo\nCrawl-delay: {delay}\n" if delay else "")

    def crawl_delay(self, agent: str) -> float | None:
        return self._parsed.crawl_delay(agent)


def polite(slot: Slot, **settings: Any) -> Politeness:
    """The extension of a run whose downloader has one slot, and whose settings are these."""
    crawler = crawler_of(**{"USER_AGENT": "woo", "WOO_CRAWL_DELAY_MAX": 60, **settings})
    crawler.engine = SimpleNamespace(downloader=SimpleNamespace(slots={HOST: slot}))  # type: ignore[assignment]
    return Politeness(crawler)


def reach(politeness: Politeness, host: str = HOST) -> None:
    politeness.request_reached_downloader(Request(f"https://{host}/", meta={"download_slot": host}))


def wait(slot: Slot, failures: list[BaseException]) -> None:
    """Put a request in the queue of a slot; if it fails, its error is added to the list."""

    def note(failure: Any) -> None:
        failures.append(failure.value)

    waiting: Deferred[Any] = Deferred()
    waiting.addErrback(note)
    slot.queue.append((Request(f"https://{HOST}/"), waiting))


@pytest.mark.parametrize(
    ("asked", "own", "fixed", "delay"),
    [
        pytest.param(None, 0, None, SHORTEST_DELAY, id="nobody asks for a delay"),
        pytest.param(2, 0.5, None, 2, id="the host asks for more"),
        pytest.param(2, 5, None, 5, id="AutoThrottle is slower"),
        pytest.param(3600, 0, None, 60, id="no more than the longest"),
        pytest.param(None, 9, 1, 1, id="the operator chooses, not AutoThrottle"),
        pytest.param(2, 9, 1, 2, id="the operator may not go below the host"),
    ],
)
def test_the_delay_of_a_slot_is_the_longest_that_counts(
    asked: float | None, own: float, fixed: float | None, delay: float
) -> None:
    slot = Slot(1, delay=own, jitter=0.5)
    politeness = polite(slot, DOWNLOAD_SLOTS={} if fixed is None else {HOST: {"delay": fixed}})
    politeness.robots_parsed(Rules(asked), Request(f"https://{HOST}/robots.txt"))  # type: ignore[arg-type]
    politeness.response_downloaded(Request(f"https://{HOST}/", meta={"download_slot": HOST}))
    assert slot.delay == delay
    assert slot.jitter == (0 if asked else 0.5), "half of what a host asks for is not what it asks for"
    assert politeness._crawler.stats.get_value("woo/crawl_delay/hosts", 0) == bool(asked)


def test_a_host_that_has_no_slot_costs_nothing() -> None:
    slot = Slot(1, delay=1)
    politeness = polite(slot)
    reach(politeness, "b.nl")
    politeness.pause("b.nl", 5)
    politeness.give_up("b.nl", 5)
    assert (slot.delay, slot.lastseen, type(slot.queue)) == (1, 0, type(Slot(1, delay=1).queue))
    assert "woo/pauses" not in politeness._crawler.stats.get_stats()


def test_a_pause_is_as_long_as_the_longest_that_was_asked_for() -> None:
    slot = Slot(1, delay=0)
    politeness = polite(slot)
    before = monotonic()
    politeness.pause(HOST, 50)
    politeness.pause(HOST, 5)
    assert slot.delay == SHORTEST_DELAY, "Scrapy does not look at the time in a slot without delay"
    assert before + 50 <= slot.lastseen <= monotonic() + 50
    assert politeness._crawler.stats.get_value("woo/pauses") == 2


def test_the_queue_of_a_slot_is_replaced_once_with_what_waits_in_it() -> None:
    slot = Slot(1, delay=0)
    wait(slot, [])
    politeness = polite(slot)
    reach(politeness)
    queue = slot.queue
    reach(politeness)
    assert isinstance(queue, CountingQueue)
    assert slot.queue is queue
    assert len(queue) == 1
    assert slot.delay == SHORTEST_DELAY


def test_what_waits_for_a_host_that_is_given_up_fails_and_what_comes_later_too() -> None:
    slot, failures = Slot(1, delay=0), list[BaseException]()
    politeness = polite(slot)
    reach(politeness)
    wait(slot, failures)
    assert not failures
    politeness.give_up(HOST, 86400)
    wait(slot, failures)
    assert [str(each) for each in failures] == ["de host vraagt om 86400 seconden rust (Retry-After)"] * 2
    assert not slot.queue


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_new_slot_of_a_host_that_was_given_up_is_given_up(is_stopped: bool) -> None:
    slot, failures = Slot(1, delay=0), list[BaseException]()
    politeness = polite(slot)
    if is_stopped:
        politeness.give_up_all(KeyError)
    else:
        politeness.give_up(HOST, 5)
    wait(slot, failures)
    assert not failures, "the queue is still Scrapy's"
    reach(politeness)
    assert [type(each) for each in failures] == [KeyError if is_stopped else HostRestsError]


def test_a_stopped_run_gives_up_what_waits_for_any_host() -> None:
    slot, failures = Slot(1, delay=0), list[BaseException]()
    politeness = polite(slot)
    reach(politeness)
    wait(slot, failures)
    politeness.give_up_all(KeyError)
    assert [type(each) for each in failures] == [KeyError]
