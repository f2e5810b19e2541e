"""The organisation of a URL: "Publisher by register" in the interface description."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.register.exports import organisation, read
from woo_harvester.register import Location, Match, Organisation, Register

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
    "a registered query is a prefix by complete parameters of the same path": (
        {"A": ["/zoek?org=a&soort=x"], "B": ["/b"]},
        {
            "/zoek?org=a&soort=x": "A",
            "/zoek/?org=a&soort=x&id=5": "A",
            "/zoek?org=a&soort=xy": None,
            "/zoek?org=a": None,
            "/zoek?soort=x&org=a": None,
            "/zoek?id=5&org=a&soort=x": None,
            "/zoek/5?org=a&soort=x": None,
            "/zoek": None,
        },
    ),
    "the longest query wins, and any query wins from the bare path": (
        {"A": ["/zoek"], "B": ["/zoek?o=1"], "C": ["/zoek?o=1&s=2"]},
        {"/zoek?o=1&s=2&id=3": "C", "/zoek?o=1&s=3": "B", "/zoek?o=2": "A", "/zoek/5?o=1": "A"},
    ),
    "a query without a parameter is no query": (
        {"A": ["/zoek?"], "B": ["/b?&"]},
        {"/zoek/5": "A", "/b/5": "B"},
    ),
    "percent-encoding is normalised in a query too": (
        {"A": ["/zoek?q=Minist%c3%a8re&"], "B": ["/b"]},
        {"/zoek?q=Minist%C3%A8re&p=1": "A", "/zoek?q=Ministère": "A"},
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


@pytest.mark.parametrize(("registered", "owners"), OWNERS.values(), ids=OWNERS.keys())
def test_the_organisation_of_a_url_is(
    registered: dict[str, list[str]], owners: dict[str, str | None]
) -> None:
    urls = {name: [f"https://s.nl{path}" for path in paths] for name, paths in registered.items()}
    register = register_of(**urls)
    for host in ("https://s.nl", "HTTPS://S.NL"):
        assert {path: owner(register, host + path) for path in owners} == owners


def test_with_several_organisations_on_the_host_and_no_prefix_the_only_one_of_the_index_decides() -> None:
    register = register_of(A=["https://s.nl/a"], B=["https://s.nl/b"], C=["https://index.nl/"])
    assert owner(register, "https://s.nl/download/5") == "C"


@pytest.mark.parametrize(
    "registered", ["https://s.nl/a", "https://s.nl/a/", "http://s.nl/a", "https://s.nl:443/a"]
)
@pytest.mark.parametrize("loc", ["https://s.nl/a", "https://s.nl/a/", "https://s.nl/a/x", "http://s.nl/a/x"])
def test_trailing_slash_scheme_and_default_port_make_no_difference(registered: str, loc: str) -> None:
    register = read(organisation("A", registered, id="1"), organisation("B", "https://s.nl/b", id="2"))
    assert owner(register, loc) == "A"


@pytest.mark.parametrize(
    ("registered", "loc"),
    [
        ("https://s.nl/%7Ea", "https://s.nl/~a/x"),
        ("https://s.nl/a%2db", "https://s.nl/a-b/x"),
        ("https://s.nl/besluiten%c3%a9", "https://s.nl/besluiten%C3%A9/x"),
        ("https://s.nl/besluitené", "https://s.nl/besluiten%C3%A9/x"),
        ("https://s.nl/a b", "https://s.nl/a%20b/x"),
        ("https://s.nl/a/../b/./c", "https://s.nl/b/c/x"),
        ("https://s.nl/b/c", "https://s.nl/a/../b/./c/x"),
        ("https://s.nl/b", "https://s.nl/../b/x"),
        ("https://s.nl/x/b", "https://s.nl/x/a/../b/y"),
        ("https://s.nl/b", "https://s.nl/a/%2E%2e/b/x"),
        ("https://s.nl/b/.", "https://s.nl/b/x"),
        ("https://s.nl/b#deel", "https://s.nl/b/x"),
        ("https://s.nl/b", "https://s.nl/b#x?y"),
        ("https://s.nl/b", "https://s.nl/b?x=/y"),
        ("https://s.nl/b", " https://s.nl/b/x\n"),
        ("https://s.nl", "https://s.nl"),
        ("https://s.nl/100%", "https://s.nl/100%/x"),
        ("https://s.nl/archief/https://www.s.nl/b", "https://s.nl/archief/https://www.s.nl/b/x"),
    ],
)
def test_equal_urls_count_as_equal_however_they_are_written(registered: str, loc: str) -> None:
    assert owner(register_of(A=[registered], B=["https://s.nl/b/c/andere"]), loc) == "A"


@pytest.mark.parametrize(
    ("registered", "loc"),
    [
        ("https://s.nl/a/b", "https://s.nl/a%2Fb/x"),
        ("https://s.nl/a%252Fb", "https://s.nl/a%2Fb/x"),
        ("https://s.nl/a", "https://s.nl/a/../x"),
        ("https://s.nl/a", "https://s.nl//a"),
        ("https://s.nl/a?x=1", "https://s.nl/a#?x=1"),
        ("https://s.nl/a?x=1%262", "https://s.nl/a?x=1&2"),
        ("https://s.nl:8443/a", "https://s.nl/a"),
        ("https://s.nl/a", "https://s.nl:8443/a"),
    ],
)
def test_urls_that_only_look_alike_are_no_prefix(registered: str, loc: str) -> None:
    assert (
        owner(register_of(A=[registered], B=["https://s.nl/andere", "https://s.nl:8443/andere"]), loc) != "A"
    )


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


@pytest.mark.parametrize("url", ["", "/a", "a.nl/x", "ftp://a.nl/x", "https:///x", "https://a b.nl/"])
def test_what_is_no_url_on_the_web_is_a_value_error(url: str) -> None:
    with pytest.raises(ValueError, match="Expected"):
        register_of(A=["https://a.nl/"]).organisation_of(url, INDEX)


def test_a_location_of_thousands_of_segments_takes_no_longer_than_the_register() -> None:
    register = register_of(A=["https://s.nl/a?x=1"], B=["https://s.nl/b"])
    assert owner(register, "https://s.nl" + "/b" * 100_000 + "?" + "&" * 100_000) == "B"


PARTS = st.sampled_from(["a", "b", "ab", "a b", "é", "", "~"])
PATHS = st.lists(PARTS, max_size=4)
QUERIES = st.lists(st.sampled_from(["x=1", "x=12", "y", "é"]), max_size=3)
URLS = st.tuples(PATHS, QUERIES)


@given(st.lists(st.tuples(st.sampled_from("ABC"), URLS), min_size=1, max_size=12), URLS, st.booleans())
def test_the_look_up_is_what_comparing_with_every_registered_url_gives(
    registered: list[tuple[str, tuple[list[str], list[str]]]],
    loc: tuple[list[str], list[str]],
    escaped: bool,
) -> None:
    register = Register(
        [], [Location(Organisation(name, name), _url(path, query)) for name, (path, query) in registered]
    )
    match = register.organisation_of(_url(*loc, escaped=escaped), INDEX)
    everyone = {name for name, _ in registered}
    owners = _naive_owners(registered, loc) or everyone
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


def _url(path: list[str], query: list[str], *, escaped: bool = False) -> str:
    if escaped:
        path = [quote(part, safe="") for part in path]
        query = [quote(part, safe="=").replace("x", "%78") for part in query]
    return "https://s.nl" + "".join(f"/{part}" for part in path) + ("?" + "&".join(query) if query else "")


def _naive_owners(
    registered: list[tuple[str, tuple[list[str], list[str]]]], loc: tuple[list[str], list[str]]
) -> set[str]:
    """Return the organisations with the longest registered URL that is a prefix, straight from the rule."""
    path, query = _without_slash(loc[0]), loc[1]
    prefixes = []
    for name, (given_path, given_query) in registered:
        whole = _without_slash(given_path)
        if given_query and (whole == path and query[: len(given_query)] == given_query):
            prefixes.append((len(whole), len(given_query), name))
        if not given_query and path[: len(whole)] == whole:
            prefixes.append((len(whole), 0, name))
    longest = max(prefixes, default=(0, 0, ""))[:2]
    return {name for *length, name in prefixes if tuple(length) == longest}


def _without_slash(path: list[str]) -> list[str]:
    return path[:-1] if path and not path[-1] else path
