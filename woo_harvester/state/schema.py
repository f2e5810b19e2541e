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

#: Version of the tables; it goes up with each change of them. A state of another version is refused.
STATE_VERSION = 8

#: Type of primary keys. SQLite numbers rows by itself only if the type is named INTEGER.
_Key = BigInteger().with_variant(Integer, "sqlite")

#: Number of the advisory lock that guards the creation of tables in PostgreSQL.
PREPARING = 7_796_330


class Seconds(BigInteger):
    """A moment, in seconds since 1970."""


class Microseconds(BigInteger):
    """A moment, in microseconds since 1970."""


class _GivenText(TypeDecorator[str]):
    """Text from a publisher. PostgreSQL cannot store NUL, so U+FFFD (replacement character) replaces it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: object) -> str | None:
        """Return the text to store."""
        return value.replace("\0", "\ufffd") if value is not None and "\0" in value else value


#: The version of the tables, and the name of this state.
about = Table(
    "about",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("value", Text, nullable=False),
)

hosts = Table(
    "hosts",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("host", Text, unique=True, nullable=False),
    # End of the last complete read, in seconds since 1970.
    Column("complete_at", Seconds),
    # Start of the run that last read it completely, in microseconds since 1970.
    Column("begun_at", Microseconds),
    # Whether the last read was complete. False from the start of a read, so also if it was killed.
    Column("complete", Boolean, nullable=False, default=False),
    # Number of complete reads. Null means 0.
    Column("reads", Integer),
    # Null if the register has the host. Else the number of complete reads that each other host had when a run
    # first found that it does not: JSON, by the name of the host. Empty if this host has listed nothing.
    Column("unregistered", Text),
)

#: robots.txt, indexes and sitemaps, with what a conditional request needs.
resources = Table(
    "resources",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("host_id", ForeignKey("hosts.id"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("kind", String(10), nullable=False),
    # URL of the index that lists a sitemap; null for other kinds.
    Column("index_url", Text),
    # Whether robots.txt no longer named that index at the last complete read of the host. Null means no.
    Column("index_gone", Boolean),
    Column("etag", Text),
    Column("last_modified", Text),
    # SHA-256 of the bytes at the last complete read of which every document was delivered.
    Column("digest", LargeBinary),
    # Moment of that read, in seconds since 1970.
    Column("read_at", Seconds),
    # Compressed bytes of a robots.txt or an index, for when the server answers 304.
    Column("content", LargeBinary),
    # Of a sitemap: what the run of that read wanted to know of the content of its documents, a number in
    # contents. None of them lacks it.
    Column("wanted", Integer),
    UniqueConstraint("url", "host_id"),
)

#: What is known of the content of documents, and what runs wanted to know, as JSON: see state.contents.
contents = Table(
    "contents",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("description", Text, unique=True, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("loc", Text, unique=True, nullable=False),
    # The sitemap whose entry counts: that of the version that was harvested or refused last, else the first
    # that listed the document. It gives the index and the host.
    Column("sitemap_id", ForeignKey("resources.id"), nullable=False, index=True),
    # Microseconds since 1970: moments are compared, not notations.
    Column("lastmod", Microseconds),
    # Seconds since 1970.
    Column("first_seen", Seconds, nullable=False),
    # The openbaarmakingsdatum, YYYY-MM-DD: it stays the same in later versions.
    Column("published", String(10)),
    # Seconds since 1970; null as long as no output has the document durably.
    Column("harvested", Seconds),
    # Seconds since 1970; null while the document is published.
    Column("withdrawn", Seconds),
    # Digest of the entry's bytes when the full reader last read them. Equal bytes need no second read.
    Column("entry_digest", LargeBinary),
    # The file, if it was fetched: what a conditional request needs, and what the record says of the file
    # if the server answers that it has not changed.
    Column("sha256", LargeBinary),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("size", BigInteger),
    Column("media_type", _GivenText),
    Column("file_name", _GivenText),
    Column("pages", BigInteger),
    # When the bytes of the file were last received completely, in seconds since 1970. Null if unknown.
    Column("fetched_at", Seconds),
    # When the server first answered after that fetch that the file is the same although the lastmod was
    # newer, in seconds since 1970. Null if it did not.
    Column("unchanged_since", Seconds),
    # Why the listed version could not be harvested: code of the finding, what was seen, and the first time
    # (seconds since 1970). If it was fetched and refused: when, and its lastmod. Null without a fault.
    Column("fault", String(50)),
    Column("fault_seen", _GivenText),
    Column("fault_since", Seconds),
    Column("refused_at", Seconds),
    Column("refused_lastmod", Microseconds),
    # Number of the host whose run delivers the withdrawal, so that no other run delivers it too.
    Column("withdrawing", BigInteger),
    # Whether it was withdrawn by mistake: if listed, it is delivered again at any lastmod. Null means no.
    Column("restore", Boolean),
    # The fields that the harvested version has from other entries than the one that counts, a bit for each
    # (see diwoo.supplements). Null means none.
    Column("supplemented", BigInteger),
    # The oorzaak of that version. Null until it is harvested.
    Column("cause", String(13)),
    # Its number, 1 for the first version of the document. Null until one is harvested.
    Column("number", Integer),
    # What is known of its content, a number in contents. Null if nothing is.
    Column("known_content", Integer),
    # When the version was delivered again with content that its record lacked, in seconds since 1970.
    Column("supplied_at", Seconds),
    # If a version was fetched and refused: what the run wanted to know of its content, a number in contents.
    Column("refused_with", Integer),
)


@event.listens_for(documents, "after_create")
def _set_fillfactor(table: Table, connection: Connection, **_: object) -> None:
    """Leave space on each page of PostgreSQL for the longer, second version of a row.

    A row is written when its document is first seen, and again when the document is harvested. If the second
    version fits on the same page, PostgreSQL does not have to update the indexes.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ALTER TABLE {table.name} SET (fillfactor = 35)")


def _partial_index(name: str, column: Column[Any], which: ColumnElement[bool]) -> Index:
    """Return an index of the few rows that meet the condition *which*; the table of *column* has it."""
    return Index(name, column, sqlite_where=which, postgresql_where=which)


# Few documents have a fault, and each run reports those of a sitemap.
_partial_index("documents_faults", documents.c.sitemap_id, documents.c.fault.is_not(None))

#: Few withdrawals are on their way, and each run looks for those that an earlier run left.
withdrawing = _partial_index(
    "documents_withdrawing", documents.c.withdrawing, documents.c.withdrawing.is_not(None)
)

#: Which sitemaps list which documents, as far as is known: a row for each document in each sitemap.
listings = Table(
    "listings",
    metadata,
    Column("sitemap_id", ForeignKey("resources.id"), primary_key=True),
    # Not a foreign key: a run on another host may forget a document at the moment that this run adds a row.
    Column("document_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    # Complete reads of the host in a row that lacked the document; 0 if the last one listed it.
    Column("misses", Integer, nullable=False, default=0),
    # Start of the run that first found it missing, in microseconds since 1970. If it is listed: null, or for
    # one that is marked as massive, how many complete reads its host had had when it was listed again.
    Column("missing_since", Microseconds),
    # Whether it is missing, or was shortly before, in a way that may be a mistake: the host lacked much at
    # once, or had entries that could not be used. Null means no.
    Column("massive", Boolean),
    # Whether the document is another organisation's.
    Column("foreign", Boolean, nullable=False, default=False),
    # The lastmod of a foreign entry, in microseconds since 1970.
    Column("lastmod", Microseconds),
    sqlite_with_rowid=False,
)

# Few documents are missing, and few are another organisation's.
_partial_index("listings_missing", listings.c.sitemap_id, listings.c.misses > 0)
_partial_index("listings_foreign", listings.c.sitemap_id, listings.c.foreign)

#: Few documents wait for a request that is not conditional, and each run looks for those that are due.
rechecks = _partial_index(
    "documents_rechecks", documents.c.sitemap_id, documents.c.unchanged_since.is_not(None)
)

#: Entries of documents that their host lists more than once: what each of them gives, whichever counts.
repeated = Table(
    "repeated",
    metadata,
    Column("sitemap_id", ForeignKey("resources.id"), primary_key=True),
    # Not a foreign key, for the same reason as in listings.
    Column("document_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    # 0 for the first entry of the document in the sitemap, 1 for a later one.
    Column("place", Integer, primary_key=True, autoincrement=False),
    # The lastmod as given, in microseconds since 1970, and when it was first read, in seconds since 1970.
    Column("lastmod", Microseconds),
    Column("first_read", Seconds, nullable=False),
    # Digest of the entry's bytes; null if the full reader gave it.
    Column("digest", LargeBinary),
    # The fields that it gives, a bit for each, and the metadata as diwoo.supplements packs them.
    Column("fields", BigInteger, nullable=False),
    Column("metadata", LargeBinary),
    sqlite_with_rowid=False,
)

#: Files that records are added to: how many bytes the state knows of, and whether the run closed the file.
outputs = Table(
    "outputs",
    metadata,
    # The machine that has the file. Empty for an SQLite state, which is on the same machine.
    Column("node", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("durable", BigInteger, nullable=False),
    Column("closed", Boolean, nullable=False),
    # Whether the run made the file: after a kill an empty one is removed.
    Column("made", Boolean, nullable=False),
)

#: Owners of the locks of runs on several machines, for people to read. The locks themselves are advisory
#: locks of the database server. It releases those of a killed run, while the rows of that run stay here.
locks = Table(
    "locks",
    metadata,
    # A host, or the node and path of an output.
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

#: Entry pages of permits: a directory listing or a page with links.
permit_entries = Table(
    "permit_entries",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("url", Text, unique=True, nullable=False),
    Column("host", Text, nullable=False, index=True),
    # The organisation that an operator named for it last; null if no operator did.
    Column("organisation", _GivenText),
    # In seconds since 1970: its first and last complete read, and when one last lacked an earlier file.
    Column("complete_since", Seconds),
    Column("complete_at", Seconds),
    Column("gone_at", Seconds),
)

#: Permit files that were read, valid or not, and what a later run compares to see whether they are new.
permit_files = Table(
    "permit_files",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("entry_id", ForeignKey("permit_entries.id"), nullable=False),
    Column("url", Text, nullable=False),
    # SHA-256 of the content.
    Column("digest", LargeBinary, nullable=False),
    # Date of the file in the listing, as written there, and whether that was the moment of the request.
    Column("date", String(40)),
    Column("now", Boolean, nullable=False, default=False),
    Column("etag", Text),
    Column("last_modified", Text),
    # When it was fetched, in seconds since 1970.
    Column("read_at", Seconds, nullable=False),
    # Findings of an invalid file as JSON, and since when it is invalid, in seconds since 1970.
    Column("faults", Text),
    Column("faults_since", Seconds),
    # The message as JSON, if it was refused because the case is another organisation's.
    Column("refused", Text),
    # The case of the last valid message in it, as the key of the case has it. Null if it is not known.
    Column("case_url", Text),
    # In seconds since 1970: its date, if that says something; when it was first read; since when its page
    # does not list it.
    Column("dated_at", Seconds),
    Column("first_seen", Seconds),
    Column("gone_at", Seconds),
    UniqueConstraint("url", "entry_id"),
)

#: Valid messages as JSON that were read and whose records no output has durably yet.
permit_messages = Table(
    "permit_messages",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("entry_id", ForeignKey("permit_entries.id"), nullable=False, index=True),
    Column("identifier", Text, nullable=False, index=True),
    # URL of the case, if the message names it.
    Column("case_url", Text, index=True),
    Column("data", Text, nullable=False),
    # Number of the batch in which it was applied: the id of one of the batch's messages. Null until then.
    Column("batch", BigInteger, index=True),
)

#: What is known of cases and their documents: the message that was applied last, as JSON. Two organisations
#: may each have a row for the same identifier.
permit_cases = Table(
    "permit_cases",
    metadata,
    Column("id", _Key, primary_key=True),
    Column("entry_id", ForeignKey("permit_entries.id"), nullable=False, index=True),
    Column("kind", String(10), nullable=False),
    # URL with https, also if the case has http: see permits.mutations.Key.
    Column("identifier", Text, nullable=False, index=True),
    Column("case_url", Text, index=True),
    # Whether the outputs have a case; false if they had it, null if they never had it or it is a document.
    Column("present", Boolean),
    # Last day of the period of a case that exists, YYYY-MM-DD. Null without one.
    Column("ends", String(10)),
    Column("data", Text, nullable=False),
    # Number of a batch whose records are not durable yet: this row then replaces the one without a number.
    Column("batch", BigInteger, index=True),
)

#: Each run looks for the cases whose period ended long ago.
permit_ends = _partial_index("permit_cases_ends", permit_cases.c.ends, permit_cases.c.ends.is_not(None))
