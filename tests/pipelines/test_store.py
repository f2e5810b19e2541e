from __future__ import annotations

import asyncio
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import NotConfigured

from tests.utils.crawlers import LOC, crawler_of, fetched_of, item_of
from woo_harvester.items import WooItem
from woo_harvester.pipelines.store import StorePipeline
from woo_harvester.pipelines.stored import path_of
from woo_harvester.record import Bestand
from woo_harvester.state.deliveries import KnownFile

CONTENT = b"%PDF-1.7 besluit"
DIGEST = sha256(CONTENT).hexdigest()


def document(content: bytes | None = CONTENT, digest: str | None = DIGEST) -> WooItem:
    """An item as it comes to the pipeline; without *content*, of a document that is unchanged."""
    if content is not None and digest is not None:
        fetched = fetched_of(content, digest=digest)
    else:
        known = KnownFile(bytes.fromhex(digest), size=len(CONTENT)) if digest else None
        fetched = replace(fetched_of(size=len(CONTENT)), unchanged=known)
    item = item_of(fetched=fetched)
    item.record.versies[0].bestanden = [Bestand(LOC, "application/pdf")]
    return item


def process(store: Path, *items: WooItem) -> dict[str, Any]:
    """The items through the pipeline, all at once; gives the statistics."""
    crawler = crawler_of(FILES_STORE=store)

    async def run() -> None:
        pipeline = StorePipeline.from_crawler(crawler)
        try:
            assert await asyncio.gather(*map(pipeline.process_item, items)) == list(items)
        finally:
            pipeline.close_spider()

    asyncio.run(run())
    return {key: value for key, value in crawler.stats.get_stats().items() if key.startswith("woo/")}


def pad_of(item: WooItem) -> str | None:
    return item.record.versies[0].bestanden[0].pad


def path_for_text(item: WooItem) -> Path | None:
    assert item.source is not None
    assert item.source.fetched is not None
    return item.source.fetched.path


def test_the_record_names_the_path_and_later_pipelines_read_from_it(tmp_path: Path) -> None:
    item = document()
    assert process(tmp_path, item) == {"woo/files/stored": 1, "woo/files/bytes": len(CONTENT)}
    assert pad_of(item) == path_of(DIGEST)
    assert path_for_text(item) == tmp_path / path_of(DIGEST)
    assert (tmp_path / path_of(DIGEST)).read_bytes() == CONTENT


def test_the_same_file_under_two_urls_is_stored_once(tmp_path: Path) -> None:
    items = [document(), document()]
    statistics = process(tmp_path, *items)
    assert statistics == {"woo/files/stored": 1, "woo/files/bytes": len(CONTENT), "woo/files/present": 1}
    assert [pad_of(item) for item in items] == [path_of(DIGEST)] * 2


def test_a_document_that_has_not_changed_is_where_it_was(tmp_path: Path) -> None:
    process(tmp_path, document())
    unchanged = document(content=None)
    assert process(tmp_path, unchanged) == {}
    assert pad_of(unchanged) == path_of(DIGEST)
    assert path_for_text(unchanged) == tmp_path / path_of(DIGEST)


def test_a_document_that_was_never_kept_has_no_path(tmp_path: Path) -> None:
    unchanged = document(content=None)
    process(tmp_path, unchanged)
    assert (pad_of(unchanged), path_for_text(unchanged)) == (None, None)


def test_a_document_that_was_not_fetched_passes(tmp_path: Path) -> None:
    items = [document(content=None, digest=None), item_of()]
    assert process(tmp_path, *items) == {}
    assert pad_of(items[0]) is None


def test_an_item_of_another_project_passes(tmp_path: Path) -> None:
    item: Any = {"url": LOC}
    assert process(tmp_path, item) == {}


def test_without_a_store_the_pipeline_is_off() -> None:
    with pytest.raises(NotConfigured):
        StorePipeline.from_crawler(crawler_of())


def test_a_store_that_cannot_be_used_is_reported_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    crawler = crawler_of(FILES_STORE=tmp_path / "file")
    spider: Any = crawler.spidercls()
    spider.failure = None
    crawler.spider = spider
    with pytest.raises(NotConfigured):
        StorePipeline.from_crawler(crawler)
    assert spider.failure[0] == 1
    assert "cannot be used" in spider.failure[1]
    assert str(tmp_path / "file") in spider.failure[1]
