"""Measure the search engines of the portal: filling them, and answering questions, eight at a time.

    python -m benchmarks.portal [RECORDS] [--engine embedded|elasticsearch] [--folder FOLDER] [--processes N]

With ``--folder`` the records and the embedded index stay there, and what is there already is used. The
targets are those for a million records on two cores that do nothing else.

Both engines get the same 50,000 records with a page of text each, and the same questions through the same
interface, each engine in a process of its own: the embedded index in the one that asks, or in as many as
``--processes`` says, Elasticsearch in its own, with its own heap. Elasticsearch is filled with
``helpers.bulk``. Each question asks for ten hits, their highlights, and the counts of all filters.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from elasticsearch import Elasticsearch, helpers

from benchmarks.utils.elasticsearch_server import server
from benchmarks.utils.portal_records import questions, write_records
from benchmarks.utils.target import target
from woo_harvester.kinds import PERMITS, WOO
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index
from woo_portal.elasticsearch import ElasticsearchEngine
from woo_portal.embedded.answering import EmbeddedReader
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.engine import Engine
from woo_portal.question import Question

RECORDS = 50_000
_AT_A_TIME, _ROUNDS, _SECONDS = 8, 3, 60.0
_MB = 1024 * 1024
_ENGINES = ("elasticsearch", "embedded")
#: The most milliseconds that 95% of the questions of a kind may take, the fewest records a second, and the
#: most MB of a process.
_MOST_MILLISECONDS = {"phrase": 200}
_MOST_OF_OTHERS, _FEWEST_RECORDS, _MOST_MB = 100, 3000, 250


def main() -> None:
    """Print the table, or, as the process of one engine, its figures as JSON."""
    options = _options()
    if options.url is not None:
        print(json.dumps(_measured(options.engine[0], options.folder, options.url, options.processes)))
        return
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(exist_ok=True)
        if not (folder / "records.jsonl").exists():
            write_records(folder / "records.jsonl", options.records)
        if "elasticsearch" in options.engine:
            with server() as node:
                found["elasticsearch"] = _in_process("elasticsearch", folder, node.url)
        if "embedded" in options.engine:
            found["embedded"] = _in_process("embedded", folder, "", options.processes)
    _print(options.records, found)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.portal", description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=RECORDS)
    parser.add_argument("--engine", action="append", choices=_ENGINES)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--url", help=argparse.SUPPRESS)  # given to the process of one engine
    options = parser.parse_args()
    options.engine = options.engine or _ENGINES
    return options


def _in_process(engine: str, folder: Path, url: str, processes: int = 1) -> dict[str, Any]:
    given = ["--engine", engine, "--folder", str(folder), "--url", url, "--processes", str(processes)]
    command = [sys.executable, "-m", "benchmarks.portal", *given]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _measured(name: str, folder: Path, url: str, processes: int) -> dict[str, Any]:
    """Fill an engine and ask it; return seconds, milliseconds and MB."""
    records = folder / "records.jsonl"
    started = perf_counter()
    engine, count = _embedded(folder, records) if name == "embedded" else _elasticsearch(url, records)
    filled = count / (perf_counter() - started)
    own = _own_memory()
    if processes == 1:
        times = {kind: _asked(engine.search, each) for kind, each in questions(1 + _ROUNDS).items()}
        own = max(own, _own_memory())
    else:
        with ProcessPoolExecutor(processes, get_context("spawn"), _open_reader, (folder,)) as pool:

            def search(question: Question) -> None:
                pool.submit(_search, question).result()

            times = {kind: _asked(search, each) for kind, each in questions(1 + _ROUNDS).items()}
            own = max(own, *pool.map(_memory_of_one, range(8 * processes)))
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
        "own": own,
        "peak": getrusage(RUSAGE_SELF).ru_maxrss / 1024,
        "size": size / _MB,
        "opened": opened,
        "times": times,
    }


def _own_memory() -> float:
    """Return the MB of this process, without the pages of the index that the kernel keeps for it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) / 1024


_readers: list[EmbeddedReader] = []


def _open_reader(folder: Path) -> None:
    """Open the index in a process that answers."""
    _readers.append(EmbeddedReader(folder / "portal", _SECONDS))


def _search(question: Question) -> None:
    """Answer a question in such a process, and leave the answer there."""
    _readers[0].search(question)


def _memory_of_one(_: int) -> float:
    return _own_memory()


def _embedded(folder: Path, records: Path) -> tuple[Engine, int]:
    engine = EmbeddedEngine.open(folder / "portal", _SECONDS)
    return engine, engine.fill([records], lambda count: None).lines


def _elasticsearch(url: str, records: Path) -> tuple[Engine, int]:
    client = Elasticsearch(url, request_timeout=120)
    aliases = {WOO.name: "bench", PERMITS.name: "bench-permits"}
    create_index(client, "bench", WOO, aliased=True)
    with records.open("rb") as lines:
        count, _ = helpers.bulk(client, (_action(json.loads(line)) for line in lines), chunk_size=1000)
    client.indices.refresh(index="bench")
    return ElasticsearchEngine(client, aliases, _SECONDS), count


def _action(record: dict[str, Any]) -> dict[str, Any]:
    """Return the action of ``helpers.bulk`` for the document that the harvester indexes."""
    _, document = bulk_action(WOO, record, Withdrawn.MARK).lines.splitlines()
    return {"_index": "bench", "_id": record["id"], "_source": json.loads(document)}


def _asked(search: Callable[[Question], object], asked: list[Question]) -> list[float]:
    """Return the milliseconds of each question, eight at a time, after other questions to warm up."""

    def timed(question: Question) -> float:
        started = perf_counter()
        search(question)
        return (perf_counter() - started) * 1000

    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        first = len(asked) // (1 + _ROUNDS)
        list(pool.map(timed, asked[:first]))
        return list(pool.map(timed, asked[first:]))


def _print(count: int, found: dict[str, dict[str, Any]]) -> None:
    print(f"{count:,} records, {_AT_A_TIME} questions at a time; median and 95% in ms")
    print(f"{'':26}" + "".join(f"{name:>26}" for name in found))
    peer, ours = found.get("elasticsearch"), found.get("embedded")
    row = f"{'filling, records a second':26}"
    for one in found.values():
        row += f"{one['filled']:26,.0f}" if one["filled"] else f"{'filled before':>26}"
    if ours and ours["filled"]:
        row += target(f">= {_FEWEST_RECORDS:,}", ours["filled"] >= _FEWEST_RECORDS)
    print(row)
    for kind in questions():
        row = f"{kind:26}"
        for one in found.values():
            times = one["times"][kind]
            row += f"{median(times):18.1f}{quantiles(times, n=20)[-1]:8.1f}"
        if ours:
            most = _MOST_MILLISECONDS.get(kind, _MOST_OF_OTHERS)
            row += target(f"95% < {most} ms", quantiles(ours["times"][kind], n=20)[-1] < most)
        if peer and ours:
            row += target("half", median(ours["times"][kind]) <= median(peer["times"][kind]) / 2)
        print(row)
    if ours:
        every = [time for times in ours["times"].values() for time in times]
        slowest = quantiles(every, n=20)[-1]
        print(f"embedded: 95% of all questions {slowest:.0f} ms")
        is_light = ours["own"] < _MOST_MB
        print(f"  memory of a process {ours['own']:.0f} MB{target(f'< {_MOST_MB} MB', is_light)}", end="")
        print(f", with the pages of the index at most {ours['peak']:.0f} MB")
        print(f"  ready with a filled index {ours['opened']:.2f} s{target('< 1 s', ours['opened'] < 1)}")
        print(f"  size {ours['size']:.0f} MB")


if __name__ == "__main__":
    main()
