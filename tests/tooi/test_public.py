"""The value lists as TOOI publishes them."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest

from tests.tooi.folders import AMSTERDAM, GEMEENTEN, NIEUWSTAD, TODAY
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
from tests.utils.sites import ca, ca_bundle
from tests.utils.tunnel import NamedSite, Tunnel
from woo_harvester.demo.server import Authority
from woo_harvester.tooi.list_files import Edition, Editions, bundled_editions
from woo_harvester.tooi.public import (
    ListFetcher,
    ListsError,
    file_url,
    latest_version,
    page_url,
    read_json_ld,
)

CATEGORIES = "scw_woo_informatiecategorieen"
THEMES = "scw_toplijst"
THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"


def page_of(name: str, *versions: int) -> bytes:
    content = work_page(name, *versions).content
    assert content is not None
    return content


def test_a_list_has_a_public_page_and_a_file_for_each_version() -> None:
    assert page_url(THEMES) == (
        "https://standaarden.overheid.nl/tooi/waardelijsten/work"
        f"?work_uri=https%3A%2F%2Fidentifier.overheid.nl%2Ftooi%2Fset%2F{THEMES}"
    )
    assert file_url(THEMES, 7) == (
        f"https://repository.officiele-overheidspublicaties.nl/waardelijsten/{THEMES}/7/json/{THEMES}_7.json"
    )


def test_the_newest_version_is_the_largest_number_in_the_page() -> None:
    assert latest_version(GEMEENTEN, page_of(GEMEENTEN, 9, 10, 4)) == 10
    assert latest_version(GEMEENTEN, f'<a href="/tooi/set/{GEMEENTEN}/12">x</a>'.encode()) == 12
    assert latest_version(GEMEENTEN, f"/{GEMEENTEN}%2f3 /{GEMEENTEN}_oud%2F9".encode()) == 3
    with pytest.raises(ListsError, match=f"work_uri=.* names no version of {THEMES}"):
        latest_version(THEMES, page_of(GEMEENTEN, 4))


def test_organisations_have_their_present_names_and_events_are_none() -> None:
    nodes = [
        organisation(AMSTERDAM.uri, AMSTERDAM.label, einddatum="2030-01-01"),
        organisation(
            f"{NIEUWSTAD.uri.rpartition('/')[0]}/hv_04193490", "gemeente Oudstad", "HistorischeVersie"
        ),
        event(AMSTERDAM.uri, AMSTERDAM.label),
        organisation(NIEUWSTAD.uri, NIEUWSTAD.label),
        header(GEMEENTEN, 5),
    ]
    file = read_json_ld(GEMEENTEN, 5, written(nodes), TODAY)
    assert file == Edition(5, date(2026, 1, 2), (AMSTERDAM, NIEUWSTAD), TODAY)


def test_categories_have_their_names_in_the_plural_as_in_the_guide() -> None:
    nodes = [
        concept(f"{THESAURUS}c_99a836c7", "advies", prefLabelVoorGroepen="adviezen"),
        concept(f"{THESAURUS}c_1", "nieuw"),
        header(CATEGORIES, 5),
    ]
    file = read_json_ld(CATEGORIES, 5, written(nodes), TODAY)
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
    file = read_json_ld(THEMES, 2, written(nodes), TODAY)
    assert [each.label for each in file.concepts] == ["afval", "waste"]


NODE = organisation(AMSTERDAM.uri, AMSTERDAM.label)
HEADER = header(GEMEENTEN, 5)


def test_what_is_no_such_list_is_an_error_of_one_line() -> None:
    for content, reason in [
        (b"<!DOCTYPE html><html>Onderhoud</html>", "is no list in JSON-LD: Expecting value"),
        (b"", "is no list in JSON-LD: Expecting value"),
        (b"{}", "is no list in JSON-LD"),
        (b"[1]", "is no list in JSON-LD"),
        (b"[" * 100_000, "is no list in JSON-LD"),
        (b"\xff\xfe[]", "is no list in JSON-LD"),
        (written([NODE]), "is no list in JSON-LD: not enough values"),
        (written([NODE, header(GEMEENTEN, 4)]), "is no list in JSON-LD: not enough values"),
        (written([NODE, HEADER, HEADER]), "is no list in JSON-LD: too many values"),
        (written([NODE, header(GEMEENTEN, 5, "22-12-2025")]), "Invalid isoformat string"),
        (written([HEADER]), "expected values, each with a URI and a label"),
        (written([{**NODE, LABEL: "x"}, HEADER]), "is no list in JSON-LD"),
        (written([{**NODE, LABEL: [{"@id": "x"}]}, HEADER]), "is no list in JSON-LD"),
        (written([{**NODE, "@id": ""}, HEADER]), "expected values"),
    ]:
        with pytest.raises(ListsError) as raised:
            read_json_ld(GEMEENTEN, 5, content, TODAY)
        (line,) = str(raised.value).splitlines()
        assert reason in line, content
        assert GEMEENTEN in line, content


__all__ = ["ca", "ca_bundle"]

HOSTS = ("standaarden.overheid.nl", "repository.officiele-overheidspublicaties.nl")
NEWER = written(
    [
        organisation(AMSTERDAM.uri, AMSTERDAM.label),
        organisation(NIEUWSTAD.uri, NIEUWSTAD.label),
        header(GEMEENTEN, 5),
    ]
)


@pytest.fixture(autouse=True)
def environment(ca_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_bundle))
    monkeypatch.setenv("NO_PROXY", "localhost")


def fetched(known: Editions | None = None) -> Editions:
    fetcher = ListFetcher("test/1", TODAY, time_limit=10, backoff=0.001)
    return asyncio.run(fetcher.fetch(known or bundled_editions()))


def test_newer_versions_are_fetched_from_tooi(ca: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    with NamedSite(ca, HOSTS, tooi_site({GEMEENTEN: (5, NEWER)})) as site, Tunnel(site.port) as tunnel:
        for name, value in tunnel.environment.items():
            monkeypatch.setenv(name, value)
        found = fetched()
    assert found[GEMEENTEN].concepts == (AMSTERDAM, NIEUWSTAD)
    assert found[GEMEENTEN].version == 5
    assert {edition.checked for edition in found.values()} == {TODAY}
    assert all(
        found[name].concepts == known.concepts
        for name, known in bundled_editions().items()
        if name != GEMEENTEN
    )
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
                fetched()
