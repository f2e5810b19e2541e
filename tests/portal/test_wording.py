from __future__ import annotations

from datetime import UTC, date, datetime

from woo_portal.wording import (
    capitalised,
    counted,
    day,
    day_and_time,
    document_path,
    number,
    path_of,
    search_path,
    size,
    value_of,
)

TOOI = "https://identifier.overheid.nl/tooi"


def test_a_day_is_that_in_the_netherlands() -> None:
    cases: list[tuple[str | date | None, str]] = [
        ("2024-01-09", "9 januari 2024"),
        ("2024-06-30T23:30:00+00:00", "1 juli 2024"),
        (date(2024, 12, 31), "31 december 2024"),
        (datetime(2024, 12, 31, 23, 30, tzinfo=UTC), "1 januari 2025"),
        ("geen dag", "geen dag"),
        ("", ""),
        (None, ""),
    ]
    for moment, shown in cases:
        assert day(moment) == shown, moment


def test_a_moment_has_its_time_and_a_day_has_none() -> None:
    assert day_and_time("2024-06-30T08:05:00+02:00") == "30 juni 2024, 8:05 uur"
    assert day_and_time(datetime(2024, 1, 1, 12, tzinfo=UTC)) == "1 januari 2024, 13:00 uur"
    assert day_and_time("2024-06-30") == "30 juni 2024"
    assert day_and_time(None) == ""


def test_numbers_and_sizes_are_written_in_dutch() -> None:
    assert [size(each) for each in (None, 1, 632, 20_480, 3_400_000)] == [
        "",
        "1 byte",
        "632 bytes",
        "20,5 kB",
        "3,4 MB",
    ]
    assert number(1_234_567) == "1.234.567"
    assert counted(1, "document", "documenten") == "1 document"
    assert counted(1200, "document", "documenten") == "1.200 documenten"
    assert capitalised("gemeente Den Haag") == "Gemeente Den Haag"
    assert capitalised("") == ""


def test_a_tooi_uri_has_a_short_path_that_leads_back_to_it() -> None:
    for facet, value, path in [
        ("organisatie", f"{TOOI}/id/gemeente/gm0363", "/organisatie/gemeente/gm0363"),
        ("informatiecategorie", f"{TOOI}/def/thes/kern/c_1", "/categorie/c_1"),
    ]:
        assert path_of(facet, value) == path, facet
        assert value_of(facet, path.split("/", 2)[2]) == value, facet


def test_any_other_value_stands_in_a_parameter() -> None:
    for value in [
        "B&W",
        "../x",
        "https://elders.nl/gm0363",
        f"{TOOI}/id/a/b/c",
        f"{TOOI}/id/../..?x#y",
        f"{TOOI}/id/",
    ]:
        assert path_of("organisatie", value).startswith("/organisatie?waarde="), value


def test_a_facet_without_pages_leads_to_a_search() -> None:
    assert path_of("thema", "a b") == "/?thema=a+b"
    assert path_of("", "x") == ""


def test_paths_are_quoted() -> None:
    assert document_path("../a?b") == "/document/..%2Fa%3Fb"
    assert search_path([]) == "/"
    assert search_path([("q", "a&b")], "/zoek.csv") == "/zoek.csv?q=a%26b"
