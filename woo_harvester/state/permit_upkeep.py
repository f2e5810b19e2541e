"""Queries and changes of what is known of permits by an operator, between runs (``scrapy state``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Subquery, Table, case, delete, func, select

from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.permits import forget_pages, is_read_message
from woo_harvester.state.schema import permit_cases, permit_entries, permit_files, permit_messages
from woo_harvester.urls import https_form


class PageSummary(NamedTuple):
    """An entry page in the overview of the state."""

    host: str
    url: str
    organisation: str | None
    """The organisation that an operator named for it."""
    files: int
    """Number of files that it lists, as far as they were read."""
    cases: int
    """Number of cases that the outputs have from it."""
    withdrawn: int
    """Number of withdrawn cases."""
    complete_at: int | None
    """End of its last complete read, in seconds since 1970; None if there was none."""


def page_summaries(connection: Connection) -> Iterator[PageSummary]:
    """Yield a summary of each entry page, sorted by host."""
    files = _counts(permit_files, files=permit_files.c.gone_at.is_(None) & is_read_message())
    is_there = permit_cases.c.present
    confirmed = permit_cases.c.package.is_(None)
    cases = _counts(permit_cases, cases=is_there & confirmed, withdrawn=~is_there & confirmed)
    page = permit_entries.c
    query = (
        select(
            page.host,
            page.url,
            page.organisation,
            func.coalesce(files.c.files, 0),
            func.coalesce(cases.c.cases, 0),
            func.coalesce(cases.c.withdrawn, 0),
            page.complete_at,
        )
        .outerjoin(files, files.c.entry_id == page.id)
        .outerjoin(cases, cases.c.entry_id == page.id)
        .order_by(page.host, page.id)
    )
    yield from map(PageSummary._make, connection.execute(query))


def _counts(table: Table, **which: ColumnElement[bool]) -> Subquery:
    """Return the number of rows of each entry page that meet a condition, by name of the condition."""
    counts = [func.sum(case((condition, 1), else_=0)).label(name) for name, condition in which.items()]
    return select(table.c.entry_id, *counts).group_by(table.c.entry_id).subquery()


def hosts_of_pages(connection: Connection) -> list[str]:
    """Return the hosts that have entry pages, sorted."""
    return list(connection.execute(select(permit_entries.c.host).distinct().order_by("host")).scalars())


def host_of_page(connection: Connection, url: str) -> str | None:
    """Return the host of an entry page; None if the page is not known."""
    host: str | None = connection.scalar(select(permit_entries.c.host).where(permit_entries.c.url == url))
    return host


def hosts_of_case(connection: Connection, url: str) -> frozenset[str]:
    """Return the hosts whose entry pages offered a case or a message about it; none if it is not known."""
    found = set[str]()
    for table in (permit_cases, permit_messages, permit_files):
        query = select(permit_entries.c.host).join_from(permit_entries, table).distinct()
        found.update(connection.execute(query.where(_is_about(table, https_form(url)))).scalars())
    return frozenset(found)


def forget_page(connection: Connection, url: str) -> None:
    """Forget an entry page with its files, messages and cases."""
    forget_pages(connection, permit_entries.c.url == url)


def forget_case(connection: Connection, url: str) -> None:
    """Forget a case with its documents, and the files about it, so that the next run reads these again."""
    key = https_form(url)
    query = select(permit_cases.c.entry_id, permit_cases.c.data)
    for entry_id, data in connection.execute(query.where(_is_about(permit_cases, key))).all():
        # A state of an older version does not know which case a file is about.
        file = (
            permit_files.c.entry_id == entry_id,
            permit_files.c.url == PermitRow.load(data).mutation.bestand,
        )
        connection.execute(delete(permit_files).where(*file))
    for table in (permit_files, permit_messages, permit_cases):
        connection.execute(delete(table).where(_is_about(table, key)))


def _is_about(table: Table, key: str) -> ColumnElement[bool]:
    """Return the condition that a row is about the case with this key, or a document of it."""
    condition: ColumnElement[bool] = table.c.case_url == key
    return condition
