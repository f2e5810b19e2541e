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

from sqlalchemy import Connection, and_, bindparam, delete, func, or_, select, update

from woo_harvester.findings import Reporter
from woo_harvester.permits.ledger import REFUSED
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.permits.parsing import UNPROCESSED
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.state import add_case_rows, keep_fault
from woo_harvester.permits.tables import permit_cases, permit_messages
from woo_harvester.permits.transactions import Outcome, apply_mutations
from woo_harvester.state.sql import batches, write_rows

#: The number of messages that are applied at once, and their characters; linked messages come on top.
AT_ONCE = 200
AT_ONCE_SIZE = 4_000_000

#: Notes the number of the batch in which a message was applied.
_MARK = (
    update(permit_messages).where(permit_messages.c.id == bindparam("key")).values(batch=bindparam("number"))
)


_Rows = dict[int, PermitRow]
"""Messages or rows of cases, by id."""


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
    """Apply the messages that wait longest, with all that is linked with them; return none if none waits.

    A batch without records needs no confirmation: its rows replace the old ones at once.
    """
    first = _first(connection, entries)
    made: list[Batch] = []
    marks: list[dict[str, int]] = []
    rows: list[tuple[PermitRow, int]] = []
    for messages, known in _groups(*_linked_with(connection, entries, first)) if first else ():
        mutations = [rights.current(row.mutation) for row in messages.values()]
        applied = apply_mutations(known, mutations, rights, report, now)
        for mutation, seen in applied.refused:
            keep_fault(connection, mutation, {"code": REFUSED, "seen": seen, "action": UNPROCESSED}, now)
        made.append(Batch(min(messages), applied.outcomes))
        marks += [{"key": key, "number": made[-1].number} for key in messages]
        rows += [(row, made[-1].number) for row in applied.rows]
    write_rows(connection, _MARK, marks)
    add_case_rows(connection, rows)
    confirm(connection, [batch.number for batch in made if not batch.outcomes])
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


def _first(connection: Connection, entries: Sequence[int]) -> list[str]:
    """Return the URLs that the messages which wait longest are about: few if the messages are large."""
    message = permit_messages.c
    query = (
        select(message.identifier, message.case_url, func.length(message.data))
        .where(message.entry_id.in_(entries), message.batch.is_(None))
        .order_by(message.id)
        .limit(AT_ONCE)
    )
    names: dict[str, None] = {}
    total = 0
    for identifier, case, length in connection.execute(query).all():
        total += length
        if names and total > AT_ONCE_SIZE:
            break
        names.update(dict.fromkeys(filter(None, (identifier, case))))
    return list(names)


def _linked_with(connection: Connection, entries: Sequence[int], first: Iterable[str]) -> tuple[_Rows, _Rows]:
    """Return all waiting messages and all rows about these URLs and those that they refer to, by id."""
    messages: _Rows = {}
    known: _Rows = {}
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
                about = or_(table.c.identifier.in_(part), table.c.case_url.in_(part))
                query = select(table.c.id, table.c.data).where(about, *which)
                for number, data in connection.execute(query):
                    row = rows[number] = PermitRow.load(data)
                    found |= {row.key.identifier, row.case}
        new = {name for name in found if name} - names
    return messages, known


def _groups(messages: _Rows, known: _Rows) -> Iterable[tuple[_Rows, list[PermitRow]]]:
    """Return messages, in the order of their arrival, and rows in groups of what is linked."""
    above: dict[str, str] = {}

    def leader(name: str) -> str:
        while (higher := above.get(name, name)) != name:
            above[name] = above.get(higher, higher)
            name = higher
        return name

    for row in (*messages.values(), *known.values()):
        if row.case is not None:
            above[leader(row.key.identifier)] = leader(row.case)
    groups: dict[str, tuple[_Rows, list[PermitRow]]] = {}
    for number in sorted(messages):
        row = messages[number]
        groups.setdefault(leader(row.key.identifier), ({}, []))[0][number] = row
    for row in known.values():
        if (group := groups.get(leader(row.key.identifier))) is not None:
            group[1].append(row)
    return groups.values()
