"""Exports what a state knows of hosts, and imports it into another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    delete,
    exists,
    false,
    insert,
    literal,
    select,
    update,
)

from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.contents import add_content
from woo_harvester.state.permits import add_case_rows, add_message, forget_entries
from woo_harvester.state.resources import forget_host, forget_read
from woo_harvester.state.rows import (
    CASE,
    DOCUMENT,
    ENTRY,
    FILE,
    HOST,
    LISTING,
    MESSAGE,
    PERMIT_FILE,
    PERMIT_KINDS,
    Kind,
    Row,
)
from woo_harvester.state.schema import (
    contents,
    documents,
    hosts,
    listings,
    permit_cases,
    permit_entries,
    permit_files,
    permit_messages,
    repeated,
    resources,
)
from woo_harvester.state.sql import BATCH, batches, insert_new
from woo_harvester.state.store import State

#: Columns that have the number of a content, of which the export has the description.
_CONTENT_COLUMNS = ("wanted", "known_content", "refused_with")


def export(connection: Connection, names: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield what is known of hosts, by default of all: each host, its files, its documents, its listings.

    The entry pages of permits come last, each with what it has.
    """
    for host, key in _owners(connection, HOST, hosts, names):
        yield host
        of_host: dict[str, Any] = {"host": host["host"]}
        here = resources.c.host_id == key
        files = _columns(FILE).where(here).order_by(resources.c.id)
        yield from _rows(connection, FILE, files, **of_host)
        known = _columns(DOCUMENT, resources.c.url.label("sitemap")).join_from(documents, resources)
        known = known.where(here).order_by(resources.c.id, documents.c.id)
        yield from _rows(connection, DOCUMENT, known, **of_host)
        yield from _rows(connection, LISTING, _special_listings().where(here), listed=True, **of_host)
        for row in _rows(connection, LISTING, _unlisted().where(here), **of_host):
            yield LISTING.row(**row, listed=False)
    yield from export_permits(connection, names)


def export_permits(connection: Connection, names: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield what is known of the entry pages of hosts, by default of all.

    After each page come its files, the messages that wait, and its cases. A message of a batch whose records
    are not durable yet waits; the rows that it made are left out.
    """
    confirmed = permit_cases.c.batch.is_(None)
    for entry, key in _owners(connection, ENTRY, permit_entries, names):
        yield entry
        of_page: dict[str, Any] = {"host": entry["host"], "entry": entry["url"]}
        for kind, table in ((PERMIT_FILE, permit_files), (MESSAGE, permit_messages), (CASE, permit_cases)):
            query = _columns(kind).where(table.c.entry_id == key).order_by(table.c.id)
            query = query.where(confirmed) if kind is CASE else query
            yield from _rows(connection, kind, query, **of_page)


def _owners(
    connection: Connection, kind: Kind, table: Table, names: Sequence[str] | None
) -> Iterator[tuple[Row, int]]:
    """Yield the rows of hosts or entry pages, each with its number."""
    query = _columns(kind, table.c.id).order_by(table.c.host, table.c.id)
    if names is not None:
        query = query.where(table.c.host.in_(names))
    for row in list(_rows(connection, kind, query)):
        key = row.pop("id")
        yield row, key


def _columns(kind: Kind, *more: ColumnElement[Any]) -> Select[Any]:
    """Return a query for the columns of a kind of rows, by their names in the export."""
    return select(*more, *(_described(column).label(name) for name, column in kind.columns.items()))


def _described(column: Column[Any]) -> ColumnElement[Any]:
    """Return a column; one that has the number of a content as the description of that content."""
    if column.name not in _CONTENT_COLUMNS:
        return column
    return select(contents.c.description).where(contents.c.id == column).scalar_subquery()


def _rows(connection: Connection, kind: Kind, query: Select[Any], **more: Any) -> Iterator[Row]:
    """Yield the rows of a query, each with its kind and *more* values."""
    for row in connection.execute(query.execution_options(yield_per=BATCH)).mappings():
        yield {"kind": kind.name, **more, **row}


def _special_listings() -> Select[Any]:
    """Return a query for the listings, except for the plain ones: see :data:`rows.LISTING`."""
    is_plain = (
        (documents.c.sitemap_id == listings.c.sitemap_id)
        & documents.c.withdrawn.is_(None)
        & (listings.c.misses == 0)
        & listings.c.massive.is_not(True)
        & ~listings.c.foreign
        & listings.c.lastmod.is_(None)
    )
    return (
        _columns(LISTING, resources.c.url.label("sitemap"), documents.c.loc)
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .join(resources, resources.c.id == listings.c.sitemap_id)
        .where(~is_plain)
        .order_by(resources.c.id, documents.c.id)
    )


def _unlisted() -> Select[Any]:
    """Return a query for the documents that the sitemap of their own row no longer lists."""
    here = (listings.c.document_id == documents.c.id) & (listings.c.sitemap_id == documents.c.sitemap_id)
    return (
        select(resources.c.url.label("sitemap"), documents.c.loc)
        .join_from(documents, resources)
        .where(documents.c.withdrawn.is_(None), ~exists().where(here))
        .order_by(resources.c.id, documents.c.id)
    )


def replace(state: State, rows: Iterable[Row]) -> None:
    """Replace what the state knows of hosts by *rows*.

    The rows of a host come together: the host first, its files before its documents. Each host is replaced in
    one transaction. A document that another host had now belongs to the host in *rows*. The entry pages of a
    host are replaced in a transaction of their own, if *rows* have any.

    Call :func:`replace_listings` with the same rows afterwards. Until then each host counts as not read
    completely, and its files are read in full. So a killed import costs only one full read.
    """
    for (host, of_permits), group in groupby(
        rows, key=lambda row: (row["host"], row["kind"] in PERMIT_KINDS)
    ):
        with state.begin() as connection:
            if of_permits:
                replace_permits(connection, host, group)
            else:
                _replace_host(connection, group)


def _host_and_part(row: Row) -> tuple[str, bool]:
    """Return the host of a row, and whether the row is about permits."""
    return row["host"], row["kind"] in PERMIT_KINDS


def replace_permits(connection: Connection, host: str, rows: Iterable[Row]) -> None:
    """Replace what the state knows of the entry pages of a host by *rows*: each page before what it has."""
    forget_entries(connection, host)
    entry_id = 0
    for kind, group in groupby(rows, key=lambda row: row["kind"]):
        for part in batches(group):
            if kind == ENTRY.name:
                for row in part:
                    entry_id = _add(connection, permit_entries, ENTRY.values(row))
            elif kind == PERMIT_FILE.name:
                files = [{"entry_id": entry_id, **PERMIT_FILE.values(row)} for row in part]
                connection.execute(insert(permit_files), files)
            else:
                _add_messages(connection, entry_id, kind, [row["data"] for row in part])


def _add_messages(connection: Connection, entry_id: int, kind: str, data: Sequence[str]) -> None:
    """Add messages that wait, or cases, to an entry page."""
    known = [PermitRow.load(text) for text in data]
    if kind == CASE.name:
        add_case_rows(connection, [(case, None) for case in known])
    else:
        for row, text in zip(known, data, strict=True):
            add_message(connection, entry_id, row, text)


def replace_listings(state: State, rows: Iterable[Row]) -> None:
    """Set how hosts were read and which sitemaps list which documents, once all hosts are imported."""
    for _, group in groupby(rows, key=lambda row: row["host"]):
        with state.begin() as connection:
            for row in group:
                match row["kind"]:
                    case "host":
                        this = hosts.c.host == row["host"]
                        connection.execute(update(hosts).where(this).values(complete=row["complete"]))
                    case "file":
                        (values,) = _numbered(connection, [FILE.values(row)])
                        this = resources.c.id == _resource(connection, row["host"], row["url"])
                        connection.execute(update(resources).where(this).values(values))
                    case "listing":
                        _replace_listing(connection, row)


def _resource(connection: Connection, host: str, url: str) -> int | None:
    of_host = select(resources.c.id).join(hosts).where(hosts.c.host == host, resources.c.url == url)
    key: int | None = connection.scalar(of_host)
    return key


def _replace_listing(connection: Connection, row: Row) -> None:
    sitemap_id = _resource(connection, row["host"], row["sitemap"])
    document_id = connection.scalar(select(documents.c.id).where(documents.c.loc == row["loc"]))
    if sitemap_id is None:
        return
    if document_id is None:
        # The document's own host was not in the file: a full read of the sitemap adds the document.
        forget_read(connection, sitemap_id)
        return
    place = listings.c.sitemap_id == sitemap_id, listings.c.document_id == document_id
    connection.execute(delete(listings).where(*place))
    if row["listed"]:
        values = {"sitemap_id": sitemap_id, "document_id": document_id, **LISTING.values(row)}
        connection.execute(insert(listings).values(values))


def _replace_host(connection: Connection, rows: Iterable[Row]) -> None:
    sitemaps: dict[str, int] = {}
    host_id = 0
    elsewhere: list[_Elsewhere] = []
    for kind, group in groupby(rows, key=lambda row: row["kind"]):
        for part in batches(group):
            if kind == DOCUMENT.name:
                elsewhere += _add_documents(connection, part, sitemaps)
                continue
            for row in part:
                if kind == HOST.name:
                    elsewhere += _forget_host(connection, row["host"])
                    host_id = _add(connection, hosts, HOST.values(row) | {"complete": False})
                elif kind == FILE.name:
                    values = {"host_id": host_id, "url": row["url"], "kind": row["type"]}
                    sitemaps[row["url"]] = _add(connection, resources, values | {"index_url": row["index"]})
    _list_elsewhere(connection, elsewhere)


def _add(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    """Add a row, and return its number."""
    (key,) = connection.execute(insert(table).values(values)).inserted_primary_key or (0,)
    return int(key)


class _Elsewhere(NamedTuple):
    """A document that is about to be replaced, in a sitemap that lists it."""

    loc: str
    sitemap_id: int
    row: dict[str, Any]
    """The other columns of the listing."""


def _forget_host(connection: Connection, host: str) -> list[_Elsewhere]:
    """Forget a host; return the listings of its documents in sitemaps of other hosts."""
    of_host = select(resources.c.id).join(hosts).where(hosts.c.host == host)
    theirs = documents.c.sitemap_id.in_(of_host)
    elsewhere = _listed_elsewhere(connection, theirs, listings.c.sitemap_id.not_in(of_host))
    forget_host(connection, host)
    return elsewhere


def _listed_elsewhere(connection: Connection, *which: ColumnElement[bool]) -> list[_Elsewhere]:
    """Return the listings of the documents that meet the conditions *which*."""
    query = _columns(LISTING, documents.c.loc, listings.c.sitemap_id)
    query = query.join_from(documents, listings, listings.c.document_id == documents.c.id).where(*which)
    return [
        _Elsewhere(loc, sitemap_id, dict(zip(LISTING.columns, values, strict=True)))
        for loc, sitemap_id, *values in connection.execute(query)
    ]


def _list_elsewhere(connection: Connection, elsewhere: Sequence[_Elsewhere]) -> None:
    """Add listings in sitemaps of other hosts again, for the documents that still exist."""
    for one in elsewhere:
        document_id = connection.scalar(select(documents.c.id).where(documents.c.loc == one.loc))
        if document_id is not None:
            row = {"sitemap_id": one.sitemap_id, "document_id": document_id, **one.row}
            connection.execute(insert_new(connection.dialect.name, listings), row)


def _add_documents(
    connection: Connection, batch: Sequence[Row], sitemaps: dict[str, int]
) -> list[_Elsewhere]:
    """Add documents, each listed by its sitemap; return the listings of the documents they replace."""
    known = documents.c.loc.in_([row["loc"] for row in batch])
    # Documents that are known belong to other hosts: those of this host have been removed.
    elsewhere = _listed_elsewhere(connection, known)
    # The sitemaps whose version counted must be read in full: another version counts now.
    replaced = connection.execute(select(documents.c.id, documents.c.sitemap_id).where(known)).all()
    for sitemap_id in sorted({row.sitemap_id for row in replaced}):
        forget_read(connection, sitemap_id)
    for table in (listings, repeated):
        connection.execute(delete(table).where(table.c.document_id.in_([row.id for row in replaced])))
    connection.execute(delete(documents).where(known))
    values = [{"sitemap_id": sitemaps[row["sitemap"]], **DOCUMENT.values(row)} for row in batch]
    connection.execute(insert(documents), _numbered(connection, values))
    listed = select(documents.c.sitemap_id, documents.c.id, literal(0), false())
    columns = ["sitemap_id", "document_id", "misses", "foreign"]
    listed = listed.where(known, documents.c.withdrawn.is_(None))
    connection.execute(insert(listings).from_select(columns, listed))
    return elsewhere


def _numbered(connection: Connection, rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the values of rows, with the numbers of contents for their descriptions."""
    given = {row[name] for row in rows for name in _CONTENT_COLUMNS if row.get(name) is not None}
    numbers = {text: add_content(connection, text) for text in sorted(given)}
    return [row | {name: numbers.get(row[name]) for name in _CONTENT_COLUMNS if name in row} for row in rows]
