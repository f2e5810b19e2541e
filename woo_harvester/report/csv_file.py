"""The findings of a report as CSV for a spreadsheet: a row for each finding code of each host."""

from __future__ import annotations

import csv

from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import CodeExplanation, FindingRow, HostReport
from woo_harvester.report.run_folder import RunFolder

CSV_COLUMNS = (
    "host",
    "organisation",
    "listed",
    "harvested",
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
)

#: The columns about a finding for a host without findings.
_NO_FINDING = ("",) * (len(CSV_COLUMNS) - CSV_COLUMNS.index("code"))

#: A spreadsheet reads a text that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(folder: RunFolder) -> None:
    """Write the report in the folder of a run as CSV.

    The file is UTF-8 with a byte order mark, without which spreadsheets guess the encoding. A host without
    findings has one row. A text that a spreadsheet would read as a formula gets an apostrophe before it.
    Raises OSError, and ValueError if *report* is not a ``report.json``.
    """
    head = read_head(folder.report)
    with folder.csv.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(CSV_COLUMNS)
        for host in read_hosts(folder.report):
            rows = [_finding(row, head.explanations[row.code]) for row in host.findings]
            for row in rows or [_NO_FINDING]:
                writer.writerow([cell(value) for value in (*_host(host), *row)])


def _host(host: HostReport) -> tuple[object, ...]:
    organisations = "; ".join(organisation.name for organisation in host.organisations)
    return host.host, organisations, host.listed, host.harvested, host.score


def _finding(row: FindingRow, explained: CodeExplanation) -> tuple[object, ...]:
    place = (row.url, row.sitemap, row.line, row.element, row.seen, row.action)
    return row.code, row.severity.value, row.count, row.points, explained.what, explained.mend, *place


def cell(value: object) -> object:
    """Return a value as a cell: a text that a spreadsheet would read as a formula gets an apostrophe."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value
