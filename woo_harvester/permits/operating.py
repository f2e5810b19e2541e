"""What ``scrapy state`` does with permits: it shows hosts with entry pages, and checks cases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Subquery, Table, case, func, select

from woo_harvester.operating.output import table as lines_of_table
from woo_harvester.permits.messages import Soort
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.permits.state import is_read_message
from woo_harvester.permits.tables import permit_cases, permit_entries, permit_files
from woo_harvester.state.check import Difference
from woo_harvester.state.latest import Latest, LatestVersion
from woo_harvester.state.sql import BATCH, batches
from woo_harvester.utils.dates import to_microseconds
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import https_form, record_id

_DELIVERED = (
    permit_cases.c.kind == Soort.ZAAK.value,
    permit_cases.c.batch.is_(None),
    permit_cases.c.present.is_not(None),
)


def case_differences(connection: Connection, files: Latest) -> Iterator[tuple[Difference, str]]:
    """Yield each difference, with the URL of the case."""
    for rows in batches(_delivered(connection)):
        found = files.find([record_id(row.first_url) for row in rows])
        for row in rows:
            if difference := _compare_cases(row, found.get(record_id(row.first_url))):
                yield difference, row.mutation.message.identifier
    for versions in batches(version for version in files if version.case is not None):
        known = _known_ids(connection, [https_form(str(version.case)) for version in versions])
        for version in versions:
            if version.id not in known:
                yield Difference.EXTRA, str(version.case)


def count_cases(connection: Connection) -> int:
    """Return the number of cases that the outputs have, without withdrawn ones."""
    return sum(bool(row.present) for row in _delivered(connection))


def _delivered(connection: Connection) -> Iterator[PermitRow]:
    """Yield the row of the last record of each case. Two organisations may each have had a case."""
    query = select(permit_cases.c.identifier, permit_cases.c.data).where(*_DELIVERED)
    query = query.order_by(permit_cases.c.identifier).execution_options(yield_per=BATCH)
    for _, group in groupby(connection.execute(query), key=attrgetter("identifier")):
        yield max((PermitRow.load(row.data) for row in group), key=_moment)


def _known_ids(connection: Connection, keys: list[str]) -> set[str]:
    """Return the ids of the records of these cases."""
    query = select(permit_cases.c.data).where(*_DELIVERED, permit_cases.c.identifier.in_(keys))
    return {record_id(PermitRow.load(data).first_url) for data in connection.execute(query).scalars()}


def _moment(row: PermitRow) -> int:
    return 0 if row.opgehaald is None else to_microseconds(row.opgehaald)


def _compare_cases(row: PermitRow, version: LatestVersion | None) -> Difference | None:
    """Return how the latest *version* in the files differs from a delivered case; None if it does not."""
    if version is None:
        return Difference.MISSING if row.present else None
    if version.withdrawn and not row.present:
        return None
    if version.harvested == _moment(row) and version.withdrawn is not row.present:
        return None
    return Difference.OLDER if version.harvested <= _moment(row) else Difference.EXTRA


def _summaries(connection: Connection) -> list[Any]:
    """Return each host with entry pages, sorted by name: its counts, and when its pages were all read last.

    The counts are those of pages, files that these list, cases that the outputs have, and withdrawn cases.
    """
    files = _counts(permit_files, files=permit_files.c.gone_at.is_(None) & is_read_message())
    is_there = permit_cases.c.present
    confirmed = permit_cases.c.batch.is_(None)
    cases = _counts(permit_cases, cases=is_there & confirmed, withdrawn=~is_there & confirmed)
    page = permit_entries.c
    sums = (func.coalesce(func.sum(one), 0) for one in (files.c.files, cases.c.cases, cases.c.withdrawn))
    all_read = func.count() == func.count(page.complete_at)
    query = (
        select(
            page.host, func.count(), *sums, case((all_read, func.min(page.complete_at))).label("complete_at")
        )
        .outerjoin(files, files.c.entry_id == page.id)
        .outerjoin(cases, cases.c.entry_id == page.id)
        .group_by(page.host)
        .order_by(page.host)
    )
    return list(connection.execute(query))


def _counts(table: Table, **which: ColumnElement[bool]) -> Subquery:
    """Return the number of rows of each entry page that meet a condition, by name of the condition."""
    counts = [func.sum(case((condition, 1), else_=0)).label(name) for name, condition in which.items()]
    return select(table.c.entry_id, *counts).group_by(table.c.entry_id).subquery()


def hosts_of_pages(connection: Connection) -> list[str]:
    """Return the hosts that have entry pages, sorted."""
    return list(connection.execute(select(permit_entries.c.host).distinct().order_by("host")).scalars())


def lines(connection: Connection) -> Iterator[str]:
    """Return the lines of the table of hosts with entry pages of permits; none without any."""
    if found := _summaries(connection):
        rows = [tuple(map(int, one[1:-1])) for one in found]
        yield from lines_of_table(("permits", "pages", "files", "cases", "withdrawn"), found, rows)
        pages, files, cases, withdrawn = map(sum, zip(*rows, strict=True))
        counts = counted(pages, "entry page"), counted(files, "file"), counted(cases, "case")
        yield f"{', '.join(counts)}, {withdrawn} withdrawn"
