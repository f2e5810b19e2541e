"""Coded values: the label and URI that a publisher gave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.tooi import (
    UNKNOWN_CATEGORY,
    UNKNOWN_DOCUMENT_TYPE,
    UNKNOWN_ORGANISATION,
    UNKNOWN_THEME,
    Concept,
    Resolved,
    ValueList,
    documentsoorten,
    handelingen,
    informatiecategorieen,
    organisaties,
    resolve,
    talen,
    themas,
)

THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
ADVIES = Concept(f"{THESAURUS}c_d506b718", "advies")
AGENDAS = Concept(f"{THESAURUS}c_3a248e3a", "agenda’s en besluitenlijsten bestuurscolleges")
AMSTERDAM = Concept("https://identifier.overheid.nl/tooi/id/gemeente/gm0363", "gemeente Amsterdam")


def test_a_known_uri_gets_the_label_of_the_list() -> None:
    assert resolve(documentsoorten(), None, ADVIES.uri) == Resolved(ADVIES)
    assert resolve(documentsoorten(), " ", f"\n{ADVIES.uri} ") == Resolved(ADVIES)


def test_a_known_label_gets_its_uri() -> None:
    assert resolve(documentsoorten(), "advies", None) == Resolved(ADVIES)


@pytest.mark.parametrize(
    "label",
    [
        "agenda’s en besluitenlijsten bestuurscolleges",
        "Agenda's en besluitenlijsten bestuurscolleges",
        "AGENDA`S EN BESLUITENLIJSTEN BESTUURSCOLLEGES",
        "  agenda\u00b4s  en\n besluitenlijsten\tbestuurscolleges ",
        "agenda‘s\u00a0en besluitenlijsten bestuurscolleges",
    ],
)
def test_letter_case_space_and_kind_of_apostrophe_make_no_difference(label: str) -> None:
    assert resolve(informatiecategorieen(), label, None) == Resolved(AGENDAS)
    assert resolve(informatiecategorieen(), label, AGENDAS.uri) == Resolved(AGENDAS)


def test_the_uri_wins_and_another_label_is_kept_as_bronwaarde() -> None:
    assert resolve(documentsoorten(), "Kamerbrief", ADVIES.uri) == Resolved(
        ADVIES, "Kamerbrief", "waarde.strijdig"
    )


def test_an_unknown_uri_with_a_known_label_gets_the_known_uri_and_keeps_the_given_one() -> None:
    assert resolve(documentsoorten(), "Advies", "https://www.a.nl/soort/7") == Resolved(
        ADVIES, "https://www.a.nl/soort/7", "waarde.uri-onbekend"
    )


@pytest.mark.parametrize(
    ("label", "uri", "bronwaarde"),
    [
        ("raadsel", "https://www.a.nl/soort/8", "raadsel (https://www.a.nl/soort/8)"),
        ("PLACEHOLDER_WAARDE", None, "PLACEHOLDER_WAARDE"),
        (None, "https://www.a.nl/soort/8", "https://www.a.nl/soort/8"),
    ],
)
@pytest.mark.parametrize(
    ("values", "unknown"),
    [
        (documentsoorten(), UNKNOWN_DOCUMENT_TYPE),
        (themas(), UNKNOWN_THEME),
        (informatiecategorieen(), UNKNOWN_CATEGORY),
        (organisaties(), UNKNOWN_ORGANISATION),
        (handelingen(), None),
        (talen(), None),
    ],
    ids=repr,
)
def test_a_value_that_the_list_does_not_know_is_unknown_and_kept_as_bronwaarde(
    values: ValueList, unknown: Concept | None, label: str | None, uri: str | None, bronwaarde: str
) -> None:
    assert resolve(values, label, uri) == Resolved(unknown, bronwaarde, "waarde.label-onbekend")


@pytest.mark.parametrize(("label", "uri"), [(None, None), ("", ""), (" \n", None), ("", "\t")])
def test_an_empty_value_is_absent(label: str | None, uri: str | None) -> None:
    assert resolve(documentsoorten(), label, uri) is None


def test_a_public_organisation_that_the_lists_do_not_have_is_kept_as_given() -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"

    assert resolve(organisaties(), "gemeente Nieuw", uri) == Resolved(
        Concept(uri, "gemeente Nieuw"), None, "waarde.uri-onbekend"
    )
    assert resolve(organisaties(), None, uri) == Resolved(Concept(uri, ""), None, "waarde.uri-onbekend")
    assert resolve(themas(), "verkeer", uri) == Resolved(
        themas().by_label("verkeer"), uri, "waarde.uri-onbekend"
    )


def test_a_public_organisation_is_found_by_its_name() -> None:
    assert resolve(organisaties(), "Gemeente Amsterdam", None) == Resolved(AMSTERDAM)


def test_a_name_that_two_organisations_have_is_not_guessed() -> None:
    assert resolve(organisaties(), "ministerie van Economische Zaken", None) == Resolved(
        UNKNOWN_ORGANISATION, "ministerie van Economische Zaken", "waarde.label-onbekend"
    )


def test_a_value_too_long_for_the_cache_is_resolved_alike() -> None:
    assert resolve(documentsoorten(), " " * 2000 + "advies", None) == Resolved(ADVIES)


@given(st.text(), st.text())
def test_nothing_that_was_given_is_lost(label: str, uri: str) -> None:
    resolved = resolve(documentsoorten(), label, uri)

    if resolved is None:
        assert not label.strip()
        assert not uri.strip()
    elif resolved.concept == UNKNOWN_DOCUMENT_TYPE:
        assert resolved.bronwaarde is not None
        assert label.strip() in resolved.bronwaarde
        assert uri.strip() in resolved.bronwaarde
