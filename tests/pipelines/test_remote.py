"""Documents on servers that speak S3 and FTP, and what Google's library asks for."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile

import pytest

from tests.pipelines.opened import CONTENT, DIGEST, PDF, READ, has, put, with_store
from tests.pipelines.servers import PASSWORD, Door, S3Server, ftp_server
from woo_harvester.documents.extracted import Extracted
from woo_harvester.pipelines.remote import _Upload
from woo_harvester.pipelines.stored import DocumentStore, StoreError, path_of

# S3


def test_a_document_is_kept_in_s3_once(s3: S3Server) -> None:
    assert not has(**s3.settings)
    assert put(**s3.settings)
    assert not put(**s3.settings)
    assert s3.read(f"documenten/{path_of(DIGEST)}") == (CONTENT, PDF)


@pytest.mark.parametrize("uri", ["s3://woo", "s3://woo/", "s3://woo/map/"])
def test_the_folder_in_s3_may_be_written_in_each_way(s3: S3Server, uri: str) -> None:
    put(**{**s3.settings, "FILES_STORE": uri})
    folder = "map/" if "map" in uri else ""
    assert s3.read(folder + path_of(DIGEST)) is not None


def test_a_large_document_goes_to_s3_from_its_file(s3: S3Server) -> None:
    content = bytes(3_000_000)
    digest = sha256(content).hexdigest()
    with SpooledTemporaryFile(1000) as file:
        file.write(content)
        stored = with_store(lambda store: store.put(digest, len(content), file, None), **s3.settings)
    assert stored
    found = s3.read(f"documenten/{path_of(digest)}")
    assert found is not None
    assert found[0] == content


def test_texts_are_not_kept_in_s3(s3: S3Server) -> None:
    async def use(store: DocumentStore) -> tuple[Extracted | None, Path | None]:
        await store.keep_text(DIGEST, READ)
        return await store.load_text(DIGEST), store.local_path(DIGEST)

    assert with_store(use, **s3.settings) == (None, None)


def test_a_bucket_that_is_not_there_is_reported(s3: S3Server) -> None:
    with pytest.raises(StoreError, match=r"could not be stored in s3://anders/x .*NoSuchBucket"):
        put(**{**s3.settings, "FILES_STORE": "s3://anders/x"})


# FTP


def test_a_document_is_kept_over_ftp_once_and_whole(ftp: str, ftp_folder: Path) -> None:
    assert not has(FILES_STORE=ftp)
    assert put(FILES_STORE=ftp)
    assert not put(FILES_STORE=ftp)
    (kept,) = (path for path in ftp_folder.rglob("*") if path.is_file())
    assert kept == ftp_folder / "documenten" / path_of(DIGEST)
    assert kept.read_bytes() == CONTENT


def test_documents_at_once_make_their_folder_together(ftp: str, ftp_folder: Path) -> None:
    digests = [f"{DIGEST[:2]}{number:062x}" for number in range(4)]

    async def use(store: DocumentStore) -> None:
        await asyncio.gather(*(store.put(digest, 7, BytesIO(b"besluit"), PDF) for digest in digests))

    with_store(use, FILES_STORE=ftp)
    assert sorted(path.name for path in (ftp_folder / "documenten" / DIGEST[:2]).iterdir()) == digests


def test_an_ftp_server_that_refuses_is_reported_without_the_password(tmp_path: Path) -> None:
    with (
        ftp_server(tmp_path / "ftp", writable=False) as url,
        pytest.raises(StoreError, match=r"could not be stored in ftp://127\.0\.0\.1:.*550") as caught,
    ):
        put(FILES_STORE=url)
    assert PASSWORD not in str(caught.value)


def test_a_server_that_hangs_up_is_asked_again(ftp: str, ftp_folder: Path) -> None:
    with Door(ftp, hang_ups=4) as url:
        assert put(FILES_STORE=url)
    assert (ftp_folder / "documenten" / path_of(DIGEST)).read_bytes() == CONTENT


def test_a_server_that_goes_on_hanging_up_is_reported(ftp: str, ftp_folder: Path) -> None:
    with Door(ftp, hang_ups=100) as url, pytest.raises(StoreError, match="could not be stored"):
        put(FILES_STORE=url)
    assert list(ftp_folder.iterdir()) == []


# Google


def test_what_google_asks_for_is_the_whole_document() -> None:
    file = BytesIO(CONTENT)
    file.seek(10)
    assert _Upload(file).getvalue() == CONTENT
