"""Count the compounds that a search for a part finds, and measure the index: the figures of docs/search.md.

    python -m benchmarks.compound_search

It starts an Elasticsearch of its own. The words are those of ``tests/portal/compounds.csv``: 200 that a
search for a part should find, and 100 that contain another word by accident. The size is that of an index of
3,000 pages of Dutch text with the field for parts, relative to the index without it.
"""

from __future__ import annotations

import copy
from typing import Any

from elasticsearch import Elasticsearch, helpers

from benchmarks.utils.dutch_text import compounds, pages
from benchmarks.utils.elasticsearch_server import server
from tests.portal.analysis import Analysis
from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import definition

PLAIN = ["lowercase", "asciifolding", "stopwoorden"]
STEM = ["nederlands", "remove_duplicates"]


def variants() -> dict[str, dict[str, Any]]:
    """Return definitions of the index by label; their analyzer ``delen`` differs."""
    ours = definition(WOO)
    filters = ours["settings"]["analysis"]["filter"]
    parts = {word.strip("~") for word in filters["begin"]["word_list"].split(",")}
    parts |= {word.strip("~")[::-1] for word in filters["eind"]["word_list"].split(",")}
    parts -= set(filters["geen_woord"]["stopwords"].split(","))
    plain = {"type": "dictionary_decompounder", "word_list": ",".join(sorted(parts))}
    grams = {"type": "ngram", "min_gram": 3, "max_gram": 10, "preserve_original": True}
    return {
        "stop words and stemmer": changed(ours, {}, [*PLAIN, *STEM]),
        "n-grams of 3 to 10": changed(
            ours, {"eigen": grams}, [*PLAIN, "nederlands", "eigen"], max_ngram_diff=7
        ),
        "dictionary_decompounder, the same parts": changed(
            ours, {"eigen": {**plain, "max_subword_size": 30}}, [*PLAIN, "eigen", *STEM]
        ),
        "the same, of 5 letters or more, longest only": changed(
            ours,
            {"eigen": {**plain, "min_subword_size": 5, "max_subword_size": 30, "only_longest_match": True}},
            [*PLAIN, "eigen", *STEM],
        ),
        "anchored, with shields (`analysis.json`)": ours,
    }


def changed(
    ours: dict[str, Any], filters: dict[str, Any], chain: list[str], **settings: object
) -> dict[str, Any]:
    """Return the definition with another chain of filters in the analyzer ``delen``."""
    made = copy.deepcopy(ours)
    made["settings"]["index"].update(settings)
    analysis = made["settings"]["analysis"]
    analysis["filter"].update(filters)
    analysis["analyzer"]["delen"]["filter"] = chain
    for name in ("begin", "eind", "begin_samenstelling", "eind_samenstelling"):
        if name not in chain:
            del analysis["filter"][name]
    return made


def size(client: Elasticsearch, index: str, made: dict[str, Any], fields: list[str], texts: list[str]) -> int:
    """Return the bytes on disk of an index of *texts* with these sub-fields, merged into one segment."""
    analysis = made["mappings"]["properties"]["tekst"]["fields"]
    field = {**made["mappings"]["properties"]["tekst"], "fields": {name: analysis[name] for name in fields}}
    client.options(ignore_status=404).indices.delete(index=index)
    mappings = {"_source": {"excludes": ["tekst"]}, "properties": {"tekst": field}}
    client.indices.create(index=index, settings=made["settings"], mappings=mappings)
    helpers.bulk(client, ({"_index": index, "tekst": text} for text in texts), chunk_size=200)
    client.options(request_timeout=600).indices.forcemerge(index=index, max_num_segments=1)
    client.indices.flush(index=index)
    stats = client.indices.stats(index=index, metric="store")
    return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])


def main() -> None:
    """Print the table, as Markdown."""
    texts = pages()
    print("| analysis | found of 200 | traps of 100 | size of the index |\n| --- | --- | --- | --- |")
    with server() as node, node.client().options(request_timeout=600) as client:
        base = size(client, "base", definition(WOO), ["exact"], texts)
        for name, made in variants().items():
            client.options(ignore_status=404).indices.delete(index="variant")
            analysis = Analysis(client, "variant", made)
            found = [row["soort"] for row in compounds() if analysis.finds(row["vraag"], row["woord"])]
            grown = size(client, "sized", made, ["exact", "delen"], texts) / base
            print(
                f"| {name} | {found.count('paar')} | {found.count('valkuil')} | {grown:.2f} times |",
                flush=True,
            )


if __name__ == "__main__":
    main()
