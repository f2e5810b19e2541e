"""Settles the messages that wait, case by case, and learns of the cases once their records are durable.

A *package* is a case with all that hangs together with it: its documents, the cases that these were taken
from, and the messages about them. What it comes to is kept beside what is known until every record of it is
durable, and takes its place in one transaction. So a process that is killed at any moment leaves messages
that wait, and nothing half done; and what is in memory does not grow with the number of messages.

A message that is refused goes back to its file, and waits again in each run that finds the file listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from woo_harvester.findings import Reporter
from woo_harvester.permits.mutations import Mutation, PermitRow
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.transactions import Outcome, Settlement, settle
from woo_harvester.state.batches import batches
from woo_harvester.state.permits import entry_ids, keep_refused, read_again
from woo_harvester.state.schema import permit_cases, permit_messages

#: Messages that are settled at once, and their characters: what hangs together with them comes on top.
AT_ONCE = 200
AT_ONCE_SIZE = 4_000_000


class Stored(NamedTuple):
    """What the tables of messages and of cases have alike."""

    id: int
    identifier: str
    case_url: str | None
    data: str


@dataclass(frozen=True, slots=True)
class Package:
    """What was settled together."""

    number: int
    outcomes: list[Outcome]
    """One for each record, at least one."""


@dataclass(slots=True)
class _Bundle:
    """What hangs together, before it is settled."""

    messages: list[Stored] = field(default_factory=list)
    known: list[PermitRow] = field(default_factory=list)


def begin(connection: Connection, entries: Sequence[int]) -> None:
    """Have messages of these entry pages wait again that an earlier run settled and could not confirm.

    With them all that was settled together, also what is of an entry page that this run does not read.
    """
    for part in batches(entries):
        settled = permit_messages.c.entry_id.in_(part), permit_messages.c.package.is_not(None)
        packages = connection.execute(select(permit_messages.c.package).where(*settled).distinct())
        for numbers in batches(packages.scalars().all()):
            connection.execute(delete(permit_cases).where(permit_cases.c.package.in_(numbers)))
            waiting = update(permit_messages).where(permit_messages.c.package.in_(numbers))
            connection.execute(waiting.values(package=None))


def settle_some(
    connection: Connection, entries: Sequence[int], rights: Rights, report: Reporter, now: datetime
) -> list[Package] | None:
    """Settle the messages that wait longest, with what hangs together with them; None where none is left.

    What gives no record is learned at once, and so is what was refused.
    """
    first = _first(connection, entries)
    if not first:
        return None
    messages, known = _related(connection, entries, first)
    packages: list[Package] = []
    kept: list[tuple[PermitRow, int | None]] = []
    done: list[int] = []
    for bundle in _bundles(messages, known):
        mutations = [rights.current(PermitRow.load(row.data)).mutation for row in bundle.messages]
        settlement = settle(bundle.known, mutations, rights, report, now)
        refused, ids = _keep_refused(connection, bundle, mutations, settlement)
        done += refused
        if settlement.outcomes:
            number = min(ids)
            packages.append(Package(number, settlement.outcomes))
            kept += [(row, number) for row in settlement.rows]
            _mark(connection, ids, number)
        else:
            _replace(connection, settlement.rows)
            kept += [(row, None) for row in settlement.rows]
            done += ids
    _add(connection, kept)
    for part in batches(done):
        connection.execute(delete(permit_messages).where(permit_messages.c.id.in_(part)))
    return packages


def confirm(connection: Connection, packages: Sequence[int]) -> None:
    """Learn of packages all records of which every output has durably."""
    old, new = permit_cases.alias(), permit_cases.alias()
    same = and_(old.c.identifier == new.c.identifier, old.c.kind == new.c.kind, old.c.package.is_(None))
    for part in batches(packages):
        replaced = select(old.c.id).select_from(old.join(new, same)).where(new.c.package.in_(part))
        connection.execute(delete(permit_cases).where(permit_cases.c.id.in_(replaced)))
        connection.execute(update(permit_cases).where(permit_cases.c.package.in_(part)).values(package=None))
        connection.execute(delete(permit_messages).where(permit_messages.c.package.in_(part)))


def _first(connection: Connection, entries: Sequence[int]) -> list[str]:
    """The URLs that the messages are about which wait longest; a message may be large."""
    size = func.length(permit_messages.c.data)
    query = (
        select(permit_messages.c.identifier, permit_messages.c.case_url, size)
        .where(permit_messages.c.entry_id.in_(entries), permit_messages.c.package.is_(None))
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


def _related(
    connection: Connection, entries: Sequence[int], first: Iterable[str]
) -> tuple[list[Stored], list[PermitRow]]:
    """All messages that wait and all that is known about these URLs, and those that they lead to."""
    messages: dict[int, Stored] = {}
    known: dict[int, Stored] = {}
    names, new = set[str](), set(first)
    while new:
        names |= new
        found: list[Stored] = []
        for part in batches(sorted(new)):
            waiting = permit_messages.c.entry_id.in_(entries), permit_messages.c.package.is_(None)
            for table, rows, which in (
                (permit_messages, messages, waiting),
                (permit_cases, known, (permit_cases.c.package.is_(None),)),
            ):
                columns = (table.c.id, table.c.identifier, table.c.case_url, table.c.data)
                about = or_(table.c.identifier.in_(part), table.c.case_url.in_(part))
                got = [Stored._make(row) for row in connection.execute(select(*columns).where(about, *which))]
                rows.update((row.id, row) for row in got)
                found += got
        new = {name for row in found for name in (row.identifier, row.case_url) if name} - names
    return [messages[key] for key in sorted(messages)], [PermitRow.load(row.data) for row in known.values()]


def _bundles(messages: Sequence[Stored], known: Sequence[PermitRow]) -> list[_Bundle]:
    """Messages and what is known, sorted into what hangs together."""
    links = [(row.identifier, row.case_url) for row in messages]
    links += [(row.mutation.message.identifier, row.zaak) for row in known]
    leader = _leaders(links)
    bundles: dict[str, _Bundle] = {}
    for row in messages:
        bundles.setdefault(leader(row.identifier), _Bundle()).messages.append(row)
    for one in known:
        if (bundle := bundles.get(leader(one.mutation.message.identifier))) is not None:
            bundle.known.append(one)
    return list(bundles.values())


def _leaders(links: Iterable[tuple[str, str | None]]) -> Callable[[str], str]:
    """Gives for each URL the one that stands for all that are linked with it."""
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
    connection: Connection, bundle: _Bundle, mutations: Sequence[Mutation], settlement: Settlement
) -> tuple[list[int], list[int]]:
    """Keep what was refused with its files; return the numbers of those messages, and of the others."""
    keep_refused(connection, settlement.refused)
    read_again(connection, settlement.displaced)
    names = {id(mutation) for mutation in settlement.refused}
    refused, others = list[int](), list[int]()
    for row, mutation in zip(bundle.messages, mutations, strict=True):
        (refused if id(mutation) in names else others).append(row.id)
    return refused, others


def _mark(connection: Connection, ids: Sequence[int], package: int) -> None:
    for part in batches(ids):
        statement = update(permit_messages).where(permit_messages.c.id.in_(part))
        connection.execute(statement.values(package=package))


def _replace(connection: Connection, rows: Iterable[PermitRow]) -> None:
    """Make room for rows that are kept at once."""
    for row in rows:
        connection.execute(
            delete(permit_cases).where(
                permit_cases.c.identifier == row.key.identifier,
                permit_cases.c.kind == str(row.key.soort),
                permit_cases.c.package.is_(None),
            )
        )


def _add(connection: Connection, rows: Sequence[tuple[PermitRow, int | None]]) -> None:
    if not rows:
        return
    entries = entry_ids(connection, {row.mutation.ingang for row, _ in rows})
    values = [
        {
            "entry_id": entries[row.mutation.ingang],
            "kind": str(row.key.soort),
            "identifier": row.key.identifier,
            "case_url": row.zaak,
            "data": row.dump(),
            "package": package,
        }
        for row, package in rows
    ]
    connection.execute(insert(permit_cases), values)
