from __future__ import annotations

from sqlalchemy import Connection, select, update

from tests.state.knowledge import DAY, FIRST_SEEN, HARVESTED, LASTMOD, harvest, locs, see, sitemap_of
from woo_harvester.state import documents
from woo_harvester.state.contents import Harvested, KnownFile
from woo_harvester.state.documents import NO_FAULT, confirm_harvested, confirm_withdrawn
from woo_harvester.state.schema import documents as table

LOC = "https://a.nl/d.pdf"


def row_of(connection: Connection, key: int) -> dict[str, object]:
    return dict(connection.execute(select(table).where(table.c.id == key)).one()._mapping)


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
