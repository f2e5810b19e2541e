"""Fetching one file, from a real server on loopback. ``register/test_fetch.py`` has the faults of servers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.utils.sites import MakeSite, ca, ca_bundle, make_site
from woo_harvester.demo.server import Page
from woo_harvester.utils.fetch import FetchedFile, FetchError, fetch_file

__all__ = ["ca", "ca_bundle", "make_site"]

BODY = b"uri,label\n"


@pytest.fixture
def url(make_site: MakeSite, ca_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the URL of a file on a server whose authority is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_bundle))
    monkeypatch.setenv("NO_PROXY", "localhost")
    return make_site({"/x.csv": Page(BODY, headers={"Last-Modified": "gisteren"})}).url("/x.csv")


def fetch(
    url: str, path: Path, maxsize: int = 100, headers: dict[str, str] | None = None
) -> FetchedFile | None:
    with path.open("w+b") as file:
        return asyncio.run(fetch_file(url, file, user_agent="test/1", maxsize=maxsize, headers=headers))


def test_a_file_is_fetched_with_what_a_later_request_needs(url: str, tmp_path: Path) -> None:
    assert fetch(url, tmp_path / "x") == FetchedFile("gisteren")
    assert (tmp_path / "x").read_bytes() == BODY


def test_a_file_that_has_not_changed_is_none(url: str, tmp_path: Path) -> None:
    assert fetch(url, tmp_path / "x", headers={"If-Modified-Since": "gisteren"}) is None


def test_a_file_larger_than_the_bound_is_not_fetched_to_its_end(url: str, tmp_path: Path) -> None:
    assert fetch(url, tmp_path / "x", len(BODY)) is not None
    with pytest.raises(FetchError, match="larger than 9 bytes"):
        fetch(url, tmp_path / "x", len(BODY) - 1)
