"""Applies the messages that wait in the state to the known rows of their cases, a batch at a time.

A *batch* is a case with all that is linked with it: its documents, the cases that had these documents before,
and the messages about them. The new rows of a batch stand beside the old ones until every output has
its records durably. Then they replace the old rows in one transaction. So a process that is killed at any
moment leaves messages that wait, and nothing half done. Memory does not grow with the number of messages.

A message that is refused makes its file one with an error, which later runs ask for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, delete, or_, select, update

from woo_harvester.findings import Reporter
from woo_harvester.permits.ledger import REFUSED
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.permits.parsing import UNPROCESSED
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.state import add_case_rows, keep_fault
from woo_harvester.permits.tables import permit_cases, permit_messages
from woo_harvester.permits.transactions import Outcome, apply_mutations
from woo_harvester.state.sql import batches

#: The characters of messages and rows after which a transaction gets no more batches.
AT_ONCE = 500_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that were applied together."""

    number: int
    outcomes: list[Outcome]
    """One for each record."""


def undo_unconfirmed(connection: Connection, entries: Sequence[int]) -> None:
    """Let messages of these entry pages wait again if an earlier run applied them and could not confirm them.

    All messages of their batches wait again, even those of an entry page that this run does not read.
    """
    for part in batches(entries):
        applied = permit_messages.c.entry_id.in_(part), permit_messages.c.batch.is_not(None)
        unconfirmed = connection.execute(select(permit_messages.c.batch).where(*applied).distinct())
        for numbers in batches(unconfirmed.scalars().all()):
            connection.execute(delete(permit_cases).where(permit_cases.c.batch.in_(numbers)))
            waiting = update(permit_messages).where(permit_messages.c.batch.in_(numbers))
            connection.execute(waiting.values(batch=None))


def apply_next(
    connection: Connection, entries: Sequence[int], rights: Rights, report: Reporter, now: datetime
) -> list[Batch]:
    """Apply the messages that wait longest, each with all that is linked with it; return none if none waits.

    A batch without records needs no confirmation: its rows replace the old ones at once.
    """
    made: list[Batch] = []
    size = number = 0
    while size < AT_ONCE and (first := _first(connection, entries, number)) is not None:
        number, *names = first
        messages, known, length = _linked_with(connection, entries, filter(None, names))
        applied = apply_mutations(
            known, [rights.current(row.mutation) for row in messages.values()], rights, report, now
        )
        for mutation, seen in applied.refused:
            keep_fault(connection, mutation, {"code": REFUSED, "seen": seen, "action": UNPROCESSED}, now)
        for part in batches(list(messages)):
            which = permit_messages.c.id.in_(part)
            connection.execute(update(permit_messages).where(which).values(batch=number))
        add_case_rows(connection, applied.rows, number)
        if not applied.outcomes:
            confirm(connection, [number])
        made.append(Batch(number, applied.outcomes))
        size += length
    return made


def confirm(connection: Connection, numbers: Sequence[int]) -> None:
    """Replace the old rows of batches by the new ones: every output has their records durably."""
    old, new = permit_cases.alias(), permit_cases.alias()
    same = and_(old.c.identifier == new.c.identifier, old.c.kind == new.c.kind, old.c.batch.is_(None))
    for part in batches(numbers):
        replaced = select(old.c.id).select_from(old.join(new, same)).where(new.c.batch.in_(part))
        connection.execute(delete(permit_cases).where(permit_cases.c.id.in_(replaced)))
        connection.execute(update(permit_cases).where(permit_cases.c.batch.in_(part)).values(batch=None))
        connection.execute(delete(permit_messages).where(permit_messages.c.batch.in_(part)))


def _first(connection: Connection, entries: Sequence[int], after: int) -> Sequence[Any] | None:
    """Return number, identifier and case of the message that waits longest, *after* one that was applied."""
    message = permit_messages.c
    waiting = message.entry_id.in_(entries), message.batch.is_(None), message.id > after
    query = select(message.id, message.identifier, message.case_url).where(*waiting)
    return connection.execute(query.order_by(message.id).limit(1)).first()


def _linked_with(
    connection: Connection, entries: Sequence[int], first: Iterable[str]
) -> tuple[dict[int, PermitRow], list[PermitRow], int]:
    """Return all waiting messages and all rows about these URLs, and about those that they refer to.

    The messages are in the order of their arrival, by id. The last value is the length of all in characters.
    """
    size = 0
    messages: dict[int, PermitRow] = {}
    known: dict[int, PermitRow] = {}
    names, new = set[str](), set(first)
    while new:
        names |= new
        found = set[str | None]()
        for part in batches(sorted(new)):
            waiting = permit_messages.c.entry_id.in_(entries), permit_messages.c.batch.is_(None)
            for table, rows, which in (
                (permit_messages, messages, waiting),
                (permit_cases, known, (permit_cases.c.batch.is_(None),)),
            ):
                columns = (table.c.id, table.c.identifier, table.c.case_url, table.c.data)
                about = or_(table.c.identifier.in_(part), table.c.case_url.in_(part))
                for number, identifier, case, data in connection.execute(
                    select(*columns).where(about, *which)
                ):
                    if number not in rows:
                        rows[number] = PermitRow.load(data)
                        size += len(data)
                        found |= {identifier, case}
        new = {name for name in found if name} - names
    return dict(sorted(messages.items())), list(known.values()), size
