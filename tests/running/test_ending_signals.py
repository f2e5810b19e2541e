from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

import pytest
from pydispatch import dispatcher
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.signals import item_dropped, item_scraped
from twisted.internet.defer import Deferred, succeed

from woo_harvester import Addon
from woo_harvester.running.ending import ItemSignals


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

    def any(self, **named: Any) -> str:
        return f"{named['item']} of {named['spider']}"

    def deferred(self) -> Deferred[None]:
        return succeed(None)

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


def test_a_handler_gets_only_the_arguments_that_it_accepts(handlers: Handlers) -> None:
    signals = ItemSignals(object())

    def function(spider: str) -> str:
        return spider

    for handler in (handlers.plain, handlers.any, function):
        signals.connect(handler, item_dropped)
    assert signals.send_catch_log(item_dropped, item="one", spider="woo") == [
        (handlers.plain, None),
        (handlers.any, "one of woo"),
        (function, "woo"),
    ]


def test_handlers_of_any_signal_and_any_sender_are_called_too(handlers: Handlers) -> None:
    signals = ItemSignals(object())
    second = Handlers()
    signals.connect(handlers.plain, dispatcher.Any)
    signals.connect(second.plain, item_dropped, sender=dispatcher.Any)
    signals.send_catch_log(item_dropped, item="one")
    assert (handlers.done, second.done) == (["plain one"], ["plain one"])


def test_handlers_of_another_sender_or_that_are_gone_are_not_called(handlers: Handlers) -> None:
    signals, other = ItemSignals(object()), ItemSignals(object())
    other.connect(handlers.plain, item_dropped)
    signals.connect(Handlers().plain, item_dropped)
    assert signals.send_catch_log(item_dropped, item="one") == []
    assert handlers.done == []


def test_an_error_that_is_expected_is_returned_and_not_logged(
    handlers: Handlers, caplog: pytest.LogCaptureFixture
) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.failing, item_dropped)
    ((_, failure),) = signals.send_catch_log(item_dropped, item="one", dont_log=ValueError)
    assert isinstance(failure.value, ValueError)
    assert caplog.records == []


def test_a_handler_that_returns_a_deferred_is_reported(
    handlers: Handlers, caplog: pytest.LogCaptureFixture
) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.deferred, item_dropped)
    signals.send_catch_log(item_dropped)
    assert "Cannot return deferreds from signal handler" in caplog.text


def test_other_signals_are_sent_as_scrapy_does(handlers: Handlers) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.waiting, item_dropped)
    assert send(signals, item_dropped) == [(handlers.waiting, "answer")]


def test_the_addon_keeps_what_is_connected_before_it(handlers: Handlers) -> None:
    crawler = Crawler(Eigen)
    crawler.spider = Eigen()
    crawler.signals.connect(handlers.plain, item_scraped)
    Addon.from_crawler(crawler)
    assert isinstance(crawler.signals, ItemSignals)
    send(crawler.signals)
    assert handlers.done == ["plain one"]


def test_the_addon_keeps_a_signal_manager_of_the_project() -> None:
    class Own(ItemSignals):
        pass

    crawler = Crawler(Eigen)
    crawler.spider = Eigen()
    crawler.signals = own = Own(crawler)
    Addon.from_crawler(crawler)
    assert crawler.signals is own
