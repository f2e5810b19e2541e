"""Hosts and organisations of the register."""

from __future__ import annotations

import pytest

from tests.register.exports import AMSTERDAM, UTRECHT, organisation, read
from woo_harvester.register import Organisation

SHARED = "https://zoek.s.nl/"
CITY = Organisation("10", "gemeente Amsterdam", AMSTERDAM)
OTHER = Organisation("11", "gemeente Utrecht", UTRECHT)
BODIES = (
    organisation("gemeente Utrecht", SHARED, id="11", uri=UTRECHT),
    organisation("gemeente Amsterdam", SHARED, "https://www.amsterdam.nl/woo", id="10", uri=AMSTERDAM),
)


@pytest.mark.parametrize("key", [AMSTERDAM, "gm0363", "10", "gemeente Amsterdam", " gm0363\n"])
def test_an_organisation_is_found_by_tooi_uri_code_systeem_id_or_exact_name(key: str) -> None:
    assert read(*BODIES).find(key) == CITY


@pytest.mark.parametrize("key", ["", "Amsterdam", "GEMEENTE AMSTERDAM", "gm036", "0363", "gemeente"])
def test_anything_else_finds_no_organisation(key: str) -> None:
    assert read(*BODIES).find(key) is None


def test_an_organisation_without_locations_is_found_and_has_no_hosts() -> None:
    register = read(organisation("Raad", id="9"))
    assert register.find("Raad") == Organisation("9", "Raad")
    assert register.hosts_of(Organisation("9", "Raad")) == ()


def test_a_name_of_several_organisations_is_a_value_error_that_names_the_choices() -> None:
    register = read(organisation("Directie", id="1"), organisation("Directie", id="2", uri=AMSTERDAM))
    with pytest.raises(ValueError, match=f"choose one of 1, {AMSTERDAM}"):
        register.find("Directie")


def test_a_name_that_is_the_key_of_another_organisation_means_that_other_one() -> None:
    assert read(organisation("2", id="1"), organisation("Twee", id="2")).find("2") == Organisation(
        "2", "Twee"
    )


def test_the_organisations_of_a_host_come_in_the_order_of_the_register() -> None:
    register = read(*BODIES)
    assert register.organisations_of_host("zoek.s.nl") == (OTHER, CITY)
    assert register.organisations_of_host("www.amsterdam.nl") == (CITY,)
    assert register.organisations_of_host("x.nl") == ()


def test_the_hosts_of_an_organisation_are_those_it_registered_locations_on() -> None:
    assert read(*BODIES).hosts_of(CITY) == ("www.amsterdam.nl", "zoek.s.nl")
    assert read(*BODIES).hosts_of(OTHER) == ("zoek.s.nl",)


def test_a_host_is_registered_with_its_port() -> None:
    register = read(organisation("A", "https://a.nl:8443/", "https://b.nl/"))
    assert register.is_registered("a.nl:8443")
    assert register.is_registered("b.nl")
    assert not register.is_registered("a.nl")
    assert not register.is_registered("b.nl:8443")


def test_a_domain_given_for_a_run_counts_as_registered_and_has_no_organisation() -> None:
    register = read(*BODIES)
    extended = register.with_domains(["nieuw.nl:8443", "zoek.s.nl"])
    assert extended.is_registered("nieuw.nl:8443")
    assert extended.organisations_of_host("nieuw.nl:8443") == ()
    assert extended.organisations_of_host("zoek.s.nl") == (OTHER, CITY)
    assert extended.hosts == ("nieuw.nl:8443", "www.amsterdam.nl", "zoek.s.nl")
    assert extended.organisation_of("https://nieuw.nl:8443/x", "nieuw.nl:8443").organisation is None


def test_naming_domains_ad_hoc_leaves_the_register_itself_as_it_is() -> None:
    register = read(*BODIES)
    extended = register.with_domains(["nieuw.nl"])
    assert not register.is_registered("nieuw.nl")
    assert extended.with_domains(["ander.nl"]).is_registered("nieuw.nl")
