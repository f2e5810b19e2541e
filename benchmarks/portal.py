"""Measure the search engines of the portal: filling them, and answering questions, eight at a time.

    python -m benchmarks.portal [RECORDS] [embedded|elasticsearch]

Both engines get the same 50,000 records with a page of text each, and the same questions through the same
interface, each engine in a process of its own: the embedded index in the one that asks, Elasticsearch in
its own, with its own heap. Elasticsearch is filled with ``helpers.bulk``. Each question asks for
ten hits, their highlights, and the counts of all filters.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from elasticsearch import Elasticsearch, helpers

from benchmarks.utils.elasticsearch_server import server
from benchmarks.utils.portal_records import questions, write_records
from benchmarks.utils.target import target
from woo_harvester.elastic.engine import ElasticsearchEngine
from woo_harvester.elastic.indices import create_index
from woo_harvester.search.document import Withdrawn, bulk_action
from woo_harvester.search.embedded.engine import EmbeddedEngine
from woo_harvester.search.engine import Engine
from woo_harvester.search.permits import PERMITS
from woo_harvester.search.question import Question
from woo_harvester.search.woo import WOO

RECORDS = 50_000
_AT_A_TIME, _ROUNDS, _SECONDS = 8, 3, 60.0
_MB = 1024 * 1024


def main() -> None:
    """Print the table, or, as the process of one engine, its figures as JSON."""
    arguments = sys.argv[1:]
    if len(arguments) == 4:
        print(json.dumps(_measured(arguments[1], Path(arguments[2]), arguments[3])))
        return
    count = int(arguments[0]) if arguments else RECORDS
    wanted = arguments[1:] or ["elasticsearch", "embedded"]
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_records(folder / "records.jsonl", count)
        if "elasticsearch" in wanted:
            with server() as node:
                found["elasticsearch"] = _in_process(count, "elasticsearch", folder, node.url)
        if "embedded" in wanted:
            found["embedded"] = _in_process(count, "embedded", folder, "")
    _print(count, found)


def _in_process(count: int, engine: str, folder: Path, url: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.portal", str(count), engine, str(folder), url]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _measured(name: str, folder: Path, url: str) -> dict[str, Any]:
    """Fill an engine and ask it; return seconds, milliseconds and MB."""
    records = folder / "records.jsonl"
    started = perf_counter()
    engine = _embedded(folder, records) if name == "embedded" else _elasticsearch(url, records)
    filled = perf_counter() - started
    peak_filling = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    times = {kind: _asked(engine, each) for kind, each in questions().items()}
    engine.close()
    opened = 0.0
    if name == "embedded":
        started = perf_counter()
        again = EmbeddedEngine.open(folder / "portal", _SECONDS)
        again.search(questions()["one word"][0])
        opened = perf_counter() - started
        again.close()
    size = sum(each.stat().st_size for each in (folder / "portal").rglob("*") if each.is_file())
    return {
        "filled": filled,
        "peak_filling": peak_filling,
        "peak": getrusage(RUSAGE_SELF).ru_maxrss / 1024,
        "size": size / _MB,
        "opened": opened,
        "times": times,
    }


def _embedded(folder: Path, records: Path) -> Engine:
    engine = EmbeddedEngine.open(folder / "portal", _SECONDS)
    engine.fill([records], lambda count: None)
    return engine


def _elasticsearch(url: str, records: Path) -> Engine:
    client = Elasticsearch(url, request_timeout=120)
    aliases = {WOO.name: "bench", PERMITS.name: "bench-permits"}
    create_index(client, "bench", WOO, aliased=True)
    with records.open("rb") as lines:
        helpers.bulk(client, (_action(json.loads(line)) for line in lines), chunk_size=1000)
    client.indices.refresh(index="bench")
    return ElasticsearchEngine(client, aliases, _SECONDS)


def _action(record: dict[str, Any]) -> dict[str, Any]:
    """Return the action of ``helpers.bulk`` for the document that the harvester indexes."""
    _, document = bulk_action(WOO, record, Withdrawn.MARK).lines.splitlines()
    return {"_index": "bench", "_id": record["id"], "_source": json.loads(document)}


def _asked(engine: Engine, asked: list[Question]) -> list[float]:
    """Return the milliseconds of each question, eight at a time, after one round to warm up."""

    def timed(question: Question) -> float:
        started = perf_counter()
        engine.search(question)
        return (perf_counter() - started) * 1000

    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        list(pool.map(timed, asked))
        return list(pool.map(timed, asked * _ROUNDS))


def _print(count: int, found: dict[str, dict[str, Any]]) -> None:
    print(f"{count:,} records, {_AT_A_TIME} questions at a time; median and 95% in ms")
    print(f"{'':24}" + "".join(f"{name:>26}" for name in found))
    peer, ours = found.get("elasticsearch"), found.get("embedded")
    row = f"{'filling, records a second':24}" + "".join(
        f"{count / one['filled']:26,.0f}" for one in found.values()
    )
    if peer and ours:
        row += target("at least as fast", ours["filled"] <= peer["filled"])
    print(row)
    for kind in questions():
        row = f"{kind:24}"
        for one in found.values():
            times = one["times"][kind]
            row += f"{median(times):18.1f}{quantiles(times, n=20)[-1]:8.1f}"
        if peer and ours:
            row += target("half", median(ours["times"][kind]) <= median(peer["times"][kind]) / 2)
        print(row)
    if ours:
        every = [time for times in ours["times"].values() for time in times]
        slowest = quantiles(every, n=20)[-1]
        print(f"embedded: 95% of all questions {slowest:.0f} ms{target('< 100 ms', slowest < 100)}")
        print(f"  memory {ours['peak']:.0f} MB{target('< 500 MB', ours['peak'] < 500)}")
        print(f"  ready with a filled index {ours['opened']:.2f} s{target('< 1 s', ours['opened'] < 1)}")
        print(f"  size {ours['size']:.0f} MB")


if __name__ == "__main__":
    main()
