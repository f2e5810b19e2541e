"""Tests for ``woo_harvester.running.process``: what a run costs beside its work."""

from __future__ import annotations

import logging

import pytest
from scrapy import signals

from tests.utils.crawlers import Proef, crawler_of
from woo_harvester.running.process import HarvestProcess


def test_the_log_opens_with_the_first_request_and_not_again_with_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels: list[int] = []
    monkeypatch.setattr(logging, "disable", levels.append)
    crawler = crawler_of()
    spider = Proef.from_crawler(crawler)
    process = HarvestProcess.__new__(HarvestProcess)  # another one would install its reactor
    crawler.signals.connect(process._log_all, signals.request_scheduled)
    for _ in range(3):
        crawler.signals.send_catch_log(signals.request_scheduled, request=None, spider=spider)
    assert levels == [logging.NOTSET]
