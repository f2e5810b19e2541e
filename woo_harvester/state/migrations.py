"""Makes the tables of the state, and brings those of an older version up to date."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, func, insert, inspect, literal, select, update

from woo_harvester.state.schema import (
    PREPARING,
    about,
    documents,
    hosts,
    listings,
    metadata,
    rechecks,
    resources,
    withdrawing,
)

#: Goes up with each change of the tables.
VERSION = 3


def _add_listings(connection: Connection) -> None:
    """Add every sitemap that lists a document, and how long each document is missing.

    Documents that were missing when the older version last read their host are counted from now on.
    """
    for table, names in (
        (documents, ("withdrawing", "restore")),
        (hosts, ("begun_at", "complete", "massive")),
    ):
        for name in names:
            kind = table.c[name].type.compile(connection.dialect)
            required = "" if table.c[name].nullable else " DEFAULT false NOT NULL"
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {name} {kind}{required}")
    connection.execute(update(hosts).where(hosts.c.complete_at.is_not(None)).values(complete=True))
    for name in ("held_runs", "held_documents", "confirmed"):
        connection.exec_driver_sql(f"ALTER TABLE hosts DROP COLUMN {name}")
    withdrawing.create(connection)
    listings.create(connection)
    # Whose entry it is by the register is known when it is read: until then the host of the loc decides.
    own = literal("https://") + hosts.c.host + "/"
    foreign = func.substr(documents.c.loc, 1, func.length(own)) != own
    rows = (
        select(documents.c.sitemap_id, documents.c.id, literal(0), foreign)
        .join_from(documents, resources, resources.c.id == documents.c.sitemap_id)
        .join(hosts, hosts.c.id == resources.c.host_id)
        .where(documents.c.withdrawn.is_(None))
    )
    filled = ["sitemap_id", "document_id", "misses", "foreign"]
    connection.execute(insert(listings).from_select(filled, rows))


def _add_fetched_at(connection: Connection) -> None:
    """Add when a document was last received, and since when its server says that it is the same."""
    for name in ("fetched_at", "unchanged_since"):
        kind = documents.c[name].type.compile(connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE documents ADD COLUMN {name} {kind}")
    rechecks.create(connection)


def _to_version_3(connection: Connection) -> None:
    """Version 3: who lists a document, when its bytes were last received, and whose a permit case is."""
    _add_listings(connection)
    _add_fetched_at(connection)
    _add_permit_ownership(connection)


def _add_permit_ownership(connection: Connection) -> None:
    """Version 3: messages about another organisation's case are kept with their files."""
    connection.exec_driver_sql("ALTER TABLE permit_files ADD COLUMN refused TEXT")


#: From each older version to the next one.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {2: _to_version_3}


class VersionError(ValueError):
    """The state was made by another version of the program, which this one cannot bring up to date."""


def prepare(connection: Connection) -> None:
    """Make the tables, or bring those of an older version up to date. Raises :class:`VersionError`."""
    if version_of(connection) == VERSION:
        return
    if connection.dialect.name == "sqlite":
        # Runs on other hosts may come here at the same time, and a kill must not leave half of the tables.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(select(func.pg_advisory_xact_lock(PREPARING)))
    version = version_of(connection)
    if version is None:
        metadata.create_all(connection)
        connection.execute(insert(about).values(name="version", value=str(VERSION)))
        return
    if not min(MIGRATIONS) <= version <= VERSION:
        known = f"versions {min(MIGRATIONS)} to {VERSION}"
        raise VersionError(f"it has version {version}, and this program knows {known}")
    for number in range(version, VERSION):
        MIGRATIONS[number](connection)
    connection.execute(update(about).where(about.c.name == "version").values(value=str(VERSION)))


def version_of(connection: Connection) -> int | None:
    """The version of the tables; None where there are none."""
    if not inspect(connection).has_table(about.name):
        return None
    return int(connection.scalar(select(about.c.value).where(about.c.name == "version")) or 0)
