from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from woo_harvester.diwoo.defaults import Choice
from woo_harvester.running.arguments import PermitArguments, WooArguments
from woo_harvester.running.causes import ArgumentError
from woo_harvester.tooi import UNKNOWN_CATEGORY, category_of_index


def test_without_arguments_nothing_is_narrowed() -> None:
    assert WooArguments.read({}) == WooArguments()
    assert WooArguments.read({}).domains is None


@pytest.mark.parametrize(
    ("given", "hosts"),
    [
        ("www.a.nl", ("www.a.nl",)),
        ("www.a.nl,open.b.nl:8443", ("www.a.nl", "open.b.nl:8443")),
        (" www.a.nl , open.b.nl ,", ("www.a.nl", "open.b.nl")),
        ("https://www.a.nl/woo/besluiten?x=1", ("www.a.nl",)),
        ("WWW.A.NL,www.a.nl,https://www.a.nl:443/", ("www.a.nl",)),
        ("www.ijsbaan-één.nl", ("www.xn--ijsbaan-n-i4aa.nl",)),
    ],
)
def test_domains_are_hosts_or_urls_with_commas_between(given: str, hosts: tuple[str, ...]) -> None:
    assert WooArguments.read({"domains": given}).domains == hosts


@pytest.mark.parametrize("given", ["", " , ", "https://", "www.a.nl:poort", "een host"])
def test_domains_without_a_host_are_refused(given: str) -> None:
    with pytest.raises(ArgumentError, match=r"^argument domains: expected "):
        WooArguments.read({"domains": given})


@pytest.mark.parametrize(("given", "shard"), [("1/1", (1, 1)), ("2/8", (2, 8)), ("8/8", (8, 8))])
def test_a_shard_is_a_number_of_a_total(given: str, shard: tuple[int, int]) -> None:
    assert WooArguments.read({"shard": given}).shard == shard


@pytest.mark.parametrize("given", ["0/8", "9/8", "2", "2/", "/8", "a/b", "-1/8", "1/0", "", "2/8/9"])
def test_a_shard_that_cannot_be_is_refused(given: str) -> None:
    with pytest.raises(ArgumentError, match=r"^argument shard: expected a shard such as 2/8"):
        WooArguments.read({"shard": given})


@pytest.mark.parametrize("mode", ["download", "head", "none"])
def test_documents_has_three_modes(mode: str) -> None:
    assert WooArguments.read({"documents": mode}).documents == mode


def test_another_mode_of_documents_is_refused_with_the_three() -> None:
    with pytest.raises(ArgumentError, match=r"^argument documents: .*'download', 'head' or 'none'$"):
        WooArguments.read({"documents": "all"})


def test_the_register_is_a_file_or_url() -> None:
    assert WooArguments.read({"register": "export.xml"}).register_source == "export.xml"


@pytest.mark.parametrize("name", ["register", "organisation"])
def test_an_empty_value_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"^argument {name}: expected a value, got an empty text$"):
        WooArguments.read({name: " "})


@pytest.mark.parametrize(("given", "meant"), [("1", True), ("true", True), ("0", False)])
def test_deltafetch_reset_is_yes_or_no(given: str, meant: bool) -> None:
    assert WooArguments.read({"deltafetch_reset": given}).deltafetch_reset is meant


CONVENANTEN = category_of_index(11).uri
VERZOEKEN = category_of_index(14).uri


@pytest.mark.parametrize(
    ("given", "uris"),
    [
        ("014,convenanten", (VERZOEKEN, CONVENANTEN)),
        ("14, 011 ,14,", (VERZOEKEN, CONVENANTEN)),
        (f"{CONVENANTEN},woo-verzoeken en -besluiten", (CONVENANTEN, VERZOEKEN)),
        ("c_8fc2335c", (CONVENANTEN,)),
        ("onbekend", (UNKNOWN_CATEGORY.uri,)),
    ],
)
def test_categories_are_numbers_labels_or_uris(given: str, uris: tuple[str, ...]) -> None:
    arguments = WooArguments.read({"categories": given})
    assert arguments.categories == uris
    assert arguments.choice == Choice(frozenset(uris))


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("convenant", r"no category 'convenant': did you mean convenanten\?"),
        ("018", "no category '018': expected numbers from 001 to 017, labels or URIs"),
        ("014,zzz", "no category 'zzz': expected numbers from 001 to 017"),
        (" ,", "expected numbers from 001 to 017"),
    ],
)
def test_an_unknown_category_is_refused(given: str, line: str) -> None:
    with pytest.raises(ArgumentError, match=f"^argument categories: {line}"):
        WooArguments.read({"categories": given})


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-01-01", datetime(2025, 12, 31, 23, tzinfo=UTC)),
        ("2026-01-01T10:00:00Z", datetime(2026, 1, 1, 10, tzinfo=UTC)),
    ],
)
def test_since_is_a_day_in_dutch_time_or_a_moment(given: str, moment: datetime) -> None:
    arguments = WooArguments.read({"since": given})
    assert arguments.since == moment
    assert arguments.choice == Choice(since=moment)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("gisteren", "expected a day such as 2026-01-01, got 'gisteren'"),
        ("01-01-2026", "expected a day such as 2026-01-01, got '01-01-2026'"),
        ("9000-01-01", "expected a day that has been, got '9000-01-01'"),
    ],
)
def test_since_is_no_day_to_come(given: str, line: str) -> None:
    with pytest.raises(ArgumentError, match=f"^argument since: {line}$"):
        WooArguments.read({"since": given})


def test_without_either_nothing_is_chosen() -> None:
    assert WooArguments.read({"domains": "www.a.nl"}).choice is None


def test_names_that_begin_with_an_underscore_are_left_alone() -> None:
    assert WooArguments.read({"_job": "26", "_version": "r1"}) == WooArguments()


def test_an_unknown_argument_is_refused_with_the_name_that_is_like_it() -> None:
    with pytest.raises(ArgumentError, match=r"^unknown argument domain: did you mean domains\?$"):
        WooArguments.read({"domain": "www.a.nl"})


def test_an_unknown_argument_that_is_like_nothing_is_refused_with_all_names() -> None:
    names = "domains, register, shard, deltafetch_reset, organisation, documents, categories, since"
    with pytest.raises(ArgumentError, match=f"^unknown argument zzz: expected one of {names}$"):
        WooArguments.read({"zzz": "1"})


def test_a_name_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^expected the name of an argument in UTF-8$"):
        WooArguments.read({"\udcff": "1"})


def test_a_message_is_one_line() -> None:
    with pytest.raises(ArgumentError) as caught:
        WooArguments.read({"deltafetch_reset": "misschien"})
    assert "\n" not in str(caught.value)


def test_the_name_of_the_field_is_no_argument() -> None:
    with pytest.raises(ArgumentError, match="unknown argument register_source"):
        WooArguments.read({"register_source": "export.xml"})


def test_entry_pages_are_urls_with_commas_between_each_once() -> None:
    given = "https://a.nl/xml/, http://b.nl/p?x=1 ,https://a.nl/xml/,"
    assert PermitArguments.read({"entries": given}).entries == ("https://a.nl/xml/", "http://b.nl/p?x=1")


def test_entry_pages_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "entries.csv"
    path.touch()
    assert PermitArguments.read({"entries": str(path)}).entries == path


@pytest.mark.parametrize(
    "given", ["", ",", "ftp://a.nl/x", "x" * 5000, "https://a.nl/a b", "https://u@a.nl/"]
)
def test_what_is_no_entry_page_is_refused(given: str) -> None:
    with pytest.raises(ArgumentError, match=r"^argument entries: expected (?:URLs|the URL) of"):
        PermitArguments.read({"entries": given})


def test_without_entry_pages_the_argument_is_named() -> None:
    with pytest.raises(ArgumentError, match="argument entries is missing: expected URLs of entry pages"):
        PermitArguments.read({})
