from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random
from string import ascii_letters

import pytest
from sqlalchemy import Connection, select, update

from tests.state.knowledge import (
    BEGUN,
    DAY,
    HARVESTED,
    LASTMOD,
    harvest,
    list_in,
    locs,
    see,
    sitemap_of,
)
from woo_harvester.sitemaps.decide import Depth, KnownDocument
from woo_harvester.state import documents, listings, schema
from woo_harvester.state.deliveries import Harvested, KnownFile
from woo_harvester.state.documents import NO_FAULT, DocumentFault, confirm_harvested, confirm_withdrawn
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import documents as table
from woo_harvester.state.sql import BATCH
from woo_harvester.utils.urls import LOC_MAXLENGTH

LOC = "https://a.nl/d.pdf"


def row_of(connection: Connection, key: int) -> dict[str, object]:
    return dict(connection.execute(select(table).where(table.c.id == key)).one()._mapping)


def test_what_was_seen_first_is_known_and_does_not_count_as_harvested(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    known = documents.add_seen(connection, [LOC], sitemap)
    assert known == {LOC: KnownDocument(LOC, known[LOC].id, sitemap, None, None, None, None, None)}


def test_a_location_that_another_run_has_just_seen_stays_as_that_noted_it(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = see(connection, sitemap, [LOC])
    assert see(connection, other, [LOC, *locs(1)])[0] == key
    assert row_of(connection, key)["sitemap_id"] == sitemap


def test_only_locations_that_are_known_to_the_letter_are_found(connection: Connection) -> None:
    chance = Random(1)
    longest = "https://a.nl/" + "".join(chance.choice(ascii_letters) for _ in range(LOC_MAXLENGTH - 13))
    see(connection, sitemap_of(connection), [*locs(3), longest])
    others = (
        "https://a.nl/D/0.pdf",
        "https://a.nl/d/0.pdf ",
        "https://a.nl/\0.pdf",
        "https://a.nl/nieuw.pdf",
    )
    assert documents.look_up(connection, [*locs(2), longest, *others]).keys() == {*locs(2), longest}


def test_only_what_is_published_and_not_missing_is_passed_over_by_its_digest(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    published, withdrawn, missing, moved, without = harvest(connection, sitemap, locs(5))
    (seen,) = see(connection, sitemap, [LOC])
    digests = {key: bytes([key]) * 12 for key in (published, withdrawn, missing, moved, seen)}
    documents.keep_digests(connection, digests)
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    documents.move(connection, [moved], other)
    listings.missed(connection, 1, {sitemap}, {sitemap: [missing]}, BEGUN)
    before = documents.before(connection, sitemap)
    assert before.same == {digests[published]: published}
    assert sorted(before.others) == sorted([withdrawn, missing, moved, without, seen])
    assert before.is_all
    list_in(connection, other, [without])
    assert documents.before(connection, other).others == [without], "what it listed itself"
    monkeypatch.setattr(documents, "SAME_MAX", 5)
    assert documents.before(connection, sitemap) == documents.Before({}, [], is_all=False)


def test_more_than_a_batch_is_handled_completely(connection: Connection) -> None:
    many = locs(2 * BATCH + 1)
    keys = harvest(connection, sitemap_of(connection), many)
    assert documents.look_up(connection, many).keys() == set(many)
    documents.forget(connection, keys[1:])
    documents.forget(connection, [])
    assert list(documents.look_up(connection, many)) == many[:1]
    assert connection.execute(select(schema.listings.c.document_id)).scalars().all() == keys[:1]


def test_a_version_replaces_that_of_another_sitemap_or_of_none(connection: Connection) -> None:
    before, after = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (known,) = harvest(connection, before, locs(1))
    (new,) = see(connection, before, ["https://a.nl/nieuw.pdf"])
    for versions, replaced in ((((known, after),), {before}), (((known, before), (new, after)), set())):
        assert documents.other_sources(connection, dict(versions)) == replaced
    documents.move(connection, [known], after)
    assert row_of(connection, known)["sitemap_id"] == after


def test_the_documents_of_each_host_are_counted_whatever_is_known_of_them(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(3))
    confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED))
    see(connection, sitemap_of(connection, name="s1.xml"), [LOC])
    see(connection, sitemap_of(connection, "b.nl"), locs(1, "b.nl"))
    host_of_state(connection, "leeg.nl")
    assert documents.count_by_host(connection) == {"a.nl": 4, "b.nl": 1}


CODE = "document.html-pagina"


def refuse(connection: Connection, key: int, at: int = HARVESTED, code: str = CODE) -> None:
    version = Harvested(key, LASTMOD, DAY, at, sitemap_of(connection), depth=Depth.FILE)
    documents.keep_fault(connection, version, code, "<html>", at=at, refused=True)


def fail(connection: Connection, key: int, at: int) -> None:
    """Note that a document could not be fetched."""
    version = Harvested(key, LASTMOD, DAY, at, sitemap_of(connection))
    documents.keep_fault(connection, version, "document.onbereikbaar", None, at=at, refused=False)


def test_a_fault_comes_with_its_first_moment_and_the_first_refusal_is_asked_for_first(
    connection: Connection,
) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    one, two, failed = see(connection, sitemap, locs(3))
    fail(connection, failed, 1)
    assert documents.first_refused(connection, sitemap) is None
    refuse(connection, two, HARVESTED)
    refuse(connection, one, HARVESTED + 1)
    refuse(connection, two, HARVESTED + 9, "document.te-groot")
    assert documents.faults_of(connection, sitemap) == [
        DocumentFault(locs(2)[0], CODE, "<html>", HARVESTED + 1),
        DocumentFault(locs(2)[1], "document.te-groot", "<html>", HARVESTED),
        DocumentFault(locs(3)[2], "document.onbereikbaar", None, 1),
    ]
    assert documents.first_refused(connection, sitemap) == HARVESTED + 1
    assert (documents.faults_of(connection, other), documents.first_refused(connection, other)) == ([], None)


def test_a_document_that_could_not_be_fetched_is_not_refused_any_more(connection: Connection) -> None:
    never, refused = see(connection, sitemap_of(connection), locs(2))
    refuse(connection, refused)
    for key in (never, refused):
        fail(connection, key, 5)
    for loc, since in zip(locs(2), (5, HARVESTED), strict=True):
        known = documents.look_up(connection, [loc])[loc]
        assert (known.fault, known.fault_since) == ("document.onbereikbaar", since)
        assert (known.refused_at, known.refused_lastmod) == (None, None)


def test_what_an_output_has_durably_is_harvested(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = see(connection, sitemap, [LOC])
    connection.execute(update(table).values(again=True))
    size, name, pages = 2**40, "be\ufffdsluit.pdf", 2**40
    file = KnownFile(b"s" * 32, 'ETag: "e"', size, "application/pdf", "be\0sluit.pdf", pages, 1_700_000_050)
    version = Harvested(
        key, LASTMOD, DAY, HARVESTED, sitemap, b"d" * 16, file, cause="wijziging", number=2, depth=Depth.FILE
    )
    confirm_harvested(connection, [version])
    assert row_of(connection, key) == {
        "id": key,
        "loc": LOC,
        "sitemap_id": sitemap,
        "lastmod": LASTMOD,
        "published": DAY,
        "harvested": HARVESTED,
        "withdrawn": None,
        "entry_digest": b"d" * 16,
        "sha256": b"s" * 32,
        "validator": 'ETag: "e"',
        "size": size,
        "media_type": "application/pdf",
        "file_name": name,
        "pages": pages,
        "fetched_at": 1_700_000_050,
        "again": None,
        "cause": "wijziging",
        "number": 2,
        "depth": Depth.FILE,
        **NO_FAULT,
    }
    assert documents.files_of(connection, [key]) == {key: replace(file, file_name=name)}
    connection.execute(update(table).values(again=True))
    confirm_withdrawn(connection, {key: HARVESTED})
    assert row_of(connection, key)["again"] is None


def test_a_conditional_request_needs_one_validator() -> None:
    given = (None, 'ETag: "a: b"', "Last-Modified: Tue, 02 Apr 2024 08:00:00 GMT")
    found = [(one.etag, one.last_modified) for one in map(partial(KnownFile, b""), given)]
    assert found == [(None, None), ('"a: b"', None), (None, "Tue, 02 Apr 2024 08:00:00 GMT")]


def test_what_is_due_is_not_skipped_by_its_digest(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    same, faulty, marked, less = harvest(connection, sitemap, locs(4))
    documents.keep_digests(connection, {key: bytes([key]) for key in (same, faulty, marked, less)})
    refuse(connection, faulty)
    for key, values in ((marked, {"again": True}), (less, {"depth": None}), (same, {"depth": Depth.FILE})):
        connection.execute(update(table).where(table.c.id == key).values(values))
    found = [documents.before(connection, sitemap, wanted) for wanted in (Depth.NONE, Depth.FILE, Depth.TEXT)]
    assert [set(one.same.values()) for one in found] == [{same, less}, {same}, set()]
    assert [sorted(one.others) for one in found][:2] == [[faulty, marked], [faulty, marked, less]]


def test_a_withdrawal_keeps_what_is_known_and_a_harvest_ends_it(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = harvest(connection, sitemap, [LOC])
    confirm_withdrawn(connection, {key: HARVESTED + 5})
    row = row_of(connection, key)
    assert (row["withdrawn"], row["lastmod"], row["published"]) == (HARVESTED + 5, LASTMOD, DAY)
    confirm_harvested(connection, [Harvested(key, LASTMOD + 1, DAY, HARVESTED + 9, sitemap)])
    row = row_of(connection, key)
    assert (row["withdrawn"], row["lastmod"], row["harvested"]) == (None, LASTMOD + 1, HARVESTED + 9)


def test_a_harvest_a_withdrawal_and_an_unchanged_entry_remove_a_fault(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(3))
    for key in keys:
        refuse(connection, key)
    confirm_harvested(connection, [Harvested(keys[0], LASTMOD, DAY, HARVESTED, sitemap)])
    confirm_withdrawn(connection, {keys[1]: HARVESTED})
    documents.end_faults(connection, [keys[2]])
    assert documents.faults_of(connection, sitemap) == []
    assert {known.refused_at for known in documents.look_up(connection, locs(3)).values()} == {None}


def test_a_refused_version_belongs_to_the_sitemap_of_its_entry(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = see(connection, sitemap, locs(1))
    version = Harvested(key, LASTMOD, DAY, HARVESTED, other)
    documents.keep_fault(connection, version, CODE, None, at=HARVESTED, refused=True)
    assert [one.loc for one in documents.faults_of(connection, other)] == locs(1)
    assert documents.faults_of(connection, sitemap) == []
    known = documents.look_up(connection, locs(1))[locs(1)[0]]
    assert (known.published, known.refused_lastmod, known.harvested) == (DAY, LASTMOD, None)
