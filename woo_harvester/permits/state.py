"""The files of permits' entry pages in the state: which were read, which are invalid, whose messages wait."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Insert, bindparam, delete, insert, select, update

from woo_harvester.permits.links import NO_MESSAGE, RememberedFile
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.tables import permit_cases, permit_entries, permit_files, permit_messages
from woo_harvester.state.sql import batches, insert_or_update, write_rows

KeptFinding = dict[str, Any]
"""A finding about a file as it is stored: code, line, element, seen and action."""


@dataclass(frozen=True, slots=True)
class PermitFile:
    """A file that was read, or a link that led to no message."""

    known: RememberedFile
    read_at: int
    """Seconds since 1970."""
    etag: str | None = None
    last_modified: str | None = None
    faults: Sequence[KeptFinding] = field(default=())
    """The findings that make it invalid; empty for a valid file."""
    faults_since: int | None = None
    """Seconds since 1970."""
    number: int = field(default=0, compare=False)
    """Its number in the state; 0 before it is stored."""
    is_gone: bool = field(default=False, compare=False)
    """True if the last complete read of the page lacked it."""
    first_seen: int | None = field(default=None, compare=False)
    """When it was first asked for, in seconds since 1970; None if that is not known."""

    @property
    def is_message(self) -> bool:
        """Whether it was read as a message, valid or not."""
        return self.known.digest != NO_MESSAGE


_FILE_COLUMNS = (
    permit_files.c.url,
    permit_files.c.digest,
    permit_files.c.date,
    permit_files.c.now,
    permit_files.c.read_at,
    permit_files.c.etag,
    permit_files.c.last_modified,
    permit_files.c.faults,
    permit_files.c.faults_since,
    permit_files.c.id,
    permit_files.c.gone_at.is_not(None),
    permit_files.c.first_seen,
)
_LOOK_UP = select(*_FILE_COLUMNS).where(
    permit_files.c.entry_id == bindparam("entry"), permit_files.c.url.in_(bindparam("urls", expanding=True))
)


def entry_page_id(connection: Connection, url: str, host: str, name: str | None = None) -> int:
    """Return the id of an entry page; add the page if it is new.

    *name* is the organisation that the operator names for it. Without one, the name that was given before
    stays.
    """
    page = permit_entries.c.url == url
    entry_id: int | None = connection.scalar(select(permit_entries.c.id).where(page))
    if entry_id is None:
        connection.execute(insert(permit_entries).values(url=url, host=host))
        return entry_page_id(connection, url, host, name)
    if name is not None:
        connection.execute(update(permit_entries).where(page).values(organisation=name))
    return entry_id


def named_entries(connection: Connection) -> dict[str, str]:
    """Return the organisations that operators named for entry pages, by URL of the page."""
    named = permit_entries.c.organisation.is_not(None)
    query = select(permit_entries.c.url, permit_entries.c.organisation).where(named)
    return {row.url: row.organisation for row in connection.execute(query)}


def look_up_files(connection: Connection, entry_id: int, urls: Sequence[str]) -> dict[str, PermitFile]:
    """Return the files of an entry page at *urls* that were read before, by URL."""
    found = dict[str, PermitFile]()
    for part in batches(urls):
        rows = connection.execute(_LOOK_UP, {"entry": entry_id, "urls": part})
        found.update(map(_file_of, rows.all()))
    return found


def _file_of(row: Sequence[Any]) -> tuple[str, PermitFile]:
    """Return the URL of a file and the file, from its row."""
    url, digest, date, now, read_at, etag, modified, faults, since, *others = row
    known = RememberedFile(digest.hex(), date, now)
    stored = json.loads(faults) if faults else ()
    return url, PermitFile(known, read_at, etag, modified, stored, since, *others)


def is_read_message() -> ColumnElement[bool]:
    """Return the condition that a file was read as a message, valid or not."""
    condition: ColumnElement[bool] = permit_files.c.digest != bytes.fromhex(NO_MESSAGE)
    return condition


# Built once, like the next ones, since they run for each few files.
@cache
def _keep_files(dialect: str) -> Insert:
    """Return the statement that adds files, or changes those that are there."""
    key = permit_files.c.url, permit_files.c.entry_id
    constant = {"id", "entry_id", "url", "first_seen"}
    return insert_or_update(dialect, permit_files, key, *({each.name for each in permit_files.c} - constant))


_NUMBERS = select(permit_files.c.url, permit_files.c.id).where(
    permit_files.c.entry_id == bindparam("entry"), permit_files.c.url.in_(bindparam("urls", expanding=True))
)
_ADD_MESSAGE = insert(permit_messages)


class ReadFile(NamedTuple):
    """A file of an entry page that was read now."""

    entry_id: int
    url: str
    file: PermitFile
    message: Mutation | None
    """Its message, if that must be applied."""


def keep_files(connection: Connection, reads: Sequence[ReadFile]) -> list[int]:
    """Note that files were read, and let their messages wait until they are applied.

    Returns the numbers of the files.
    """
    write_rows(connection, _keep_files(connection.dialect.name), list(map(_values_of, reads)))
    waiting = [_message_values(read.entry_id, read.message) for read in reads if read.message is not None]
    write_rows(connection, _ADD_MESSAGE, waiting)
    return _numbers_of(connection, reads)


def _numbers_of(connection: Connection, reads: Sequence[ReadFile]) -> list[int]:
    """Return the numbers of files in the state."""
    numbers: dict[tuple[int, str], int] = {}
    for entry_id in dict.fromkeys(read.entry_id for read in reads):
        urls = [read.url for read in reads if read.entry_id == entry_id]
        for part in batches(urls):
            rows = connection.execute(_NUMBERS, {"entry": entry_id, "urls": part})
            numbers.update(((entry_id, url), number) for url, number in rows)
    return [numbers[read.entry_id, read.url] for read in reads]


def _values_of(read: ReadFile) -> dict[str, Any]:
    """Return the columns of a file that was read."""
    entry_id, url, file, _ = read
    return {
        "entry_id": entry_id,
        "url": url,
        "first_seen": file.read_at,
        "digest": bytes.fromhex(file.known.digest),
        "date": file.known.date,
        "now": file.known.now,
        "etag": file.etag,
        "last_modified": file.last_modified,
        "read_at": file.read_at,
        "faults": json.dumps(file.faults, ensure_ascii=False) if file.faults else None,
        "faults_since": file.faults_since,
        "gone_at": None,
    }


def keep_fault(connection: Connection, mutation: Mutation, fault: KeptFinding, now: datetime) -> None:
    """Note with its file what is wrong with a message, if the file still has that content."""
    page = select(permit_entries.c.id).where(permit_entries.c.url == mutation.ingang).scalar_subquery()
    file = (
        permit_files.c.entry_id == page,
        permit_files.c.url == mutation.bestand,
        permit_files.c.digest == bytes.fromhex(mutation.digest),
    )
    values = {"faults": json.dumps([fault]), "faults_since": int(now.timestamp())}
    connection.execute(update(permit_files).where(*file).values(values))


def _message_values(entry_id: int, mutation: Mutation) -> dict[str, Any]:
    """Return the columns of a message that waits, in the form of the row of a case."""
    row = PermitRow(mutation, mutation.message.zaak)
    return {
        "entry_id": entry_id,
        "identifier": row.key.identifier,
        "case_url": row.case,
        "data": row.dump(),
    }


def add_case_rows(connection: Connection, rows: Sequence[tuple[PermitRow, int | None]]) -> None:
    """Add rows of cases and documents, with the number of their batch until their records are durable."""
    if not rows:
        return
    entries = entry_ids(connection, {row.mutation.ingang for row, _ in rows})
    values = [
        {
            "entry_id": entries[row.mutation.ingang],
            "kind": str(row.key.soort),
            "identifier": row.key.identifier,
            "case_url": row.case,
            "present": row.present,
            "ends": None if row.ends is None else row.ends.isoformat(),
            "data": row.dump(),
            "batch": number,
        }
        for row, number in rows
    ]
    connection.execute(insert(permit_cases), values)


def forget_entries(connection: Connection, host: str) -> None:
    """Forget the entry pages of a host, with their files, messages and cases."""
    ids = select(permit_entries.c.id).where(permit_entries.c.host == host)
    for table in (permit_files, permit_messages, permit_cases):
        connection.execute(delete(table).where(table.c.entry_id.in_(ids)))
    connection.execute(delete(permit_entries).where(permit_entries.c.host == host))


def entry_ids(connection: Connection, urls: Iterable[str]) -> dict[str, int]:
    """Return the ids of entry pages that are known, by URL."""
    query = select(permit_entries.c.url, permit_entries.c.id).where(permit_entries.c.url.in_(list(urls)))
    return {row.url: row.id for row in connection.execute(query)}


def entry_pages_lock(host: str) -> str:
    """Return the name of the lock on the entry pages of *host*.

    They have other tables than the documents of the host, so that both can be harvested at the same time.
    """
    return f"entry pages of {host}"
