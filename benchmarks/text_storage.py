"""Measure the size of texts in the index: in ``_source``, stored beside it, or only searchable.

    python -m benchmarks.text_storage

It starts an Elasticsearch of its own, and fills each index with 3,000 pages of Dutch text.
"""

from __future__ import annotations

from elasticsearch import Elasticsearch, helpers

from benchmarks.utils.dutch_text import pages
from benchmarks.utils.elasticsearch_server import server
from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import definition

WAYS = {
    "in `_source`": (True, False),
    "out of `_source`, stored as a field": (False, True),
    "out of `_source`, not stored": (False, False),
}


def size(client: Elasticsearch, source: bool, store: bool, texts: list[str]) -> int:
    """Return the bytes on disk of an index of *texts*, merged into one segment."""
    made = definition(WOO)
    field = {**made["mappings"]["properties"]["tekst"], "store": store}
    mappings = {"_source": {"excludes": [] if source else ["tekst"]}, "properties": {"tekst": field}}
    client.options(ignore_status=404).indices.delete(index="text")
    client.indices.create(index="text", settings=made["settings"], mappings=mappings)
    helpers.bulk(client, ({"_index": "text", "tekst": text} for text in texts), chunk_size=200)
    client.indices.forcemerge(index="text", max_num_segments=1)
    client.indices.flush(index="text")
    stats = client.indices.stats(index="text", metric="store")
    return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])


def main() -> None:
    """Print the table, as Markdown."""
    texts = pages()
    print(f"| the text, {sum(map(len, texts)) / 1e6:.1f} MB | MB |\n| --- | --- |")
    with server() as node, node.client().options(request_timeout=600) as client:
        for way, (source, store) in WAYS.items():
            print(f"| {way} | {size(client, source, store, texts) / 1e6:.2f} |", flush=True)


if __name__ == "__main__":
    main()
