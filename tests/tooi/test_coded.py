"""Coded values: the label and URI that a publisher gave."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tooi.folders import with_newer
from woo_harvester.tooi.coded import Resolved, nearest_value, resolve
from woo_harvester.tooi.lists import (
    UNKNOWN_CATEGORY,
    UNKNOWN_DOCUMENT_TYPE,
    UNKNOWN_ORGANISATION,
    UNKNOWN_THEME,
    ValueLists,
    bundled,
    documentsoorten,
    informatiecategorieen,
    organisaties,
    themas,
)
from woo_harvester.tooi.values import Concept, one_line

THESAURUS = "https://identifier.overheid.nl/tooi/def/thes/kern/"
ADVIES = Concept(f"{THESAURUS}c_d506b718", "advies")
AGENDAS = Concept(f"{THESAURUS}c_3a248e3a", "agenda’s en besluitenlijsten bestuurscolleges")
AMSTERDAM = Concept("https://identifier.overheid.nl/tooi/id/gemeente/gm0363", "gemeente Amsterdam")


def test_a_known_uri_gets_the_label_of_the_list_and_a_known_label_its_uri() -> None:
    for label, uri in ((None, ADVIES.uri), (" ", f"\n{ADVIES.uri} "), ("advies", None)):
        assert resolve(documentsoorten(), label, uri) == Resolved(ADVIES), (label, uri)
    assert resolve(documentsoorten(), " " * 2000 + "advies", None) == Resolved(ADVIES), "beyond the cache"
    assert resolve(organisaties(), "Gemeente Amsterdam", None) == Resolved(AMSTERDAM)


def test_letter_case_space_and_kind_of_apostrophe_make_no_difference() -> None:
    for label in [
        "agenda’s en besluitenlijsten bestuurscolleges",
        "Agenda's en besluitenlijsten bestuurscolleges",
        "AGENDA`S EN BESLUITENLIJSTEN BESTUURSCOLLEGES",
        "  agenda\u00b4s  en\n besluitenlijsten\tbestuurscolleges ",
        "agenda‘s\u00a0en besluitenlijsten bestuurscolleges",
    ]:
        assert resolve(informatiecategorieen(), label, None) == Resolved(AGENDAS), label
        assert resolve(informatiecategorieen(), label, AGENDAS.uri) == Resolved(AGENDAS), label


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


def test_a_uri_in_another_notation_or_only_its_code_is_known() -> None:
    for uri in [
        "http://identifier.overheid.nl/tooi/id/gemeente/gm0363",
        "https://identifier.overheid.nl/tooi/id/gemeente/gm0363/",
        "https://Identifier.Overheid.NL/tooi/id/gemeente/gm0363",
        "HTTP://IDENTIFIER.OVERHEID.NL/tooi/id/gemeente/gm0363/",
        "gm0363",
    ]:
        for label in [None, "Gemeente  Amsterdam"]:
            assert resolve(organisaties(), label, uri) == Resolved(AMSTERDAM, uri, UNKNOWN_URI), (uri, label)


def test_a_code_or_uri_counts_in_the_place_of_the_label_too() -> None:
    for text in ["gm0363", AMSTERDAM.uri, f"{AMSTERDAM.uri}/"]:
        assert resolve(organisaties(), text, None) == Resolved(AMSTERDAM, text, UNKNOWN_URI), text
        assert resolve(organisaties(), text, "urn:x") == Resolved(AMSTERDAM, f"{text} (urn:x)", UNKNOWN_URI)


def test_a_code_is_that_of_a_value_of_the_fields_own_list() -> None:
    for values, code, known in [
        (documentsoorten(), "c_d506b718", ADVIES),
        (informatiecategorieen(), "c_3a248e3a", AGENDAS),
        (bundled().talen, "ENG", ENGLISH),
    ]:
        assert (
            resolve(values, None, code) == resolve(values, code, None) == Resolved(known, code, UNKNOWN_URI)
        )
        for other in (themas(), organisaties()):
            assert resolve(other, None, code) == Resolved(other.unknown, code, ("waarde.label-onbekend",)), (
                values
            )


def test_the_eus_own_http_and_https_are_both_current_and_other_notations_are_corrected() -> None:
    https = ENGLISH.uri.replace("http:", "https:")
    assert (
        resolve(bundled().talen, None, ENGLISH.uri)
        == resolve(bundled().talen, None, https)
        == Resolved(ENGLISH)
    )
    for uri in (
        f"{ENGLISH.uri}/",
        f"{https}/",
        https.replace("europa", "Europa"),
        https.upper()[:8] + https[8:],
    ):
        assert resolve(bundled().talen, "Engels", uri) == Resolved(ENGLISH, uri, UNKNOWN_URI)


def test_a_corrected_uri_wins_from_the_label_and_both_are_kept() -> None:
    assert resolve(organisaties(), "gemeente Utrecht", "gm0363") == Resolved(
        AMSTERDAM, "gemeente Utrecht (gm0363)", ("waarde.uri-onbekend", "waarde.strijdig")
    )


def test_what_only_resembles_a_code_or_a_path_is_not_guessed() -> None:
    for code in ("GM0363", "gm363", "0363", "gemeente/gm0363", "gm0363/", " gm 0363"):
        found = resolve(organisaties(), None, code)
        assert found == Resolved(UNKNOWN_ORGANISATION, code.strip(), ("waarde.label-onbekend",)), code
    uri, utrecht = AMSTERDAM.uri.replace("/gemeente/", "/Gemeente/"), "gemeente Utrecht"
    found = resolve(organisaties(), utrecht, uri)
    assert found == Resolved(organisaties().by_label(utrecht), uri, UNKNOWN_URI), "the case of a path"


def test_a_public_organisation_that_the_lists_do_not_have_is_kept_with_the_usual_notation() -> None:
    uri, name = "https://identifier.overheid.nl/tooi/id/gemeente/gm9999", "gemeente Nieuw"
    for written in (uri, uri.replace("https", "http"), uri.replace("identifier", "IDENTIFIER") + "/"):
        kept = None if written == uri else written
        assert resolve(organisaties(), name, written) == Resolved(Concept(uri, name), kept, UNKNOWN_URI)
    assert resolve(organisaties(), None, uri) == Resolved(Concept(uri, ""), None, UNKNOWN_URI)
    assert resolve(themas(), "verkeer", uri) == Resolved(themas().by_label("verkeer"), uri, UNKNOWN_URI)


def test_every_code_of_the_lists_names_one_value() -> None:
    for values in (organisaties(), documentsoorten(), themas(), informatiecategorieen(), bundled().talen):
        for concept in values:
            assert values.by_code(concept.uri.rpartition("/")[2]) is concept


def test_a_value_that_the_list_does_not_know_is_unknown_and_kept_as_bronwaarde() -> None:
    for label, uri, bronwaarde in [
        ("raadsel", "https://www.a.nl/soort/8", "raadsel (https://www.a.nl/soort/8)"),
        ("PLACEHOLDER_WAARDE", None, "PLACEHOLDER_WAARDE"),
        (None, "https://www.a.nl/soort/8", "https://www.a.nl/soort/8"),
    ]:
        for values, unknown in [
            (documentsoorten(), UNKNOWN_DOCUMENT_TYPE),
            (themas(), UNKNOWN_THEME),
            (informatiecategorieen(), UNKNOWN_CATEGORY),
            (organisaties(), UNKNOWN_ORGANISATION),
            (bundled().handelingen, None),
            (bundled().talen, None),
        ]:
            assert resolve(values, label, uri) == Resolved(unknown, bronwaarde, ("waarde.label-onbekend",))


def test_an_empty_value_is_absent() -> None:
    for label, uri in [(None, None), ("", ""), (" \n", None), ("", "\t")]:
        assert resolve(documentsoorten(), label, uri) is None, (label, uri)


def test_a_name_that_two_organisations_have_is_not_guessed() -> None:
    assert resolve(organisaties(), "ministerie van Economische Zaken", None) == Resolved(
        UNKNOWN_ORGANISATION, "ministerie van Economische Zaken", ("waarde.label-onbekend",)
    )


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


def test_a_language_is_known_by_its_codes_of_iso_639_in_either_place() -> None:
    for code, label in [
        *dict.fromkeys(("nl", "nl-NL", "NL_be", "nld", "dut", "NLD", "nl-Latn-NL"), "Nederlands").items(),
        *dict.fromkeys(("en", "en-GB", "eng"), "Engels").items(),
        *dict.fromkeys(("de", "de-DE", "deu", "ger"), "Duits").items(),
        *dict.fromkeys(("fr", "fr-BE", "fra", "fre"), "Frans").items(),
        *dict.fromkeys(("fy", "fy-NL", "fry"), "Fries").items(),
        ("PAP-AW", "Papiamento"),
    ]:
        expected = Resolved(bundled().talen.by_label(label), code, UNKNOWN_URI)
        for parts in ((code, None), (None, code)):
            assert resolve(bundled().talen, *parts) == expected, (code, label)


def test_another_text_is_no_code_of_a_known_language() -> None:
    for text in ["pap", "zh", "xx-NL", "nl-", "n", "nlx", "de-besluiten", "nl en"]:
        assert resolve(bundled().talen, text, None) == Resolved(None, text, ("waarde.label-onbekend",)), text


def test_every_language_has_two_codes_but_the_two_that_share_one() -> None:
    for language in bundled().talen:
        code = language.uri.rpartition("/")[2].lower()
        assert (bundled().talen.by_code(code) == language) is not code.startswith("pap")


def test_the_roles_that_open_overheid_nl_uses_are_known_with_newer_lists_too() -> None:
    newer = ValueLists.make(with_newer("scw_documentrelatie", lambda _: [Concept("urn:nieuw", "nieuw")]))
    for roles in (bundled().documentrelaties, newer.documentrelaties):
        uri = "https://identifier.overheid.nl/tooi/def/thes/kern/c_4d1ea9ba"
        assert resolve(roles, None, uri) == Resolved(Concept(uri, "is bijlage bij"))
        for name in ("bundel", "onderdeel", "bijlage", "identiteitsgroep", "gerelateerd"):
            uri = f"https://identifier.overheid.nl/plooi/def/thes/documentrelatie/{name}"
            assert resolve(roles, None, uri) == Resolved(Concept(uri, name))


# The value of a list that a misspelt label stands for.


def test_a_label_near_that_of_a_value_stands_for_it() -> None:
    for values, label, meant in [
        (informatiecategorieen(), "WOO verzoek", None),
        (informatiecategorieen(), "convenant", "convenanten"),
        (documentsoorten(), "Wob- of Woo-verzoek", "Wob-/Woo-verzoek"),
        (organisaties(), "Gemeente Amsterdm", "gemeente Amsterdam"),
        (organisaties(), "Onbekendd", None),
        (organisaties(), "Bureau voor Wat Nergens Is", None),
        (organisaties(), "gemeente Amsterdam", None),
        (organisaties(), "", None),
        (organisaties(), "--", None),
        (organisaties(), "gemeente " * 10_000, None),
    ]:
        found = nearest_value(values, label)
        assert (None if found is None else found.label) == meant, (values, label)
