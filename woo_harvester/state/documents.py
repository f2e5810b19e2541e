"""Queries and changes of the documents in the state, many at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Insert, Select, bindparam, delete, func, select, update

from woo_harvester.sitemaps.decide import KnownDocument
from woo_harvester.state.deliveries import Harvested, KnownFile
from woo_harvester.state.schema import documents, hosts, listings, resources
from woo_harvester.state.sql import batches, insert_new, is_one_of, is_one_writer, write_rows

#: Values of the columns for a document without a fault.
NO_FAULT = dict.fromkeys(("fault", "fault_seen", "fault_since", "refused_at", "refused_lastmod"))


@dataclass(frozen=True, slots=True)
class DocumentFault:
    """A document that could not be harvested, and the reason."""

    loc: str
    code: str
    seen: str | None
    since: int
    """Seconds since 1970."""


def keep_fault(
    connection: Connection, version: Harvested, code: str, seen: str | None, *, at: int, refused: bool
) -> None:
    """Keep why a *version* of a document could not be harvested.

    *refused*: the document was fetched, but not accepted; else it could not be fetched. *at* is in seconds
    since 1970. The openbaarmakingsdatum stays that of the first time the document was seen.
    """
    values: dict[str, Any] = {
        "published": version.published,
        "fault": code,
        "fault_seen": seen,
        "fault_since": func.coalesce(documents.c.fault_since, at),
        "refused_at": at if refused else None,
        "refused_lastmod": version.lastmod if refused else None,
    }
    if not version.takes_over:
        values["sitemap_id"] = version.sitemap_id
    if refused:
        values["depth"] = version.depth
    connection.execute(update(documents).where(documents.c.id == version.id).values(**values))


def end_faults(connection: Connection, ids: Iterable[int]) -> None:
    """Remove the faults of documents whose entries are again those of the harvested versions."""
    rows = [{"key": key} for key in sorted(ids)]
    if rows:
        statement = update(documents).where(documents.c.id == bindparam("key"))
        connection.execute(statement.values(**NO_FAULT), rows)


def faults_of(connection: Connection, sitemap_id: int) -> list[DocumentFault]:
    """Return the faults of a sitemap's documents, in the order in which these were first seen."""
    return [DocumentFault(*row) for row in connection.execute(_FAULTS, {"sitemap_id": sitemap_id})]


def first_refused(connection: Connection, sitemap_id: int) -> int | None:
    """Return when the first of the refused documents of a sitemap was refused, in seconds since 1970."""
    moment: int | None = connection.scalar(_FIRST_REFUSED, {"sitemap_id": sitemap_id})
    return moment


# Built once, since they run for each sitemap of each host.
_FAULTY = (documents.c.sitemap_id == bindparam("sitemap_id")) & documents.c.fault.is_not(None)
_FAULTS = (
    select(documents.c.loc, documents.c.fault, documents.c.fault_seen, documents.c.fault_since)
    .where(_FAULTY)
    .order_by(documents.c.id)
)
_FIRST_REFUSED = select(func.min(documents.c.refused_at)).where(_FAULTY)


#: The columns of a document that say what is known of its file, in the order of KnownFile.
FILE_COLUMNS = tuple(documents.c[one.name] for one in fields(KnownFile))


def confirm_harvested(connection: Connection, harvested: Iterable[Harvested]) -> None:
    """Note that documents were harvested."""
    rows = [
        {
            "key": one.id,
            "new_lastmod": one.lastmod,
            "new_published": one.published,
            "new_harvested": one.harvested,
            "new_digest": one.entry_digest,
            "new_sitemap_id": one.sitemap_id,
            "new_cause": one.cause,
            "new_number": one.number,
            "new_depth": one.depth,
            **(_values(one.file) if one.file else _NO_FILE),
        }
        for one in sorted(harvested, key=attrgetter("id"))
    ]
    write_rows(connection, _CONFIRM, rows)


def _values(file: KnownFile) -> dict[str, Any]:
    return {f"new_{column.name}": getattr(file, column.name) for column in FILE_COLUMNS}


_NO_FILE = _values(KnownFile())

_CONFIRM = (
    update(documents)
    .where(documents.c.id == bindparam("key"))
    .values(
        lastmod=bindparam("new_lastmod"),
        published=bindparam("new_published"),
        harvested=bindparam("new_harvested"),
        withdrawn=None,
        entry_digest=bindparam("new_digest"),
        sitemap_id=bindparam("new_sitemap_id"),
        again=None,
        cause=bindparam("new_cause"),
        number=bindparam("new_number"),
        depth=bindparam("new_depth"),
        **{column.name: bindparam(f"new_{column.name}") for column in FILE_COLUMNS},
        **NO_FAULT,
    )
)


def confirm_withdrawn(connection: Connection, moments: Mapping[int, int]) -> None:
    """Note that documents were withdrawn, each at its moment in seconds since 1970."""
    rows = [{"key": key, "moment": at} for key, at in sorted(moments.items())]
    if rows:
        statement = update(documents).where(documents.c.id == bindparam("key"))
        values: dict[str, Any] = {"withdrawn": bindparam("moment"), "again": None, **NO_FAULT}
        connection.execute(statement.values(**values), rows)


#: The most documents of a sitemap whose digests are in memory while it is read, some 200 bytes each. That is
#: twice the number that the guide allows. For a larger sitemap, each entry is looked up.
SAME_MAX = 100_000

KNOWN_COLUMNS = (
    documents.c.loc,
    documents.c.id,
    documents.c.sitemap_id,
    documents.c.lastmod,
    documents.c.published,
    documents.c.harvested,
    documents.c.withdrawn,
    documents.c.entry_digest,
    documents.c.fault,
    documents.c.fault_seen,
    documents.c.fault_since,
    documents.c.refused_at,
    documents.c.refused_lastmod,
    documents.c.again,
    documents.c.depth,
    documents.c.cause,
    documents.c.number,
)

#: Makes a KnownDocument from a row, without the Python code in the constructor of a named tuple.
_known: Callable[[Any], KnownDocument] = partial(tuple.__new__, KnownDocument)


@cache
def _known_at(dialect: str) -> Select[Any]:
    return select(*KNOWN_COLUMNS).where(is_one_of(dialect, documents.c.loc, "locs"))


@cache
def _files_at(dialect: str) -> Select[Any]:
    chosen = is_one_of(dialect, documents.c.id, "ids"), documents.c.sha256.is_not(None)
    return select(documents.c.id, *FILE_COLUMNS).where(*chosen)


@cache
def _add(dialect: str) -> Insert:
    return insert_new(dialect, documents)


def look_up(connection: Connection, locs: Sequence[str]) -> dict[str, KnownDocument]:
    """Return the known documents at *locs*, by loc."""
    known: dict[str, KnownDocument] = {}
    # No document has NUL in its location, and PostgreSQL cannot be asked for one.
    asked = [loc for loc in locs if "\0" not in loc]
    query = _known_at(connection.dialect.name)
    for part in batches(asked):
        rows = connection.execute(query, {"locs": part}).all()
        known.update({row[0]: _known(row) for row in rows})
    return known


@dataclass(frozen=True, slots=True)
class Before:
    """The documents that a sitemap listed when it was last read."""

    same: dict[bytes, int]
    """The id of each published document, by the digest of its entry when it was last read.

    An entry with such a digest needs no look-up: on most days these are nearly all entries.
    """
    others: list[int]
    """The ids of all other documents that it listed."""
    is_all: bool
    """True if these are all documents, False if there are too many to have them in memory."""


_LISTED_BEFORE = (
    select(
        listings.c.document_id,
        listings.c.misses,
        documents.c.entry_digest,
        documents.c.harvested,
        documents.c.withdrawn,
        documents.c.fault,
        documents.c.again,
        documents.c.depth,
        documents.c.sitemap_id,
    )
    .join_from(listings, documents, documents.c.id == listings.c.document_id)
    .where(listings.c.sitemap_id == bindparam("sitemap_id"))
    .limit(bindparam("most"))
)


def before(connection: Connection, sitemap_id: int, wanted: int = 0) -> Before:
    """Return the documents of a sitemap that is about to be read, by a run that wants the depth *wanted*.

    An entry is the same only if it counted for its document: another sitemap's entry with the same bytes may
    not count.
    """
    rows = connection.execute(_LISTED_BEFORE, {"sitemap_id": sitemap_id, "most": SAME_MAX + 1}).all()
    if len(rows) > SAME_MAX:
        return Before({}, [], is_all=False)
    same: dict[bytes, int] = {}
    others: list[int] = []
    for key, misses, digest, harvested, withdrawn, fault, again, depth, source in rows:
        is_published = harvested is not None and withdrawn is None
        nothing_due = not misses and fault is None and not again and (depth or 0) >= wanted
        if digest is not None and is_published and nothing_due and source == sitemap_id:
            same[digest] = key
        else:
            others.append(key)
    return Before(same, others, is_all=True)


def add_seen(connection: Connection, locs: Collection[str], sitemap_id: int) -> dict[str, KnownDocument]:
    """Add documents that were seen for the first time, and return them by loc; they are not harvested yet.

    Another run on other hosts may add the same document at the same moment. Then it stays as it was added.
    """
    if not locs:
        return {}
    rows = [{"loc": loc, "sitemap_id": sitemap_id} for loc in sorted(locs)]
    write_rows(connection, _add(connection.dialect.name), rows)
    return look_up(connection, list(locs))


def lock_rows(connection: Connection, ids: Collection[int]) -> None:
    """Lock rows in the order of their ids, before a transaction writes them in several steps.

    Otherwise two runs that list the same documents could wait for each other for ever.
    """
    if ids and not is_one_writer(connection):
        rows = select(documents.c.id).where(is_one_of(connection.dialect.name, documents.c.id, "ids"))
        connection.execute(rows.order_by(documents.c.id).with_for_update(key_share=True), {"ids": list(ids)})


def move(connection: Connection, ids: Iterable[int], sitemap_id: int) -> None:
    """Note that the known version of these documents is that of an entry of *sitemap_id*."""
    rows = [{"key": key} for key in sorted(ids)]
    if rows:
        statement = update(documents).where(documents.c.id == bindparam("key")).values(sitemap_id=sitemap_id)
        connection.execute(statement, rows)


def keep_digests(connection: Connection, digests: dict[int, bytes]) -> None:
    """Store the digests of entries that were read completely and are unchanged by their lastmod."""
    if digests:
        rows = [{"key": key, "digest": digest} for key, digest in sorted(digests.items())]
        statement = update(documents).where(documents.c.id == bindparam("key"))
        connection.execute(statement.values(entry_digest=bindparam("digest")), rows)


def other_sources(connection: Connection, sources: Mapping[int, int]) -> set[int]:
    """Return the other sitemaps that the known versions of documents come from.

    *sources* has the sitemaps that they come from now on, by document. The others are to be read again, so
    that their entries are compared, and reported if these do not count.
    """
    known = select(documents.c.id, documents.c.sitemap_id).where(documents.c.harvested.is_not(None))
    found: set[int] = set()
    for part in batches(sources):
        rows = connection.execute(known.where(documents.c.id.in_(part)))
        found.update(before for key, before in rows if before != sources[key])
    return found


def files_of(connection: Connection, ids: Sequence[int]) -> dict[int, KnownFile]:
    """Return the known files of documents, by document number, without those never fetched."""
    found: dict[int, KnownFile] = {}
    for part in batches(ids):
        rows = connection.execute(_files_at(connection.dialect.name), {"ids": part})
        found.update((key, KnownFile(*values)) for key, *values in rows)
    return found


def count_by_host(connection: Connection) -> dict[str, int]:
    """Return the number of documents of each host, also those not harvested; an index has the answer."""
    counted = select(documents.c.sitemap_id, func.count().label("count"))
    of_sitemap = counted.group_by(documents.c.sitemap_id).subquery()
    query = (
        select(hosts.c.host, func.sum(of_sitemap.c.count))
        .join_from(of_sitemap, resources, resources.c.id == of_sitemap.c.sitemap_id)
        .join(hosts)
        .group_by(hosts.c.host)
    )
    return {host: int(count) for host, count in connection.execute(query)}


def forget(connection: Connection, ids: Sequence[int]) -> None:
    """Delete documents, as if they had never been seen."""
    for part in batches(sorted(ids)):
        lock_rows(connection, part)
        connection.execute(delete(listings).where(listings.c.document_id.in_(part)))
        connection.execute(delete(documents).where(documents.c.id.in_(part)))
