from __future__ import annotations

from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection

from tests.state.knowledge import DAY, HARVESTED, LASTMOD, locs, see, sitemap_of
from woo_harvester.state.confirmation import confirm_harvested, confirm_withdrawn
from woo_harvester.state.files import has_named_files, named_files
from woo_harvester.state.store import State
from woo_harvester.state.versions import Harvested, KnownFile


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
