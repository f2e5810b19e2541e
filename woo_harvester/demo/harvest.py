"""The harvests of ``scrapy demo``, and what it shows of them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import chain, islice, zip_longest
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.crawler import Crawler

from woo_harvester.demo.publishers import Demo
from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import explain
from woo_harvester.report.run_folder import FINISHED, RunFolder
from woo_harvester.running.causes import StartError
from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.process import Failure, HarvestProcess
from woo_harvester.utils.program import program, to_install

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

#: The number of findings that are shown; the files have all of them.
_SHOWN_FINDINGS = 5
_WIDTH = 110
#: The columns of the table of records, with their widths, which are less on a narrow terminal.
_COLUMNS = {"organisatie": 24, "titel": 28, "categorie": 21, "datum": 10, "bestand": 16}

#: The folder in the working folder for all that a demo writes.
FOLDER = Path("demo")
RECORDS = f"{FOLDER}/records/%(run)s.jsonl"
OWN_FOLDER = f"All files of this demo are in {FOLDER}/. It does not use your own state, records and reports."

#: The operator of the fictional publishers is this machine.
_CONTACT = "https://localhost/"


class DemoHarvest:
    """The harvests of one demo. *command* gets the error of one that fails."""

    def __init__(self, command: ProjectCommand, opts: argparse.Namespace) -> None:
        self._command, self.opts = command, opts

    def check_portal(self) -> None:
        """Raise StartError if a portal is asked for that could not be served after the harvest."""
        if self.opts.portal:
            try:
                from woo_portal.server import Site, listen  # noqa: PLC0415 -- of the extra "portal"
            except ImportError as error:
                raise StartError(f"the portal needs {error.name}: {to_install('portal')}") from error
            listen(Site(port=self.opts.port)).close()

    def harvest_documents(self, demo: Demo, data: Path) -> None:
        """Harvest the documents of three publishers, and show the result."""
        print(f"Harvesting {len(demo.hosts)} hosts of three fictional publishers on this machine ...")
        print(OWN_FOLDER)
        crawler = self._harvest(demo.register_path, demo.ca_path, data)
        if crawler is not None:
            _show(crawler)
            if self.opts.portal:
                self.serve_portal([crawler])
            else:
                self.offer_portal()

    def offer_portal(self, *words: str) -> None:
        """Print how to search in the records, if the extra "portal" is installed."""
        if find_spec("starlette") is not None:
            print(f"Search:   {' '.join([program(), 'demo', *words, '--portal'])}")

    def serve_portal(self, crawlers: Sequence[Crawler]) -> None:
        """Serve a portal over the records until it is stopped; the publishers still answer then."""
        files = [str(record_files(crawler)[0]) for crawler in crawlers]
        from woo_portal.engine import EngineError  # noqa: PLC0415 -- of the extra "portal"
        from woo_portal.server import RecordFiles, run_portal, site_of  # noqa: PLC0415 -- of the extra "portal"

        try:
            settings = cast("HarvestProcess", self._command.crawler_process).settings.copy()
            report = cast("Findings", crawlers[0].get_extension(Findings)).run_folder.path
            settings.set("WOO_REPORT_DIR", str(report), "cmdline")  # it is not the latest of the folder
            run_portal(settings, RecordFiles(files), site_of(settings, "127.0.0.1", self.opts.port))
        except EngineError as error:
            self._command.fail(str(error))

    def _harvest(self, register: Path, authority: Path, data: Path) -> Crawler | None:
        """Run the spider; return None if the run ended early."""
        process = self.process(register, authority, data)
        crawler = process.create_crawler("woo")
        # Fetched, so that the demo finds the same with and without the extra "text".
        failure = process.run(crawler, {"documents": "download"})
        return crawler if self.is_finished(failure, crawler) else None

    def is_finished(self, failure: Failure | None, crawler: Crawler) -> bool:
        """Return whether a run finished; if not, report why."""
        if failure is not None:
            self._command.fail(failure[1])
            return False
        reason = crawler.stats.get_value("finish_reason")
        if reason != FINISHED:
            self._command.fail(f"the run ended early ({reason})")
        return bool(reason == FINISHED)

    def process(self, register: Path, authority: Path, data: Path) -> HarvestProcess:
        """Return the process of the harvests, and make it that of the command."""
        os.environ["SSL_CERT_FILE"] = str(authority)
        settings = {
            "WOO_REGISTER": str(register),
            "WOO_DATA_DIR": str(data),
            "WOO_ALLOW_PRIVATE_HOSTS": True,
            "WOO_CONTACT": _CONTACT,
            "WOO_TEXT": find_spec("kreuzberg") is not None,
            "WOO_SUMMARY": False,  # the demo shows more than the summary
            # Fictional documents never come among those of the user.
            "WOO_STATE_URL": None,  # so it is in the data directory, which is temporary
            "DELTAFETCH_ENABLED": True,
            "FEEDS": {RECORDS: {"format": "jsonlines", "encoding": "utf8"}},
            "FILES_STORE": None,
            "WOO_ELASTICSEARCH_URL": None,
            "WOO_METRICS_FILE": None,
            "WOO_REPORT_DIR": str(FOLDER / "reports"),
            "WOO_REPORT_HISTORY": False,  # the hosts of the demo before had other ports
        }
        given = cast("Settings", self._command.settings)
        given.setdict(settings, "cmdline")
        self._command.crawler_process = process = HarvestProcess(given)
        return process


def _show(crawler: Crawler) -> None:
    findings = cast("Findings", crawler.get_extension(Findings))
    found = list(records(record_files(crawler)[0]))
    print(f"\n{len(found)} records, ten of them:\n")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name, width in _COLUMNS.items():
        table.add_column(name, width=width, no_wrap=True, overflow="ellipsis")
    for row in _ten(found):
        table.add_row(*row)
    Console(width=_width()).print(table)
    _show_findings(findings.run_folder)
    print(f"\nRecords:  {record_files(crawler)[0]}\nFindings: {findings.run_folder.findings}")
    print(f"Report:   {findings.run_folder.page.absolute().as_uri()}")


def _width() -> int:
    """Return the columns of a narrower terminal; what is piped is as wide as ever."""
    return min(_WIDTH, get_terminal_size().columns) if sys.stdout.isatty() else _WIDTH


def _show_findings(run: RunFolder) -> None:
    counts = Counter(finding["code"] for finding in run.read_findings())
    errors = [code for code in sorted(counts, key=lambda code: (-counts[code], code)) if _is_error(code)]
    print(f"\n{counts.total()} findings of {len(counts)} kinds; some that keep documents from being found:\n")
    for code in errors[:_SHOWN_FINDINGS]:
        explanation = explain(code)
        for first, text in (
            ("  ", f"{counts[code]} x {code}: {explanation.what}"),
            ("      → ", explanation.mend),
        ):
            print(textwrap.fill(text, _width(), initial_indent=first, subsequent_indent="        "))


def _is_error(code: str) -> bool:
    return explain(code).severity == "error"


def record_files(crawler: Crawler) -> list[Path]:
    """Return the files that a run wrote."""
    run_name = cast("Findings", crawler.get_extension(Findings)).run_name
    return [Path(uri % {"run": run_name}) for uri in crawler.settings.getdict("FEEDS")]


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records in a file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _ten(records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of ten records, of all organisations in turn: one of them publishes nearly all."""
    by_organisation: dict[str, list[tuple[str, ...]]] = {}
    for row in sorted(map(_row, records)):  # hosts are read side by side
        by_organisation.setdefault(row[0], []).append(row)
    in_turn = chain.from_iterable(zip_longest(*by_organisation.values()))
    return islice(filter(None, in_turn), 10)


def _row(record: Mapping[str, Any]) -> tuple[str, ...]:
    document, version = record["document"], record["versies"][-1]
    publisher = document.get("verantwoordelijke") or document.get("publisher") or {}
    categories = document["classificatiecollectie"]["informatiecategorieen"]
    shown = (
        publisher.get("label", ""),
        document["titelcollectie"]["officieleTitel"],
        categories[0]["label"],
        document.get("creatiedatum", version["openbaarmakingsdatum"]),
        version["bestanden"][0]["bestandsnaam"],
    )
    return tuple(map(escape, shown))
