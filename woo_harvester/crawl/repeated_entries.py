"""Reads and writes what is known of documents that a host lists more than once.

Few documents are; each of the others costs one bit. What decides is in
:mod:`~woo_harvester.sitemaps.facts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import Connection

from woo_harvester.crawl.host import SitemapReading, Visit
from woo_harvester.diwoo.defaults import CATEGORY_FIELD, fields_of, pack, supplement, unpack
from woo_harvester.diwoo.given import GivenMetadata, metadata_of
from woo_harvester.items import Source
from woo_harvester.sitemaps.facts import (
    NOT_LISTED,
    Decision,
    EntryFacts,
    EntryOutcome,
    KnownDocument,
    OtherEntry,
    newest_first,
)
from woo_harvester.sitemaps.robots import index_name
from woo_harvester.state import repeated
from woo_harvester.state.repeated import ENTRIES_MAX, Key, StoredEntry
from woo_harvester.tooi.lists import category_by_number

StoredMetadata = Mapping[Key, bytes | None]
"""The metadata of entries as the state has them; None for an entry whose metadata are too large for it."""

_Known = Sequence[tuple[EntryFacts, KnownDocument]]


def begin_visit(connection: Connection, visit: Visit) -> None:
    """Note in *visit* the sitemaps of its host, and which documents it listed more than once."""
    sitemaps, repeatedly = repeated.sitemaps_and_documents(connection, visit.known.id)
    visit.own_sitemaps.update(sitemaps)
    for document_id in repeatedly:
        visit.repeated.add(document_id)


def add_others(
    connection: Connection, facts: Iterable[EntryFacts], reading: SitemapReading, now: datetime
) -> None:
    """Add to each entry of a batch the other entries of the host for its document."""
    known = [(one, one.known) for one in facts if one.known is not None and one.is_registered]
    for one, document in known:
        one.place = reading.place(document.id)
    _add_sources(connection, known, reading)
    counts, visit = Counter(document.id for _, document in known), reading.visit
    if len(counts) == len(known) and not visit.repeated:  # nearly always
        return
    asked = [
        (one, document)
        for one, document in known
        if counts[document.id] > 1 or (visit.repeated and document.id in visit.repeated)
    ]
    if not asked:
        return
    stored = repeated.find(connection, visit.known.id, sorted({document.id for _, document in asked}))
    for one, document in asked:
        one.fields = fields_of(metadata_of(one.entry)) | _field_of(reading.sitemap.index.url)
        for entry in stored.get(document.id, []):
            if entry.key == (reading.sitemap_id, one.place):
                one.stored = entry
    _add_entries(asked, stored, reading, now)


def keep_entries(
    connection: Connection,
    decided: Iterable[tuple[EntryFacts, Decision]],
    reading: SitemapReading,
    now: datetime,
) -> None:
    """Keep what each entry gives of a document that the host lists more than once."""
    rows: list[StoredEntry] = []
    ids = reading.visit.repeated
    for facts, decision in decided:
        known, outcome, stored = facts.known, decision.outcome, facts.stored
        is_repeated = outcome is EntryOutcome.DUPLICATE or facts.beside or (ids and known and known.id in ids)
        does_not_count = facts.is_left_to_owner or outcome is EntryOutcome.FOREIGN or outcome in NOT_LISTED
        if known is None or not is_repeated or does_not_count:
            continue
        ids.add(known.id)
        is_full = stored is None and len(facts.others) >= ENTRIES_MAX
        is_stored = stored is not None and facts.digest is not None and stored.digest == facts.digest
        if not is_full and not is_stored:
            rows.append(_row(facts, known.id, reading, now))
    repeated.keep(connection, rows)


def stored_metadata(connection: Connection, facts: EntryFacts) -> StoredMetadata:
    """Return the metadata of other entries for the same document that only the state has."""
    if not facts.has_others or facts.known is None:  # nearly always
        return {}
    keys = [Key(one.sitemap_id, facts.known.id, one.place) for one in facts.others if one.entry is None]
    return {key: repeated.metadata_of(connection, key) for key in keys}


def add_supplements(facts: EntryFacts, stored: StoredMetadata, source: Source) -> int | None:
    """Add to *source* what only other entries give; return these fields, None if there are none.

    *stored* has the metadata of those that only the state has. The newest of the other entries comes first.
    Metadata with a category come before the name of an index.
    """
    if not facts.has_others:  # nearly always
        return None
    given = facts.fields
    for other in newest_first((*facts.beside, *facts.others)):
        missing = other.fields & ~given
        if not missing or facts.known is None:
            continue
        metadata = _metadata_of(other, stored.get(Key(other.sitemap_id, facts.known.id, other.place)))
        if not missing & CATEGORY_FIELD:
            metadata = replace(metadata, informatiecategorieen=[])
        elif not metadata.informatiecategorieen:
            number = index_name(other.index_url or "").number
            source.category = category_by_number(number, source.lists.informatiecategorieen)
        source.given = supplement(source.given, metadata)
        given |= missing
    return given & ~facts.fields or None


def end_sitemap(connection: Connection, reading: SitemapReading, lacking: Collection[int]) -> None:
    """Forget the entries that a completely read sitemap no longer has; it is *lacking* these documents."""
    visit = reading.visit
    if not visit.repeated or visit.is_second:
        return
    gone = [document_id for document_id in lacking if document_id in visit.repeated]
    once = reading.placed_again.lacks(repeated.listed_twice(connection, reading.sitemap_id))
    keys = [Key(reading.sitemap_id, document_id, place) for document_id in gone for place in (0, 1)]
    keys += [Key(reading.sitemap_id, document_id, 1) for document_id in once]
    repeated.forget(connection, set(keys))


def end_visit(connection: Connection, visit: Visit) -> None:
    """Forget what a completely read host no longer lists more than once."""
    if visit.repeated:
        repeated.forget_unlisted(connection, visit.known.id, visit.read)


def _add_sources(connection: Connection, known: _Known, reading: SitemapReading) -> None:
    """Add the sitemap of the known version, if that is another one of the host that lists the document."""
    visit = reading.visit
    elsewhere = [
        (one, document)
        for one, document in known
        if document.sitemap_id != reading.sitemap_id and document.sitemap_id in visit.own_sitemaps
    ]
    if not elsewhere:
        return
    urls = repeated.sources(connection, [document.id for _, document in elsewhere])
    for one, document in elsewhere:
        # A sitemap that was read in this run lists what it listed then, whatever the state has of it.
        if document.sitemap_id not in visit.lacking or document.id in visit.listed:
            one.source_url = urls.get(document.id)


def _add_entries(
    asked: _Known, stored: Mapping[int, list[OtherEntry]], reading: SitemapReading, now: datetime
) -> None:
    """Add the newest entries of the same batch, and those in the state that are not in the batch."""
    batch: dict[int, list[OtherEntry]] = {}
    for one, document in asked:
        batch.setdefault(document.id, []).append(_other(one, reading, now))
    newest = {document_id: newest_first(entries)[:ENTRIES_MAX] for document_id, entries in batch.items()}
    for one, document in asked:
        one.beside = [entry for entry in newest[document.id] if entry.entry is not one.entry]
        read = {entry.key for entry in batch[document.id]}
        one.others = [entry for entry in stored.get(document.id, []) if entry.key not in read]


def _other(facts: EntryFacts, reading: SitemapReading, now: datetime) -> OtherEntry:
    """Return an entry as the other entries of its document see it."""
    return OtherEntry(
        sitemap_id=reading.sitemap_id,
        place=facts.place,
        url=reading.sitemap.url,
        index_url=reading.sitemap.index.url,
        lastmod=facts.lastmod,
        first_read=int(facts.first_read(now).timestamp()),
        fields=facts.fields,
        digest=facts.digest,
        entry=facts.entry,
    )


def _row(facts: EntryFacts, document_id: int, reading: SitemapReading, now: datetime) -> StoredEntry:
    """Return an entry as the state keeps it. Metadata that are too large are left out."""
    entry, given = _other(facts, reading, now), metadata_of(facts.entry)
    packed = pack(given)
    fields = _field_of(entry.index_url) | (fields_of(given) if packed is not None else 0)
    return StoredEntry(
        entry.sitemap_id,
        document_id,
        entry.place,
        entry.lastmod,
        entry.first_read,
        facts.digest,
        fields,
        packed,
    )


def _metadata_of(other: OtherEntry, packed: bytes | None) -> GivenMetadata:
    """Return the metadata of another entry: of this batch, or *packed* as the state has it."""
    if other.entry is not None:
        return metadata_of(other.entry)
    return unpack(packed) if packed is not None else GivenMetadata()


def _field_of(index: str | None) -> int:
    """Return the field that the name of an index gives, as a bit."""
    return CATEGORY_FIELD if index is not None and index_name(index).number is not None else 0
