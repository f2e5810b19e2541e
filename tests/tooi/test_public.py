"""The value lists as TOOI publishes them."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path
from urllib.parse import unquote, urlsplit

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
from tests.tooi.json_ld import (
    LABEL,
    SKOS,
    Node,
    concept,
    event,
    header,
    organisation,
    tooi_site,
    work_page,
    written,
)
from tests.utils.sites import MakeSite, ca, ca_bundle, make_site
from tests.utils.tunnel import NamedSite, Tunnel
from woo_harvester.demo.server import Authority, Certificate, Page, Pages, redirect
from woo_harvester.tooi.list_files import Edition, ListFiles, ListsError
from woo_harvester.tooi.lists import NAMES, bundled_files
from woo_harvester.tooi.public import PUBLIC_LISTS, ListFetcher, latest_version, read_json_ld
from woo_harvester.tooi.values import Concept

CATEGORIES = "scw_woo_informatiecategorieen"
THEMES = "scw_toplijst"
THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"


def page_of(name: str, *versions: int) -> bytes:
    content = work_page(name, *versions).content
    assert content is not None
    return content


def test_each_list_has_a_public_address() -> None:
    assert set(PUBLIC_LISTS) == set(NAMES)
    for name, public in PUBLIC_LISTS.items():
        assert public.name == name
        assert unquote(public.page).endswith(f"=https://identifier.overheid.nl/tooi/set/{name}")
        assert public.file(7) == (
            f"https://repository.officiele-overheidspublicaties.nl/waardelijsten/{name}/7/json/{name}_7.json"
        )
        assert urlsplit(public.page).hostname == "standaarden.overheid.nl"


def test_the_newest_version_is_the_largest_number_in_the_page() -> None:
    public = PUBLIC_LISTS[GEMEENTEN]
    assert latest_version(public, page_of(GEMEENTEN, 9, 10, 4)) == 10
    assert latest_version(public, f'<a href="/tooi/set/{GEMEENTEN}/12">x</a>'.encode()) == 12
    assert latest_version(public, f"{GEMEENTEN}%2f3 {GEMEENTEN}_oud%2F9".replace("rwc", "/rwc").encode()) == 3


def test_a_page_without_versions_of_the_list_is_an_error() -> None:
    with pytest.raises(ListsError, match=f"work_uri=.* names no version of {THEMES}"):
        latest_version(PUBLIC_LISTS[THEMES], page_of(GEMEENTEN, 4))


def test_organisations_have_their_present_names_and_events_are_none() -> None:
    nodes = [
        organisation(*AMSTERDAM, einddatum="2030-01-01"),
        organisation(
            f"{NIEUWSTAD[0].rpartition('/')[0]}/hv_04193490", "gemeente Oudstad", "HistorischeVersie"
        ),
        event(*AMSTERDAM),
        organisation(*NIEUWSTAD),
        header(GEMEENTEN, 5),
    ]
    file = read_json_ld(PUBLIC_LISTS[GEMEENTEN], 5, written(nodes), TODAY)
    assert file.concepts == (Concept(*AMSTERDAM), Concept(*NIEUWSTAD))
    assert file.edition == Edition(
        f"https://identifier.overheid.nl/tooi/set/{GEMEENTEN}/5", date(2026, 1, 2), 2, TODAY, is_bundled=False
    )


def test_categories_have_their_names_in_the_plural_as_in_the_guide() -> None:
    nodes = [
        concept(f"{THESAURUS}c_99a836c7", "advies", prefLabelVoorGroepen="adviezen"),
        concept(f"{THESAURUS}c_1", "nieuw"),
        header(CATEGORIES, 5),
    ]
    file = read_json_ld(PUBLIC_LISTS[CATEGORIES], 5, written(nodes), TODAY)
    assert [each.label for each in file.concepts] == ["adviezen", "nieuw"]


def test_a_label_is_dutch_if_there_is_a_choice_and_collections_are_no_values() -> None:
    english = {"@language": "en", "@value": "waste"}
    nodes: list[Node] = [
        {
            **concept(f"{THESAURUS}c_1", ""),
            f"{SKOS}prefLabel": [english, {"@language": "nl", "@value": "afval"}],
        },
        {**concept(f"{THESAURUS}c_2", ""), f"{SKOS}prefLabel": [english]},
        {**concept(f"{THESAURUS}skosCollection_1", "lijst"), "@type": [f"{SKOS}Collection"]},
        header(THEMES, 2),
    ]
    file = read_json_ld(PUBLIC_LISTS[THEMES], 2, written(nodes), TODAY)
    assert [each.label for each in file.concepts] == ["afval", "waste"]


NODE = organisation(*AMSTERDAM)
HEADER = header(GEMEENTEN, 5)


def test_what_is_no_such_list_is_an_error_of_one_line() -> None:
    for content, reason in [
        (b"<!DOCTYPE html><html>Onderhoud</html>", "is no list in JSON-LD: Expecting value"),
        (b"", "is no list in JSON-LD: Expecting value"),
        (b"{}", "expected an array of nodes"),
        (b"[1]", "expected an array of nodes"),
        (b"[" * 100_000, "is no list in JSON-LD"),
        (b"\xff\xfe[]", "is no list in JSON-LD"),
        (written([NODE]), "is no list in JSON-LD: not enough values"),
        (written([NODE, header(GEMEENTEN, 4)]), "is no list in JSON-LD: not enough values"),
        (written([NODE, HEADER, HEADER]), "is no list in JSON-LD: too many values"),
        (written([NODE, header(GEMEENTEN, 5, "22-12-2025")]), "Invalid isoformat string"),
        (written([NODE, header(GEMEENTEN, 5, "2042-01-01")]), "lies in the future"),
        (written([HEADER]), f"{GEMEENTEN} has 0 values"),
        (written([{**NODE, LABEL: "x"}, HEADER]), "is no list in JSON-LD"),
        (written([{**NODE, LABEL: [{"@id": "x"}]}, HEADER]), "is no list in JSON-LD"),
        (written([{**NODE, "@id": 7}, HEADER]), "expected the URI of a value, got 7"),
        (written([NODE, NODE, HEADER]), "is there twice"),
    ]:
        with pytest.raises(ListsError) as raised:
            read_json_ld(PUBLIC_LISTS[GEMEENTEN], 5, content, TODAY)
        (line,) = str(raised.value).splitlines()
        assert reason in line, content
        assert GEMEENTEN in line, content


# Getting newer value lists: from a folder, from a folder on the web, and from TOOI's own addresses.


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


def test_what_tooi_does_not_have_or_nobody_can_read_is_an_error(
    ca: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = f"waardelijsten/{GEMEENTEN}/5/json/{GEMEENTEN}_5.json"
    for pages, reason in (
        ({}, r"work\?work_uri=.*: HTTP 404"),
        (tooi_site({GEMEENTEN: (5, b"<!DOCTYPE html>")}), f"{file} is no list in JSON-LD"),
    ):
        with NamedSite(ca, HOSTS, pages) as site, Tunnel(site.port) as tunnel:
            for name, value in tunnel.environment.items():
                monkeypatch.setenv(name, value)
            with pytest.raises(ListsError, match=reason):
                fetched(None)
