"""Documents in a folder of this machine."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path

import pytest

from tests.pipelines.opened import CONTENT, DIGEST, PDF, has, put, with_store
from woo_harvester.pipelines.stored import DocumentStore, StoreError, path_of


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_document_is_kept_once(tmp_path: Path, form: str) -> None:
    store = form.format(tmp_path / "store")
    assert not has(FILES_STORE=store)
    assert put(FILES_STORE=store)
    assert not put(FILES_STORE=store)
    assert has(FILES_STORE=store)
    assert (tmp_path / "store" / path_of(DIGEST)).read_bytes() == CONTENT


def test_a_folder_that_is_given_relatively_has_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def use(store: DocumentStore) -> Path | None:
        return store.local_path(DIGEST)

    assert with_store(use, FILES_STORE="store") == tmp_path / "store" / path_of(DIGEST)


def test_the_same_document_many_times_at_once_is_written_once(tmp_path: Path) -> None:
    async def use(store: DocumentStore) -> list[bool]:
        return await asyncio.gather(
            *(store.put(DIGEST, len(CONTENT), BytesIO(CONTENT), PDF) for _ in range(20))
        )

    assert with_store(use, FILES_STORE=tmp_path).count(True) == 1


def test_a_file_that_lost_a_part_is_written_anew(tmp_path: Path) -> None:
    put(FILES_STORE=tmp_path)
    (tmp_path / path_of(DIGEST)).write_bytes(b"bes")
    assert put(FILES_STORE=tmp_path)
    assert (tmp_path / path_of(DIGEST)).read_bytes() == CONTENT


def test_a_document_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / path_of(DIGEST)).mkdir(parents=True)
    with pytest.raises(StoreError, match="could not be stored"):
        put(FILES_STORE=tmp_path)
