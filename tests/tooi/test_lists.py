"""The waardelijsten that ship with the project."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

import woo_harvester.tooi
from woo_harvester.tooi.lists import (
    CATEGORY_COUNT,
    UNKNOWN_CATEGORY,
    UNKNOWN_DOCUMENT_TYPE,
    UNKNOWN_ORGANISATION,
    UNKNOWN_THEME,
    article_of_category,
    bundled,
    category_of_index,
    informatiecategorieen,
    organisaties,
)
from woo_harvester.tooi.values import (
    Concept,
    ValueList,
    is_tooi_organisation,
    normal_label,
    organisation_type,
)

LISTS = Path(woo_harvester.tooi.__file__).parent / "lists"


def test_a_list_has_the_values_of_its_edition() -> None:
    assert sorted(bundled().editions) == sorted(path.stem for path in LISTS.glob("[!i]*.csv"))
    for field, name, added in [
        ("informatiecategorieen", "scw_woo_informatiecategorieen", 0),
        ("documentsoorten", "ccw_plooi_documentsoorten", 0),
        ("themas", "scw_toplijst", 0),
        ("filetypes", "ccw_plooi_filetypes", 0),
        ("talen", "scw_talen", 0),
        ("handelingen", "ccw_plooi_documenthandelingen", 0),
        ("documentrelaties", "scw_documentrelatie", 6),  # that open.overheid.nl uses and the list lacks
        ("redenen", "ccw_plooi_reden_intrekking_of_vervanging", 0),
    ]:
        values, edition = getattr(bundled(), field), bundled().editions[name]
        assert (values.name, len(values)) == (name, len(edition.concepts) + added)
        assert edition.version >= 1, name
        assert 2021 <= edition.published.year <= 2025, name


def test_the_organisations_are_those_of_the_eight_registers_and_of_newer_editions() -> None:
    registers = [
        len(edition.concepts) for name, edition in bundled().editions.items() if name.startswith("rwc_")
    ]
    assert (len(registers), len(organisaties())) == (8, sum(registers) + 40)


def test_lists_are_out_of_date_if_nobody_has_looked_at_them_for_a_year() -> None:
    today = date(2025, 6, 6)
    ages = [(today - edition.published).days for edition in bundled().editions.values()]
    assert bundled().outdated(today) == sum(age > 365 for age in ages) > 0


def test_every_organisation_has_its_kind_in_its_uri_even_if_no_list_has_it() -> None:
    kinds = {organisation_type(concept.uri) for concept in organisaties()}
    assert kinds == {"col", "gemeente", "ministerie", "oorg", "provincie", "so", "waterschap", "zbo"}
    tooi = "https://identifier.overheid.nl/tooi/"
    assert organisation_type(f"{tooi}id/gemeente/gm9999") == "gemeente"
    assert is_tooi_organisation(f"{tooi}id/gemeente/gm9999")
    for uri in (
        *(
            "",
            f"{tooi}id/",
            f"{tooi}id/gemeente/",
            f"{tooi}id/gemeente/gm0363/x",
            f"{tooi}id/gemeente/gm 0363",
        ),
        *(f"{tooi.replace('https', 'http')}id/gemeente/gm0363", f"{tooi}def/thes/kern/c_3baef532"),
        UNKNOWN_ORGANISATION.uri,
    ):
        assert organisation_type(uri) is None, uri
        assert not is_tooi_organisation(uri), uri


def test_the_three_documenthandelingen_are_those_of_the_guide() -> None:
    assert {concept.uri.rpartition("/")[2]: concept.label for concept in bundled().handelingen} == {
        "c_e1ec050e": "ondertekening",
        "c_dfcee535": "ontvangst",
        "c_641ecd76": "vaststelling",
    }


def test_the_label_of_a_category_is_that_of_the_list_of_the_run_and_there_are_17() -> None:
    newer = ValueList("x", [replace(category_of_index(10), label="adviezen en rapporten")])
    assert category_of_index(10, newer).label == "adviezen en rapporten"
    for number in (-1, 0, 18, 100):
        with pytest.raises(ValueError, match="from 1 to 17"):
            category_of_index(number)


def test_unknown_has_an_identifier_and_a_label() -> None:
    unknown = [UNKNOWN_ORGANISATION, UNKNOWN_THEME, UNKNOWN_DOCUMENT_TYPE, UNKNOWN_CATEGORY]

    assert [(concept.uri.rpartition("/")[2], concept.label) for concept in unknown] == [
        ("organisatie_onbekend", "Onbekend"),
        ("thema_onbekend", "Onbekend"),
        ("documentsoort_onbekend", "Onbekend"),
        ("informatiecategorie_onbekend", "onbekend"),
    ]


#: The table of the guide, in the order of its numbers 001 to 017.
CATEGORIES = (
    ("Wetten en algemeen verbindende voorschriften", "3.3, 1, a"),
    ("Overige besluiten van algemene strekking", "3.3, 1, b"),
    ("Ontwerpen van wet- en regelgeving met adviesaanvraag", "3.3, 1, c"),
    ("Organisatie en werkwijze", "3.3, 1, d"),
    ("Bereikbaarheidsgegevens", "3.3, 1, e"),
    ("Bij vertegenwoordigende organen ingekomen stukken", "3.3, 2, a"),
    ("Vergaderstukken Staten-Generaal", "3.3, 2, b"),
    ("Vergaderstukken decentrale overheden", "3.3, 2, c"),
    ("Agenda's en besluitenlijsten bestuurscolleges", "3.3, 2, d"),
    ("Adviezen", "3.3, 2, e"),
    ("Convenanten", "3.3, 2, f"),
    ("Jaarplannen en jaarverslagen", "3.3, 2, g"),
    ("Subsidieverplichtingen anders dan met beschikking", "3.3, 2, h"),
    ("Woo-verzoeken en -besluiten", "3.3, 2, i"),
    ("Onderzoeksrapporten", "3.3, 2, j"),
    ("Beschikkingen", "3.3, 2, k & 3.3a"),
    ("Klachtoordelen", "3.3, 2, l & 3.3a"),
)


def test_each_category_has_the_article_that_the_table_of_the_guide_gives() -> None:
    assert len(CATEGORIES) == CATEGORY_COUNT
    for number, (label, article) in enumerate(CATEGORIES, start=1):
        category = category_of_index(number)
        assert normal_label(category.label) == normal_label(label)
        assert article_of_category(category.uri) == article


def test_every_category_of_the_list_has_an_article_and_an_unknown_one_has_none() -> None:
    articles = {concept.label: article_of_category(concept.uri) for concept in informatiecategorieen()}
    assert articles.pop("inspanningsverplichting art 3.1 Woo") == "3.1"
    assert len(set(articles.values()) - {None}) == 17
    assert article_of_category(UNKNOWN_CATEGORY.uri) is None


def test_an_organisation_that_only_a_newer_edition_has_is_known() -> None:
    uri = "https://identifier.overheid.nl/tooi/id/so/so1104"
    assert bundled().organisaties.by_uri(uri) == Concept(uri, "Omgevingsdienst Utrecht")
