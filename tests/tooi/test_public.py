"""The value lists as TOOI publishes them."""

from __future__ import annotations

from datetime import date
from urllib.parse import unquote, urlsplit

import pytest

from tests.tooi.folders import AMSTERDAM, GEMEENTEN, NIEUWSTAD, TODAY
from tests.tooi.json_ld import LABEL, SKOS, Node, concept, event, header, organisation, work_page, written
from woo_harvester.tooi.list_files import Edition, ListsError
from woo_harvester.tooi.lists import NAMES
from woo_harvester.tooi.public import PUBLIC_LISTS, latest_version, read_json_ld
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


@pytest.mark.parametrize(
    ("content", "reason"),
    [
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
    ],
)
def test_what_is_no_such_list_is_an_error_of_one_line(content: bytes, reason: str) -> None:
    with pytest.raises(ListsError) as raised:
        read_json_ld(PUBLIC_LISTS[GEMEENTEN], 5, content, TODAY)
    (line,) = str(raised.value).splitlines()
    assert reason in line
    assert GEMEENTEN in line
