"""Hosts and organisations of the register."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.register.exports import AMSTERDAM, TOOI, UTRECHT, organisation, read
from woo_harvester.register import Location, Match, Organisation, Register
from woo_harvester.register.register import Published, PublishedCategories, parse_shard, shard_of
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY, category_of_index

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


def test_an_organisation_is_found_by_tooi_uri_code_systeem_id_or_name() -> None:
    for key in [AMSTERDAM, "gm0363", "10", "gemeente Amsterdam", "GEMEENTE AMSTERDAM", " GM0363\n"]:
        assert read(*BODIES).find(key) == CITY, key


def test_anything_else_finds_no_organisation() -> None:
    for key in ["", "Amsterdam", "gm036", "0363", "gemeente"]:
        assert read(*BODIES).find(key) is None, key


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


# Dividing the hosts over runs.
@given(HOSTS, TOTALS)
def test_every_host_belongs_to_one_shard_from_1_to_the_total(host: str, total: int) -> None:
    assert 1 <= shard_of(host, total) <= total


def test_a_host_belongs_to_the_same_shard_on_every_machine_and_day() -> None:
    hosts = ["www.rijksoverheid.nl", "www.gemeente.nl", "www.gemeente.nl:8443", "xn--caf-dma.nl"]

    assert [shard_of(host, 8) for host in hosts] == [3, 5, 8, 6]


def test_shards_are_about_equally_large() -> None:
    shares = Counter(shard_of(f"www.gemeente{number}.nl", 8) for number in range(8000))

    assert sorted(shares) == list(range(1, 9))
    assert all(850 < share < 1150 for share in shares.values())


def test_a_shard_is_written_as_its_number_and_the_total() -> None:
    assert parse_shard("1/1") == (1, 1)
    assert parse_shard("2/8") == (2, 8)


def test_another_text_is_no_shard() -> None:
    for text in ["", "2", "/", "2/", "/8", "0/8", "9/8", "-1/8", "a/8", "2/b", "1/2/3"]:
        with pytest.raises(ValueError, match=r"expected a shard such as 2/8 .*, got '" + text):
            parse_shard(text)


def test_the_reader_keeps_the_category_of_a_location_by_its_label() -> None:
    register = read(organisation("gemeente Amsterdam", "https://www.a.nl/woo", uri=AMSTERDAM))
    registered = register.organisation_of("https://www.a.nl/woo/besluit.pdf", "www.a.nl").registered
    assert registered is not None
    assert (registered.url, registered.categories) == ("https://www.a.nl/woo", frozenset({ADVIEZEN}))
    assert register.organisation_of("https://www.a.nl/ander.pdf", "www.a.nl").registered is None
    assert register.organisation_of("https://www.b.nl/woo", "www.a.nl").registered is None


def test_the_reader_keeps_the_remark_of_a_location_on_one_line() -> None:
    for written, kept in [
        ("Zie de site", "Zie de site"),
        (" In\n  voorbereiding ", "In voorbereiding"),
        ("", None),
    ]:
        text = organisation("gemeente Amsterdam", "https://www.a.nl/woo").replace("Zie de site", written)
        assert [location.remark for location in read(text).locations] == [kept], written


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


def test_a_document_conflicts_with_its_location_if_no_category_is_that_of_both() -> None:
    for locations, path, categories, conflicts in [
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
    ]:
        found = published(*locations)
        found.count(f"https://www.a.nl{path}", categories, "www.a.nl")
        assert len(found.conflicts()) == conflicts, (locations, path, categories)


def test_a_location_without_a_known_category_permits_every_category() -> None:
    for category in ["Andere documenten", "Adviesen", ""]:
        text = organisation("gemeente A", "https://www.a.nl/woo").replace("Adviezen", category)
        register = read(text, organisation("gemeente B", "https://www.a.nl/woo", id="2"))
        found = Documents(register)
        count(found, ("/woo/1.pdf", CONVENANTEN))
        assert found.conflicts() == [], category


def test_memory_does_not_grow_with_the_documents() -> None:
    found = published(Location(A, "https://www.a.nl/woo", ADVIEZEN))
    for number in range(1000):
        count(found, (f"/woo/{number}.pdf", CONVENANTEN))
    assert len(found.published._found) == 1
    assert len(found.published._found["https://www.a.nl/woo"].categories) == 1


# The organisation of a URL: "Publisher by register" in the interface description.


INDEX = "index.nl"


def owner(register: Register, url: str, index_host: str = INDEX) -> str | None:
    organisation = register.organisation_of(url, index_host).organisation
    return organisation.name if organisation else None


def register_of(**urls: Sequence[str]) -> Register:
    """Return a register of organisations, by name, with the URLs that each registered."""
    organisations = {name: Organisation(name, name) for name in urls}
    return Register(
        organisations.values(),
        [Location(organisations[name], url) for name, given in urls.items() for url in given],
    )


#: The paths on s.nl that organisations registered, and the owners of others there.
OWNERS: dict[str, tuple[dict[str, list[str]], dict[str, str | None]]] = {
    "the longest registered URL that is a prefix decides": (
        {"A": ["/"], "B": ["/b"], "C": ["/b/c"], "D": ["/d"]},
        {"/x.pdf": "A", "/b": "B", "/b/x.pdf": "B", "/b/c/2024/x.pdf": "C"},
    ),
    "a prefix ends at a complete segment of the path": (
        {"A": ["/a"], "B": ["/b"]},
        {"/bc/x": None, "/b.pdf": None, "/b/c/x": "B", "/b/\udcff": "B"},
    ),
    "the path is compared with its letter case": (
        {"A": ["/Woo"], "B": ["/b"]},
        {"/Woo/x": "A", "/woo/x": None},
    ),
    "a registered page of results is a prefix of nothing": (
        {"A": ["/zoek?org=a"], "B": ["/b"]},
        {"/zoek?org=a": None, "/zoek/5": None, "/b/5?org=a": "B"},
    ),
    "without a prefix the only organisation on the host decides": ({"A": ["/woo/"]}, {"/download/5": "A"}),
    "a longer prefix of one decides where several share a shorter one": (
        {"A": ["/", "/a"], "B": ["/"]},
        {"/a/x": "A", "/x": None},
    ),
    "a URL that one registered for several categories is one candidate": (
        {"A": ["/a", "/a/"], "B": ["/b"]},
        {"/a/x": "A"},
    ),
}


def test_the_organisation_of_a_url_is() -> None:
    for registered, owners in OWNERS.values():
        urls = {name: [f"https://s.nl{path}" for path in paths] for name, paths in registered.items()}
        register = register_of(**urls)
        for host in ("https://s.nl", "HTTPS://S.NL"):
            assert {path: owner(register, host + path) for path in owners} == owners, (registered, owners)


def test_with_several_organisations_on_the_host_and_no_prefix_the_only_one_of_the_index_decides() -> None:
    register = register_of(A=["https://s.nl/a"], B=["https://s.nl/b"], C=["https://index.nl/"])
    assert owner(register, "https://s.nl/download/5") == "C"


def test_trailing_slash_scheme_and_default_port_make_no_difference() -> None:
    for registered in ["https://s.nl/a", "https://s.nl/a/", "http://s.nl/a", "https://s.nl:443/a"]:
        for loc in ["https://s.nl/a", "https://s.nl/a/", "https://s.nl/a/x", "http://s.nl/a/x"]:
            register = read(
                organisation("A", registered, id="1"), organisation("B", "https://s.nl/b", id="2")
            )
            assert owner(register, loc) == "A", (registered, loc)


def test_equal_urls_count_as_equal_however_they_are_written() -> None:
    for registered, loc in [
        ("https://s.nl/%7Ea", "https://s.nl/~a/x"),
        ("https://s.nl/a%2db", "https://s.nl/a-b/x"),
        ("https://s.nl/besluiten%c3%a9", "https://s.nl/besluiten%C3%A9/x"),
        ("https://s.nl/besluitené", "https://s.nl/besluiten%C3%A9/x"),
        ("https://s.nl/a b", "https://s.nl/a%20b/x"),
        ("https://s.nl/b#deel", "https://s.nl/b/x"),
        ("https://s.nl/b", "https://s.nl/b#x?y"),
        ("https://s.nl/b", "https://s.nl/b?x=/y"),
        ("https://s.nl/b", " https://s.nl/b/x\n"),
        ("https://s.nl", "https://s.nl"),
        ("https://s.nl/100%", "https://s.nl/100%/x"),
        ("https://s.nl/archief/https://www.s.nl/b", "https://s.nl/archief/https://www.s.nl/b/x"),
    ]:
        assert owner(register_of(A=[registered], B=["https://s.nl/b/c/andere"]), loc) == "A"


def test_urls_that_only_look_alike_are_no_prefix() -> None:
    for registered, loc in [
        ("https://s.nl/a/b", "https://s.nl/a%2Fb/x"),
        ("https://s.nl/a%252Fb", "https://s.nl/a%2Fb/x"),
        ("https://s.nl/a", "https://s.nl//a"),
        ("https://s.nl:8443/a", "https://s.nl/a"),
        ("https://s.nl/a", "https://s.nl:8443/a"),
    ]:
        assert (
            owner(register_of(A=[registered], B=["https://s.nl/andere", "https://s.nl:8443/andere"]), loc)
            != "A"
        ), (registered, loc)


def test_on_a_host_without_organisations_the_only_organisation_of_the_index_decides() -> None:
    register = register_of(A=["https://index.nl/x"]).with_domains(["cdn.nl"])
    assert owner(register, "https://cdn.nl/5") == "A"


def test_without_a_prefix_and_with_several_organisations_everywhere_it_is_unknown() -> None:
    register = register_of(
        A=["https://s.nl/a"], B=["https://s.nl/b"], C=["https://index.nl/c"], D=["https://index.nl/d"]
    )
    assert register.organisation_of("https://s.nl/x", INDEX) == Match(
        None, (Organisation("A", "A"), Organisation("B", "B"))
    )
    assert register.organisation_of("https://cdn.nl/x", INDEX) == Match(
        None, (Organisation("C", "C"), Organisation("D", "D"))
    )


def test_several_organisations_with_the_longest_prefix_are_candidates_and_neither_is_chosen() -> None:
    register = register_of(
        A=["https://s.nl/", "https://s.nl/ab"], B=["https://s.nl/ab"], C=["https://index.nl/"]
    )
    expected = Match(None, (Organisation("A", "A"), Organisation("B", "B")))
    assert register.organisation_of("https://s.nl/ab/x", INDEX) == expected


def test_nothing_is_known_about_an_unregistered_host() -> None:
    assert register_of(A=["https://a.nl/"]).organisation_of("https://x.nl/1", "y.nl") == Match()


def test_what_is_no_url_on_the_web_is_a_value_error() -> None:
    for url in ["", "/a", "a.nl/x", "ftp://a.nl/x", "https:///x", "https://a b.nl/"]:
        with pytest.raises(ValueError, match="Expected"):
            register_of(A=["https://a.nl/"]).organisation_of(url, INDEX)


def test_a_location_of_thousands_of_segments_takes_no_longer_than_the_register() -> None:
    register = register_of(A=["https://s.nl/a?x=1"], B=["https://s.nl/b"])
    assert owner(register, "https://s.nl" + "/b" * 100_000 + "?" + "&" * 100_000) == "B"


PATHS = st.lists(st.sampled_from(["a", "b", "ab", "a b", "é", "~"]), max_size=4)


@given(st.lists(st.tuples(st.sampled_from("ABC"), PATHS), min_size=1, max_size=12), PATHS, st.booleans())
def test_the_look_up_is_what_comparing_with_every_registered_url_gives(
    registered: list[tuple[str, list[str]]], loc: list[str], escaped: bool
) -> None:
    register = Register([], [Location(Organisation(name, name), _url(path)) for name, path in registered])
    match = register.organisation_of(_url(loc, escaped=escaped), INDEX)
    prefixes = [(len(path), name) for name, path in registered if loc[: len(path)] == path]
    longest = {name for length, name in prefixes if length == max(prefixes)[0]}
    owners = longest or {name for name, _ in registered}
    if len(owners) == 1:
        assert match == Match(Organisation(*owners, *owners))
    else:
        assert match.organisation is None
        assert {candidate.name for candidate in match.candidates} == owners


@given(st.text())
def test_any_path_and_query_can_be_looked_up(text: str) -> None:
    register = register_of(A=["https://s.nl/a?x=1", "https://s.nl/b"], B=["https://s.nl/b"])
    register.organisation_of(f"https://s.nl/{text}", INDEX)
    register.organisation_of(f"https://s.nl/a?{text}", INDEX)


def _url(path: list[str], *, escaped: bool = False) -> str:
    return "https://s.nl" + "".join(f"/{quote(part, safe='') if escaped else part}" for part in path)


# The owners of a URL, and the hosts that may list it: "Whose entry counts".


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


def test_a_url_is_of_those_with_the_longest_prefix_or_of_its_host() -> None:
    for url, owners in [
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
    ]:
        assert names(url) == owners, url


def test_an_entry_is_its_owners_on_each_host_of_the_owner() -> None:
    for url, host, expected in [
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
    ]:
        assert REGISTER.is_own(url, host) is expected, (url, host)


def test_a_url_may_be_listed_on_its_host_and_its_only_owners() -> None:
    for url, hosts in [
        ("https://www.a.nl/d.pdf", ("gedeeld.nl", "open.a.nl:8443", "www.a.nl", "zoek.s.nl")),
        ("https://zoek.s.nl/utrecht/d.pdf", ("gedeeld.nl", "www.u.nl", "zoek.s.nl")),
        ("https://zoek.s.nl/d.pdf", ("zoek.s.nl",)),
        # Of several owners none is known to be the one: only the URL's own host.
        ("https://gedeeld.nl/d.pdf", ("gedeeld.nl",)),
        # A host that nobody registered is not visited, so there is nothing to wait for.
        ("https://onbekend.nl/d.pdf", ()),
        ("https://www.a.nl:8443/d.pdf", ()),
    ]:
        assert REGISTER.own_hosts(url) == hosts, url
        assert all(REGISTER.is_own(url, host) for host in hosts), url


def test_a_domain_named_ad_hoc_lists_its_own_documents_and_no_others() -> None:
    register = REGISTER.with_domains(["nieuw.nl", "www.a.nl"])
    assert register.owners("https://nieuw.nl/d.pdf") == ()
    assert register.own_hosts("https://nieuw.nl/d.pdf") == ("nieuw.nl",)
    assert register.is_own("https://nieuw.nl/d.pdf", "nieuw.nl")
    assert not register.is_own("https://www.a.nl/d.pdf", "nieuw.nl")
    assert not register.is_own("https://nieuw.nl/d.pdf", "www.a.nl")
    assert register.own_hosts("https://www.a.nl/d.pdf") == REGISTER.own_hosts("https://www.a.nl/d.pdf")
