from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, select, update

from tests.state.knowledge import DAY, HARVESTED, LASTMOD, locs, see, sitemap_of
from woo_harvester.documents.extracted import Limits
from woo_harvester.state.contents import (
    Content,
    Depth,
    Harvested,
    KnownFile,
    KnownText,
    TextResult,
    add_content,
    describe,
    descriptions,
    parse,
)
from woo_harvester.state.documents import confirm_harvested, confirm_withdrawn
from woo_harvester.state.schema import documents, resources
from woo_harvester.state.store import State
from woo_harvester.state.upkeep import count_as_lost, has_named_files, kept_files, named_files


def keep(connection: Connection, *digests: bytes | None) -> list[int]:
    """Add harvested documents with these files; return their ids."""
    ids = see(connection, sitemap_of(connection), locs(len(digests)))
    files = [KnownFile(sha256) if sha256 else None for sha256 in digests]
    confirm_harvested(
        connection,
        [Harvested(key, LASTMOD, DAY, HARVESTED, file=file) for key, file in zip(ids, files, strict=True)],
    )
    return ids


def test_the_files_of_published_documents_come_sorted_and_once(tmp_path: Path) -> None:
    with closing(State.open(f"sqlite:///{tmp_path / 'state.sqlite'}")) as state, state.begin() as connection:
        assert not has_named_files(connection)
        ids = keep(connection, b"\xff" * 32, b"\x01" * 32, None, b"\x01" * 32, b"\x02" * 32)
        confirm_withdrawn(connection, dict.fromkeys(ids[-1:], HARVESTED))
        assert list(named_files(connection)) == [b"\x01" * 32, b"\xff" * 32]
        assert has_named_files(connection)


def test_a_document_without_a_file_is_skipped(tmp_path: Path) -> None:
    with closing(State.open(f"sqlite:///{tmp_path / 'state.sqlite'}")) as state, state.begin() as connection:
        keep(connection, None)
        assert not has_named_files(connection)
        assert list(named_files(connection)) == []


STORE = "/srv/woo"
TEXT = KnownText(Limits(), TextResult.READ)


def content_of(connection: Connection, key: int) -> Content:
    """Return what is known of the content of a document."""
    number = connection.scalar(select(documents.c.known_content).where(documents.c.id == key))
    return parse(descriptions(connection)[number or 0])


def test_the_files_that_a_store_should_have_are_those_of_its_published_documents(
    connection: Connection,
) -> None:
    here, text, elsewhere, withdrawn = keep(connection, *(bytes([9 - key]) * 32 for key in range(4)))
    contents = {
        here: Content(Depth.FILE, STORE),
        text: Content(Depth.FILE, STORE, TEXT),
        elsewhere: Content(Depth.FILE, "/srv/other"),
        withdrawn: Content(Depth.FILE, STORE),
    }
    for key, content in contents.items():
        number = add_content(connection, describe(content))
        connection.execute(update(documents).where(documents.c.id == key).values(known_content=number))
    confirm_withdrawn(connection, {withdrawn: HARVESTED})
    connection.execute(update(resources).values(wanted=1))
    found = list(kept_files(connection, STORE))
    assert [(one.id, one.host, one.sha256[0]) for one in found] == [(text, "a.nl", 8), (here, "a.nl", 9)]
    count_as_lost(connection, [text], STORE)
    assert [one.id for one in kept_files(connection, STORE)] == [here]
    assert content_of(connection, text) == Content(Depth.FILE, None, TEXT)
    assert connection.scalar(select(resources.c.wanted)) is None
