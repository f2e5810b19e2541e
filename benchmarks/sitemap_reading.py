"""Measure speed and memory of reading a sitemap of 45 MB, against a bare ``iterparse`` of the same file.

    python -m benchmarks.sitemap_reading

It writes a sitemap of 30,000 entries with all metadata to a temporary folder. Every measurement runs in its
own process, with the complete body in memory. Time is processor time, which other work of the machine
disturbs less; the shortest of five times gives the ratio. Memory is the largest peak memory, without that of
the body and the imports.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.utils.readers import MAXSIZE, chunks, read_and_clear, read_bare, read_entries
from benchmarks.utils.sample_sitemap import HOST, sitemap
from benchmarks.utils.target import target
from woo_harvester.diwoo.filetype import claims_of_type, decide_filetype
from woo_harvester.diwoo.given import given_metadata
from woo_harvester.diwoo.metadata import (
    default_category,
    default_dates,
    default_organisations,
    default_title,
    map_metadata,
)
from woo_harvester.findings import Finding, Reporter
from woo_harvester.record import Bestand, Document, Herkomst, Oorzaak, Record, Versie, json_line
from woo_harvester.register import Match, Organisation
from woo_harvester.running.lighter_scrapy import RareCollections
from woo_harvester.sitemaps.reader import Entry, SitemapReader
from woo_harvester.tooi.lists import bundled
from woo_harvester.utils.dates import day_of, parse_datetime
from woo_harvester.utils.urls import record_id

ENTRIES = 30_000
REPEATS = 5

ORGANISATION = Organisation("1", "Gemeente", "https://identifier.overheid.nl/tooi/id/gemeente/gm0517")
MATCH = Match(ORGANISATION)
INDEX = f"https://{HOST}/sitemapindex-diwoo.xml"
SITEMAP = f"https://{HOST}/sitemap-1.xml"


def read_metadata(body: bytes) -> int:
    """Read all metadata of each entry, as given."""
    batches = SitemapReader(chunks(body), "urlset", MAXSIZE)
    return sum(bool(given_metadata(entry).publisher) for batch in batches for entry in batch)


def read_records(body: bytes) -> int:
    """Make the record of each entry; findings are only counted."""
    return sum(bool(record.document.publisher) for record in records(body))


def write_records(body: bytes) -> int:
    """Make the record of each entry, and its line of JSON."""
    return sum(b'"document"' in json_line(record) for record in records(body))


def records(body: bytes) -> Iterator[Record]:
    """Yield records by the steps of the spider and its pipelines, without the register and the state."""
    RareCollections().engine_started()  # every run has this extension
    now, lists = datetime.now(UTC).replace(microsecond=0), bundled()
    for batch in SitemapReader(chunks(body), "urlset", MAXSIZE):
        for entry in batch:
            report = Reporter(count_finding, url=entry.loc, sitemap=SITEMAP, line=entry.line)
            record = blank_record(entry, now, report)
            given = given_metadata(entry)
            map_metadata(given, record, lists, report, now)
            default_organisations(record, MATCH, lists.organisaties, report)
            default_title(record, report)
            default_category(record, None, report)
            default_dates(record, record.versies[0].openbaarmakingsdatum or now.date())
            decision = decide_filetype(claims_of_type(given.format, None, entry.loc, None), report)
            if decision is not None:
                record.versies[0].bestanden = [Bestand(entry.loc, decision.filetype.media_types[0])]
                yield record


def blank_record(entry: Entry, now: datetime, report: Reporter) -> Record:
    """Return a record without metadata."""
    moment = parse_datetime(entry.lastmod) if entry.lastmod else now
    return Record(
        id=record_id(entry.loc),
        document=Document(weblocatie=entry.loc),
        versies=[Versie(Oorzaak.AANLEVERING, day_of(moment), moment)],
        herkomst=Herkomst(
            index=INDEX,
            sitemap=SITEMAP,
            lastmod=entry.lastmod,
            opgehaald=now,
            organisatie=ORGANISATION.identifier,
            bevindingen=report.codes,
        ),
    )


findings = Counter[str]()


def count_finding(finding: Finding) -> None:
    """Count a finding by its code."""
    findings[finding.code] += 1


TASKS = {
    task.__name__: task
    for task in (read_bare, read_and_clear, read_entries, read_metadata, read_records, write_records)
}


class Measured(NamedTuple):
    """The result of several runs of one task."""

    best: float
    """Seconds of processor time."""
    median: float
    """Seconds of processor time."""
    memory: float
    """Peak memory in MB, above that before."""


def measure(name: str, path: Path) -> tuple[float, float]:
    """Run a task; return seconds of processor time, and peak memory in MB above that before."""
    body = path.read_bytes()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    count = TASKS[name](body)
    seconds = time.process_time() - start
    peak_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if count != ENTRIES:
        raise RuntimeError(f"Expected {ENTRIES} entries, got {count}; findings: {findings}")
    return seconds, (peak_memory - before) / 1024


def repeat(path: Path) -> dict[str, Measured]:
    """Run each task several times, in turn, so that a slow moment of the machine affects all tasks."""
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in TASKS}
    for _ in range(REPEATS):
        for name, done in runs.items():
            command = [sys.executable, "-m", "benchmarks.sitemap_reading", name, str(path)]
            done.append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
    return {name: _summary(done) for name, done in runs.items()}


def _summary(runs: list[tuple[float, float]]) -> Measured:
    seconds, memory = zip(*runs, strict=True)
    return Measured(min(seconds), statistics.median(seconds), max(memory))


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sitemap.xml")
        with path.open("wb") as file:
            file.writelines(sitemap(ENTRIES))
        title = f"sitemap, {path.stat().st_size / 1e6:.0f} MB, {ENTRIES:,} entries"
        measured = repeat(path)
    bare, cleared = measured["read_bare"], measured["read_and_clear"]
    print(f"{title:34}{'best s':>8}{'median':>8}{'speed':>8}{'/cleared':>9}{'max MB':>9}   target")
    for name, (label, least) in ROWS.items():
        task = measured[name]
        speed, of_cleared = bare.best / task.best, cleared.best / task.best
        aim = target(f"speed >= {least}, < 20 MB", speed >= least and task.memory < 20) if least else ""
        print(
            f"{label:34}{task.best:8.2f}{task.median:8.2f}{speed:8.2f}{of_cleared:9.2f}"
            f"{task.memory:9.1f}{aim}"
        )


#: Label, and the lowest good speed relative to a bare ``iterparse``.
ROWS: dict[str, tuple[str, float | None]] = {
    "read_bare": ("bare iterparse(tag=url)", None),
    "read_and_clear": ("the same, elements cleared", None),
    "read_entries": ("SitemapReader: loc and lastmod", 0.8),
    "read_metadata": ("all metadata, as given", 0.35),
    "read_records": ("typed records, with lists and defaults", 0.35),
    "write_records": ("the same, as they are written", None),
}


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
    else:
        main()
