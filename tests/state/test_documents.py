from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from string import ascii_letters

import pytest
from sqlalchemy import Connection, select, update

from tests.state.knowledge import (
    BEGUN,
    DAY,
    FIRST_SEEN,
    HARVESTED,
    LASTMOD,
    harvest,
    list_in,
    locs,
    miss,
    see,
    sitemap_of,
)
from woo_harvester.sitemaps.facts import KnownDocument
from woo_harvester.state import documents, listings, schema
from woo_harvester.state.contents import Harvested, KnownFile
from woo_harvester.state.documents import confirm_harvested, confirm_withdrawn
from woo_harvester.state.resources import host_of_state
from woo_harvester.state.schema import documents as table
from woo_harvester.state.sql import BATCH
from woo_harvester.state.withdrawal import Gone, claim, end_claims, end_restore, gone_documents
from woo_harvester.utils.urls import LOC_MAXLENGTH

LOC = "https://a.nl/d.pdf"


def row_of(connection: Connection, key: int) -> dict[str, object]:
    return dict(connection.execute(select(table).where(table.c.id == key)).one()._mapping)


def test_what_was_seen_first_is_known_and_does_not_count_as_harvested(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    known = documents.add_seen(connection, [LOC], sitemap, FIRST_SEEN)
    assert known == {LOC: KnownDocument(LOC, known[LOC].id, sitemap, None, None, None, None, None)}
    assert row_of(connection, known[LOC].id)["first_seen"] == FIRST_SEEN


def test_a_location_that_another_run_has_just_seen_stays_as_that_noted_it(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = see(connection, sitemap, [LOC])
    assert see(connection, other, [LOC, *locs(1)])[0] == key
    assert row_of(connection, key)["sitemap_id"] == sitemap


def test_what_publishers_say_is_kept_whatever_is_in_it(connection: Connection) -> None:
    (key,) = see(connection, sitemap_of(connection), [LOC])
    file = KnownFile(b"s" * 32, file_name="be\0sluit.pdf", pages=2**40)
    confirm_harvested(connection, [Harvested(key, None, DAY, HARVESTED, None, file)])
    kept = documents.files_of(connection, [key])[key]
    assert (kept.file_name, kept.pages) == ("be\ufffdsluit.pdf", 2**40)


def test_the_longest_location_has_a_place_in_the_index(connection: Connection) -> None:
    chance = Random(1)
    loc = "https://a.nl/" + "".join(chance.choice(ascii_letters) for _ in range(LOC_MAXLENGTH - 13))
    (key,) = see(connection, sitemap_of(connection), [loc])
    assert documents.look_up(connection, [loc])[loc].id == key


def test_only_locations_that_are_known_to_the_letter_are_found(connection: Connection) -> None:
    see(connection, sitemap_of(connection), locs(3))
    others = [
        "https://a.nl/D/0.pdf",
        "https://a.nl/d/0.pdf ",
        "https://a.nl/\0.pdf",
        "https://a.nl/nieuw.pdf",
    ]
    assert documents.look_up(connection, [*locs(2), *others]).keys() == set(locs(2))


def test_what_was_read_whole_is_remembered_by_the_digest_of_its_entry(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(2))
    documents.keep_digests(connection, {keys[0]: b"nieuw"})
    assert [row_of(connection, key)["entry_digest"] for key in keys] == [b"nieuw", None]


def test_only_what_is_published_and_not_missing_is_passed_over_by_its_digest(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    published, withdrawn, missing, moved, without = harvest(connection, sitemap, locs(5))
    (seen,) = see(connection, sitemap, [LOC])
    digests = {key: bytes([key]) * 12 for key in (published, withdrawn, missing, moved, seen)}
    documents.keep_digests(connection, digests)
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    documents.move(connection, [moved], other)
    listings.missed(connection, 1, {sitemap}, {sitemap: [missing]}, BEGUN, 3)
    before = documents.before(connection, sitemap, [sitemap, other])
    assert before.same == {digests[published]: published, digests[moved]: moved}
    assert sorted(before.others) == sorted([withdrawn, missing, without, seen])
    assert before.is_all


def test_an_entry_of_another_hosts_version_is_not_passed_over(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    own, foreign = harvest(connection, sitemap, locs(2))
    documents.keep_digests(connection, {own: b"een", foreign: b"twee"})
    documents.move(connection, [foreign], other)
    before = documents.before(connection, sitemap, [sitemap])
    assert (before.same, before.others) == ({b"een": own}, [foreign])


def test_what_a_sitemap_listed_before_is_what_it_listed_itself(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    first, second = harvest(connection, sitemap, locs(2))
    list_in(connection, other, [second])
    assert documents.before(connection, other, [other]).others == [second]
    assert sorted(documents.before(connection, sitemap, [sitemap]).others) == [first, second]


def test_more_documents_than_are_kept_in_memory_are_asked_of_the_state(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "SAME_MAX", 3)
    sitemap = sitemap_of(connection)
    harvest(connection, sitemap, locs(3))
    assert documents.before(connection, sitemap, [sitemap]).is_all
    harvest(connection, sitemap, [LOC])
    assert documents.before(connection, sitemap, [sitemap]) == documents.Before({}, [], is_all=False)


def test_a_batch_of_nothing_changes_nothing(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = harvest(connection, sitemap, [LOC])
    before = row_of(connection, key)
    assert documents.add_seen(connection, [], sitemap, FIRST_SEEN) == {}
    documents.move(connection, [], 99)
    documents.keep_digests(connection, {})
    confirm_harvested(connection, [])
    confirm_withdrawn(connection, {})
    documents.forget(connection, [])
    assert row_of(connection, key) == before


def test_only_harvested_documents_that_are_not_withdrawn_count(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    published, withdrawn = harvest(connection, sitemap, locs(2))
    (seen,) = see(connection, sitemap, [LOC])
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    assert documents.harvested_of(connection, [published, withdrawn, seen, 99]) == {published}
    assert documents.harvested_of(connection, []) == set()


def test_more_than_a_batch_is_handled_completely(connection: Connection) -> None:
    many = locs(2 * BATCH + 1)
    keys = harvest(connection, sitemap_of(connection), many)
    assert documents.look_up(connection, many).keys() == set(many)
    assert documents.harvested_of(connection, keys) == set(keys)
    gone = gone_documents(connection, keys, host_of_state(connection, "a.nl").id)
    assert sorted(one.id for one in gone) == sorted(keys)
    assert claim(connection, keys, 1) == set(keys)
    documents.forget(connection, keys[1:])
    assert list(documents.look_up(connection, many)) == many[:1]
    assert connection.execute(select(schema.listings.c.document_id)).scalars().all() == keys[:1]


def test_a_version_replaces_that_of_another_sitemap_or_of_none(connection: Connection) -> None:
    before, after = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (known,) = harvest(connection, before, locs(1))
    (new,) = see(connection, before, ["https://a.nl/nieuw.pdf"])

    def replaced(*versions: tuple[int, int | None]) -> set[int]:
        made = [Harvested(key, LASTMOD, DAY, HARVESTED, sitemap_id=sitemap) for key, sitemap in versions]
        return documents.other_sources(connection, made)

    assert replaced((known, after)) == {before}
    assert replaced((known, before), (new, after)) == set()
    assert replaced((known, None)) == set()


def test_other_sitemaps_of_the_host_that_list_the_document_are_read_again(connection: Connection) -> None:
    own, beside, dropped = (sitemap_of(connection, name=f"s{number}.xml") for number in range(3))
    foreign = sitemap_of(connection, "b.nl")
    (known,) = harvest(connection, own, locs(1))
    (new,) = see(connection, own, ["https://a.nl/nieuw.pdf"])
    for sitemap in (beside, foreign):
        list_in(connection, sitemap, [known, new])
    list_in(connection, dropped, [known], misses=1)
    version, first = (Harvested(key, LASTMOD, DAY, HARVESTED, sitemap_id=own) for key in (known, new))
    assert documents.other_sources(connection, [version, first]) == {beside}
    assert documents.other_sources(connection, [first]) == set()


def test_a_withdrawal_is_delivered_by_one_run_only(connection: Connection) -> None:
    one, two, withdrawn = harvest(connection, sitemap_of(connection), locs(3))
    (seen,) = see(connection, sitemap_of(connection), [LOC])
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    assert claim(connection, [one, withdrawn, seen], 1) == {one}
    assert claim(connection, [two, one], 2) == {two}


def test_a_claim_that_was_not_delivered_is_ended_by_the_next_run_on_its_host(connection: Connection) -> None:
    one, two = harvest(connection, sitemap_of(connection), locs(2))
    claim(connection, [one], 1)
    claim(connection, [two], 2)
    end_claims(connection, [1, 3])
    end_claims(connection, [])
    assert claim(connection, [one, two], 4) == {one}


def test_what_was_to_be_restored_and_is_not_listed_stays_withdrawn(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    listed, gone = harvest(connection, sitemap, locs(2))
    (theirs,) = harvest(connection, other, [LOC])
    confirm_withdrawn(connection, dict.fromkeys((listed, gone, theirs), HARVESTED))
    miss(connection, {sitemap: [gone]})
    miss(connection, {other: [theirs]}, "b.nl")
    for host in ("a.nl", "b.nl"):
        listings.drop_missing_withdrawn(connection, host_of_state(connection, host).id)
    connection.execute(update(table).values(restore=True))
    end_restore(connection, host_of_state(connection, "a.nl").id)
    assert [row_of(connection, key)["restore"] for key in (listed, gone, theirs)] == [True, None, True]


def test_a_withdrawal_comes_once_with_a_sitemap_of_the_host_that_is_asked_for(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    list_in(connection, sitemap_of(connection, name="s1.xml"), [key], misses=1)
    list_in(connection, sitemap_of(connection, "b.nl"), [key], misses=1)
    for host, sitemap in (("a.nl", "https://a.nl/s0.xml"), ("b.nl", "https://b.nl/s0.xml"), ("c.nl", None)):
        index = f"https://{host}/sitemapindex-diwoo.xml"
        gone = [Gone(key, LOC, DAY, HARVESTED, sitemap, index)] if sitemap else []
        assert list(gone_documents(connection, [key], host_of_state(connection, host).id)) == gone


def test_the_documents_of_each_host_are_counted_whatever_is_known_of_them(connection: Connection) -> None:
    keys = harvest(connection, sitemap_of(connection), locs(3))
    confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED))
    see(connection, sitemap_of(connection, name="s1.xml"), [LOC])
    see(connection, sitemap_of(connection, "b.nl"), locs(1, "b.nl"))
    host_of_state(connection, "leeg.nl")
    assert documents.count_by_host(connection) == {"a.nl": 4, "b.nl": 1}


def test_a_withdrawal_is_later_than_the_last_record_of_the_version(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = harvest(connection, sitemap, [LOC])
    supplied = Harvested(key, LASTMOD, DAY, HARVESTED, supplied_at=HARVESTED + 9)
    confirm_harvested(connection, [supplied])
    (gone,) = gone_documents(connection, [key], host_of_state(connection, "a.nl").id)
    assert gone.harvested == HARVESTED + 9
    known = documents.look_up(connection, [LOC])[LOC]
    assert known.delivered_at == datetime.fromtimestamp(HARVESTED + 9, UTC)


def test_an_entry_whose_document_lacks_content_is_looked_up(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    full, short, unknown = see(connection, sitemap, locs(3))
    contents = {full: 1, short: 2, unknown: None}
    confirm_harvested(
        connection,
        [Harvested(key, LASTMOD, DAY, HARVESTED, bytes([key]), content=one) for key, one in contents.items()],
    )
    found = documents.before(connection, sitemap, {sitemap}, frozenset({1}))
    assert (found.same, found.others) == ({bytes([full]): full}, [short, unknown])
    assert set(documents.before(connection, sitemap, {sitemap}).same.values()) == {full, short, unknown}
