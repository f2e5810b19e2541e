"""Fixtures of file servers, started once for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pipelines.servers import S3Server, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server
