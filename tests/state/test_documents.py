from __future__ import annotations

from random import Random
from string import ascii_letters

from sqlalchemy import Connection, select

from tests.state.knowledge import DAY, FIRST_SEEN, HARVESTED, LASTMOD, harvest, locs, see, sitemap_of
from woo_harvester.state import documents
from woo_harvester.state.decision import Known
from woo_harvester.state.documents import BATCH, Gone, Harvested, KnownFile
from woo_harvester.state.faults import NO_FAULT
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import documents as table
from woo_harvester.urls import LOC_MAXLENGTH

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


def test_a_location_that_another_run_has_just_seen_stays_as_that_noted_it(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = see(connection, sitemap, [LOC])
    assert see(connection, other, [LOC, *locs(1)])[0] == key
    assert row_of(connection, key)["sitemap_id"] == sitemap


def test_a_location_that_cannot_be_is_not_known(connection: Connection) -> None:
    assert documents.look_up(connection, ["https://a.nl/\0.pdf"]) == {}


def test_what_publishers_say_is_kept_whatever_is_in_it(connection: Connection) -> None:
    (key,) = see(connection, sitemap_of(connection), [LOC])
    file = KnownFile(b"s" * 32, file_name="be\0sluit.pdf", pages=2**40)
    documents.confirm(connection, [Harvested(key, None, DAY, HARVESTED, None, file)])
    kept = documents.file_of(connection, key)
    assert kept is not None
    assert (kept.file_name, kept.pages) == ("be\ufffdsluit.pdf", 2**40)


def test_the_longest_location_has_a_place_in_the_index(connection: Connection) -> None:
    chance = Random(1)
    loc = "https://a.nl/" + "".join(chance.choice(ascii_letters) for _ in range(LOC_MAXLENGTH - 13))
    (key,) = see(connection, sitemap_of(connection), [loc])
    assert documents.look_up(connection, [loc])[loc].id == key


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
    file = KnownFile(
        b"s" * 32, '"e"', None, 20480, "application/pdf", "besluit.pdf", 3, 1_700_000_050, 1_700_000_060
    )
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
        "fetched_at": 1_700_000_050,
        "unchanged_since": 1_700_000_060,
        **NO_FAULT,
    }
    assert documents.file_of(connection, key) == file


def test_a_withdrawal_keeps_what_is_known_and_a_harvest_ends_it(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    documents.confirm_withdrawn(connection, {key: HARVESTED + 5})
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
    documents.confirm_withdrawn(connection, {withdrawn: HARVESTED})
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
    documents.confirm_withdrawn(connection, {})
    documents.forget(connection, [])
    assert row_of(connection, key) == before


def test_the_documents_of_a_sitemap_are_told_apart_by_whether_they_were_harvested(
    connection: Connection,
) -> None:
    sitemap = sitemap_of(connection)
    (harvested, withdrawn) = harvest(connection, sitemap, locs(2))
    (seen,) = see(connection, sitemap, [LOC])
    documents.confirm_withdrawn(connection, {withdrawn: HARVESTED})
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
    documents.confirm_withdrawn(connection, dict.fromkeys(keys[:2], HARVESTED))
    assert documents.count_published(connection, host_of_state(connection, "a.nl").id) == 4
    assert documents.count_published(connection, host_of_state(connection, "leeg.nl").id) == 0


def test_what_is_gone_is_told_with_what_its_record_needs(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    sitemap, index = "https://a.nl/s0.xml", "https://a.nl/sitemapindex-diwoo.xml"
    assert list(documents.gone(connection, [key])) == [
        Gone(key, LOC, DAY, LASTMOD, HARVESTED, sitemap, index)
    ]


def test_what_is_gone_is_told_in_batches_without_losing_any(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(BATCH + 2))
    assert sorted(one.id for one in documents.gone(connection, keys)) == sorted(keys)


def test_what_is_forgotten_was_never_seen(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(BATCH + 2))
    documents.forget(connection, keys[1:])
    assert list(documents.look_up(connection, locs(BATCH + 2))) == locs(1)


def test_the_documents_of_each_host_are_counted_whatever_is_known_of_them(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(3))
    documents.confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED))
    see(connection, sitemap_of(connection, name="s1.xml"), [LOC])
    see(connection, sitemap_of(connection, "b.nl"), locs(1, "b.nl"))
    host_of_state(connection, "leeg.nl")
    assert documents.count_by_host(connection) == {"a.nl": 4, "b.nl": 1}


def test_all_documents_of_a_sitemap_count_as_listed_but_for_those_withdrawn(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    keys = harvest(connection, sitemap, locs(3))
    see(connection, sitemap, ["https://a.nl/seen.pdf"])
    see(connection, other, ["https://a.nl/other.pdf"])
    documents.confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED))
    assert documents.count_listed(connection, sitemap) == 3
