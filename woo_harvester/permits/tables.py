"""The tables of permits in the state."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from woo_harvester.state.schema import GivenText, Key, Seconds, metadata, partial_index

#: Entry pages of permits: a directory listing or a page with links.
permit_entries = Table(
    "permit_entries",
    metadata,
    Column("id", Key, primary_key=True),
    Column("url", Text, unique=True, nullable=False),
    Column("host", Text, nullable=False, index=True),
    # The organisation that an operator named for it last; null if no operator did.
    Column("organisation", GivenText),
    # In seconds since 1970: its first and last complete read, and when one last lacked an earlier file.
    Column("complete_since", Seconds),
    Column("complete_at", Seconds),
    Column("gone_at", Seconds),
)

#: Permit files that were read, valid or not, and what a later run compares to see whether they are new.
permit_files = Table(
    "permit_files",
    metadata,
    Column("id", Key, primary_key=True),
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
    # In seconds since 1970: when it was first read; since when its page does not list it.
    Column("first_seen", Seconds),
    Column("gone_at", Seconds),
    UniqueConstraint("url", "entry_id"),
)

#: Valid messages as JSON that were read and whose records no output has durably yet.
permit_messages = Table(
    "permit_messages",
    metadata,
    Column("id", Key, primary_key=True),
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
    Column("id", Key, primary_key=True),
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
permit_ends = partial_index("permit_cases_ends", permit_cases.c.ends, permit_cases.c.ends.is_not(None))

#: All of them.
TABLES = (permit_entries, permit_files, permit_messages, permit_cases)
