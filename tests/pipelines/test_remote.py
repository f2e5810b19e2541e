"""Documents on servers that speak S3, and what Google's library asks for."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from tempfile import SpooledTemporaryFile

import pytest

from tests.pipelines.opened import CONTENT, DIGEST, PDF, has, put, with_store
from tests.pipelines.servers import S3Server
from woo_harvester.pipelines.remote import _Upload
from woo_harvester.pipelines.stored import StoreError, path_of

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


def test_a_bucket_that_is_not_there_is_reported(s3: S3Server) -> None:
    with pytest.raises(StoreError, match=r"could not be stored in s3://anders/x .*NoSuchBucket"):
        put(**{**s3.settings, "FILES_STORE": "s3://anders/x"})


# Google


def test_what_google_asks_for_is_the_whole_document() -> None:
    file = BytesIO(CONTENT)
    file.seek(10)
    assert _Upload(file).getvalue() == CONTENT
