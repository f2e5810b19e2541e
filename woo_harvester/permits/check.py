"""Compares the state with the files that runs wrote, case by case."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Connection, select

from woo_harvester.permits.messages import Soort
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.permits.tables import permit_cases
from woo_harvester.state.check import Difference
from woo_harvester.state.latest import Latest, LatestVersion
from woo_harvester.state.sql import BATCH, batches
from woo_harvester.utils.dates import to_microseconds
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
