"""Measure reading permits: a listing of 100,000 known files, and messages against a parse with validation.

    python -m benchmarks.permit_reading [spiders]

Every measurement runs in its own process. Time is processor time; the shortest of several runs counts. What
is loaded once (schema, value lists, PROJ) is loaded before. The memory of the listing is that of the whole
process, with the known data of its files. The body of the listing is in a file, like any response of more
than 1 MB. "The whole spider" is the complete command ``scrapy crawl vergunningen`` against a server on
loopback, with a state that knows all files.

The second table, which comes alone with the argument, has the first harvest of 5,000 messages over HTTPS,
with state, report and records. The peer is a stock spider with Scrapy's own settings that fetches and
validates them. The fastest of three runs that took turns counts.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lxml import etree
from sqlalchemy import insert

from benchmarks.document_fetching import TIMES, made, print_head, print_row
from benchmarks.utils.permit_messages import date_of, listing_parts, messages
from benchmarks.utils.publisher import serving
from benchmarks.utils.runs import Run, permits, stock_permits
from benchmarks.utils.target import target
from tests.utils.command import DATA, environment, in_project
from tests.utils.sites import write_register
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Site
from woo_harvester.permits import schema
from woo_harvester.permits.links import Ask, RememberedFile, how_to_ask
from woo_harvester.permits.listing import read_listing
from woo_harvester.permits.messages import read_message
from woo_harvester.permits.state import entry_page_id
from woo_harvester.permits.tables import permit_files
from woo_harvester.record import json_value
from woo_harvester.state.store import State
from woo_harvester.tooi.lists import organisaties

FILES = 100_000
MESSAGES = 5_000
REPEATS = 7
MAXSIZE = 20_000_000
CHUNK_SIZE = 64 * 1024
FOLDER = "https://www.voorbeeldstad.nl/xml/"


class Spider(NamedTuple):
    """The project folder, certificates and entry page for measuring the whole spider."""

    folder: Path
    ca_bundle: Path
    entry: str


@contextmanager
def published() -> Iterator[Spider]:
    """Serve the listing, and make a project whose state knows all its files."""
    authority = Authority()
    pages = {"/xml/": Page(partial(listing_parts, FILES), content_type="text/html")}
    with Site(authority, pages) as site, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_register(folder / "register.xml", {"Gemeente Voorbeeldstad": [site.url("/woo")]})
        (folder / DATA).mkdir()
        state = State.open(f"sqlite:///{folder / DATA / 'woo-state.sqlite'}")
        with state.begin() as connection:
            number = entry_page_id(connection, site.url("/xml/"), site.host)
            for start in range(0, FILES, 1000):
                connection.execute(
                    insert(permit_files), [known(number, site, file) for file in range(start, start + 1000)]
                )
        state.close()
        yield Spider(folder, authority.write_bundle(folder / "ca.pem"), site.url("/xml/"))


def known(entry: int, site: Site, file: int) -> dict[str, object]:
    """Return the row of a known file."""
    return {
        "entry_id": entry,
        "url": site.url(f"/xml/zaak-{file:06}.xml"),
        "digest": bytes(32),
        "date": date_of(file).replace(" ", "T"),
        "now": False,
        "read_at": 0,
    }


def whole_spider(spider: Spider) -> tuple[float, float]:
    """Run the command; return seconds of processor time, and peak memory in MB."""
    args = ["crawl", "vergunningen", "-a", f"entries={spider.entry}", "-a", "register=register.xml"]
    command = [sys.executable, "-m", "scrapy", *in_project(args, spider.folder, None)]
    with subprocess.Popen(
        command, cwd=spider.folder, env=environment(spider.ca_bundle), stderr=subprocess.PIPE, text=True
    ) as process:
        log = process.stderr.read() if process.stderr else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or f"'woo/berichten/unchanged': {FILES}" not in log:
        raise RuntimeError(f"Expected a run with {FILES} unchanged files:\n{log}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def nothing_new() -> Callable[[], int]:
    """Return a task: read a listing, and compare it with the known data of its files."""
    known = {
        f"{FOLDER}zaak-{number:06}.xml": RememberedFile("0" * 64, date_of(number).replace(" ", "T"))
        for number in range(FILES)
    }

    def run() -> int:
        with Path(sys.argv[2]).open("rb") as page:
            links = read_listing(iter(lambda: page.read(CHUNK_SIZE), b""), FOLDER, MAXSIZE * 2).links
        return sum(how_to_ask(link.date, known.get(link.url)) is Ask.NOT for link in links)

    return run


def ready() -> list[bytes]:
    """Return the messages, after all that a process loads once to read them."""
    bodies = messages(MESSAGES)
    read_message(bodies[:1], MAXSIZE, organisaties(), datetime.now(UTC))
    return bodies


def bare() -> Callable[[], int]:
    """Return a task: parse each message, and validate it. The others are compared with this one."""
    bodies = ready()
    validator = schema.compiled_schema()
    return lambda: sum(validator.validate(etree.fromstring(body)) for body in bodies)


def read() -> Callable[[], int]:
    """Return a task: read, validate and map each message."""
    bodies = ready()
    return lambda: sum(
        read_message([body], MAXSIZE, organisaties(), datetime.now(UTC)).message is not None
        for body in bodies
    )


def written() -> Callable[[], int]:
    """Return a task: read each message, and make the values of its record for JSON."""
    bodies = ready()

    def run() -> int:
        read = (read_message([body], MAXSIZE, organisaties(), datetime.now(UTC)).message for body in bodies)
        return sum(bool(json_value(message.gegevens)) for message in read if message is not None)

    return run


class Row(NamedTuple):
    """A row of the table."""

    label: str
    prepare: Callable[[], Callable[[], int]]
    expected: int


ROWS = {
    "listing": Row("listing of 100,000 files, nothing new", nothing_new, FILES),
    "bare": Row("5,000 messages: bare parse, valid or not", bare, MESSAGES),
    "read": Row("the same, read, validated and mapped", read, MESSAGES),
    "written": Row("the same, as they are written", written, MESSAGES),
}


#: Rows that are not compared with a bare parse.
LISTINGS = ("listing", "spider")


def label(name: str) -> str:
    """Return the label of a row."""
    return ROWS[name].label if name in ROWS else "the same, the whole spider"


def measure(name: str) -> tuple[float, float]:
    """Run a task; return seconds of processor time, and peak memory of the whole process in MB."""
    row = ROWS[name]
    run = row.prepare()
    start = time.process_time()
    count = run()
    seconds = time.process_time() - start
    if count != row.expected:
        raise RuntimeError(f"Expected {row.expected}, got {count}")
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def reading() -> None:
    """Print the table of the parts of the harvester."""
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in ROWS}
    with tempfile.NamedTemporaryFile() as page:
        page.writelines(listing_parts(FILES))
        page.flush()
        for _ in range(REPEATS):
            for name, done in runs.items():
                command = [sys.executable, "-m", "benchmarks.permit_reading", name, page.name]
                done.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
    with published() as spider:
        runs = {"listing": runs.pop("listing"), "spider": [whole_spider(spider) for _ in range(3)], **runs}
    best = {name: (min(s for s, _ in done), max(m for _, m in done)) for name, done in runs.items()}
    print(f"{'':44}{'best s':>8}{'max MB':>9}{'speed':>7}   target")
    for name, (seconds, memory) in best.items():
        speed = best["bare"][0] / seconds
        shown = "" if name in LISTINGS else f"{speed:7.2f}"
        aim = aim_of(name, seconds, memory, speed)
        print(f"{label(name):44}{seconds:8.2f}{memory:9.1f}{shown:7}{aim}")


def aim_of(name: str, seconds: float, memory: float, speed: float) -> str:
    """Return the target of a row, and whether it is met."""
    if name in LISTINGS:
        return target("< 5 s, < 200 MB", seconds < 5 and memory < 200)
    return target("speed >= 0.45", speed >= 0.45) if name == "read" else ""


def spiders() -> None:
    """Print the table of complete runs over HTTPS."""
    ways = {"stock spider, Scrapy's settings": stock_permits, "scrapy crawl vergunningen": permits}
    found: dict[str, list[Run]] = {way: [] for way in ways}
    with (
        tempfile.TemporaryDirectory() as name,
        serving("benchmarks.utils.permit_host", Path(name), str(MESSAGES)) as site,
    ):
        for time_ in range(TIMES):
            for number, (way, run) in enumerate(ways.items()):
                found[way].append(run(made(Path(name), time_, number), site, f"https://{site.host}/xml/"))
    print_head("5,000 messages over HTTPS")
    stock, ours = found.values()
    ratio = min(run.crawling for run in stock) / min(run.crawling for run in ours)
    for way, runs in found.items():
        aim = target("ratio >= 2", ratio >= 2) if runs is ours else ""
        print_row(way, runs, stock, aim)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1])))
    else:
        if sys.argv[1:] != ["spiders"]:
            reading()
            print()
        spiders()
