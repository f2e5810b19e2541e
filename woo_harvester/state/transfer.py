"""Moves what is known of hosts from one state to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sqlalchemy import Connection, delete, insert, select

from woo_harvester.state.documents import BATCH
from woo_harvester.state.resources import forget_host, forget_read
from woo_harvester.state.rows import DocumentRow, FileRow, HostRow, Row
from woo_harvester.state.schema import documents, hosts, resources
from woo_harvester.state.store import State

#: What a row of the table and a row of the export have by the same name.
HOST_COLUMNS = [name for name in HostRow.model_fields if name in hosts.c]
FILE_COLUMNS = [name for name in FileRow.model_fields if name in resources.c and name != "kind"]
DOCUMENT_COLUMNS = [name for name in DocumentRow.model_fields if name in documents.c]


def export(connection: Connection, names: Sequence[str] | None = None) -> Iterator[Row]:
    """All that is known of hosts, of all where *names* is None: each host, its files, its documents."""
    columns = (hosts.c.id, *(hosts.c[name] for name in HOST_COLUMNS))
    query = select(*columns).order_by(hosts.c.host)
    if names is not None:
        query = query.where(hosts.c.host.in_(names))
    for key, *values in connection.execute(query).all():
        host = HostRow.model_construct(**dict(zip(HOST_COLUMNS, values, strict=True)))
        yield host
        yield from _files(connection, key, host.host)
        yield from _documents(connection, key, host.host)


def _files(connection: Connection, host_id: int, host: str) -> Iterator[FileRow]:
    columns = (resources.c.kind, resources.c.index_url, *(resources.c[name] for name in FILE_COLUMNS))
    query = select(*columns).where(resources.c.host_id == host_id).order_by(resources.c.id)
    for kind, index, *values in connection.execute(query.execution_options(yield_per=BATCH)):
        given = dict(zip(FILE_COLUMNS, values, strict=True))
        yield FileRow.model_construct(host=host, type=kind, index=index, **given)


def _documents(connection: Connection, host_id: int, host: str) -> Iterator[DocumentRow]:
    columns = (resources.c.url, *(documents.c[name] for name in DOCUMENT_COLUMNS))
    query = select(*columns).join_from(documents, resources).where(resources.c.host_id == host_id)
    query = query.order_by(resources.c.id, documents.c.id).execution_options(yield_per=BATCH)
    for sitemap, *values in connection.execute(query):
        given = dict(zip(DOCUMENT_COLUMNS, values, strict=True))
        yield DocumentRow.model_construct(host=host, sitemap=sitemap, **given)


def replace(state: State, rows: Iterable[Row]) -> int:
    """Put what *rows* tell of hosts in the place of what the state knows of them; gives how many documents.

    A host is replaced whole or not at all. A document that another host had is of the host in *rows* from
    now on. The rows of a host stand together, the host first and its files before its documents.
    """
    count = 0
    for _, group in groupby(rows, key=lambda row: row.host):
        with state.begin() as connection:
            count += _replace_host(connection, iter(group))
    return count


def _replace_host(connection: Connection, rows: Iterator[Row]) -> int:
    sitemaps: dict[str, int] = {}
    host_id = count = 0
    batch: list[DocumentRow] = []
    for row in rows:
        match row:
            case HostRow():
                forget_host(connection, row.host)
                host_id = _add_host(connection, row)
            case FileRow():
                sitemaps[row.url] = _add_file(connection, row, host_id)
            case DocumentRow():
                batch.append(row)
                count += 1
        if len(batch) == BATCH:
            _add_documents(connection, batch, sitemaps)
            batch = []
    _add_documents(connection, batch, sitemaps)
    return count


def _add_host(connection: Connection, row: HostRow) -> int:
    values = {name: getattr(row, name) for name in HOST_COLUMNS}
    return _key(connection.execute(insert(hosts).values(values)).inserted_primary_key)


def _add_file(connection: Connection, row: FileRow, host_id: int) -> int:
    values = {name: getattr(row, name) for name in FILE_COLUMNS}
    values.update(host_id=host_id, kind=row.type, index_url=row.index)
    return _key(connection.execute(insert(resources).values(values)).inserted_primary_key)


def _key(given: Sequence[int] | None) -> int:
    (key,) = given or ()
    return int(key)


def _add_documents(connection: Connection, batch: Sequence[DocumentRow], sitemaps: dict[str, int]) -> None:
    if not batch:
        return
    known = documents.c.loc.in_([row.loc for row in batch])
    # Of another host, whose files must be read whole to see that it does not list them any more.
    for sitemap_id in (
        connection.execute(select(documents.c.sitemap_id).distinct().where(known)).scalars().all()
    ):
        forget_read(connection, sitemap_id)
    connection.execute(delete(documents).where(known))
    values = [
        {"sitemap_id": sitemaps[row.sitemap], **{name: getattr(row, name) for name in DOCUMENT_COLUMNS}}
        for row in batch
    ]
    connection.execute(insert(documents), values)
