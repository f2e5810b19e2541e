"""What became of the files and cases of an entry page since earlier reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from woo_harvester.permits.messages import Soort
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.permits.state import is_read_message
from woo_harvester.permits.tables import permit_cases, permit_entries, permit_files
from woo_harvester.state.sql import BATCH, batches
from woo_harvester.utils.document_set import DocumentSet


class GoneFile(NamedTuple):
    """A file that a page no longer lists."""

    number: int
    url: str
    first_seen: int | None
    """When a run first read it, in seconds since 1970; None if that is not known."""
    is_message: bool
    """True if its message was valid, and its own organisation's."""


class PageHistory(NamedTuple):
    """The history of an entry page, in seconds since 1970."""

    complete_since: int
    """End of its first complete read."""
    gone_at: int | None
    """When a file was last found to be gone; None if none ever was."""


def missing_files(connection: Connection, entry_id: int, listed: DocumentSet) -> list[GoneFile]:
    """Return the files that the page had at its last complete read, and that are not in *listed* now."""
    file = permit_files.c
    columns = (file.id, file.url, file.first_seen, file.faults.is_(None))
    query = select(*columns).where(file.entry_id == entry_id, file.gone_at.is_(None), is_read_message())
    rows = connection.execute(query.order_by(file.id).execution_options(yield_per=BATCH))
    return [GoneFile._make(row) for row in rows if row.id not in listed]


def note_complete_read(connection: Connection, entry_id: int, gone: Sequence[int], now: int) -> PageHistory:
    """Note that a page was read completely at *now*, and which of its files it no longer lists."""
    for part in batches(gone):
        connection.execute(update(permit_files).where(permit_files.c.id.in_(part)).values(gone_at=now))
    page = permit_entries.c
    since = func.coalesce(page.complete_since, now)
    values = {"complete_since": since, "complete_at": now, **({"gone_at": now} if gone else {})}
    connection.execute(update(permit_entries).where(page.id == entry_id).values(values))
    row = connection.execute(select(page.complete_since, page.gone_at).where(page.id == entry_id)).one()
    return PageHistory._make(row)


def forget_links(connection: Connection, entry_id: int, listed: DocumentSet, before: int) -> None:
    """Forget the links that a page no longer lists after a complete read: their URLs may be others each day.

    Those that led to a message are kept until they have been gone since *before*, in seconds since 1970.
    """
    file = permit_files.c
    no_message = file.entry_id == entry_id, ~is_read_message()
    numbers = connection.execute(select(file.id).where(*no_message)).scalars().all()
    for part in batches(number for number in numbers if number not in listed):
        connection.execute(delete(permit_files).where(file.id.in_(part)))
    connection.execute(delete(permit_files).where(file.entry_id == entry_id, file.gone_at < before))


def note_back(connection: Connection, numbers: Iterable[int]) -> None:
    """Note that files which were gone are listed again."""
    for part in batches(numbers):
        connection.execute(update(permit_files).where(permit_files.c.id.in_(part)).values(gone_at=None))


def ended_cases(connection: Connection, entry_id: int, before: date) -> tuple[int, str, str] | None:
    """Return the cases of an entry page whose period ended *before* a day; None if there are none.

    They are their number, the URL of the case that ended first, and the day of that. A version on its way to
    the outputs counts, and not the one that it replaces.
    """
    table, newer = permit_cases, permit_cases.alias()
    case, same = table.c, (newer.c.identifier == table.c.identifier, newer.c.kind == table.c.kind)
    replaced = select(newer.c.id).where(*same, newer.c.batch.is_not(None)).exists()
    which = (
        case.entry_id == entry_id,
        case.kind == Soort.ZAAK.value,
        case.ends < before.isoformat(),
        case.batch.is_not(None) | ~replaced,
    )
    rows = (
        select(case.data, case.ends, func.count().over()).where(*which).order_by(case.ends, case.id).limit(1)
    )
    for data, ends, count in connection.execute(rows):
        return count, PermitRow.load(data).mutation.message.identifier, ends
    return None
