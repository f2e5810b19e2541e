"""Organisations by URI and by name, of the value lists and of the register together."""

from __future__ import annotations

import pytest

from tests.register.exports import AMSTERDAM as STAD
from tests.register.exports import TOOI, organisation, read
from tests.register.exports import UTRECHT as DOMSTAD
from woo_harvester.register import Location, Organisation, Register
from woo_harvester.register.names import Vocabulary, find_organisations, shown_name
from woo_harvester.tooi.coded import Resolved, resolve
from woo_harvester.tooi.lists import UNKNOWN_ORGANISATION, ValueLists, bundled, organisaties
from woo_harvester.tooi.values import Concept

AMSTERDAM = Organisation("1", "Gemeente Amsterdam", f"{TOOI}gemeente/gm0363", "Gemeente")
NIEUWSTAD = Organisation("2", "Gemeente Nieuwstad", f"{TOOI}gemeente/gm9101", "Gemeente")
UTRECHT = Organisation("3", "Gemeente Utrecht", f"{TOOI}gemeente/gm0344", "Gemeente")
PROVINCIE_UTRECHT = Organisation("4", "Provincie Utrecht", f"{TOOI}provincie/pv26", "Provincie")
AA_EN_MAAS = Organisation("5", "Aa en Maas", f"{TOOI}waterschap/ws0654", "Waterschap")
FINANCIEN = Organisation("6", "Financiën", f"{TOOI}ministerie/mnre1090", "Ministerie")
NIEUWE_ZAKEN = Organisation("7", "Nieuwe Zaken", f"{TOOI}ministerie/mnre9999", "Ministerie")
STICHTING = Organisation("8", "Stichting Het Dorp", None, "rwt")
DELFLAND = Organisation("9", "Hoogheemraadschap van Nieuwland", f"{TOOI}waterschap/ws9001", "Waterschap")
UNIT = Organisation("10", "Communicatie", None, "Organisatieonderdeel")
ONLY_BY_URI = Organisation("11", "Gemeente Zonder Soort", f"{TOOI}gemeente/gm9102")
EVERYBODY = [
    AMSTERDAM,
    NIEUWSTAD,
    UTRECHT,
    PROVINCIE_UTRECHT,
    AA_EN_MAAS,
    FINANCIEN,
    NIEUWE_ZAKEN,
    STICHTING,
    DELFLAND,
    UNIT,
    ONLY_BY_URI,
]
NEW = Concept(f"{TOOI}gemeente/gm9101", "Gemeente Nieuwstad")


def lists_of(*on_host: Organisation, others: list[Organisation] = EVERYBODY) -> ValueLists:
    """Return the lists for a host on which these organisations registered a location."""
    locations = [
        Location(organisation, f"https://www.a.nl/{organisation.system_id}") for organisation in on_host
    ]
    return Vocabulary(bundled(), Register(others, locations)).of_host("www.a.nl")


def resolved(label: str | None, uri: str | None, *on_host: Organisation) -> Resolved | None:
    return resolve(lists_of(*on_host).organisaties, label, uri)


def test_an_organisation_that_only_the_register_has_is_known_by_uri_and_by_exact_name() -> None:
    assert resolve(organisaties(), "gemeente Nieuwstad", None) != Resolved(NEW)
    assert resolved(None, NIEUWSTAD.uri) == Resolved(NEW)
    assert resolved("gemeente  nieuwstad", NIEUWSTAD.uri) == Resolved(NEW)
    assert resolved("GEMEENTE NIEUWSTAD", None) == Resolved(NEW)


def test_a_uri_that_the_lists_have_keeps_their_label() -> None:
    listed = Concept(f"{TOOI}gemeente/gm0363", "gemeente Amsterdam")
    assert resolved("Gemeente Amsterdam", None) == Resolved(listed)
    assert resolved(None, AMSTERDAM.uri) == Resolved(listed)


def test_an_organisation_that_has_ended_is_known_by_the_lists() -> None:
    ended = Concept(f"{TOOI}gemeente/gm0517", "gemeente 's-Gravendeel")
    assert resolved(None, ended.uri) == resolved(ended.label, None) == Resolved(ended)


def test_the_name_without_the_kind_is_known_on_the_host_of_the_organisation_only() -> None:
    assert resolved("Nieuwstad", None, NIEUWSTAD) == Resolved(NEW, bronwaarde="Nieuwstad")
    for elsewhere in (resolved("Nieuwstad", None), resolved("Nieuwstad", None, UTRECHT)):
        assert elsewhere == Resolved(UNKNOWN_ORGANISATION, "Nieuwstad", ("waarde.label-onbekend",))


def test_a_name_without_the_kind_that_two_organisations_of_the_host_have_is_not_guessed() -> None:
    unknown = Resolved(UNKNOWN_ORGANISATION, "Utrecht", ("waarde.label-onbekend",))
    assert resolved("Utrecht", None, UTRECHT, PROVINCIE_UTRECHT) == unknown
    known = resolved("Utrecht", None, PROVINCIE_UTRECHT)
    assert known == Resolved(Concept(f"{TOOI}provincie/pv26", "provincie Utrecht"), bronwaarde="Utrecht")


def test_views_of_two_hosts_do_not_mix() -> None:
    locations = [Location(UTRECHT, "https://a.nl/"), Location(PROVINCIE_UTRECHT, "https://b.nl/")]
    vocabulary = Vocabulary(bundled(), Register(EVERYBODY, locations))
    found = [
        resolve(vocabulary.of_host(host).organisaties, "Utrecht", None) for host in ("a.nl", "b.nl", "c.nl")
    ]
    assert [one.concept.uri if one and one.concept else None for one in found] == [
        UTRECHT.uri,
        PROVINCIE_UTRECHT.uri,
        UNKNOWN_ORGANISATION.uri,
    ]
    assert vocabulary.of_host("a.nl") is vocabulary.of_host("a.nl")
    assert vocabulary.of_host("c.nl") is vocabulary.lists


def test_a_uri_with_the_name_without_the_kind_is_no_contradiction() -> None:
    assert resolved("Nieuwstad", NIEUWSTAD.uri, NIEUWSTAD) == Resolved(NEW, bronwaarde="Nieuwstad")
    assert resolved("Utrecht", NIEUWSTAD.uri, NIEUWSTAD) == Resolved(NEW, "Utrecht", ("waarde.strijdig",))


def test_an_unknown_uri_with_the_name_without_the_kind_keeps_both_as_given() -> None:
    found = resolved("Nieuwstad", "https://a.nl/7", NIEUWSTAD)
    assert found == Resolved(NEW, "Nieuwstad (https://a.nl/7)", ("waarde.uri-onbekend",))
    found = resolved("gemeente Nieuwstad", "https://a.nl/7")
    assert found == Resolved(NEW, "https://a.nl/7", ("waarde.uri-onbekend",))


def test_a_name_is_known_with_and_without_its_kind_on_the_host_of_the_organisation() -> None:
    for label, body in [
        ("Aa en Maas", AA_EN_MAAS),
        ("waterschap Aa en Maas", AA_EN_MAAS),
        ("Financiën", FINANCIEN),
        ("ministerie van Nieuwe Zaken", NIEUWE_ZAKEN),
        ("zonder soort", ONLY_BY_URI),
    ]:
        there = resolved(label, None, body)
        assert there is not None, label
        assert there.concept is not None, label
        assert there.concept.uri == body.uri, label
    for label in ("Aa en Maas", "Financiën", "Communicatie", "stichting het dorp"):
        elsewhere = resolved(label, None, AMSTERDAM)
        assert elsewhere is not None, label
        assert elsewhere.problems == ("waarde.label-onbekend",), label


def test_an_organisation_without_a_uri_is_known_on_its_host_and_has_a_label_only() -> None:
    assert resolved("stichting het dorp", None, STICHTING) == Resolved(Concept("", "Stichting Het Dorp"))


def test_a_name_of_two_organisations_of_the_register_is_not_guessed() -> None:
    other = Organisation("13", "Gemeente Nieuwstad", f"{TOOI}gemeente/gm9109", "Gemeente")
    lists = lists_of(NIEUWSTAD, others=[*EVERYBODY, other]).organisaties
    assert resolve(lists, "gemeente Nieuwstad", None) == Resolved(NEW)
    elsewhere = lists_of(others=[*EVERYBODY, other]).organisaties
    assert resolve(elsewhere, "gemeente Nieuwstad", None) == Resolved(
        UNKNOWN_ORGANISATION, "gemeente Nieuwstad", ("waarde.label-onbekend",)
    )


def test_an_organisation_that_neither_knows_is_kept_as_given() -> None:
    uri = f"{TOOI}gemeente/gm9199"
    assert resolved("gemeente Elders", uri) == Resolved(
        Concept(uri, "gemeente Elders"), None, ("waarde.uri-onbekend",)
    )


def test_a_register_without_names_makes_no_names() -> None:
    lists = lists_of(others=[Organisation("1", "", f"{TOOI}gemeente/gm9103", "Gemeente")]).organisaties
    assert lists.by_label("") is None
    assert lists.by_label("gemeente") is None


def test_the_other_lists_are_those_of_the_run() -> None:
    lists = lists_of(NIEUWSTAD)
    assert (lists.themas, lists.editions) == (bundled().themas, bundled().editions)


def test_the_name_to_show_is_of_the_register_else_of_the_lists() -> None:
    for identifier, name in [
        ("12", "Gemeente Nieuwstad"),
        ("Gemeente Nieuwstad", "Gemeente Nieuwstad"),
        (f"{TOOI}gemeente/gm0363", "gemeente Amsterdam"),
        ("Dubbel", None),
        ("4711", None),
    ]:
        names = {"12": "Gemeente Nieuwstad", "1": "Dubbel", "2": "Dubbel"}
        register = Register([Organisation(number, given) for number, given in names.items()], [])
        assert shown_name(identifier, register, organisaties()) == name, identifier


def test_without_a_register_the_name_to_show_is_that_of_the_lists() -> None:
    assert shown_name(f"{TOOI}gemeente/gm0363", None, organisaties()) == "gemeente Amsterdam"
    assert shown_name("12", None, organisaties()) is None


PROVINCE = f"{TOOI}provincie/pv26"
REGISTER = read(
    organisation("Amsterdam", "https://a.nl/", id="10", uri=STAD),
    organisation("Utrecht", "https://u.nl/", id="11", uri=DOMSTAD),
    organisation("provincie Utrecht", "https://p.nl/", id="12", uri=PROVINCE),
    organisation("Economische Zaken, Landbouw", "https://e.nl/", id="13"),
    organisation("Directie", "https://d.nl/", id="14"),
    organisation("Directie", "https://f.nl/", id="15"),
)


def names(given: str) -> list[str]:
    return [found.name for found in find_organisations(REGISTER, given)]


def test_organisations_are_named_by_key_name_or_kind_in_any_letter_case() -> None:
    for given, found in [
        ("gm0363", ["Amsterdam"]),
        ("GM0363, 11", ["Amsterdam", "Utrecht"]),
        (STAD, ["Amsterdam"]),
        ("amsterdam,gm0363,10,", ["Amsterdam"]),
        ("economische zaken, landbouw", ["Economische Zaken, Landbouw"]),
        ("Provincie", ["provincie Utrecht"]),
        ("provincie,13", ["provincie Utrecht", "Economische Zaken, Landbouw"]),
    ]:
        assert names(given) == found, given
    assert len(names("gemeente")) == 6, "the kind in the register counts, and that in the URI"


def test_a_name_that_is_none_or_several_is_one_line() -> None:
    for given, line in [
        ("gm0363,provinci", "no organisation 'provinci' in the register: expected TOOI URI, its code"),
        ("directie", "'directie' is the name of 2 organisations; choose one of 14, 15"),
        (" , ", "expected TOOI URI, its code, systeemId, name, or a kind such as waterschap"),
    ]:
        with pytest.raises(ValueError, match=f"^{line}") as caught:
            find_organisations(REGISTER, given)
        assert "\n" not in str(caught.value), given
