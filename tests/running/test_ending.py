from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured

from tests.utils.crawlers import crawler_of
from woo_harvester.running.ending import close_at_start, fail_run, has_failed, refuse_start


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
