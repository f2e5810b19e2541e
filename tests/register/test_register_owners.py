"""The owners of a URL, and the hosts that may list it: "Whose entry counts"."""

from __future__ import annotations

import pytest

from tests.register.exports import AMSTERDAM, UTRECHT, organisation, read
from woo_harvester.register import Register

AMSTERDAM_XML = organisation(
    "gemeente Amsterdam",
    "https://www.a.nl/woo",
    "https://open.a.nl:8443/",
    "https://zoek.s.nl/amsterdam",
    "https://gedeeld.nl/",
    id="10",
    uri=AMSTERDAM,
)
UTRECHT_XML = organisation(
    "gemeente Utrecht",
    "https://www.u.nl/",
    "https://zoek.s.nl/utrecht",
    "https://gedeeld.nl/",
    id="11",
    uri=UTRECHT,
)
#: Registered on the host of others, and nowhere else.
THIRD_XML = organisation("Dienst", "https://zoek.s.nl/", id="12")
REGISTER = read(AMSTERDAM_XML, UTRECHT_XML, THIRD_XML)


def names(url: str, register: Register = REGISTER) -> list[str]:
    return [owner.name for owner in register.owners(url)]


@pytest.mark.parametrize(
    ("url", "owners"),
    [
        # The only organisation of the host, whatever the path.
        ("https://www.a.nl/woo/d.pdf", ["gemeente Amsterdam"]),
        ("https://www.a.nl/elders/d.pdf", ["gemeente Amsterdam"]),
        ("https://WWW.A.nl:443/d.pdf", ["gemeente Amsterdam"]),
        # A port makes another host.
        ("https://open.a.nl:8443/d.pdf", ["gemeente Amsterdam"]),
        ("https://open.a.nl/d.pdf", []),
        ("https://www.a.nl:8443/d.pdf", []),
        # A shared host: the longest prefix, by whole path segments.
        ("https://zoek.s.nl/amsterdam/d.pdf", ["gemeente Amsterdam"]),
        ("https://zoek.s.nl/utrecht", ["gemeente Utrecht"]),
        ("https://zoek.s.nl/amsterdamse/d.pdf", ["Dienst"]),
        ("https://zoek.s.nl/d.pdf", ["Dienst"]),
        # Several organisations share the longest prefix.
        ("https://gedeeld.nl/d.pdf", ["gemeente Amsterdam", "gemeente Utrecht"]),
        ("https://onbekend.nl/d.pdf", []),
    ],
)
def test_a_url_is_of_those_with_the_longest_prefix_or_of_its_host(url: str, owners: list[str]) -> None:
    assert names(url) == owners


def test_without_a_prefix_a_url_belongs_to_all_organisations_of_its_host() -> None:
    register = read(
        organisation("A", "https://s.nl/a", id="1"),
        organisation("B", "https://s.nl/b", id="2"),
        organisation("C", "https://c.nl/", id="3"),
    )
    assert names("https://s.nl/elders/d.pdf", register) == ["A", "B"]
    assert names("https://s.nl/b/d.pdf", register) == ["B"]


def test_a_registered_query_decides_whose_a_url_is() -> None:
    register = read(
        organisation("A", "https://s.nl/zoek?org=a", id="1"),
        organisation("B", "https://s.nl/zoek?org=b", id="2"),
    )
    assert names("https://s.nl/zoek?org=b&id=5", register) == ["B"]
    assert names("https://s.nl/zoek?id=5", register) == ["A", "B"]


@pytest.mark.parametrize("url", ["", "/d.pdf", "ftp://www.a.nl/d.pdf", "www.a.nl/d.pdf"])
def test_what_is_no_absolute_url_has_no_owner_but_an_error(url: str) -> None:
    with pytest.raises(ValueError, match="Expected an absolute URL"):
        REGISTER.owners(url)


@pytest.mark.parametrize(
    ("url", "host", "expected"),
    [
        # On the host itself, whoever is registered there, or nobody.
        ("https://www.a.nl/d.pdf", "www.a.nl", True),
        ("https://WWW.a.nl:443/d.pdf", "www.a.nl", True),
        ("https://onbekend.nl/d.pdf", "onbekend.nl", True),
        ("HTTPS://Onbekend.nl:443/d.pdf", "onbekend.nl", True),
        ("https://zoek.s.nl/amsterdam/d.pdf", "zoek.s.nl", True),
        # On another host of the same organisation, with its port.
        ("https://www.a.nl/d.pdf", "open.a.nl:8443", True),
        ("https://www.a.nl/d.pdf", "open.a.nl", False),
        ("https://open.a.nl:8443/d.pdf", "www.a.nl", True),
        # On a host that only others are registered on.
        ("https://www.a.nl/d.pdf", "www.u.nl", False),
        ("https://www.a.nl/d.pdf", "onbekend.nl", False),
        ("https://onbekend.nl/d.pdf", "www.a.nl", False),
        # A host that begins like the URL's.
        ("https://www.a.nl.evil.nl/d.pdf", "www.a.nl", False),
        ("https://www.a.nl:8443/d.pdf", "www.a.nl", False),
        # A platform on which the organisation is registered beside others.
        ("https://www.a.nl/d.pdf", "zoek.s.nl", True),
        ("https://www.u.nl/d.pdf", "zoek.s.nl", True),
        # From the platform, the longest prefix decides.
        ("https://zoek.s.nl/amsterdam/d.pdf", "www.a.nl", True),
        ("https://zoek.s.nl/amsterdam/d.pdf", "www.u.nl", False),
        ("https://zoek.s.nl/d.pdf", "www.a.nl", False),
        # Of a URL with several owners, each of them.
        ("https://gedeeld.nl/d.pdf", "www.a.nl", True),
        ("https://gedeeld.nl/d.pdf", "www.u.nl", True),
    ],
)
def test_an_entry_is_its_owners_on_each_host_of_the_owner(url: str, host: str, expected: bool) -> None:
    assert REGISTER.is_own(url, host) is expected


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("https://www.a.nl/d.pdf", ("gedeeld.nl", "open.a.nl:8443", "www.a.nl", "zoek.s.nl")),
        ("https://zoek.s.nl/utrecht/d.pdf", ("gedeeld.nl", "www.u.nl", "zoek.s.nl")),
        ("https://zoek.s.nl/d.pdf", ("zoek.s.nl",)),
        # Of several owners none is known to be the one: only the URL's own host.
        ("https://gedeeld.nl/d.pdf", ("gedeeld.nl",)),
        # A host that nobody registered is not visited, so there is nothing to wait for.
        ("https://onbekend.nl/d.pdf", ()),
        ("https://www.a.nl:8443/d.pdf", ()),
    ],
)
def test_a_url_may_be_listed_on_its_host_and_its_only_owners(url: str, hosts: tuple[str, ...]) -> None:
    assert REGISTER.own_hosts(url) == hosts
    assert all(REGISTER.is_own(url, host) for host in hosts)


def test_a_domain_named_ad_hoc_lists_its_own_documents_and_no_others() -> None:
    register = REGISTER.with_domains(["nieuw.nl", "www.a.nl"])
    assert register.owners("https://nieuw.nl/d.pdf") == ()
    assert register.own_hosts("https://nieuw.nl/d.pdf") == ("nieuw.nl",)
    assert register.is_own("https://nieuw.nl/d.pdf", "nieuw.nl")
    assert not register.is_own("https://www.a.nl/d.pdf", "nieuw.nl")
    assert not register.is_own("https://nieuw.nl/d.pdf", "www.a.nl")
    assert register.own_hosts("https://www.a.nl/d.pdf") == REGISTER.own_hosts("https://www.a.nl/d.pdf")


def test_an_organisation_that_ended_owns_nothing() -> None:
    register = read(
        organisation("Oud", "https://www.a.nl/", id="1", end="2020-01-01"),
        organisation("Nieuw", "https://www.n.nl/", id="2"),
    )
    assert register.owners("https://www.a.nl/d.pdf") == ()
    assert not register.is_own("https://www.a.nl/d.pdf", "www.n.nl")
    assert register.own_hosts("https://www.a.nl/d.pdf") == ()
