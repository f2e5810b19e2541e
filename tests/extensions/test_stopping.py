from __future__ import annotations

import asyncio
from typing import Any

from tests.utils.crawlers import crawler_of
from woo_harvester.extensions.stopping import Stopping


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
