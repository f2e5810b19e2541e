from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncGenerator, Awaitable, Iterator
from typing import Any

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.signals import item_dropped, item_scraped

from woo_harvester import Addon
from woo_harvester.running import lighter_scrapy
from woo_harvester.running.lighter_scrapy import ItemSignals, RareCollections
from woo_harvester.spiders.woo import WooSpider


class Eigen(Spider):
    """A spider of the project that uses the add-on."""

    name = "eigen"


class Handlers:
    """Handlers of a signal, and what they did, in order."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def plain(self, item: str) -> None:
        self.done.append(f"plain {item}")

    def failing(self, item: str) -> None:
        raise ValueError(item)

    async def waiting(self, item: str, spider: str) -> str:
        await asyncio.sleep(0)
        self.done.append(f"waited {item} of {spider}")
        return "answer"

    async def failing_later(self) -> None:
        await asyncio.sleep(0)
        raise KeyError("later")

    def scheduling(self, item: str) -> Awaitable[str]:
        return self.waiting(item, "a task")


@pytest.fixture
def handlers() -> Handlers:
    return Handlers()


def send(signals: ItemSignals, signal: object = item_scraped) -> list[tuple[Any, Any]]:
    return asyncio.run(signals.send_catch_log_async(signal, item="one", spider="woo"))


def test_plain_handlers_are_called_in_their_order_without_a_task(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    signals = ItemSignals(object())
    second = Handlers()
    second.done = handlers.done
    signals.connect(handlers.plain, item_scraped)
    signals.connect(second.plain, item_scraped)

    async def send_one() -> None:
        monkeypatch.delattr(asyncio.BaseEventLoop, "create_task")
        results = await signals.send_catch_log_async(item_scraped, item="one", spider="woo")
        monkeypatch.undo()
        assert results == [(handlers.plain, None), (second.plain, None)]

    asyncio.run(send_one())
    assert handlers.done == ["plain one", "plain one"]


def test_a_handler_that_awaits_something_is_awaited(handlers: Handlers) -> None:
    signals = ItemSignals(object())
    for handler in (handlers.waiting, handlers.plain, handlers.scheduling):
        signals.connect(handler, item_scraped)
    assert dict(send(signals)) == {
        handlers.plain: None,
        handlers.waiting: "answer",
        handlers.scheduling: "answer",
    }
    assert sorted(handlers.done) == ["plain one", "waited one of a task", "waited one of woo"]


def test_an_error_of_a_handler_is_logged_and_keeps_no_other_handler_from_its_item(
    handlers: Handlers, caplog: pytest.LogCaptureFixture
) -> None:
    signals = ItemSignals(object())
    for handler in (handlers.failing, handlers.failing_later, handlers.plain):
        signals.connect(handler, item_scraped)
    with caplog.at_level(logging.ERROR):
        results = dict(send(signals))
    assert [type(results[each]) for each in (handlers.failing, handlers.failing_later)] == [
        ValueError,
        KeyError,
    ]
    assert handlers.done == ["plain one"]
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ValueError, KeyError]
    assert "Error caught on signal handler" in caplog.text


def test_what_is_disconnected_after_a_record_gets_no_other(handlers: Handlers) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.plain, item_scraped)
    for change in (signals.disconnect, signals.connect, lambda _, signal: signals.disconnect_all(signal)):
        send(signals)
        change(handlers.plain, item_scraped)
    assert send(signals) == []
    assert handlers.done == ["plain one", "plain one"]


def test_other_signals_are_sent_as_scrapy_does(handlers: Handlers) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.waiting, item_dropped)
    assert send(signals, item_dropped) == [(handlers.waiting, "answer")]


def test_the_addon_keeps_what_is_connected_before_it(handlers: Handlers) -> None:
    crawler = Crawler(WooSpider)
    crawler.spider = Eigen()
    crawler.signals.connect(handlers.plain, item_scraped)
    Addon.from_crawler(crawler)
    assert isinstance(crawler.signals, ItemSignals)
    send(crawler.signals)
    assert handlers.done == ["plain one"]


def test_the_addon_keeps_a_signal_manager_of_the_project() -> None:
    class Own(ItemSignals):
        pass

    crawler = Crawler(WooSpider)
    crawler.spider = Eigen()
    crawler.signals = own = Own(crawler)
    Addon.from_crawler(crawler)
    assert crawler.signals is own


@pytest.fixture
def usual_collections() -> Iterator[None]:
    """Set the collector as it was after the test."""
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


async def numbers(closed: list[bool]) -> AsyncGenerator[int, None]:
    try:
        for number in range(10):
            yield number
    finally:
        await asyncio.sleep(0)
        closed.append(True)


async def read_one(closed: list[bool]) -> None:
    """Read one number, and leave the generator as it is."""
    async for _ in numbers(closed):
        return


@pytest.mark.usefixtures("usual_collections")
@pytest.mark.parametrize("has_reactor", [True, False])
def test_a_generator_that_was_left_is_closed(has_reactor: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    async def closed_generators() -> list[bool]:
        RareCollections().engine_started()
        closed: list[bool] = []
        await read_one(closed)
        for _ in range(5):
            await asyncio.sleep(0)
        return closed

    monkeypatch.setattr(lighter_scrapy, "is_reactor_installed", lambda: has_reactor)
    assert asyncio.run(closed_generators()) == [True]


@pytest.mark.usefixtures("usual_collections")
@pytest.mark.parametrize(("has_reactor", "listed"), [(True, 0), (False, 1)])
def test_generators_are_listed_only_without_a_reactor(
    has_reactor: bool, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def listed_generators() -> int:
        RareCollections().engine_started()
        generator = numbers([])
        await anext(generator)
        # The list is asyncio's own: mypy does not know it.
        known = len(asyncio.get_running_loop()._asyncgens)  # type: ignore[attr-defined]
        await generator.aclose()
        return known

    monkeypatch.setattr(lighter_scrapy, "is_reactor_installed", lambda: has_reactor)
    assert asyncio.run(listed_generators()) == listed


@pytest.mark.usefixtures("usual_collections")
def test_the_finalizer_of_the_event_loop_stays() -> None:
    async def hooks() -> tuple[object, object]:
        before = sys.get_asyncgen_hooks().finalizer
        RareCollections().engine_started()
        return before, sys.get_asyncgen_hooks().finalizer

    before, after = asyncio.run(hooks())
    assert before == after is not None


@pytest.mark.usefixtures("usual_collections")
def test_a_few_thousand_new_objects_start_no_collection() -> None:
    RareCollections().engine_started()
    assert gc.get_threshold()[0] == 50_000
