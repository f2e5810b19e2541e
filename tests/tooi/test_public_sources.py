"""Getting newer value lists: from a folder, from a folder on the web, and from TOOI's own addresses."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tooi.folders import (
    AMSTERDAM,
    GEMEENTEN,
    NIEUWSTAD,
    TODAY,
    change_list,
    make_folder,
    with_nieuwstad,
)
from tests.tooi.json_ld import header, organisation, tooi_site, written
from tests.utils.sites import MakeSite, ca, ca_bundle, make_site
from tests.utils.tunnel import NamedSite, Tunnel
from woo_harvester.demo.server import Authority, Certificate, Page, Pages, redirect
from woo_harvester.tooi.list_files import ListFiles, ListsError
from woo_harvester.tooi.lists import NAMES, bundled_files
from woo_harvester.tooi.public import ListFetcher
from woo_harvester.tooi.values import Concept

__all__ = ["ca", "ca_bundle", "make_site"]

HOSTS = ("standaarden.overheid.nl", "repository.officiele-overheidspublicaties.nl")
NEWER = written([organisation(*AMSTERDAM), organisation(*NIEUWSTAD), header(GEMEENTEN, 5)])


@pytest.fixture(autouse=True)
def environment(ca_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_bundle))
    monkeypatch.setenv("NO_PROXY", "localhost")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_folder(tmp_path / "lists")
    change_list(made, change=with_nieuwstad)
    return made


def fetched(source: str | None, known: ListFiles | None = None) -> ListFiles:
    fetcher = ListFetcher("test/1", TODAY, time_limit=10, backoff=0.001)
    return asyncio.run(fetcher.fetch(source, known or bundled_files()))


def pages_of(folder: Path, base: str = "/lijsten") -> Pages:
    return {f"{base}/{path.name}": Page(path.read_bytes()) for path in folder.iterdir()}


def test_a_folder_is_read(folder: Path) -> None:
    assert fetched(str(folder))[GEMEENTEN].concepts[-1] == Concept(*NIEUWSTAD)


@pytest.mark.parametrize("end", ["", "/", "/index.csv"])
def test_a_web_folder_is_fetched_with_the_user_agent(folder: Path, make_site: MakeSite, end: str) -> None:
    site = make_site(pages_of(folder))
    found = fetched(site.url(f"/lijsten{end}"))
    assert found[GEMEENTEN].concepts[-1] == Concept(*NIEUWSTAD)
    assert len(site.requests) == 17
    assert {request.headers["user-agent"] for request in site.requests} == {"test/1"}


def test_a_list_out_of_reach_is_an_error_with_its_address(folder: Path, make_site: MakeSite) -> None:
    site = make_site(pages_of(folder))
    url = site.url("/lijsten/scw_toplijst.csv")
    for page, reason in (
        (Page(status=404), "HTTP 404"),
        (Page(status=503), "HTTP 503"),
        (redirect("http://localhost:9/"), "ClientConnectorError"),
        (redirect(url), "TooManyRedirects"),
        (Page(b"x" * (20 * 1024 * 1024 + 1)), "larger than 20,971,520 bytes"),
    ):
        site.pages["/lijsten/scw_toplijst.csv"] = page
        with pytest.raises(ListsError) as raised:
            fetched(site.url("/lijsten"))
        assert str(raised.value).startswith(f"{url}: {reason}")


def test_a_server_with_a_wrong_certificate_is_refused(folder: Path, make_site: MakeSite) -> None:
    site = make_site(pages_of(folder), certificate=Certificate.EXPIRED)
    with pytest.raises(ListsError, match=r"index\.csv: .*certificate has expired"):
        fetched(site.url("/lijsten"))


def test_newer_versions_are_fetched_from_tooi(ca: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    with NamedSite(ca, HOSTS, tooi_site({GEMEENTEN: (5, NEWER)})) as site, Tunnel(site.port) as tunnel:
        for name, value in tunnel.environment.items():
            monkeypatch.setenv(name, value)
        found = fetched(None)
    assert found[GEMEENTEN].concepts == (Concept(*AMSTERDAM), Concept(*NIEUWSTAD))
    assert found[GEMEENTEN].edition.version == 5
    assert {file.edition.checked for file in found.values()} == {TODAY}
    assert all(found[name].concepts == bundled_files()[name].concepts for name in NAMES if name != GEMEENTEN)
    assert tunnel.names.count("standaarden.overheid.nl:443") == 16
    assert tunnel.names.count("repository.officiele-overheidspublicaties.nl:443") == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<!DOCTYPE html>", f"waardelijsten/{GEMEENTEN}/5/json/{GEMEENTEN}_5.json is no list in JSON-LD"),
        (NEWER[:-1], "is no list in JSON-LD"),
    ],
)
def test_a_list_of_tooi_that_cannot_be_read_is_an_error(
    ca: Authority, monkeypatch: pytest.MonkeyPatch, content: bytes, reason: str
) -> None:
    with NamedSite(ca, HOSTS, tooi_site({GEMEENTEN: (5, content)})) as site, Tunnel(site.port) as tunnel:
        for name, value in tunnel.environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(ListsError, match=reason):
            fetched(None)


def test_a_page_of_tooi_that_is_gone_is_an_error(ca: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    with NamedSite(ca, HOSTS, {}) as site, Tunnel(site.port) as tunnel:
        for name, value in tunnel.environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(ListsError, match=r"work\?work_uri=.*: HTTP 404"):
            fetched(None)
