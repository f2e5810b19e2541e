"""Creates the tables of the state, and migrates those of an older version."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    Connection,
    Table,
    case,
    func,
    insert,
    inspect,
    literal,
    literal_column,
    select,
    update,
)

from woo_harvester.state.contents import add_content, describe, earlier_content
from woo_harvester.state.schema import (
    PREPARING,
    about,
    contents,
    documents,
    hosts,
    listings,
    metadata,
    outputs,
    permit_cases,
    permit_ends,
    permit_entries,
    permit_files,
    permit_messages,
    rechecks,
    repeated,
    resources,
    withdrawing,
)
from woo_harvester.state.sql import BATCH
from woo_harvester.utils.urls import https_form

#: Version of the tables; it goes up with each change of them.
STATE_VERSION = 6


def _add_listings(connection: Connection) -> None:
    """Add the table of listings, and the columns that withdrawals need.

    A document that was missing in version 2 counts from 0 again.
    """
    _add_columns(connection, documents, "withdrawing", "restore")
    _add_columns(connection, hosts, "begun_at", "complete")
    connection.exec_driver_sql("ALTER TABLE hosts ADD COLUMN massive BOOLEAN DEFAULT false NOT NULL")
    connection.execute(update(hosts).where(hosts.c.complete_at.is_not(None)).values(complete=True))
    for name in ("held_runs", "held_documents", "confirmed"):
        connection.exec_driver_sql(f"ALTER TABLE hosts DROP COLUMN {name}")
    withdrawing.create(connection)
    listings.create(connection)
    # The next read asks the register whose entry it is. Until then the host of the loc decides.
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
    """Add when a document was last received, and since when its server reports it as unchanged."""
    _add_columns(connection, documents, "fetched_at", "unchanged_since")
    rechecks.create(connection)


def _to_version_3(connection: Connection) -> None:
    """Migrate to version 3: listings, the moment of the last full fetch, and refused permit messages."""
    _add_listings(connection)
    _add_fetched_at(connection)
    _add_permit_ownership(connection)


def _add_permit_ownership(connection: Connection) -> None:
    """Add the column that keeps a message about another organisation's case with its file."""
    connection.exec_driver_sql("ALTER TABLE permit_files ADD COLUMN refused TEXT")


def _to_version_4(connection: Connection) -> None:
    """Migrate to version 4: indexes that are no longer named, repeated documents, and known contents."""
    _add_columns(connection, resources, "index_gone")
    _add_columns(connection, documents, "supplemented")
    _add_columns(connection, outputs, "made")
    repeated.create(connection)
    _add_contents(connection)


def _add_contents(connection: Connection) -> None:
    """Add what is known of the content of documents: their headers, or their file."""
    contents.create(connection)
    _add_columns(connection, resources, "wanted")
    _add_columns(connection, documents, "cause", "known_content", "supplied_at", "refused_with")
    headers, file = (
        add_content(connection, describe(earlier_content(has_file=has_file))) for has_file in (False, True)
    )
    content = case((documents.c.sha256.is_(None), headers), else_=file)
    connection.execute(
        update(documents).where(documents.c.harvested.is_not(None)).values(known_content=content)
    )


def _to_version_5(connection: Connection) -> None:
    """Migrate to version 5: the history of entry pages and their files, and cases whose URL may move."""
    _add_columns(connection, permit_entries, "organisation", "complete_since", "complete_at", "gone_at")
    _add_columns(connection, permit_files, "case_url", "dated_at", "first_seen", "gone_at")
    _add_columns(connection, permit_cases, "present", "ends")
    permit_ends.create(connection)
    for table in (permit_cases, permit_messages):
        columns = table.c.id, table.c.identifier, table.c.case_url, table.c.data
        last = 0
        query = select(*columns).order_by(table.c.id).limit(BATCH)
        while rows := connection.execute(query.where(table.c.id > last)).all():
            for key, identifier, case_url, data in rows:
                values: dict[str, Any] = {"identifier": https_form(identifier)}
                values["case_url"] = None if case_url is None else https_form(case_url)
                if table is permit_cases:
                    values |= _case_of_version_5(data)
                connection.execute(update(table).where(table.c.id == key).values(values))
            last = rows[-1].id


def _case_of_version_5(data: str) -> dict[str, Any]:
    """Return the columns of a case: its first URL is that of today, and the end of its period is known."""
    row = json.loads(data)
    message = row["mutation"]["message"]
    if row.get("present") is not None:
        row["eerste"] = message["identifier"]
    period = (message.get("gegevens") or {}).get("temporal") or {} if message["soort"] == "zaak" else {}
    # If begin and end were swapped, the period ends on the later day.
    ends = max(period["end"], period.get("start") or "") if period.get("end") else None
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return {"data": text, "present": row.get("present"), "ends": ends}


def _to_version_6(connection: Connection) -> None:
    """Migrate to version 6: each document waits for itself, and hosts that left the register are known."""
    _add_columns(connection, hosts, "reads", "unregistered")
    if "massive" not in {column["name"] for column in inspect(connection).get_columns(listings.name)}:
        _add_columns(connection, listings, "massive")  # version 3 made the table as it is today
    of_massive = select(resources.c.id).join(hosts).where(literal_column("hosts.massive").is_(True))
    pending = listings.c.misses > 0, listings.c.sitemap_id.in_(of_massive)
    connection.execute(update(listings).where(*pending).values(massive=True))
    connection.exec_driver_sql("ALTER TABLE hosts DROP COLUMN massive")


def _add_columns(connection: Connection, table: Table, *names: str) -> None:
    """Add columns; one that may not be null is false in the rows that are there."""
    for name in names:
        sql_type = table.c[name].type.compile(connection.dialect)
        required = "" if table.c[name].nullable else " DEFAULT false NOT NULL"
        connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {name} {sql_type}{required}")


#: Function that migrates from each older version to the next one.
MIGRATIONS: dict[int, Callable[[Connection], None]] = {
    2: _to_version_3,
    3: _to_version_4,
    4: _to_version_5,
    5: _to_version_6,
}


class VersionError(ValueError):
    """The state has a version of the tables that this program cannot migrate."""


def create_or_migrate(connection: Connection) -> None:
    """Create the tables, or migrate those of an older version. Raises :class:`VersionError`."""
    if state_version(connection) == STATE_VERSION:
        return
    if connection.dialect.name == "sqlite":
        # Runs on other hosts may do this at the same time, and a kill must not leave half of the tables.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(select(func.pg_advisory_xact_lock(PREPARING)))
    version = state_version(connection)
    if version is None:
        metadata.create_all(connection)
        connection.execute(insert(about).values(name="version", value=str(STATE_VERSION)))
        return
    if not min(MIGRATIONS) <= version <= STATE_VERSION:
        known = f"versions {min(MIGRATIONS)} to {STATE_VERSION}"
        raise VersionError(f"it has version {version}, and this program knows {known}")
    for number in range(version, STATE_VERSION):
        MIGRATIONS[number](connection)
    connection.execute(update(about).where(about.c.name == "version").values(value=str(STATE_VERSION)))


def state_version(connection: Connection) -> int | None:
    """Return the version of the tables; None if there are no tables."""
    if not inspect(connection).has_table(about.name):
        return None
    return int(connection.scalar(select(about.c.value).where(about.c.name == "version")) or 0)
