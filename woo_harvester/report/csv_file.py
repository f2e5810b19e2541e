"""The findings of a report as CSV: a row for each code of each host, for a spreadsheet."""

from __future__ import annotations

import csv

from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import Explanation, FindingRow, Host
from woo_harvester.report.run_folder import RunFolder

COLUMNS = (
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

#: The columns about a finding, of a host that has none.
_NO_FINDING = ("",) * (len(COLUMNS) - COLUMNS.index("code"))

#: A spreadsheet takes a text that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(folder: RunFolder) -> None:
    """Write the report in the folder of a run as CSV.

    UTF-8 with a byte order mark, which spreadsheets need to read it right. A host without findings has one
    row. What would be a formula in a spreadsheet gets an apostrophe before it. Raises OSError, ValueError.
    """
    head = read_head(folder.report)
    with folder.csv.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for host in read_hosts(folder.report):
            rows = [_finding(row, head.explanations[row.code]) for row in host.findings]
            for row in rows or [_NO_FINDING]:
                writer.writerow([_plain(value) for value in (*_host(host), *row)])


def _host(host: Host) -> tuple[object, ...]:
    bodies = "; ".join(body.name for body in host.organisations)
    return host.host, bodies, host.listed, host.harvested, host.score


def _finding(row: FindingRow, explained: Explanation) -> tuple[object, ...]:
    place = (row.url, row.sitemap, row.line, row.element, row.seen, row.action)
    return row.code, row.severity.value, row.count, row.points, explained.what, explained.mend, *place


def _plain(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value
