"""What became of the files and cases of an entry page since earlier reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
    """A file that a page no longer lists. Moments are in seconds since 1970."""

    number: int
    url: str
    dated_at: int | None
    first_seen: int | None
    read_at: int
    is_message: bool
    """True if its message was valid, and its own organisation's."""

    def began(self) -> int | None:
        """Return its date, or when a run first read it if that is later; None if neither is known.

        No file has a date after the moment at which it was read: a later date counts as that moment.
        """
        dated = None if self.dated_at is None else min(self.dated_at, self.read_at)
        known = [moment for moment in (dated, self.first_seen) if moment is not None]
        return max(known) if known else None


class PageHistory(NamedTuple):
    """The history of an entry page, in seconds since 1970."""

    complete_since: int
    """End of its first complete read."""
    gone_at: int | None
    """When a file was last found to be gone; None if none ever was."""


class EndedCases(NamedTuple):
    """The cases of an entry page whose period ended before a day."""

    cases: int
    identifier: str
    """URL of the case that ended first."""
    ends: str
    """The day on which its period ended."""


def missing_files(
    connection: Connection, entry_id: int, listed: DocumentSet, is_of_page: Callable[[str], bool]
) -> list[GoneFile]:
    """Return the files that the page had at its last complete read, and that are not in *listed* now.

    *is_of_page* returns whether the URL of a file is one that a link of the page may have today.
    """
    file = permit_files.c
    is_message = file.faults.is_(None) & file.refused.is_(None)
    columns = (file.id, file.url, file.dated_at, file.first_seen, file.read_at, is_message)
    query = select(*columns).where(file.entry_id == entry_id, file.gone_at.is_(None), is_read_message())
    rows = connection.execute(query.order_by(file.id).execution_options(yield_per=BATCH))
    return [GoneFile._make(row) for row in rows if row.id not in listed and is_of_page(row.url)]


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
    is_old = file.entry_id == entry_id, file.gone_at < before, ~file.url.ilike("%.xml")
    connection.execute(delete(permit_files).where(*is_old))


def note_back(connection: Connection, numbers: Iterable[int]) -> None:
    """Note that files which were gone are listed again."""
    for part in batches(numbers):
        connection.execute(update(permit_files).where(permit_files.c.id.in_(part)).values(gone_at=None))


def ended_cases(connection: Connection, entry_id: int, before: date) -> EndedCases | None:
    """Return the cases of an entry page whose period ended *before* a day; None if there are none.

    A version on its way to the outputs counts, and not the one that it replaces.
    """
    case, newer = permit_cases, permit_cases.alias()
    replaced = (
        select(newer.c.id)
        .where(
            newer.c.identifier == case.c.identifier,
            newer.c.kind == case.c.kind,
            newer.c.batch.is_not(None),
        )
        .exists()
    )
    which = (
        case.c.entry_id == entry_id,
        case.c.kind == Soort.ZAAK.value,
        case.c.ends < before.isoformat(),
        case.c.batch.is_not(None) | ~replaced,
    )
    count = connection.scalar(select(func.count()).select_from(case).where(*which)) or 0
    if not count:
        return None
    oldest = select(case.c.data, case.c.ends).where(*which).order_by(case.c.ends, case.c.id).limit(1)
    row = connection.execute(oldest).one()
    return EndedCases(count, PermitRow.load(row.data).mutation.message.identifier, row.ends)
