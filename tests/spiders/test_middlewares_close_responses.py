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


def run(middleware: CloseResponses, response: Response, result: AsyncIterator[Any]) -> list[Any]:
    async def collect() -> list[Any]:
        return [one async for one in middleware.process_spider_output(response, result)]

    return asyncio.run(collect())


def test_a_response_is_closed_after_its_callback_and_not_before(middleware: CloseResponses) -> None:
    response, were_closed = StreamedResponse(LOC), []

    async def callback() -> AsyncIterator[Any]:
        were_closed.append(response.file.closed)
        yield {"a": 1}
        were_closed.append(response.file.closed)

    assert run(middleware, response, callback()) == [{"a": 1}]
    assert were_closed == [False, False]
    assert response.file.closed


def test_a_response_is_closed_when_its_callback_fails_halfway(middleware: CloseResponses) -> None:
    response = StreamedResponse(LOC)
    with pytest.raises(ValueError, match="halfway"):
        run(middleware, response, made({"a": 1}, error=ValueError("halfway")))
    assert response.file.closed


def test_a_response_is_closed_when_its_callback_fails_at_once(middleware: CloseResponses) -> None:
    response = StreamedResponse(LOC)
    middleware.process_spider_exception(response, ValueError())
    assert response.file.closed


def test_the_response_of_an_item_is_closed_when_the_item_ends(middleware: CloseResponses) -> None:
    response = StreamedResponse(LOC)
    item = item_of(fetched=Fetched(response))
    assert run(middleware, response, made(item)) == [item]
    assert not response.file.closed
    middleware.item_ended(item)
    assert response.file.closed


def test_an_item_without_the_response_does_not_keep_it_open(middleware: CloseResponses) -> None:
    response = StreamedResponse(LOC)
    run(middleware, response, made(item_of(), item_of(fetched=fetched_of())))
    assert response.file.closed


def test_items_without_a_response_and_other_responses_pass(middleware: CloseResponses) -> None:
    middleware.item_ended(item_of())
    middleware.item_ended({"a": 1})
    assert run(middleware, Response(LOC), made({"a": 1})) == [{"a": 1}]
