"""Applies the messages that wait in the state to the known rows of their cases, a batch at a time.

A *batch* is a case with all that is linked with it: its documents, the cases that had these documents before,
and the messages about them. The new rows of a batch stand beside the old ones until every output has its
records durably. Then they replace the old rows in one transaction. So a process that is killed at any moment
leaves messages that wait, and nothing half done. Memory does not grow with the number of messages.

A message that is refused is stored with its file, and waits again in each run in which the file is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, delete, func, or_, select, update

from woo_harvester.findings import Reporter
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.state import add_case_rows, keep_refused, load_message, read_again
from woo_harvester.permits.tables import permit_cases, permit_messages
from woo_harvester.permits.transactions import Applied, Outcome, apply_mutations
from woo_harvester.state.sql import batches, write_rows

#: The number of messages that are applied at once, and their characters; linked messages come on top.
AT_ONCE = 200
AT_ONCE_SIZE = 4_000_000


#: Notes the number of the batch in which a message was applied.
_MARK = (
    update(permit_messages).where(permit_messages.c.id == bindparam("key")).values(batch=bindparam("number"))
)


class _Row(NamedTuple):
    """The columns that the tables of messages and of cases share."""

    id: int
    identifier: str
    case_url: str | None
    data: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that were applied together."""

    number: int
    outcomes: list[Outcome]
    """One for each record; there is at least one."""


@dataclass(slots=True)
class _Linked:
    """Messages and rows that are linked with each other."""

    messages: list[_Row] = field(default_factory=list)
    known: list[PermitRow] = field(default_factory=list)


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
) -> list[Batch] | None:
    """Apply the messages that wait longest, with all that is linked with them; return None if none waits.

    A batch without records needs no confirmation: its rows replace the old ones at once. It is not returned.
    """
    first = _first(connection, entries)
    if not first:
        return None
    messages, known = _linked_with(connection, entries, first)
    made: list[Batch] = []
    kept: list[tuple[PermitRow, int | None]] = []
    done: list[int] = []
    marks: list[dict[str, int]] = []
    for linked in _group(messages, known):
        mutations = [rights.current(load_message(row.data)) for row in linked.messages]
        applied = apply_mutations(linked.known, mutations, rights, report, now)
        refused, ids = _keep_refused(connection, linked, mutations, applied)
        done += refused
        if applied.outcomes:
            number = min(ids)
            made.append(Batch(number, applied.outcomes))
            kept += [(row, number) for row in applied.rows]
            marks += [{"key": key, "number": number} for key in ids]
        else:
            _delete_old(connection, applied.rows)
            kept += [(row, None) for row in applied.rows]
            done += ids
    write_rows(connection, _MARK, marks)
    add_case_rows(connection, kept)
    for part in batches(done):
        connection.execute(delete(permit_messages).where(permit_messages.c.id.in_(part)))
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
    size = func.length(permit_messages.c.data)
    query = (
        select(permit_messages.c.identifier, permit_messages.c.case_url, size)
        .where(permit_messages.c.entry_id.in_(entries), permit_messages.c.batch.is_(None))
        .order_by(permit_messages.c.id)
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


def _linked_with(
    connection: Connection, entries: Sequence[int], first: Iterable[str]
) -> tuple[list[_Row], list[PermitRow]]:
    """Return all waiting messages and all rows about these URLs, and about those that they refer to."""
    messages: dict[int, _Row] = {}
    known: dict[int, _Row] = {}
    names, new = set[str](), set(first)
    while new:
        names |= new
        found: list[_Row] = []
        for part in batches(sorted(new)):
            waiting = permit_messages.c.entry_id.in_(entries), permit_messages.c.batch.is_(None)
            for table, rows, which in (
                (permit_messages, messages, waiting),
                (permit_cases, known, (permit_cases.c.batch.is_(None),)),
            ):
                columns = (table.c.id, table.c.identifier, table.c.case_url, table.c.data)
                about = or_(table.c.identifier.in_(part), table.c.case_url.in_(part))
                got = [_Row._make(row) for row in connection.execute(select(*columns).where(about, *which))]
                rows.update((row.id, row) for row in got)
                found += got
        new = {name for row in found for name in (row.identifier, row.case_url) if name} - names
    return [messages[key] for key in sorted(messages)], [PermitRow.load(row.data) for row in known.values()]


def _group(messages: Sequence[_Row], known: Sequence[PermitRow]) -> list[_Linked]:
    """Group messages and rows by what is linked with each other; rows without messages are left out."""
    links = [(row.identifier, row.case_url) for row in messages]
    links += [(row.key.identifier, row.case) for row in known]
    leader = _leaders(links)
    groups: dict[str, _Linked] = {}
    for row in messages:
        groups.setdefault(leader(row.identifier), _Linked()).messages.append(row)
    for one in known:
        if (linked := groups.get(leader(one.key.identifier))) is not None:
            linked.known.append(one)
    return list(groups.values())


def _leaders(links: Iterable[tuple[str, str | None]]) -> Callable[[str], str]:
    """Return a function that returns, for any URL, the one that represents all URLs linked with it."""
    above: dict[str, str] = {}

    def leader(name: str) -> str:
        while (higher := above.get(name, name)) != name:
            above[name] = above.get(higher, higher)
            name = higher
        return name

    for one, other in links:
        if other is not None:
            above[leader(one)] = leader(other)
    return leader


def _keep_refused(
    connection: Connection, linked: _Linked, mutations: Sequence[Mutation], applied: Applied
) -> tuple[list[int], list[int]]:
    """Store refused messages with their files; return the ids of these messages, and of the others."""
    keep_refused(connection, applied.refused)
    read_again(connection, applied.displaced)
    names = {id(mutation) for mutation in applied.refused}
    refused, others = list[int](), list[int]()
    for row, mutation in zip(linked.messages, mutations, strict=True):
        (refused if id(mutation) in names else others).append(row.id)
    return refused, others


def _delete_old(connection: Connection, rows: Iterable[PermitRow]) -> None:
    """Delete the confirmed rows that *rows* replace."""
    for row in rows:
        connection.execute(
            delete(permit_cases).where(
                permit_cases.c.identifier == row.key.identifier,
                permit_cases.c.kind == str(row.key.soort),
                permit_cases.c.batch.is_(None),
            )
        )
