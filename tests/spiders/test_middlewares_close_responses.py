from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from scrapy.http import Response

from tests.utils.crawlers import LOC, crawler_of, fetched_of, item_of
from woo_harvester.items import Fetched, StreamedResponse
from woo_harvester.spiders.middlewares import CloseResponses


@pytest.fixture
def middleware() -> CloseResponses:
    return CloseResponses.from_crawler(crawler_of())


async def made(*results: Any, error: Exception | None = None) -> AsyncIterator[Any]:
    """What a callback gives."""
    for result in results:
        yield result
    if error is not None:
        raise error


def run(middleware: CloseResponses, response: Response, *results: Any, **more: Any) -> list[Any]:
    async def collect() -> list[Any]:
        made_of = made(*results, **more)
        return [one async for one in middleware.process_spider_output(response, made_of)]

    return asyncio.run(collect())


def test_a_response_is_closed_after_its_callback_and_not_before(middleware: CloseResponses) -> None:
    async def were_closed() -> list[bool]:
        output = middleware.process_spider_output(response, made({"a": 1}, {"a": 2}))
        return [response.file.closed async for _ in output]

    response = StreamedResponse(LOC)
    assert asyncio.run(were_closed()) == [False, False]
    assert response.file.closed


def test_a_response_is_closed_when_its_callback_fails_at_once_or_halfway(middleware: CloseResponses) -> None:
    at_once, halfway = StreamedResponse(LOC), StreamedResponse(LOC)
    middleware.process_spider_exception(at_once, ValueError())
    with pytest.raises(ValueError, match="halfway"):
        run(middleware, halfway, {"a": 1}, error=ValueError("halfway"))
    assert (at_once.file.closed, halfway.file.closed) == (True, True)


def test_the_response_of_an_item_is_closed_when_the_item_ends(middleware: CloseResponses) -> None:
    response = StreamedResponse(LOC)
    item = item_of(fetched=Fetched(response))
    assert run(middleware, response, item) == [item]
    assert not response.file.closed
    middleware.item_ended(item)
    assert response.file.closed


def test_an_item_without_the_response_does_not_keep_it_open(middleware: CloseResponses) -> None:
    response = StreamedResponse(LOC)
    run(middleware, response, item_of(), item_of(fetched=fetched_of()))
    assert response.file.closed
    for item in (item_of(), {"a": 1}):
        middleware.item_ended(item)
    assert run(middleware, Response(LOC), {"a": 1}) == [{"a": 1}]
