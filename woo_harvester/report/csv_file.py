"""CSV for spreadsheets: the one way to write it, and the findings of a report as CSV.

A row of a report is about a mistake under a finding code of a host.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from woo_harvester.report.counts import shown_in
from woo_harvester.report.funnel import GAP_KINDS, GapKind
from woo_harvester.report.html.texts import Texts
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import (
    CodeExplanation,
    Coverage,
    Example,
    FindingRow,
    Head,
    HostReport,
    RegisteredOrganisation,
)
from woo_harvester.report.run_folder import RunFolder

CSV_COLUMNS = (
    "host",
    "organisation",
    *(name for name, _ in shown_in("csv")),
    "score",
    "code",
    "severity",
    "count",
    "points",
    "what",
    "mend",
    "url",
    "sitemap",
    "line",
    "element",
    "seen",
    "action",
    "asked",
)

#: The columns about a finding for a host without findings.
_NO_FINDING = ("",) * (CSV_COLUMNS.index("asked") - CSV_COLUMNS.index("code"))

#: A spreadsheet reads a text that begins with one of these as a formula, also after white space.
_SIGNS = ("=", "+", "-", "@")


class _File(Protocol):
    def write(self, text: str, /) -> object: ...


class TextWriter:
    """A writer of CSV with every text in quotes, and no text that a spreadsheet would read as a formula.

    *options* are those of :func:`csv.writer`.
    """

    def __init__(self, file: _File, **options: Any) -> None:
        self._writer = csv.writer(file, **{"quoting": csv.QUOTE_NONNUMERIC, **options})

    def writerow(self, values: Iterable[object]) -> None:
        """Write a row; an absent value is an empty text."""
        self._writer.writerow([cell(value) for value in values])

    def write_named(self, row: Mapping[str, object], columns: Iterable[str]) -> None:
        """Write a row whose values have names."""
        self.writerow(row.get(name) for name in columns)


def write_csv(folder: RunFolder) -> None:
    """Write the report in the folder of a run as CSV.

    The file is UTF-8 with a byte order mark, without which spreadsheets guess the encoding. A host without
    findings has one row. The counts of a code add up to all its findings; its first row has its points.
    Raises OSError, and ValueError if *report* is not a ``report.json``.
    """
    head = read_head(folder.report)
    with folder.csv.open("w", encoding="utf-8-sig", newline="") as file:
        writer = TextWriter(file)
        writer.writerow(CSV_COLUMNS)
        for host in read_hosts(folder.report):
            asked = host.sample.asked if host.sample else ""
            for row in host.findings:
                for found in _findings(row, head.explanations[row.code], Texts(head.lang)):
                    writer.writerow((*_host(host), *found, asked))
            if not host.findings:
                writer.writerow((*_host(host), *_NO_FINDING, asked))


def _host(host: HostReport) -> tuple[object, ...]:
    organisations = "; ".join(organisation.name for organisation in host.organisations)
    counts = (getattr(host, name) for name, _ in shown_in("csv"))
    return host.host, organisations, *counts, host.score


def _findings(row: FindingRow, explained: CodeExplanation, texts: Texts) -> Iterator[tuple[object, ...]]:
    """Yield the cells about each different mistake of a code, and about those without an example."""
    others = [Example(alike=row.not_shown, seen=texts("csv_others"))] if row.not_shown else []
    points: float | str = row.points
    for each in (*row.mistakes, *others):
        place = (each.url, each.sitemap, each.line, each.element, each.seen, each.action)
        yield row.code, row.severity.value, each.alike, points, explained.what, explained.mend, *place
        points = ""


def cell(value: object) -> object:
    """Return a value as a cell: one that begins as a formula gets an apostrophe before it."""
    is_formula = isinstance(value, str) and value.lstrip().startswith(_SIGNS)
    return f"'{value}" if is_formula else value


COVERAGE_COLUMNS = (
    "organisation",
    "kind",
    "systeemId",
    "uri",
    "host",
    "locations",
    "remarks",
    "code",
    "what",
    "seen",
)


def write_coverage_csv(folder: RunFolder, head: Head) -> None:
    """Write a file for each kind of gap, if the run was over the whole register. Raises OSError.

    They are written as :func:`~woo_harvester.report.csv_file.write_csv` writes. A host has a row for each
    organisation that registered a location on it; those locations have a space between them.
    """
    if head.coverage is None:
        return
    for kind in GAP_KINDS:
        with folder.coverage_csv(kind).open("w", encoding="utf-8-sig", newline="") as file:
            writer = TextWriter(file)
            writer.writerow(COVERAGE_COLUMNS)
            for row in _rows(head, head.coverage, kind):
                writer.write_named(row, COVERAGE_COLUMNS)


def _rows(head: Head, coverage: Coverage, kind: GapKind) -> Iterator[dict[str, Any]]:
    if kind == "no_location":
        yield from map(_organisation, coverage.no_location)
        return
    for gap in coverage.hosts_of(kind):
        what = head.explanations[gap.code].what
        for one in gap.organisations:
            locations, remarks = " ".join(one.locations), "; ".join(one.remarks)
            yield {
                **_organisation(one),
                "host": gap.host,
                "locations": locations,
                "remarks": remarks,
                "code": gap.code,
                "what": what,
                "seen": gap.seen,
            }


def _organisation(one: RegisteredOrganisation) -> dict[str, Any]:
    uri = one.id if one.id not in (one.system_id, one.name) else None
    return {"organisation": one.name, "kind": one.kind, "systeemId": one.system_id, "uri": uri}
