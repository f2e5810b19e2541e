from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from tests.utils.crawlers import crawler_of
from woo_harvester.extensions.stopping import Interruptible, StoppedError, Stopping, outputs_given_up


async def failure_of(reason: str) -> tuple[int, str] | None:
    """Return why a run failed that ended for this reason, or None."""
    crawler = crawler_of(MEMUSAGE_LIMIT_MB=7, CLOSESPIDER_ERRORCOUNT=7)
    spider: Any = crawler._create_spider()
    crawler.spider = spider
    crawler._apply_settings()
    crawler.stats.set_value("finish_reason", reason)
    Stopping(crawler).engine_stopped()
    failure: tuple[int, str] | None = getattr(spider, "failure", None)
    return failure


def test_a_run_fails_if_scrapy_stopped_it_for_a_failure_and_not_at_a_bound_that_was_asked_for() -> None:
    for reason, setting in (
        ("memusage_exceeded", "MEMUSAGE_LIMIT_MB"),
        ("closespider_errorcount", "CLOSESPIDER_ERRORCOUNT"),
        ("closespider_timeout", None),
        ("closespider_timeout_no_item", None),
        ("closespider_pagecount", None),
        ("closespider_itemcount", None),
        ("shutdown", None),
        ("finished", None),
    ):
        line = f"the run was stopped when it reached {setting}=7: the next run goes on where this one ended"
        assert asyncio.run(failure_of(reason)) == ((1, line) if setting else None), reason


async def stopped_in(body: Callable[[Stopping], Awaitable[None]]) -> str:
    """Run the body where the run can give it up, and return what it ended with."""
    stopping = Stopping(crawler_of())
    try:
        async with Interruptible(stopping):
            await body(stopping)
    except (StoppedError, TimeoutError) as error:
        assert not stopping._scopes, "a scope that ended is forgotten"
        return type(error).__name__
    assert not stopping._scopes
    return "done"


async def give_up(stopping: Stopping) -> None:
    stopping._give_up()
    await asyncio.sleep(60)


async def give_up_twice(stopping: Stopping) -> None:
    stopping._give_up()
    async with Interruptible(stopping):
        raise AssertionError("a run that has given up starts nothing")


async def time_out(_: Stopping) -> None:
    raise TimeoutError


@pytest.mark.parametrize(
    ("body", "end"),
    [
        pytest.param(lambda _: asyncio.sleep(0), "done", id="it ends by itself"),
        pytest.param(give_up, "StoppedError", id="it waits"),
        pytest.param(give_up_twice, "StoppedError", id="it enters another one"),
        pytest.param(time_out, "TimeoutError", id="its own time is over"),
    ],
)
def test_what_waits_is_given_up_with_an_error_of_its_own(
    body: Callable[[Stopping], Awaitable[None]], end: str
) -> None:
    assert asyncio.run(stopped_in(body)) == end


def test_a_run_that_stops_gives_up_requests_and_later_outputs() -> None:
    async def stop() -> list[tuple[bool, int]]:
        crawler, sent = crawler_of(WOO_STOP_TIMEOUT=100), list[object]()

        def note(sender: object) -> None:
            sent.append(sender)

        crawler.engine = SimpleNamespace(running=True, _slot=None)  # type: ignore[assignment]
        crawler.signals.connect(note, outputs_given_up)
        stopping, states = Stopping(crawler), []
        for crawling, passed in ((True, 999), (False, 0), (False, 24), (False, 26), (False, 74), (False, 76)):
            crawler.crawling = crawling
            if stopping._since is not None:
                stopping._since = monotonic() - passed
            stopping._check()
            states.append((stopping._given_up, len(sent)))
        stopping._check()
        return [*states, (stopping._given_up, len(sent))]

    none, requests, both = (False, 0), (True, 0), (True, 1)
    assert asyncio.run(stop()) == [none, none, none, requests, requests, both, both]


@pytest.mark.parametrize(
    ("crawling", "closing", "active", "is_stopping"),
    [
        pytest.param(True, None, [1], False, id="it goes on"),
        pytest.param(False, None, [], True, id="it was stopped"),
        pytest.param(True, 1, [1], True, id="it is closed while it waits"),
        pytest.param(True, 1, [], False, id="it ends"),
    ],
)
def test_a_run_stops_when_it_is_told_to_or_closed_with_open_requests(
    crawling: bool, closing: int | None, active: list[int], is_stopping: bool
) -> None:
    async def stops() -> bool:
        crawler = crawler_of()
        slot = SimpleNamespace(closing=closing, inprogress=active)
        crawler.engine = SimpleNamespace(running=True, _slot=slot)  # type: ignore[assignment]
        crawler.crawling = crawling
        return Stopping(crawler)._is_stopping()

    assert asyncio.run(stops()) == is_stopping
