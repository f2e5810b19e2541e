from __future__ import annotations

import re
from datetime import UTC, date, datetime

import pytest

from woo_harvester.diwoo.choice import Choice
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.causes import ArgumentError
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY, category_of_index


def test_without_arguments_nothing_is_narrowed_and_names_with_an_underscore_are_left_alone() -> None:
    assert WooArguments.read({}) == WooArguments.read({"_job": "26", "_version": "r1"}) == WooArguments()
    assert WooArguments.read({}).domains is None
    assert WooArguments.read({"domains": "www.a.nl"}).choice is None


@pytest.mark.parametrize(
    ("name", "given", "field", "meant"),
    [
        *(
            ("shard", given, "shard", meant)
            for given, meant in (("1/1", (1, 1)), ("2/8", (2, 8)), ("8/8", (8, 8)))
        ),
        *(("documents", mode, "documents", mode) for mode in ("download", "head", "none")),
        ("register", "export.xml", "register_source", "export.xml"),
        ("deltafetch_reset", "1", "deltafetch_reset", True),
        ("deltafetch_reset", "true", "deltafetch_reset", True),
        ("deltafetch_reset", "0", "deltafetch_reset", False),
    ],
)
def test_an_argument_has_a_value_of_its_kind(name: str, given: str, field: str, meant: object) -> None:
    assert getattr(WooArguments.read({name: given}), field) == meant


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


DAY = "a day, month or year such as 2025-12-31, 2025-12 or 2025"
#: An argument, its value, and the line with which it is refused.
REFUSED = [
    *(
        ("domains", given, "argument domains: expected .*")
        for given in ("", " , ", "https://", "www.a.nl:poort", "een host")
    ),
    *(
        ("shard", given, "argument shard: expected a shard such as 2/8.*")
        for given in ("0/8", "9/8", "2", "2/", "/8", "a/b", "-1/8", "1/0", "", "2/8/9")
    ),
    ("documents", "all", "argument documents: .*'download', 'head' or 'none'"),
    *(
        (name, " ", f"argument {name}: expected a value, got an empty text")
        for name in ("register", "organisation")
    ),
    (
        "categories",
        "018",
        "argument categories: no category '018': expected numbers from 001 to 017, labels or URIs.*",
    ),
    ("categories", "014,zzz", "argument categories: no category 'zzz': expected numbers from 001 to 017.*"),
    ("categories", " ,", "argument categories: expected numbers from 001 to 017.*"),
    *(
        (name, given, f"argument {name}: expected {DAY}, got '{given}'")
        for name in ("since", "until")
        for given in ("gisteren", "01-01-2026", "2025-13", "")
    ),
    *(
        ("published", given, rf"argument published: expected {DAY}, or two .*, got '{re.escape(given)}'")
        for given in ("2025-", "2025-01..", "..2025", "2025-02-30", "2025..2026..2027", "Q1")
    ),
    (
        "published",
        "2025-06..2025-01",
        "argument published: expected a period that begins before its end, got '2025-06..2025-01'",
    ),
    ("domain", "www.a.nl", r"unknown argument domain: did you mean domains\?"),
    ("gemeente", "Utrecht", r"unknown argument gemeente: did you mean organisation\?"),
    ("URL", "www.a.nl", r"unknown argument URL: did you mean domains\?"),
    ("zzz", "1", "unknown argument zzz: expected one of domains, register, shard, .*"),
    ("register_source", "export.xml", "unknown argument register_source.*"),
    ("\udcff", "1", "expected the name of an argument in UTF-8"),
    ("deltafetch_reset", "misschien", ".*"),
]


@pytest.mark.parametrize(("name", "given", "line"), REFUSED)
def test_an_argument_that_cannot_be_is_refused_in_one_line(name: str, given: str, line: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        WooArguments.read({name: given})
    assert re.fullmatch(line, str(caught.value))


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
    ("given", "moment"),
    [
        ("2026-01-01", datetime(2025, 12, 31, 23, tzinfo=UTC)),
        ("2026-01", datetime(2025, 12, 31, 23, tzinfo=UTC)),
        ("2026", datetime(2025, 12, 31, 23, tzinfo=UTC)),
        ("2026-01-01T10:00:00Z", datetime(2026, 1, 1, 10, tzinfo=UTC)),
    ],
)
def test_since_is_a_day_in_dutch_time_or_a_moment(given: str, moment: datetime) -> None:
    arguments = WooArguments.read({"since": given})
    assert arguments.since == moment
    assert arguments.choice == Choice(since=moment)


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2025-06-30", datetime(2025, 6, 30, 21, 59, 59, 999_999, tzinfo=UTC)),
        ("2025-06", datetime(2025, 6, 30, 21, 59, 59, 999_999, tzinfo=UTC)),
        ("2025", datetime(2025, 12, 31, 22, 59, 59, 999_999, tzinfo=UTC)),
        ("9000", datetime(9000, 12, 31, 22, 59, 59, 999_999, tzinfo=UTC)),
    ],
)
def test_until_is_the_end_of_a_day_month_or_year_in_dutch_time(given: str, moment: datetime) -> None:
    arguments = WooArguments.read({"until": given})
    assert arguments.until == moment
    assert arguments.choice == Choice(until=moment)


@pytest.mark.parametrize("given", [{"domains": "a.nl"}, {"organisation": "gm0363"}, {"since": "2025"}])
def test_a_run_that_chooses_hosts_or_documents_is_filtered(given: dict[str, str]) -> None:
    assert WooArguments.read(given).is_filtered
    assert not WooArguments.read({"shard": "1/2", "documents": "none"}).is_filtered


def test_until_does_not_come_before_since() -> None:
    assert WooArguments.read({"since": "2025-06-01", "until": "2025-06-01"}).is_choosing
    with pytest.raises(
        ArgumentError, match=r"^argument until: expected a day on or after that of since, got"
    ):
        WooArguments.read({"since": "2025-06-01", "until": "2025-05"})


@pytest.mark.parametrize(
    ("given", "period"),
    [
        ("2025", (date(2025, 1, 1), date(2025, 12, 31))),
        ("2024-02", (date(2024, 2, 1), date(2024, 2, 29))),
        ("2025-03-14", (date(2025, 3, 14), date(2025, 3, 14))),
        ("2025-01..2025-06", (date(2025, 1, 1), date(2025, 6, 30))),
        ("2024..2025-06-14", (date(2024, 1, 1), date(2025, 6, 14))),
    ],
)
def test_published_is_a_period_of_days(given: str, period: tuple[date, date]) -> None:
    arguments = WooArguments.read({"published": given})
    assert arguments.choice == Choice(published=period)
    assert arguments.is_choosing


def test_the_help_has_a_line_for_each_argument() -> None:
    lines = WooArguments.help().splitlines()
    assert len(lines) == len(WooArguments.model_fields)
    assert all(re.fullmatch(r"  [a-z_]+ +[A-Z][^`]*\.", line) for line in lines), lines
