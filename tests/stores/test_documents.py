"""Documents in folders and on servers that speak S3 and FTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, TypeVar

import pytest
from scrapy.utils.test import get_crawler

from tests.crawlers import Proef
from tests.stores.servers import PASSWORD, Door, S3Server, ftp_server
from woo_harvester.files.folder import Folder
from woo_harvester.files.names import path_of, text_path_of
from woo_harvester.options import OPTIONS
from woo_harvester.stores.backends import StoreError
from woo_harvester.stores.documents import DocumentStore, Upload
from woo_harvester.text.extracted import Extracted, Limits

T = TypeVar("T")

CONTENT = b"besluit" * 1000
DIGEST = sha256(CONTENT).hexdigest()
PDF = "application/pdf"
READ = Extracted("Besluit", 1, "nl")


def with_store(
    use: Callable[[DocumentStore], Awaitable[T]], limits: Limits | None = None, **settings: Any
) -> T:
    """What *use* gives of a store with these settings."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[DocumentStore]:
        defaults = {option.name: option.default for option in OPTIONS}
        given = {"TWISTED_REACTOR_ENABLED": False, "WOO_RETRY_BACKOFF": 0.01, **settings}
        crawler = get_crawler(Proef, {**defaults, **given})
        store = DocumentStore.open(crawler, limits or Limits())
        try:
            yield store
        finally:
            store.close()

    async def run() -> T:
        async with opened() as store:
            return await use(store)

    return asyncio.run(run())


def put(content: bytes = CONTENT, **settings: Any) -> bool:
    """Keep a document; whether it is new."""

    async def use(store: DocumentStore) -> bool:
        return await store.put(sha256(content).hexdigest(), len(content), BytesIO(content), PDF)

    return with_store(use, **settings)


def has(**settings: Any) -> bool:
    return with_store(lambda store: store.has(DIGEST, len(CONTENT)), **settings)


# Folders


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


def test_a_text_is_kept_beside_its_document(tmp_path: Path) -> None:
    async def use(store: DocumentStore) -> list[Extracted | None]:
        before = await store.load_text(DIGEST)
        await store.keep_text(DIGEST, READ)
        return [before, await store.load_text(DIGEST)]

    assert with_store(use, FILES_STORE=tmp_path) == [None, READ]
    assert (tmp_path / text_path_of(DIGEST)).is_file()


def test_a_text_that_was_read_within_other_limits_does_not_count(tmp_path: Path) -> None:
    with_store(lambda store: store.keep_text(DIGEST, READ), FILES_STORE=tmp_path)
    loaded = with_store(lambda store: store.load_text(DIGEST), Limits(ocr=True), FILES_STORE=tmp_path)
    assert loaded is None


def test_a_text_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    (tmp_path / text_path_of(DIGEST)).mkdir(parents=True)
    with pytest.raises(StoreError, match="could not be read"):
        with_store(lambda store: store.load_text(DIGEST), FILES_STORE=tmp_path)
    with pytest.raises(StoreError, match="could not be stored"):
        with_store(lambda store: store.keep_text(DIGEST, READ), FILES_STORE=tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        StoreError, match=f"FILES_STORE {tmp_path}/file/store cannot be used: .*Not a directory"
    ):
        has(FILES_STORE=tmp_path / "file" / "store")


def test_a_folder_from_which_files_are_being_removed_is_not_used(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.lock(alone=True)
    with pytest.raises(StoreError, match="files are being removed"):
        has(FILES_STORE=tmp_path)
    folder.close()
    assert not has(FILES_STORE=tmp_path)


@pytest.mark.parametrize("uri", ["nonsense://x", "ftp:///x", "http://a.nl/"])
def test_what_names_no_store_is_told_with_what_does(uri: str) -> None:
    with pytest.raises(StoreError, match=r"expected a folder, or a URL such as s3://"):
        has(FILES_STORE=uri)


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
    async def use(store: DocumentStore) -> tuple[bool, Extracted | None, Path | None]:
        await store.keep_text(DIGEST, READ)
        return store.keeps_texts, await store.load_text(DIGEST), store.local_path(DIGEST)

    assert with_store(use, **s3.settings) == (False, None, None)


def test_a_bucket_that_is_not_there_is_told(s3: S3Server) -> None:
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


def test_an_ftp_server_that_refuses_is_told_without_the_password(tmp_path: Path) -> None:
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


def test_a_server_that_goes_on_hanging_up_is_told(ftp: str, ftp_folder: Path) -> None:
    with Door(ftp, hang_ups=100) as url, pytest.raises(StoreError, match="could not be stored"):
        put(FILES_STORE=url)
    assert list(ftp_folder.iterdir()) == []


# Google


def test_what_google_asks_for_is_the_whole_document() -> None:
    file = BytesIO(CONTENT)
    file.seek(10)
    assert Upload(file).getvalue() == CONTENT


def test_a_library_that_is_missing_is_told() -> None:
    with pytest.raises(StoreError, match=r'pip install "scrapy\[gcs\]"'):
        has(FILES_STORE="gs://woo/")
