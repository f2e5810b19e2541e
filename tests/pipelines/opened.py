"""Opens a store for a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from io import BytesIO
from typing import Any, TypeVar

from scrapy.utils.test import get_crawler

from tests.utils.crawlers import Proef
from woo_harvester.pipelines.opening import open_store
from woo_harvester.pipelines.stored import DocumentStore
from woo_harvester.running.default_settings import SETTINGS

T = TypeVar("T")

CONTENT = b"besluit" * 1000
DIGEST = sha256(CONTENT).hexdigest()
PDF = "application/pdf"


def with_store(use: Callable[[DocumentStore], Awaitable[T]], **settings: Any) -> T:
    """Return what *use* returns for a store with these settings."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[DocumentStore]:
        defaults = {setting.name: setting.default for setting in SETTINGS}
        given = {"TWISTED_REACTOR_ENABLED": False, "WOO_RETRY_BACKOFF": 0.01, **settings}
        crawler = get_crawler(Proef, {**defaults, **given})
        store = open_store(crawler)
        try:
            yield store
        finally:
            store.close()

    async def run() -> T:
        async with opened() as store:
            return await use(store)

    return asyncio.run(run())


def put(content: bytes = CONTENT, **settings: Any) -> bool:
    """Store a document, and return whether it is new."""

    async def use(store: DocumentStore) -> bool:
        return await store.put(sha256(content).hexdigest(), len(content), BytesIO(content), PDF)

    return with_store(use, **settings)


def has(**settings: Any) -> bool:
    return with_store(lambda store: store.has(DIGEST, len(CONTENT)), **settings)
