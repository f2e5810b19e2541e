"""Which store FILES_STORE names, and what the error says if it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipelines.opened import has
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import StoreError


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        StoreError, match=f"FILES_STORE {tmp_path}/file/store cannot be used: .*Not a directory"
    ):
        has(FILES_STORE=tmp_path / "file" / "store")


def test_a_folder_from_which_files_are_being_removed_is_not_used(tmp_path: Path) -> None:
    folder = DurableFolder(tmp_path)
    folder.lock(alone=True)
    with pytest.raises(StoreError, match="files are being removed"):
        has(FILES_STORE=tmp_path)
    folder.close()
    assert not has(FILES_STORE=tmp_path)


@pytest.mark.parametrize("uri", ["nonsense://x", "ftp:///x", "http://a.nl/", "http://[", "s3:woo"])
def test_what_names_no_store_is_reported_with_what_does(uri: str) -> None:
    with pytest.raises(StoreError, match=r"expected a folder, or a URL such as s3://"):
        has(FILES_STORE=uri)


def test_a_library_that_is_missing_is_reported() -> None:
    with pytest.raises(StoreError, match=r'install .*"scrapy\[gcs\]"'):
        has(FILES_STORE="gs://woo/")
