"""Fixtures of file servers, started once for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipelines.servers import S3Server, ftp_server, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def ftp_folder(tmp_path: Path) -> Path:
    """The folder with the files of the FTP server."""
    return tmp_path / "ftp"


@pytest.fixture
def ftp(ftp_folder: Path) -> Iterator[str]:
    with ftp_server(ftp_folder) as url:
        yield url
