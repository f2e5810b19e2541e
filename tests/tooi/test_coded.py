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
    ValueLists,
    bundled,
    documentsoorten,
    handelingen,
    informatiecategorieen,
    one_line,
    organisaties,
    resolve,
    talen,
    themas,
)
from woo_harvester.tooi.lists import bundled_files

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
        ADVIES, "Kamerbrief", ("waarde.strijdig",)
    )


def test_an_unknown_uri_with_a_known_label_gets_the_known_uri_and_keeps_the_given_one() -> None:
    assert resolve(documentsoorten(), "Advies", "https://www.a.nl/soort/7") == Resolved(
        ADVIES, "https://www.a.nl/soort/7", ("waarde.uri-onbekend",)
    )


def test_a_label_that_is_kept_has_single_spaces() -> None:
    label, uri = "gemeente\n  Nieuw\u00a0stad", "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"
    kept = "gemeente Nieuw stad"
    assert resolve(organisaties(), label, uri) == Resolved(Concept(uri, kept), None, UNKNOWN_URI)
    assert resolve(organisaties(), label, AMSTERDAM.uri) == Resolved(AMSTERDAM, kept, ("waarde.strijdig",))
    assert resolve(themas(), label, None) == Resolved(UNKNOWN_THEME, kept, ("waarde.label-onbekend",))
    assert resolve(themas(), f"{label}{' ' * 2000}x", None) == Resolved(
        UNKNOWN_THEME, f"{kept} x", ("waarde.label-onbekend",)
    )


UNKNOWN_URI = ("waarde.uri-onbekend",)
ENGLISH = Concept("http://publications.europa.eu/resource/authority/language/ENG", "Engels")


@pytest.mark.parametrize(
    "uri",
    [
        "http://identifier.overheid.nl/tooi/id/gemeente/gm0363",
        "https://identifier.overheid.nl/tooi/id/gemeente/gm0363/",
        "https://Identifier.Overheid.NL/tooi/id/gemeente/gm0363",
        "HTTP://IDENTIFIER.OVERHEID.NL/tooi/id/gemeente/gm0363/",
        "gm0363",
    ],
)
@pytest.mark.parametrize("label", [None, "Gemeente  Amsterdam"])
def test_a_uri_in_another_notation_or_only_its_code_is_known(uri: str, label: str | None) -> None:
    assert resolve(organisaties(), label, uri) == Resolved(AMSTERDAM, uri, UNKNOWN_URI)


@pytest.mark.parametrize("text", ["gm0363", AMSTERDAM.uri, f"{AMSTERDAM.uri}/"])
def test_a_code_or_uri_counts_in_the_place_of_the_label_too(text: str) -> None:
    assert resolve(organisaties(), text, None) == Resolved(AMSTERDAM, text, UNKNOWN_URI)
    assert resolve(organisaties(), text, "urn:x") == Resolved(AMSTERDAM, f"{text} (urn:x)", UNKNOWN_URI)


@pytest.mark.parametrize(
    ("values", "code", "known"),
    [
        (documentsoorten(), "c_d506b718", ADVIES),
        (informatiecategorieen(), "c_3a248e3a", AGENDAS),
        (talen(), "ENG", ENGLISH),
    ],
    ids=repr,
)
def test_a_code_is_that_of_a_value_of_the_fields_own_list(
    values: ValueList, code: str, known: Concept
) -> None:
    assert resolve(values, None, code) == resolve(values, code, None) == Resolved(known, code, UNKNOWN_URI)
    for other in (themas(), organisaties()):
        assert resolve(other, None, code) == Resolved(other.unknown, code, ("waarde.label-onbekend",))


def test_the_eus_own_http_and_https_are_both_current_and_other_notations_are_corrected() -> None:
    https = ENGLISH.uri.replace("http:", "https:")
    assert resolve(talen(), None, ENGLISH.uri) == resolve(talen(), None, https) == Resolved(ENGLISH)
    for uri in (
        f"{ENGLISH.uri}/",
        f"{https}/",
        https.replace("europa", "Europa"),
        https.upper()[:8] + https[8:],
    ):
        assert resolve(talen(), "Engels", uri) == Resolved(ENGLISH, uri, UNKNOWN_URI)


def test_a_corrected_uri_wins_from_the_label_and_both_are_kept() -> None:
    assert resolve(organisaties(), "gemeente Utrecht", "gm0363") == Resolved(
        AMSTERDAM, "gemeente Utrecht (gm0363)", ("waarde.uri-onbekend", "waarde.strijdig")
    )


@pytest.mark.parametrize("code", ["GM0363", "gm363", "0363", "gemeente/gm0363", "gm0363/", " gm 0363"])
def test_what_only_resembles_a_code_is_not_guessed(code: str) -> None:
    found = resolve(organisaties(), None, code)
    assert found == Resolved(UNKNOWN_ORGANISATION, code.strip(), ("waarde.label-onbekend",))


def test_the_letter_case_of_a_path_is_not_guessed() -> None:
    uri = AMSTERDAM.uri.replace("/gemeente/", "/Gemeente/")
    assert resolve(organisaties(), "gemeente Utrecht", uri) == Resolved(
        organisaties().by_label("gemeente Utrecht"), uri, UNKNOWN_URI
    )


@pytest.mark.parametrize(
    "given",
    [
        "http://identifier.overheid.nl/tooi/id/gemeente/gm9999",
        "https://IDENTIFIER.overheid.nl/tooi/id/gemeente/gm9999/",
    ],
)
def test_a_public_organisation_that_the_lists_do_not_have_is_kept_with_the_usual_notation(given: str) -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"
    assert resolve(organisaties(), "gemeente Nieuw", given) == Resolved(
        Concept(uri, "gemeente Nieuw"), given, UNKNOWN_URI
    )


def test_every_code_of_the_lists_names_one_value() -> None:
    for values in (organisaties(), documentsoorten(), themas(), informatiecategorieen(), talen()):
        for concept in values:
            assert values.by_code(concept.uri.rpartition("/")[2]) is concept


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
    assert resolve(values, label, uri) == Resolved(unknown, bronwaarde, ("waarde.label-onbekend",))


@pytest.mark.parametrize(("label", "uri"), [(None, None), ("", ""), (" \n", None), ("", "\t")])
def test_an_empty_value_is_absent(label: str | None, uri: str | None) -> None:
    assert resolve(documentsoorten(), label, uri) is None


def test_a_public_organisation_that_the_lists_do_not_have_is_kept_as_given() -> None:
    uri = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999"

    assert resolve(organisaties(), "gemeente Nieuw", uri) == Resolved(
        Concept(uri, "gemeente Nieuw"), None, ("waarde.uri-onbekend",)
    )
    assert resolve(organisaties(), None, uri) == Resolved(Concept(uri, ""), None, ("waarde.uri-onbekend",))
    assert resolve(themas(), "verkeer", uri) == Resolved(
        themas().by_label("verkeer"), uri, ("waarde.uri-onbekend",)
    )


def test_a_public_organisation_is_found_by_its_name() -> None:
    assert resolve(organisaties(), "Gemeente Amsterdam", None) == Resolved(AMSTERDAM)


def test_a_name_that_two_organisations_have_is_not_guessed() -> None:
    assert resolve(organisaties(), "ministerie van Economische Zaken", None) == Resolved(
        UNKNOWN_ORGANISATION, "ministerie van Economische Zaken", ("waarde.label-onbekend",)
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
        assert one_line(label) in resolved.bronwaarde
        assert uri.strip() in resolved.bronwaarde


@pytest.mark.parametrize(
    ("code", "label"),
    [
        *dict.fromkeys(("nl", "nl-NL", "NL_be", "nld", "dut", "NLD", "nl-Latn-NL"), "Nederlands").items(),
        *dict.fromkeys(("en", "en-GB", "eng"), "Engels").items(),
        *dict.fromkeys(("de", "de-DE", "deu", "ger"), "Duits").items(),
        *dict.fromkeys(("fr", "fr-BE", "fra", "fre"), "Frans").items(),
        *dict.fromkeys(("fy", "fy-NL", "fry"), "Fries").items(),
        ("PAP-AW", "Papiamento"),
    ],
)
def test_a_language_is_known_by_its_codes_of_iso_639_in_either_place(code: str, label: str) -> None:
    language = talen().by_label(label)
    expected = Resolved(language, code, UNKNOWN_URI)
    assert (resolve(talen(), code, None), resolve(talen(), None, code)) == (expected, expected)


@pytest.mark.parametrize("text", ["pap", "zh", "xx-NL", "nl-", "n", "nlx", "de-besluiten", "nl en"])
def test_another_text_is_no_code_of_a_known_language(text: str) -> None:
    assert resolve(talen(), text, None) == Resolved(None, text, ("waarde.label-onbekend",))


def test_every_language_has_two_codes_but_the_two_that_share_one() -> None:
    for language in talen():
        code = language.uri.rpartition("/")[2].lower()
        assert (talen().by_code(code) == language) is not code.startswith("pap")


def test_the_roles_that_open_overheid_nl_uses_are_known_with_newer_lists_too() -> None:
    newer = ValueLists.make(bundled_files(), {"scw_documentrelatie": [Concept("urn:oud", "oud")]})
    for roles in (bundled().documentrelaties, newer.documentrelaties):
        uri = "https://identifier.overheid.nl/tooi/def/thes/kern/c_4d1ea9ba"
        assert resolve(roles, None, uri) == Resolved(Concept(uri, "is bijlage bij"))
        for name in ("bundel", "onderdeel", "bijlage", "identiteitsgroep", "gerelateerd"):
            uri = f"https://identifier.overheid.nl/plooi/def/thes/documentrelatie/{name}"
            assert resolve(roles, None, uri) == Resolved(Concept(uri, name))
