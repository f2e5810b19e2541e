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

#: SQLite numbers rows by itself only where the key is called INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")

#: The lock of whoever makes or changes the tables of a PostgreSQL database.
PREPARING = 7_796_330


class GivenText(TypeDecorator[str]):
    """Text that a publisher gave; PostgreSQL has no place for NUL, kept as the sign for "unknown"."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> str | None:
        """What is kept."""
        return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value


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
    # Seconds since 1970; the end of the last complete read.
    Column("complete_at", BigInteger),
    # Microseconds since 1970; the begin of the run that read it completely.
    Column("begun_at", BigInteger),
    # Whether the read that began last was complete: false from its begin on, so also where it was killed.
    Column("complete", Boolean, nullable=False, default=False),
    # Whether that read lacked so much at once that it may be a mistake.
    Column("massive", Boolean, nullable=False, default=False),
)

#: robots.txt, indexes and sitemaps, with what a conditional request needs.
resources = Table(
    "resources",
    metadata,
    Column("id", Key, primary_key=True),
    Column("host_id", ForeignKey("hosts.id"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("kind", String(10), nullable=False),
    # Of a sitemap: the index that lists it.
    Column("index_url", Text),
    Column("etag", Text),
    Column("last_modified", Text),
    # SHA-256 of the bytes at the last complete read, all documents of which are confirmed.
    Column("digest", LargeBinary),
    # Seconds since 1970; of that read.
    Column("read_at", BigInteger),
    # Of robots.txt and an index: the bytes themselves, compressed, for when the server answers 304.
    Column("content", LargeBinary),
    UniqueConstraint("url", "host_id"),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Key, primary_key=True),
    Column("loc", Text, unique=True, nullable=False),
    # The sitemap whose entry counts: that of the version that was harvested or refused last, else the one
    # that listed it first. By that its index and host.
    Column("sitemap_id", ForeignKey("resources.id"), nullable=False, index=True),
    # Microseconds since 1970: equality is of moments, not of notations.
    Column("lastmod", BigInteger),
    # Seconds since 1970.
    Column("first_seen", BigInteger, nullable=False),
    # The openbaarmakingsdatum, YYYY-MM-DD: it stays the same in later versions.
    Column("published", String(10)),
    # Seconds since 1970; null as long as no output has the document durably.
    Column("harvested", BigInteger),
    # Seconds since 1970; null while the document is published.
    Column("withdrawn", BigInteger),
    # Of the entry's bytes, when the full reader last read them: equal bytes need no reading.
    Column("entry_digest", LargeBinary),
    # Of the file, where it was fetched: what a conditional request needs, and what its record says of it
    # when the server answers that it has not changed.
    Column("sha256", LargeBinary),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("size", BigInteger),
    Column("media_type", GivenText),
    Column("file_name", GivenText),
    Column("pages", BigInteger),
    # Seconds since 1970; when the bytes of the file were last received completely. Null where unknown.
    Column("fetched_at", BigInteger),
    # Seconds since 1970; when the server first answered since then that the file is the same, although the
    # lastmod was newer. Null where it did not.
    Column("unchanged_since", BigInteger),
    # Why the version that is listed could not be harvested: the code of the finding and what was seen;
    # seconds since 1970 of the first time; where it was fetched and refused the moment of that, and the
    # lastmod that it had. Null where nothing is wrong.
    Column("fault", String(50)),
    Column("fault_seen", GivenText),
    Column("fault_since", BigInteger),
    Column("refused_at", BigInteger),
    Column("refused_lastmod", BigInteger),
    # Number of the host whose run delivers the withdrawal: so that no other run does so too.
    Column("withdrawing", BigInteger),
    # Withdrawn by mistake: to be delivered again if it is listed, whatever its lastmod. Null for no.
    Column("restore", Boolean),
)


@event.listens_for(documents, "after_create")
def _leave_room(table: Table, connection: Connection, **_: object) -> None:
    """A row is written when its document is first seen, and again, longer, when that is harvested.

    PostgreSQL keeps the second version on the same page where there is room, and then writes no index again.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ALTER TABLE {table.name} SET (fillfactor = 35)")


def _index_of(name: str, column: Column[Any], which: ColumnElement[bool]) -> Index:
    """Return an index of the rows for which a condition holds, where these are few."""
    return Index(name, column, sqlite_where=which, postgresql_where=which)


#: Few documents have a fault, and those of a sitemap are reported in each run.
faults = _index_of("documents_faults", documents.c.sitemap_id, documents.c.fault.is_not(None))

#: Few withdrawals are on their way, and each run looks for those that an earlier one left.
withdrawing = _index_of(
    "documents_withdrawing", documents.c.withdrawing, documents.c.withdrawing.is_not(None)
)

#: Which sitemaps list which documents, as far as is known: a row for each document of a sitemap.
listings = Table(
    "listings",
    metadata,
    Column("sitemap_id", ForeignKey("resources.id"), primary_key=True),
    # No foreign key: a run on another host may forget a document while this one begins to list it.
    Column("document_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    # Complete reads of the host in a row that lacked the document; 0 where it was listed last time.
    Column("misses", Integer, nullable=False, default=0),
    # Microseconds since 1970; the begin of the run that found it missing first. Null where it was listed.
    Column("missing_since", BigInteger),
    # Whether the entry is of another organisation's document.
    Column("foreign", Boolean, nullable=False, default=False),
    # Of such an entry: its lastmod, in microseconds since 1970.
    Column("lastmod", BigInteger),
    sqlite_with_rowid=False,
)

#: Few documents are missing, and few are of others.
missing = _index_of("listings_missing", listings.c.sitemap_id, listings.c.misses > 0)
foreign = _index_of("listings_foreign", listings.c.sitemap_id, listings.c.foreign)

#: Few documents wait for a request that is not conditional; each run looks for those that are due.
rechecks = _index_of("documents_rechecks", documents.c.sitemap_id, documents.c.unchanged_since.is_not(None))

#: Files that records are appended to: up to where they are durable, and whether their run closed them.
outputs = Table(
    "outputs",
    metadata,
    # The machine that has the file; empty for a state in a file, which moves with it.
    Column("node", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("durable", BigInteger, nullable=False),
    Column("closed", Boolean, nullable=False),
)

#: Whose the locks are that runs on several machines hold, for people to see: the locks themselves are the
#: database server's, and those of a run that was killed are given back while its rows still stand here.
locks = Table(
    "locks",
    metadata,
    # A host, or the node and path of an output.
    Column("name", Text, primary_key=True),
    # By which the server knows the lock.
    Column("key", BigInteger, nullable=False),
    Column("owner", Text, nullable=False),
    # Seconds since 1970: when it was taken, and when the run showed last that it goes on.
    Column("since", BigInteger, nullable=False),
    Column("beat", BigInteger, nullable=False),
)

#: What other spiders' requests gave an item for: the state of scrapy-deltafetch, for its own keys.
visited = Table(
    "visited",
    metadata,
    Column("spider", Text, primary_key=True),
    Column("key", LargeBinary, primary_key=True),
    Column("at", BigInteger, nullable=False),
)

#: Entry pages of permits: a directory listing or a page with links.
permit_entries = Table(
    "permit_entries",
    metadata,
    Column("id", Key, primary_key=True),
    Column("url", Text, unique=True, nullable=False),
    Column("host", Text, nullable=False, index=True),
)

#: Files that were read, valid or not, with what tells whether they are new.
permit_files = Table(
    "permit_files",
    metadata,
    Column("id", Key, primary_key=True),
    Column("entry_id", ForeignKey("permit_entries.id"), nullable=False),
    Column("url", Text, nullable=False),
    # SHA-256 of the content.
    Column("digest", LargeBinary, nullable=False),
    # By the listing, as it tells it; whether that was the moment of the request.
    Column("date", String(40)),
    Column("now", Boolean, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    # Seconds since 1970; when it was fetched.
    Column("read_at", BigInteger, nullable=False),
    # Of an invalid file: its findings as JSON, and since when it is invalid, in seconds since 1970.
    Column("faults", Text),
    Column("faults_since", BigInteger),
    # Of a file whose message was refused, since the case is another organisation's: the message as JSON.
    Column("refused", Text),
    UniqueConstraint("url", "entry_id"),
)

#: Valid messages that were read and whose effect no output has durably yet, as JSON.
permit_messages = Table(
    "permit_messages",
    metadata,
    Column("id", Key, primary_key=True),
    Column("entry_id", ForeignKey("permit_entries.id"), nullable=False, index=True),
    Column("identifier", Text, nullable=False, index=True),
    # URL of the case, where the message tells it.
    Column("case_url", Text, index=True),
    Column("data", Text, nullable=False),
    # Number of the batch that it was applied in, which is the id of one of its messages; null until then.
    Column("package", BigInteger, index=True),
)

#: What is known of cases and their documents: the message that was applied last, as JSON. Two organisations
#: may each have a row about one identifier.
permit_cases = Table(
    "permit_cases",
    metadata,
    Column("id", Key, primary_key=True),
    # Whose message it is.
    Column("entry_id", ForeignKey("permit_entries.id"), nullable=False, index=True),
    Column("kind", String(10), nullable=False),
    Column("identifier", Text, nullable=False, index=True),
    Column("case_url", Text, index=True),
    Column("data", Text, nullable=False),
    # Number of the batch whose records must be durable before this row replaces another one.
    Column("package", BigInteger, index=True),
)
