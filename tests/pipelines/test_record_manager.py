from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from woo_harvester.pipelines.record import RecordPipelines


class Plain:
    def process_item(self, item: Any) -> Any:
        item.append("plain")
        return item


class Waiting:
    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0)
        item.append("waited")
        return item


class Replacing:
    def process_item(self, item: Any) -> Any:
        return [*item, "replaced"]


class Dropping:
    def process_item(self, item: Any) -> Any:
        raise DropItem("no")


class OfAnOldProject:
    def process_item(self, item: Any, spider: Any) -> Any:
        item.append(spider.name)
        return item


def process(*pipelines: Any) -> Any:
    crawler = get_crawler()
    crawler.spider = Spider("eigen")
    manager = RecordPipelines(*pipelines, crawler=crawler)
    return asyncio.run(manager.process_item_async([]))


def test_an_item_passes_all_pipelines_in_their_order() -> None:
    assert process(Plain(), Waiting(), Replacing(), Plain()) == ["plain", "waited", "replaced", "plain"]


def test_a_pipeline_drops_an_item_before_the_next_sees_it() -> None:
    after = Plain()
    with pytest.raises(DropItem):
        process(Dropping(), after)


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
def test_a_pipeline_that_takes_the_spider_gets_it() -> None:
    assert process(Plain(), OfAnOldProject()) == ["plain", "eigen"]
