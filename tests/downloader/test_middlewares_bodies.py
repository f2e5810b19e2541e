from __future__ import annotations

import asyncio

import pytest
from scrapy import Request

from tests.utils.crawlers import LOC
from woo_harvester.downloader.middlewares import MAX_BODIES, BodiesMiddleware
from woo_harvester.items import StreamedResponse

DOCUMENT = Request(LOC, meta={"woo_kind": "document"})
SITEMAP = Request(LOC, meta={"woo_kind": "sitemap"})


@pytest.fixture
def middleware() -> BodiesMiddleware:
    return BodiesMiddleware()


def receive(middleware: BodiesMiddleware, count: int, request: Request = DOCUMENT) -> list[StreamedResponse]:
    """So many answers, whose bodies are held."""
    received = [StreamedResponse(LOC) for _ in range(count)]
    assert [middleware.process_response(request, response) for response in received] == received
    return received


async def waits(middleware: BodiesMiddleware, request: Request = DOCUMENT) -> bool:
    """Whether a request does not go on by itself."""
    asked = asyncio.ensure_future(middleware.process_request(request))
    await asyncio.sleep(0)
    if asked.done():
        await asked
        return False
    asked.cancel()
    return True


def test_no_document_is_asked_for_while_many_bodies_are_held(middleware: BodiesMiddleware) -> None:
    async def check() -> None:
        receive(middleware, MAX_BODIES - 1)
        assert not await waits(middleware)
        (last,) = receive(middleware, 1)
        assert await waits(middleware)
        last.close()
        last.close()
        assert not await waits(middleware)
        receive(middleware, 1)
        assert await waits(middleware), "a body is given back once"

    asyncio.run(check())


def test_what_waits_goes_on_when_a_response_is_closed(middleware: BodiesMiddleware) -> None:
    async def check() -> None:
        first, *_ = receive(middleware, MAX_BODIES)
        asked = asyncio.ensure_future(middleware.process_request(DOCUMENT))
        await asyncio.sleep(0)
        assert not asked.done()
        first.close()
        await asyncio.wait_for(asked, 10)

    asyncio.run(check())


def test_what_is_no_document_neither_waits_nor_counts(middleware: BodiesMiddleware) -> None:
    async def check() -> None:
        receive(middleware, MAX_BODIES, SITEMAP)
        assert not await waits(middleware)
        receive(middleware, MAX_BODIES)
        assert not await waits(middleware, SITEMAP)

    asyncio.run(check())
