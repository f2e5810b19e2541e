from __future__ import annotations

from sqlalchemy import Connection, select, update

from tests.state.knowledge import DAY, FIRST_SEEN, HARVESTED, LASTMOD, harvest, locs, see, sitemap_of
from woo_harvester.state import documents
from woo_harvester.state.contents import Harvested, KnownFile
from woo_harvester.state.documents import NO_FAULT, DocumentFault, confirm_harvested, confirm_withdrawn
from woo_harvester.state.schema import documents as table

LOC = "https://a.nl/d.pdf"


def row_of(connection: Connection, key: int) -> dict[str, object]:
    return dict(connection.execute(select(table).where(table.c.id == key)).one()._mapping)


CODE = "document.html-pagina"


def refuse(connection: Connection, key: int, at: int = HARVESTED, code: str = CODE) -> None:
    documents.keep_fault(connection, Harvested(key, LASTMOD, DAY, at), code, "<html>", at=at, refused=True)


def test_what_an_output_has_durably_is_harvested(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    (key,) = see(connection, sitemap, [LOC])
    file = KnownFile(
        b"s" * 32, '"e"', None, 20480, "application/pdf", "besluit.pdf", 3, 1_700_000_050, 1_700_000_060
    )
    version = Harvested(
        key,
        LASTMOD,
        DAY,
        HARVESTED,
        b"d" * 16,
        file,
        supplemented=5,
        cause="wijziging",
        number=2,
        content=3,
        supplied_at=HARVESTED + 7,
    )
    confirm_harvested(connection, [version])
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
        "withdrawing": None,
        "restore": None,
        "supplemented": 5,
        "cause": "wijziging",
        "number": 2,
        "known_content": 3,
        "supplied_at": HARVESTED + 7,
        **NO_FAULT,
    }
    assert documents.files_of(connection, [key]) == {key: file}


def test_a_withdrawal_keeps_what_is_known_and_a_harvest_ends_it(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    confirm_withdrawn(connection, {key: HARVESTED + 5})
    row = row_of(connection, key)
    assert (row["withdrawn"], row["lastmod"], row["published"]) == (HARVESTED + 5, LASTMOD, DAY)
    confirm_harvested(connection, [Harvested(key, LASTMOD + 1, DAY, HARVESTED + 9)])
    row = row_of(connection, key)
    assert (row["withdrawn"], row["lastmod"], row["harvested"]) == (None, LASTMOD + 1, HARVESTED + 9)


def test_a_document_is_of_the_sitemap_whose_entry_counts(connection: Connection) -> None:
    one, two = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    first, second, third = harvest(connection, one, locs(3))
    documents.move(connection, [second], two)
    confirm_harvested(connection, [Harvested(third, LASTMOD, DAY, HARVESTED, sitemap_id=two)])
    assert [row_of(connection, key)["sitemap_id"] for key in (first, second, third)] == [one, two, two]
    confirm_harvested(connection, [Harvested(third, LASTMOD, DAY, HARVESTED)])
    assert row_of(connection, third)["sitemap_id"] == two


def test_a_harvest_ends_a_withdrawal_on_its_way_and_a_mark_to_restore(connection: Connection) -> None:
    (key,) = harvest(connection, sitemap_of(connection), [LOC])
    connection.execute(update(table).values(withdrawing=7, restore=True))
    confirm_harvested(connection, [Harvested(key, LASTMOD, DAY, HARVESTED)])
    row = row_of(connection, key)
    assert (row["withdrawing"], row["restore"]) == (None, None)
    connection.execute(update(table).values(withdrawing=7, restore=True))
    confirm_withdrawn(connection, {key: HARVESTED})
    row = row_of(connection, key)
    assert (row["withdrawing"], row["restore"]) == (None, None)


def test_a_fault_comes_with_its_first_moment(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two = see(connection, sitemap, locs(2))
    refuse(connection, two)
    refuse(connection, one, HARVESTED + 1)
    refuse(connection, two, HARVESTED + 9, "document.te-groot")
    assert documents.faults_of(connection, sitemap) == [
        DocumentFault(locs(2)[0], CODE, "<html>", HARVESTED + 1),
        DocumentFault(locs(2)[1], "document.te-groot", "<html>", HARVESTED),
    ]


def test_the_faults_of_another_sitemap_are_its_own(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, name="s1.xml")
    (key,) = see(connection, sitemap, locs(1))
    refuse(connection, key)
    assert documents.faults_of(connection, other) == []
    assert documents.first_refused(connection, other) is None


def test_the_first_refusal_is_the_first_to_be_asked_for_again(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two, failed = see(connection, sitemap, locs(3))
    refuse(connection, one, HARVESTED + 5)
    refuse(connection, two, HARVESTED + 3)
    version = Harvested(failed, None, DAY, 1)
    documents.keep_fault(connection, version, "document.onbereikbaar", "HTTP 500", at=1, refused=False)
    assert documents.first_refused(connection, sitemap) == HARVESTED + 3


def test_a_document_that_could_not_be_fetched_is_not_refused(connection: Connection) -> None:
    (key,) = see(connection, sitemap_of(connection), locs(1))
    version = Harvested(key, LASTMOD, DAY, 5)
    documents.keep_fault(connection, version, "document.onbereikbaar", None, at=5, refused=False)
    known = documents.look_up(connection, locs(1))[locs(1)[0]]
    assert (known.fault, known.fault_since) == ("document.onbereikbaar", 5)
    assert (known.refused_at, known.refused_lastmod) == (None, None)


def test_a_refused_document_that_cannot_be_fetched_any_more_is_not_refused(connection: Connection) -> None:
    (key,) = see(connection, sitemap_of(connection), locs(1))
    refuse(connection, key)
    version = Harvested(key, LASTMOD, DAY, 9)
    documents.keep_fault(connection, version, "document.onbereikbaar", None, at=9, refused=False)
    known = documents.look_up(connection, locs(1))[locs(1)[0]]
    assert (known.fault, known.fault_since) == ("document.onbereikbaar", HARVESTED)
    assert (known.refused_at, known.refused_lastmod) == (None, None)


def test_a_harvest_a_withdrawal_and_an_unchanged_entry_remove_a_fault(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    keys = harvest(connection, sitemap, locs(3))
    for key in keys:
        refuse(connection, key)
    confirm_harvested(connection, [Harvested(keys[0], LASTMOD, "2024-04-02", HARVESTED)])
    confirm_withdrawn(connection, {keys[1]: HARVESTED})
    documents.end_faults(connection, [keys[2]])
    assert documents.faults_of(connection, sitemap) == []
    assert {known.refused_at for known in documents.look_up(connection, locs(3)).values()} == {None}


def test_a_document_with_a_fault_is_not_skipped_by_its_digest(connection: Connection) -> None:
    sitemap = sitemap_of(connection)
    one, two = harvest(connection, sitemap, locs(2))
    documents.keep_digests(connection, {one: b"een", two: b"twee"})
    refuse(connection, one)
    before = documents.before(connection, sitemap, [sitemap])
    assert before.same == {b"twee": two}
    assert before.others == [one]


def test_a_refused_version_belongs_to_the_sitemap_of_its_entry(connection: Connection) -> None:
    sitemap, other = sitemap_of(connection), sitemap_of(connection, "b.nl")
    (key,) = see(connection, sitemap, locs(1))
    version = Harvested(key, LASTMOD, DAY, HARVESTED, sitemap_id=other)
    documents.keep_fault(connection, version, CODE, None, at=HARVESTED, refused=True)
    assert [one.loc for one in documents.faults_of(connection, other)] == locs(1)
    assert documents.faults_of(connection, sitemap) == []
    known = documents.look_up(connection, locs(1))[locs(1)[0]]
    assert (known.published, known.refused_lastmod, known.harvested) == (DAY, LASTMOD, None)


def test_a_refusal_is_kept_with_what_the_run_wanted_to_know(connection: Connection) -> None:
    (key,) = see(connection, sitemap_of(connection), locs(1))
    for refused, kept in ((True, 3), (False, None)):
        version = Harvested(key, LASTMOD, DAY, 5)
        documents.keep_fault(connection, version, CODE, None, at=5, refused=refused, wanted=3)
        assert documents.look_up(connection, locs(1))[locs(1)[0]].refused_with == kept
