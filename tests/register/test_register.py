"""Hosts and organisations of the register."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.register.exports import AMSTERDAM, TOOI, UTRECHT, organisation, read
from woo_harvester.register import Location, Organisation, Register
from woo_harvester.register.register import Published, PublishedCategories, parse_shard, shard_of
from woo_harvester.tooi import UNKNOWN_CATEGORY, category_of_index

SHARED = "https://zoek.s.nl/"
CITY = Organisation("10", "gemeente Amsterdam", AMSTERDAM)
OTHER = Organisation("11", "gemeente Utrecht", UTRECHT)
BODIES = (
    organisation("gemeente Utrecht", SHARED, id="11", uri=UTRECHT),
    organisation("gemeente Amsterdam", SHARED, "https://www.amsterdam.nl/woo", id="10", uri=AMSTERDAM),
)

HOSTS = st.text(min_size=1)
TOTALS = st.integers(1, 1000)

ADVIEZEN, CONVENANTEN, JAARPLANNEN = (category_of_index(number).uri for number in (10, 11, 12))
A = Organisation("1", "gemeente Amsterdam", AMSTERDAM)
B = Organisation("2", "gemeente Utrecht", f"{TOOI}gemeente/gm0344")


class Documents:
    """Documents that are counted as a run does: by the match of each."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self.published = PublishedCategories()

    def count(self, loc: str, categories: list[str], host: str) -> None:
        self.published.count(self._register.organisation_of(loc, host), categories, host)

    def conflicts(self) -> list[Published]:
        return list(self.published.conflicts())


def published(*locations: Location) -> Documents:
    return Documents(Register([A, B], locations))


def count(found: Documents, *documents: tuple[str, str], host: str = "www.a.nl") -> None:
    for path, category in documents:
        found.count(f"https://www.a.nl{path}", [category], host)


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


# Dividing the hosts over runs.
@given(HOSTS, TOTALS)
def test_every_host_belongs_to_one_shard_from_1_to_the_total(host: str, total: int) -> None:
    assert 1 <= shard_of(host, total) <= total


@given(HOSTS)
def test_one_shard_has_every_host(host: str) -> None:
    assert shard_of(host, 1) == 1


def test_a_host_belongs_to_the_same_shard_on_every_machine_and_day() -> None:
    hosts = ["www.rijksoverheid.nl", "www.gemeente.nl", "www.gemeente.nl:8443", "xn--caf-dma.nl"]

    assert [shard_of(host, 8) for host in hosts] == [3, 5, 8, 6]


def test_shards_are_about_equally_large() -> None:
    shares = Counter(shard_of(f"www.gemeente{number}.nl", 8) for number in range(8000))

    assert sorted(shares) == list(range(1, 9))
    assert all(850 < share < 1150 for share in shares.values())


def test_a_port_makes_another_host() -> None:
    shards = {shard_of(f"www.gemeente.nl:{port}", 100) for port in range(8000, 8100)}

    assert len(shards) > 30


def test_a_shard_is_written_as_its_number_and_the_total() -> None:
    assert parse_shard("1/1") == (1, 1)
    assert parse_shard("2/8") == (2, 8)


@pytest.mark.parametrize("text", ["", "2", "/", "2/", "/8", "0/8", "9/8", "-1/8", "a/8", "2/b", "1/2/3"])
def test_another_text_is_no_shard(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected a shard such as 2/8 .*, got '" + text):
        parse_shard(text)


def test_the_reader_keeps_the_category_of_a_location_by_its_label() -> None:
    register = read(organisation("gemeente Amsterdam", "https://www.a.nl/woo", uri=AMSTERDAM))
    registered = register.organisation_of("https://www.a.nl/woo/besluit.pdf", "www.a.nl").registered
    assert registered is not None
    assert (registered.url, registered.categories) == ("https://www.a.nl/woo", frozenset({ADVIEZEN}))
    assert register.organisation_of("https://www.a.nl/ander.pdf", "www.a.nl").registered is None
    assert register.organisation_of("https://www.b.nl/woo", "www.a.nl").registered is None


@pytest.mark.parametrize(
    ("given", "kept"),
    [("Zie de site", "Zie de site"), (" In\n  voorbereiding ", "In voorbereiding"), ("", None)],
)
def test_the_reader_keeps_the_remark_of_a_location_on_one_line(given: str, kept: str | None) -> None:
    text = organisation("gemeente Amsterdam", "https://www.a.nl/woo").replace("Zie de site", given)
    assert [location.remark for location in read(text).locations] == [kept]


def test_a_long_remark_is_shortened() -> None:
    text = organisation("gemeente Amsterdam", "https://www.a.nl/woo").replace("Zie de site", "site " * 400)
    (location,) = read(text).locations
    assert location.remark is not None
    assert location.remark.endswith("site …")
    assert len(location.remark) <= 500


def test_a_location_conflicts_if_no_document_has_its_category() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    count(found, ("/woo/1.pdf", CONVENANTEN), ("/woo/2.pdf", JAARPLANNEN), ("/woo/3.pdf", CONVENANTEN))
    (conflict,) = found.conflicts()
    assert conflict.organisation == A
    assert conflict.documents == 3
    assert conflict.categories.most_common() == [(CONVENANTEN, 2), (JAARPLANNEN, 1)]
    assert conflict.hosts == {"www.a.nl"}
    count(found, ("/woo/4.pdf", ADVIEZEN))
    assert found.conflicts() == []


WOO = Location(A, "https://www.a.nl/woo", ADVIEZEN)


@pytest.mark.parametrize(
    ("locations", "path", "categories", "conflicts"),
    [
        ([WOO], "/woo/1.pdf", [CONVENANTEN], 1),
        # One of several categories of a document, or of a location, suffices.
        ([WOO], "/woo/1.pdf", [CONVENANTEN, ADVIEZEN], 0),
        ([WOO, Location(B, "https://www.a.nl/woo/", CONVENANTEN)], "/woo/1.pdf", [CONVENANTEN], 0),
        # The longest prefix decides, by whole segments of the path.
        ([WOO, Location(A, "https://www.a.nl/woo/c", CONVENANTEN)], "/woo/c/1.pdf", [CONVENANTEN], 0),
        ([WOO], "/wootiek/1.pdf", [CONVENANTEN], 0),
        ([Location(A, "https://www.a.nl/", ADVIEZEN)], "/1.pdf", [CONVENANTEN], 1),
        # An unknown category says nothing.
        ([WOO], "/woo/1.pdf", [UNKNOWN_CATEGORY.uri], 0),
        ([WOO], "/woo/1.pdf", ["https://www.a.nl/eigen"], 0),
    ],
)
def test_a_document_conflicts_with_its_location_if_no_category_is_that_of_both(
    locations: list[Location], path: str, categories: list[str], conflicts: int
) -> None:
    found = published(*locations)
    found.count(f"https://www.a.nl{path}", categories, "www.a.nl")
    assert len(found.conflicts()) == conflicts


@pytest.mark.parametrize("category", ["Andere documenten", "Adviesen", ""])
def test_a_location_without_a_known_category_permits_every_category(category: str) -> None:
    text = organisation("gemeente A", "https://www.a.nl/woo").replace("Adviezen", category)
    register = read(text, organisation("gemeente B", "https://www.a.nl/woo", id="2"))
    found = Documents(register)
    count(found, ("/woo/1.pdf", CONVENANTEN))
    assert found.conflicts() == []


def test_memory_does_not_grow_with_the_documents() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    for number in range(1000):
        count(found, (f"/woo/{number}.pdf", CONVENANTEN))
    assert len(found.published._found) == 1
    assert len(found.published._found["https://www.a.nl/woo"].categories) == 1
