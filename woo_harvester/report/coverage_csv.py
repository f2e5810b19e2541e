"""The gaps in the coverage of the register as CSV for a spreadsheet: a file for each kind of gap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from woo_harvester.report.coverage_model import GAP_KINDS, Coverage, GapKind, HostGap, RegisteredOrganisation
from woo_harvester.report.csv_file import TextWriter
from woo_harvester.report.model import Head
from woo_harvester.report.run_folder import RunFolder

COVERAGE_COLUMNS = (
    "organisation",
    "kind",
    "systeemId",
    "uri",
    "host",
    "locations",
    "code",
    "what",
    "seen",
    "since",
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
        for one in coverage.no_location:
            yield {**_organisation(one), "since": one.since}
        return
    for gap in coverage.hosts_of(kind):
        about = _host(gap, head.explanations[gap.code].what)
        for on_host in gap.organisations:
            yield {**_organisation(on_host), **about, "locations": " ".join(on_host.locations)}


def _organisation(one: RegisteredOrganisation) -> dict[str, Any]:
    uri = one.id if one.id not in (one.system_id, one.name) else None
    return {"organisation": one.name, "kind": one.kind, "systeemId": one.system_id, "uri": uri}


def _host(gap: HostGap, what: str) -> dict[str, Any]:
    return {"host": gap.host, "code": gap.code, "what": what, "seen": gap.seen, "since": gap.since}
