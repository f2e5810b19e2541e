from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from types import SimpleNamespace
from typing import Any

import pytest
from pydispatch import dispatcher
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.signals import item_dropped, item_scraped
from twisted.internet.defer import Deferred, succeed

from tests.utils.crawlers import crawler_of
from woo_harvester import Addon
from woo_harvester.running.ending import ItemSignals, close_at_start, fail_run, has_failed, refuse_start
from woo_harvester.spiders.woo import WooSpider


@pytest.fixture
def crawler() -> Crawler:
    """A crawler with a spider that runs."""
    made = crawler_of()
    made.spider = made.spidercls()
    return made


def failure_of(spider: object) -> Any:
    return vars(spider).get("failure")


def opened(crawler: Crawler) -> list[str]:
    """Send the signal that the spider is opened; return the reasons with which handlers close it."""
    spider = crawler.spider
    results = crawler.signals.send_catch_log(signals.spider_opened, spider=spider, dont_log=CloseSpider)
    raised = [getattr(result, "value", result) for _, result in results]
    return [error.reason for error in raised if isinstance(error, CloseSpider)]


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


def test_only_the_first_failure_of_a_run_counts(crawler: Crawler, caplog: pytest.LogCaptureFixture) -> None:
    spider = crawler.spider
    assert not has_failed(crawler)
    assert fail_run(crawler, "the disk is full", 1)
    assert not fail_run(crawler, "the report could not be written", 2)
    assert has_failed(crawler)
    assert failure_of(spider) == (1, "the disk is full")
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "the disk is full"
    ]


def test_a_crawler_whose_run_failed_has_no_spider_once_that_is_closed(crawler: Crawler) -> None:
    spider = crawler.spider
    fail_run(crawler, "the disk is full")
    assert crawler.spider is spider
    crawler.signals.send_catch_log(signals.spider_closed, spider=spider, reason="output_failed")
    assert crawler.spider is None
    assert has_failed(crawler)
    assert not fail_run(crawler, "something later")


def test_a_run_that_did_not_fail_keeps_its_spider(crawler: Crawler) -> None:
    crawler.signals.send_catch_log(signals.spider_closed, spider=crawler.spider, reason="finished")
    assert crawler.spider is not None


def test_a_failure_after_the_spider_was_closed_counts_too(crawler: Crawler) -> None:
    spider = crawler.spider
    vars(crawler)["_engine"] = SimpleNamespace(spider=None)
    fail_run(crawler, "the report could not be written")
    assert crawler.spider is None
    assert failure_of(spider) == (1, "the report could not be written")


def test_a_component_that_cannot_be_made_closes_the_spider_when_it_opens(crawler: Crawler) -> None:
    with pytest.raises(NotConfigured) as caught:
        refuse_start(crawler, "the store cannot be used", OSError("read-only"))
    assert caught.value.args == ()  # with a text, Scrapy would log a warning
    assert failure_of(crawler.spider) == (1, "the store cannot be used")
    assert opened(crawler) == ["cannot_start"]


def test_a_run_that_is_to_be_closed_at_its_start_has_failed(crawler: Crawler) -> None:
    close_at_start(crawler, "a wrong setting")
    assert has_failed(crawler)
    assert opened(crawler) == ["cannot_start"]


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


def test_an_expected_error_is_not_logged(handlers: Handlers, caplog: pytest.LogCaptureFixture) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.failing, item_dropped)
    ((_, failure),) = signals.send_catch_log(item_dropped, item="one", dont_log=ValueError)
    assert isinstance(failure.value, ValueError)
    assert caplog.records == []


def test_a_handler_with_a_deferred_is_reported(handlers: Handlers, caplog: pytest.LogCaptureFixture) -> None:
    signals = ItemSignals(object())
    signals.connect(handlers.deferred, item_dropped)
    signals.send_catch_log(item_dropped)
    assert "Cannot return deferreds from signal handler" in caplog.text


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
