"""The tables of the state."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    event,
)

metadata = MetaData()

#: Version of the tables; it goes up with each change of them. An older state is migrated or refused.
STATE_VERSION = 9

#: Type of primary keys. SQLite numbers rows by itself only if the type is named INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")

#: The number of complete reads that a document needs after a confirmation: no more than it has.
CONFIRMED = 0

#: Number of the advisory lock that guards the creation of tables in PostgreSQL.
PREPARING = 7_796_330


class Seconds(BigInteger):
    """A moment, in seconds since 1970."""


class Microseconds(BigInteger):
    """A moment, in microseconds since 1970."""


class GivenText(TypeDecorator[str]):
    """Text from a publisher. PostgreSQL cannot store NUL, so U+FFFD (replacement character) replaces it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> str | None:
        """Return the text to store."""
        return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value


#: The version of the tables.
about = Table(
    "about",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("value", Text, nullable=False),
)

hosts = Table(
    "hosts",
    metadata,
    Column("id", Key, primary_key=True),
    Column("host", Text, unique=True, nullable=False),
    # End of the last complete read, in seconds since 1970.
    Column("complete_at", Seconds),
    # Start of the run that last read it completely, in microseconds since 1970.
    Column("begun_at", Microseconds),
    # Whether the last read was complete. False from the start of a read, so also if it was killed.
    Column("complete", Boolean, nullable=False, default=False),
    # Whether a run over the register found that it does not have the host. Null means no.
    Column("unregistered", Boolean),
)

#: robots.txt, indexes and sitemaps, with what a conditional request needs.
resources = Table(
    "resources",
    metadata,
    Column("id", Key, primary_key=True),
    Column("host_id", ForeignKey("hosts.id"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("kind", String(10), nullable=False),
    # URL of the index that lists a sitemap; null for other kinds.
    Column("index_url", Text),
    Column("etag", Text),
    Column("last_modified", Text),
    # SHA-256 of the bytes at the last complete read of which every document was delivered.
    Column("digest", LargeBinary),
    # Moment of that read, in seconds since 1970.
    Column("read_at", Seconds),
    # Compressed bytes of a robots.txt or an index, for when the server answers 304.
    Column("content", LargeBinary),
    # Of a sitemap: how much of its documents the run of that read delivered, a Depth.
    Column("depth", Integer),
    UniqueConstraint("url", "host_id"),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Key, primary_key=True),
    Column("loc", Text, unique=True, nullable=False),
    # The sitemap whose entry counts: that of the version that was harvested or refused last, else the first
    # that listed the document. It gives the index and the host.
    Column("sitemap_id", ForeignKey("resources.id"), nullable=False, index=True),
    # Microseconds since 1970: moments are compared, not notations.
    Column("lastmod", Microseconds),
    # The openbaarmakingsdatum, YYYY-MM-DD: it stays the same in later versions.
    Column("published", String(10)),
    # The moment of the version's first record in seconds since 1970; null until an output has it durably.
    Column("harvested", Seconds),
    # Seconds since 1970; null while the document is published.
    Column("withdrawn", Seconds),
    # Digest of the bytes of the entry that counts. Equal bytes need no second read.
    Column("entry_digest", LargeBinary),
    # The file, if it was fetched: what a conditional request needs, and what the record says of the file
    # if the server answers that it has not changed.
    Column("sha256", LargeBinary),
    # The header of its response that a conditional request needs: "ETag: ..." or "Last-Modified: ...".
    Column("validator", Text),
    Column("size", BigInteger),
    Column("media_type", GivenText),
    Column("file_name", GivenText),
    Column("pages", BigInteger),
    # When the bytes of the file were last received completely, in seconds since 1970. Null if unknown.
    Column("fetched_at", Seconds),
    # Why the listed version could not be harvested: code of the finding, what was seen, and the first time
    # (seconds since 1970). If it was fetched and refused: when, and its lastmod. Null without a fault.
    Column("fault", String(50)),
    Column("fault_seen", GivenText),
    Column("fault_since", Seconds),
    Column("refused_at", Seconds),
    Column("refused_lastmod", Microseconds),
    # Whether an operator has marked it: it is delivered once more, whatever its lastmod. Null means no.
    Column("again", Boolean),
    # The oorzaak of that version. Null until it is harvested.
    Column("cause", String(13)),
    # Its number, 1 for the first version of the document. Null until one is harvested.
    Column("number", Integer),
    # How much of it was requested when it was delivered or refused last, a Depth. Null means nothing.
    Column("depth", Integer),
)


@event.listens_for(documents, "after_create")
def _set_fillfactor(table: Table, connection: Connection, **_: object) -> None:
    """Leave space on each page of PostgreSQL for the longer, second version of a row.

    A row is written when its document is first seen, and again when the document is harvested. If the second
    version fits on the same page, PostgreSQL does not have to update the indexes.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ALTER TABLE {table.name} SET (fillfactor = 35)")


def partial_index(name: str, column: Column[Any], which: ColumnElement[bool]) -> Index:
    """Return an index of the few rows that meet the condition *which*; the table of *column* has it."""
    return Index(name, column, sqlite_where=which, postgresql_where=which)


# Few documents have a fault, and each run reports those of a sitemap.
partial_index("documents_faults", documents.c.sitemap_id, documents.c.fault.is_not(None))

#: Which sitemaps list which documents, as far as is known: a row for each document in each sitemap.
listings = Table(
    "listings",
    metadata,
    Column("sitemap_id", ForeignKey("resources.id"), primary_key=True),
    # Not a foreign key: a run on another host may forget a document at the moment that this run adds a row.
    Column("document_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    # Complete reads of the host in a row that lacked the document; 0 if the last one listed it.
    Column("misses", Integer, nullable=False, default=0),
    # How many are needed before it is gone: 1, or WOO_WITHDRAW_RUNS if it may be missing by a mistake, unless
    # it is CONFIRMED. Null while it is listed.
    Column("needed", Integer),
    # Start of the run that first found it missing, in microseconds since 1970. Null while it is listed.
    Column("missing_since", Microseconds),
    # Whether another entry counted for the document when the sitemap was read last.
    Column("passed_over", Boolean, nullable=False, default=False),
    sqlite_with_rowid=False,
)

# Few documents are missing, and few are listed more than once.
partial_index("listings_missing", listings.c.sitemap_id, listings.c.misses > 0)
partial_index("listings_passed_over", listings.c.sitemap_id, listings.c.passed_over)

#: Files of runs that go on or have died. A run writes only to files that it has made itself.
outputs = Table(
    "outputs",
    metadata,
    # The machine that has the file. Empty for an SQLite state, which is on the same machine.
    Column("node", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    # How many of its bytes are durable. What a run that died wrote after them is cut off.
    Column("durable", BigInteger, nullable=False),
    # The file to which it is added when the run ends. Null if it stays, or takes the place of another one.
    Column("target", Text),
    # Its format if it has a record a line, else empty.
    Column("form", Text, nullable=False),
    # How many bytes the target had when the run began to add to it. Null until then.
    Column("base", BigInteger),
)

#: Owners of the locks of runs on several machines, for people to read. The locks themselves are advisory
#: locks of the database server. It releases those of a killed run, while the rows of that run stay here.
locks = Table(
    "locks",
    metadata,
    # A host, or the entry pages of one.
    Column("name", Text, primary_key=True),
    # Number of the advisory lock.
    Column("key", BigInteger, nullable=False),
    Column("owner", Text, nullable=False),
    # When the run locked it, and the run's last heartbeat, in seconds since 1970.
    Column("since", Seconds, nullable=False),
    Column("beat", Seconds, nullable=False),
)

#: Requests of other projects' spiders that gave an item: the state of scrapy-deltafetch, by its own keys.
visited = Table(
    "visited",
    metadata,
    Column("spider", Text, primary_key=True),
    Column("key", LargeBinary, primary_key=True),
    Column("at", Seconds, nullable=False),
)
