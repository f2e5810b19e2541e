"""Measure writing 50,000 records to a real Elasticsearch, against ``helpers.bulk`` with the same documents.

    python -m benchmarks.indexing [RECORDS]

It starts a server of its own, and measures four things: ``helpers.bulk`` of the client; the exporter's
writer; the crawl that makes the records, without an index; and crawl and writer together. Each writes to a
new index with the same mapping.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import perf_counter

from elasticsearch import Elasticsearch, helpers

from benchmarks.utils.elasticsearch_server import server
from benchmarks.utils.publisher import publisher
from benchmarks.utils.runs import woo
from benchmarks.utils.target import target
from woo_harvester.kinds import WOO
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.document import Withdrawn, bulk_action, document_of
from woo_harvester.outputs.indices import batches_by_size, create_index

RECORDS = 50_000
BATCH, BATCH_BYTES = 1000, 8 * 1024 * 1024
NUMBERS = count(1)


def timed(client: Elasticsearch, write: Callable[[str], None]) -> float:
    """Return the seconds that *write* takes to fill a new index."""
    alias = f"bench{next(NUMBERS)}"
    create_index(client, alias, WOO, aliased=True)
    started = perf_counter()
    write(alias)
    return perf_counter() - started


def main() -> None:
    """Print the table."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    with server() as node, node.client() as client, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "alone").mkdir()
        (folder / "both").mkdir()
        with publisher(folder, wanted, wanted) as site:
            crawl = woo(folder / "alone", site)
            records = [json.loads(line) for line in (folder / "alone/out.jsonl").open("rb")]
            # The first run is not counted: the server has not warmed up yet.
            timed(client, lambda alias: ours(client, alias, records[: wanted // 5]))
            bulk = timed(client, lambda alias: theirs(client, alias, records))
            writer = timed(client, lambda alias: ours(client, alias, records))
            both = woo(folder / "both", site, WOO_ELASTICSEARCH_URL=node.url, WOO_ELASTICSEARCH_INDEX="both")
    print(f"{'':38}{'records':>9}{'seconds':>9}{'a second':>10}{'ratio':>7}   target")
    row("helpers.bulk", wanted, bulk)
    row("the exporter's writer", wanted, writer, bulk, 0.75)
    row("crawl alone", crawl.items, crawl.crawling)
    row("crawl and index, against the slower", both.items, both.crawling, max(crawl.crawling, writer), 0.85)


def theirs(client: Elasticsearch, alias: str, records: list[dict[str, object]]) -> None:
    """Write with the client's own function, in batches of the same size."""
    actions = ({"_index": alias, "_id": one["id"], "_source": document_of(WOO, one)} for one in records)
    helpers.bulk(client, actions, chunk_size=BATCH, max_chunk_bytes=BATCH_BYTES)


def ours(client: Elasticsearch, alias: str, records: list[dict[str, object]]) -> None:
    """Write as the exporter and ``scrapy index`` do."""
    writer = BulkWriter(client, alias, 60)
    for batch in batches_by_size(
        (bulk_action(WOO, one, Withdrawn.MARK) for one in records), BATCH, BATCH_BYTES
    ):
        writer.write(batch)


def row(name: str, records: int, seconds: float, peer: float | None = None, least: float = 0) -> None:
    """Print a row of the table; *least* is the lowest good ratio to the *peer*."""
    ratio = f"{peer / seconds:7.2f}{target(f'ratio >= {least}', peer / seconds >= least)}" if peer else ""
    print(f"{name:38}{records:9,}{seconds:9.1f}{records / seconds:10,.0f}{ratio}")


if __name__ == "__main__":
    main()
