"""Exports what a state knows of hosts, and imports it into another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import (
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
from woo_harvester.state.contents import add_content, descriptions
from woo_harvester.state.permits import add_case_rows, add_message, forget_entries
from woo_harvester.state.resources import forget_host, forget_read
from woo_harvester.state.rows import (
    CaseRow,
    DocumentRow,
    EntryRow,
    FileRow,
    HostRow,
    ListingRow,
    MessageRow,
    PermitFileRow,
    PermitHostRow,
    Row,
)
from woo_harvester.state.schema import (
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

#: Columns that the table and the export have under the same name.
_ENTRY_COLUMNS = [name for name in EntryRow.model_fields if name in permit_entries.c]
_PERMIT_FILE_COLUMNS = [name for name in PermitFileRow.model_fields if name in permit_files.c]


def export_permits(connection: Connection, hosts: Sequence[str] | None = None) -> Iterator[PermitHostRow]:
    """Yield what is known of the entry pages of hosts, by default of all.

    After each page come its files, the messages that wait, and its cases. A message of a batch whose records
    are not durable yet waits; the rows that it made are left out.
    """
    query = select(permit_entries.c.id, *(permit_entries.c[name] for name in _ENTRY_COLUMNS))
    if hosts is not None:
        query = query.where(permit_entries.c.host.in_(hosts))
    for key, *values in connection.execute(query.order_by(permit_entries.c.host, permit_entries.c.id)).all():
        entry = EntryRow.model_construct(**dict(zip(_ENTRY_COLUMNS, values, strict=True)))
        of_page: dict[str, Any] = {"host": entry.host, "entry": entry.url}
        yield entry
        columns = [permit_files.c[name] for name in _PERMIT_FILE_COLUMNS]
        for row in _rows(connection, select(*columns), permit_files, key):
            yield PermitFileRow.model_construct(
                **of_page, **dict(zip(_PERMIT_FILE_COLUMNS, row, strict=True))
            )
        for (data,) in _rows(connection, select(permit_messages.c.data), permit_messages, key):
            yield MessageRow.model_construct(**of_page, data=data)
        confirmed = select(permit_cases.c.data).where(permit_cases.c.package.is_(None))
        for (data,) in _rows(connection, confirmed, permit_cases, key):
            yield CaseRow.model_construct(**of_page, data=data)


def _rows(connection: Connection, query: Select[Any], table: Table, entry_id: int) -> Iterator[Sequence[Any]]:
    query = query.where(table.c.entry_id == entry_id).order_by(table.c.id)
    yield from connection.execute(query.execution_options(yield_per=BATCH))


def replace_permits(connection: Connection, host: str, rows: Iterable[PermitHostRow]) -> None:
    """Replace what the state knows of the entry pages of a host by *rows*: each page before what it has."""
    forget_entries(connection, host)
    entry_id = 0
    for kind, group in groupby(rows, key=type):
        if kind is EntryRow:
            for row in group:
                values = {name: getattr(row, name) for name in _ENTRY_COLUMNS}
                (entry_id,) = connection.execute(
                    insert(permit_entries).values(values)
                ).inserted_primary_key or (0,)
        else:
            for part in batches(group):
                _add(connection, entry_id, part)


def _add(connection: Connection, entry_id: int, rows: Sequence[PermitHostRow]) -> None:
    """Add rows of one kind to an entry page."""
    files = [row for row in rows if isinstance(row, PermitFileRow)]
    if files:
        columns = [name for name in _PERMIT_FILE_COLUMNS if name not in ("host", "entry")]
        values = [{name: getattr(row, name) for name in columns} | {"entry_id": entry_id} for row in files]
        connection.execute(insert(permit_files), values)
    for row in rows:
        if isinstance(row, MessageRow):
            add_message(connection, entry_id, PermitRow.load(row.data), row.data)
    cases = [PermitRow.load(row.data) for row in rows if isinstance(row, CaseRow)]
    add_case_rows(connection, [(case, None) for case in cases])


#: Columns that the table and the export have under the same name.
_HOST_COLUMNS = [name for name in HostRow.model_fields if name in hosts.c]
_FILE_COLUMNS = [name for name in FileRow.model_fields if name in resources.c and name != "kind"]
#: Columns that a conditional request needs.
_READ_COLUMNS = [name for name in _FILE_COLUMNS if name != "url"]
_DOCUMENT_COLUMNS = [name for name in DocumentRow.model_fields if name in documents.c]
#: Columns that have the number of a content, of which the export has the description.
_CONTENT_COLUMNS = ("wanted", "known_content", "refused_with")
_LISTING_COLUMNS = [name for name in ListingRow.model_fields if name in listings.c]


def export(connection: Connection, names: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield what is known of hosts, by default of all: each host, its files, its documents, its listings.

    The entry pages of permits come last, each with what it has.
    """
    columns = (hosts.c.id, *(hosts.c[name] for name in _HOST_COLUMNS))
    query = select(*columns).order_by(hosts.c.host)
    if names is not None:
        query = query.where(hosts.c.host.in_(names))
    contents = descriptions(connection)
    for key, *values in connection.execute(query).all():
        host = HostRow.model_construct(**dict(zip(_HOST_COLUMNS, values, strict=True)))
        yield host
        yield from _files(connection, key, host.host, contents)
        yield from _documents(connection, key, host.host, contents)
        yield from _listings(connection, key, host.host)
    yield from export_permits(connection, names)


def _described(values: dict[str, Any], contents: Mapping[int, str]) -> dict[str, Any]:
    """Return the values of a row, with the descriptions of contents for their numbers."""
    return {name: contents.get(one) if name in _CONTENT_COLUMNS else one for name, one in values.items()}


def _numbered(connection: Connection, rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the values of rows, with the numbers of contents for their descriptions."""
    given = {row[name] for row in rows for name in _CONTENT_COLUMNS if row.get(name) is not None}
    numbers = {text: add_content(connection, text) for text in sorted(given)}
    return [row | {name: numbers.get(row[name]) for name in _CONTENT_COLUMNS if name in row} for row in rows]


def _files(connection: Connection, host_id: int, host: str, contents: Mapping[int, str]) -> Iterator[FileRow]:
    columns = (resources.c.kind, resources.c.index_url, *(resources.c[name] for name in _FILE_COLUMNS))
    query = select(*columns).where(resources.c.host_id == host_id).order_by(resources.c.id)
    for kind, index, *values in connection.execute(query.execution_options(yield_per=BATCH)):
        given = _described(dict(zip(_FILE_COLUMNS, values, strict=True)), contents)
        yield FileRow.model_construct(host=host, type=kind, index=index, **given)


def _documents(
    connection: Connection, host_id: int, host: str, contents: Mapping[int, str]
) -> Iterator[DocumentRow]:
    columns = (resources.c.url, *(documents.c[name] for name in _DOCUMENT_COLUMNS))
    query = select(*columns).join_from(documents, resources).where(resources.c.host_id == host_id)
    query = query.order_by(resources.c.id, documents.c.id).execution_options(yield_per=BATCH)
    for sitemap, *values in connection.execute(query):
        given = _described(dict(zip(_DOCUMENT_COLUMNS, values, strict=True)), contents)
        yield DocumentRow.model_construct(host=host, sitemap=sitemap, **given)


def _listings(connection: Connection, host_id: int, host: str) -> Iterator[ListingRow]:
    """Yield the listings of a host, except for the plain ones: see :class:`ListingRow`."""
    columns = (resources.c.url, documents.c.loc, *(listings.c[name] for name in _LISTING_COLUMNS))
    query = (
        select(*columns)
        .join_from(listings, documents, documents.c.id == listings.c.document_id)
        .join(resources, resources.c.id == listings.c.sitemap_id)
    )
    is_plain = (
        (documents.c.sitemap_id == listings.c.sitemap_id)
        & documents.c.withdrawn.is_(None)
        & (listings.c.misses == 0)
        & listings.c.massive.is_not(True)
        & ~listings.c.foreign
        & listings.c.lastmod.is_(None)
    )
    query = query.where(resources.c.host_id == host_id, ~is_plain).order_by(resources.c.id, documents.c.id)
    for sitemap, loc, *values in connection.execute(query.execution_options(yield_per=BATCH)):
        given = dict(zip(_LISTING_COLUMNS, values, strict=True))
        yield ListingRow.model_construct(host=host, sitemap=sitemap, loc=loc, **given)
    here = (listings.c.document_id == documents.c.id) & (listings.c.sitemap_id == documents.c.sitemap_id)
    gone = select(resources.c.url, documents.c.loc).join_from(documents, resources)
    gone = gone.where(
        resources.c.host_id == host_id, documents.c.withdrawn.is_(None), ~exists().where(here)
    ).order_by(resources.c.id, documents.c.id)
    for sitemap, loc in connection.execute(gone.execution_options(yield_per=BATCH)):
        yield ListingRow(host=host, sitemap=sitemap, loc=loc, listed=False)


def replace(state: State, rows: Iterable[Row]) -> None:
    """Replace what the state knows of hosts by *rows*.

    The rows of a host come together: the host first, its files before its documents. Each host is replaced in
    one transaction. A document that another host had now belongs to the host in *rows*. The entry pages of a
    host are replaced in a transaction of their own, if *rows* have any.

    Call :func:`replace_listings` with the same rows afterwards. Until then each host counts as not read
    completely, and its files are read in full. So a killed import costs only one full read.
    """
    for (host, of_permits), group in groupby(rows, key=_host_and_kind):
        with state.begin() as connection:
            if of_permits:
                permits = (row for row in group if isinstance(row, PermitHostRow))
                replace_permits(connection, host, permits)
            else:
                _replace_host(connection, iter(group))


def _host_and_kind(row: Row) -> tuple[str, bool]:
    """Return the host of a row, and whether the row is about permits."""
    return row.host, isinstance(row, PermitHostRow)


def replace_listings(state: State, rows: Iterable[Row]) -> None:
    """Set how hosts were read and which sitemaps list which documents, once all hosts are imported."""
    for _, group in groupby(rows, key=lambda row: row.host):
        with state.begin() as connection:
            for row in group:
                match row:
                    case HostRow():
                        this = hosts.c.host == row.host
                        connection.execute(update(hosts).where(this).values(complete=row.complete))
                    case FileRow():
                        given = {name: getattr(row, name) for name in _READ_COLUMNS}
                        (values,) = _numbered(connection, [given])
                        this = resources.c.id == _resource(connection, row.host, row.url)
                        connection.execute(update(resources).where(this).values(values))
                    case ListingRow():
                        _replace_listing(connection, row)


def _resource(connection: Connection, host: str, url: str) -> int | None:
    of_host = select(resources.c.id).join(hosts).where(hosts.c.host == host, resources.c.url == url)
    key: int | None = connection.scalar(of_host)
    return key


def _replace_listing(connection: Connection, row: ListingRow) -> None:
    sitemap_id = _resource(connection, row.host, row.sitemap)
    document_id = connection.scalar(select(documents.c.id).where(documents.c.loc == row.loc))
    if sitemap_id is None:
        return
    if document_id is None:
        # The document's own host was not in the file: a full read of the sitemap adds the document.
        forget_read(connection, sitemap_id)
        return
    place = listings.c.sitemap_id == sitemap_id, listings.c.document_id == document_id
    connection.execute(delete(listings).where(*place))
    if row.listed:
        values = {name: getattr(row, name) for name in _LISTING_COLUMNS}
        connection.execute(insert(listings).values(sitemap_id=sitemap_id, document_id=document_id, **values))


def _replace_host(connection: Connection, rows: Iterator[Row]) -> None:
    sitemaps: dict[str, int] = {}
    host_id = 0
    batch: list[DocumentRow] = []
    elsewhere: list[_Elsewhere] = []
    for row in rows:
        match row:
            case HostRow():
                of_host = select(resources.c.id).join(hosts).where(hosts.c.host == row.host)
                theirs = documents.c.sitemap_id.in_(of_host)
                elsewhere += _listed_elsewhere(connection, theirs, listings.c.sitemap_id.not_in(of_host))
                forget_host(connection, row.host)
                host_id = _add_host(connection, row)
            case FileRow():
                sitemaps[row.url] = _add_file(connection, row, host_id)
            case DocumentRow():
                batch.append(row)
        if len(batch) == BATCH:
            elsewhere += _add_documents(connection, batch, sitemaps)
            batch = []
    elsewhere += _add_documents(connection, batch, sitemaps)
    _list_elsewhere(connection, elsewhere)


class _Elsewhere(NamedTuple):
    """A document that is about to be replaced, in a sitemap that lists it."""

    loc: str
    sitemap_id: int
    row: dict[str, Any]
    """The other columns of the listing."""


def _listed_elsewhere(connection: Connection, *which: ColumnElement[bool]) -> list[_Elsewhere]:
    """Return the listings of the documents that meet the conditions *which*."""
    columns = (documents.c.loc, listings.c.sitemap_id, *(listings.c[name] for name in _LISTING_COLUMNS))
    query = select(*columns).join_from(documents, listings, listings.c.document_id == documents.c.id)
    return [
        _Elsewhere(loc, sitemap_id, dict(zip(_LISTING_COLUMNS, values, strict=True)))
        for loc, sitemap_id, *values in connection.execute(query.where(*which))
    ]


def _list_elsewhere(connection: Connection, elsewhere: Sequence[_Elsewhere]) -> None:
    """Add listings in sitemaps of other hosts again, for the documents that still exist."""
    for one in elsewhere:
        document_id = connection.scalar(select(documents.c.id).where(documents.c.loc == one.loc))
        if document_id is not None:
            row = {"sitemap_id": one.sitemap_id, "document_id": document_id, **one.row}
            connection.execute(insert_new(connection.dialect.name, listings), row)


def _add_host(connection: Connection, row: HostRow) -> int:
    values = {name: getattr(row, name) for name in _HOST_COLUMNS} | {"complete": False}
    return _key(connection.execute(insert(hosts).values(values)).inserted_primary_key)


def _add_file(connection: Connection, row: FileRow, host_id: int) -> int:
    values = {"url": row.url, "host_id": host_id, "kind": row.type, "index_url": row.index}
    return _key(connection.execute(insert(resources).values(values)).inserted_primary_key)


def _key(given: Sequence[int] | None) -> int:
    (key,) = given or ()
    return int(key)


def _add_documents(
    connection: Connection, batch: Sequence[DocumentRow], sitemaps: dict[str, int]
) -> list[_Elsewhere]:
    """Add documents, each listed by its sitemap; return the listings of the documents they replace."""
    if not batch:
        return []
    known = documents.c.loc.in_([row.loc for row in batch])
    # Documents that are known belong to other hosts: those of this host have been removed.
    elsewhere = _listed_elsewhere(connection, known)
    # The sitemaps whose version counted must be read in full: another version counts now.
    replaced = connection.execute(select(documents.c.id, documents.c.sitemap_id).where(known)).all()
    for sitemap_id in sorted({row.sitemap_id for row in replaced}):
        forget_read(connection, sitemap_id)
    for table in (listings, repeated):
        connection.execute(delete(table).where(table.c.document_id.in_([row.id for row in replaced])))
    connection.execute(delete(documents).where(known))
    values = [
        {"sitemap_id": sitemaps[row.sitemap], **{name: getattr(row, name) for name in _DOCUMENT_COLUMNS}}
        for row in batch
    ]
    connection.execute(insert(documents), _numbered(connection, values))
    listed = select(documents.c.sitemap_id, documents.c.id, literal(0), false())
    columns = ["sitemap_id", "document_id", "misses", "foreign"]
    listed = listed.where(known, documents.c.withdrawn.is_(None))
    connection.execute(insert(listings).from_select(columns, listed))
    return elsewhere
