from __future__ import annotations

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from tests.state.knowledge import DAY, FIRST_SEEN, HARVESTED, LASTMOD, harvest, locs, see, sitemap_of
from woo_harvester.state import documents
from woo_harvester.state.decision import Known
from woo_harvester.state.documents import BATCH, Gone, Harvested, KnownFile
from woo_harvester.state.faults import NO_FAULT
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import documents as table

LOC = "https://a.nl/d.pdf"


def row_of(connection: Connection, key: int) -> dict[str, object]:
    return dict(connection.execute(select(table).where(table.c.id == key)).one()._mapping)


def test_what_was_seen_first_is_known_and_does_not_count_as_harvested(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    known = documents.add_seen(connection, [LOC], sitemap, FIRST_SEEN)
    assert known == {LOC: Known(LOC, known[LOC].id, sitemap, None, None, None, None, None)}
    assert row_of(connection, known[LOC].id)["first_seen"] == FIRST_SEEN


def test_nothing_seen_is_nothing_added(connection: Connection) -> None:
    assert documents.add_seen(connection, [], sitemap_of(connection), FIRST_SEEN) == {}


def test_a_location_is_in_the_state_once(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    see(connection, sitemap, [LOC])
    with pytest.raises(IntegrityError):
        see(connection, sitemap, [LOC])


def test_only_what_is_known_is_found(connection: Connection) -> None:
    see(connection, sitemap_of(connection), locs(3))
    found = documents.look_up(connection, [*locs(2), "https://a.nl/nieuw.pdf"])
    assert found.keys() == set(locs(2))


def test_locations_are_compared_to_the_letter(connection: Connection) -> None:
    see(connection, sitemap_of(connection), ["https://a.nl/Besluit.pdf"])
    assert documents.look_up(connection, ["https://a.nl/besluit.pdf", "https://a.nl/Besluit.pdf "]) == {}


def test_more_than_a_batch_is_looked_up_whole(connection: Connection) -> None:
    see(connection, sitemap_of(connection), locs(2 * BATCH + 1))
    assert len(documents.look_up(connection, locs(2 * BATCH + 1))) == 2 * BATCH + 1


def test_what_an_output_has_durably_is_harvested(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = see(connection, sitemap, [LOC])
    file = KnownFile(b"s" * 32, '"e"', None, 20480, "application/pdf", "besluit.pdf", 3)
    documents.confirm(connection, [Harvested(key, LASTMOD, DAY, HARVESTED, b"d" * 16, file)])
    assert row_of(connection, key) == {
        "id": key,
        "loc": LOC,
        "sitemap_id": sitemap,
        "lastmod": LASTMOD,
        "first_seen": FIRST_SEEN,
        "published": DAY,
        "harvested": HARVESTED,
        "withdrawn": None,
        "entry_digest": b"d" * 16,
        "sha256": b"s" * 32,
        "etag": '"e"',
        "last_modified": None,
        "size": 20480,
        "media_type": "application/pdf",
        "file_name": "besluit.pdf",
        "pages": 3,
        **NO_FAULT,
    }
    assert documents.file_of(connection, key) == file


def test_a_withdrawal_keeps_what_is_known_and_a_harvest_ends_it(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    documents.confirm_withdrawn(connection, [key], HARVESTED + 5)
    row = row_of(connection, key)
    assert (row["withdrawn"], row["lastmod"], row["published"]) == (HARVESTED + 5, LASTMOD, DAY)
    documents.confirm(connection, [Harvested(key, LASTMOD + 1, DAY, HARVESTED + 9)])
    row = row_of(connection, key)
    assert (row["withdrawn"], row["lastmod"], row["harvested"]) == (None, LASTMOD + 1, HARVESTED + 9)


def test_the_sitemap_that_listed_a_document_last_has_it(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    first, second = harvest(connection, one, locs(2))
    documents.move(connection, [second], two)
    assert documents.not_withdrawn(connection, one) == [first]
    assert documents.not_withdrawn(connection, two) == [second]


def test_what_was_read_whole_is_remembered_by_the_digest_of_its_entry(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(2))
    documents.keep_digests(connection, {keys[0]: b"nieuw"})
    assert [row_of(connection, key)["entry_digest"] for key in keys] == [b"nieuw", None]


def test_only_what_is_published_is_passed_over_by_its_digest(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    published, withdrawn, moved, _ = harvest(connection, sitemap, locs(4))
    (seen,) = see(connection, sitemap, [LOC])
    digests = {key: bytes([key]) * 12 for key in (published, withdrawn, moved, seen)}
    documents.keep_digests(connection, digests)
    documents.confirm_withdrawn(connection, [withdrawn], HARVESTED)
    documents.move(connection, [moved], other)
    before = documents.before(connection, sitemap)
    assert before.same == {digests[published]: published}
    assert before.ids is not None
    assert {published, seen} < set(before.ids)
    assert not {withdrawn, moved} & set(before.ids)


def test_a_batch_of_nothing_changes_nothing(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    before = row_of(connection, key)
    documents.move(connection, [], 99)
    documents.keep_digests(connection, {})
    documents.confirm(connection, [])
    documents.confirm_withdrawn(connection, [], HARVESTED)
    documents.forget(connection, [])
    assert row_of(connection, key) == before


def test_the_documents_of_a_sitemap_are_told_apart_by_whether_they_were_harvested(
    connection: Connection,
) -> None:
    sitemap = sitemap_of(connection)
    (harvested, withdrawn) = harvest(connection, sitemap, locs(2))
    (seen,) = see(connection, sitemap, [LOC])
    documents.confirm_withdrawn(connection, [withdrawn], HARVESTED)
    assert documents.not_withdrawn(connection, sitemap) == [harvested, seen]
    assert documents.not_withdrawn(connection, sitemap, harvested=True) == [harvested]
    assert documents.not_withdrawn(connection, sitemap, harvested=False) == [seen]


def test_only_harvested_documents_that_are_not_withdrawn_count_and_only_those_of_the_host(
    connection: Connection,
) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(5))
    harvest(connection, sitemap_of(connection, name="s1.xml"), [LOC])
    see(connection, sitemap, ["https://a.nl/gezien.pdf"])
    harvest(connection, sitemap_of(connection, "b.nl"), locs(3, "b.nl"))
    documents.confirm_withdrawn(connection, keys[:2], HARVESTED)
    assert documents.count_published(connection, host_of_state(connection, "a.nl").id) == 4
    assert documents.count_published(connection, host_of_state(connection, "leeg.nl").id) == 0


def test_what_is_gone_is_told_with_what_its_record_needs(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    sitemap, index = "https://a.nl/s0.xml", "https://a.nl/sitemapindex-diwoo.xml"
    assert list(documents.gone(connection, [key])) == [Gone(key, LOC, DAY, LASTMOD, sitemap, index)]


def test_what_is_gone_is_told_in_batches_without_losing_any(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(BATCH + 2))
    assert [one.id for one in documents.gone(connection, keys)] == keys


def test_what_is_forgotten_was_never_seen(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(BATCH + 2))
    documents.forget(connection, keys[1:])
    assert list(documents.look_up(connection, locs(BATCH + 2))) == locs(1)
