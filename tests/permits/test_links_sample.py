from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.links import newest_and_oldest, without_the_rest
from woo_harvester.permits.listing import Link
from woo_harvester.permits.listing_dates import Stamp

FIRST = datetime(2026, 4, 1, 10, 0, tzinfo=UTC)


def link(name: str, day: int | None = None, *, is_xml: bool = True) -> Link:
    date = None if day is None else Stamp(FIRST + timedelta(days=day), to_the_second=False)
    return Link(f"https://www.a.nl/{name}", is_xml, date)


def names(links: object) -> list[str]:
    return [each.url.rpartition("/")[2] for each in links]  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [0, 3, 4])
def test_a_page_with_no_more_files_than_the_sample_is_read_completely(size: int) -> None:
    links = [link(name, 0) for name in "abc"]
    assert newest_and_oldest(links, size) == links


def test_the_newest_and_the_oldest_files_are_chosen_whatever_the_order_of_the_page() -> None:
    days = {"a": 5, "b": 0, "c": 9, "d": 3, "e": 1, "f": 7}
    links = [link(name, day) for name, day in days.items()]
    assert names(newest_and_oldest(links, 4)) == ["b", "c", "e", "f"], "in the order of the page"


@pytest.mark.parametrize(("size", "chosen"), [(1, ["e"]), (3, ["a", "d", "e"])])
def test_of_an_odd_number_the_newest_are_one_more(size: int, chosen: list[str]) -> None:
    links = [link(name, day) for day, name in enumerate("abcde")]
    assert names(newest_and_oldest(links, size)) == chosen


def test_without_dates_the_first_and_the_last_of_the_page_are_chosen() -> None:
    assert names(newest_and_oldest([link(name) for name in "abcde"], 2)) == ["a", "e"]


def test_links_without_the_extension_of_xml_do_not_displace_files() -> None:
    menu = [link(f"menu{number}", is_xml=False) for number in range(50)]
    files = [link("a.xml", 1), link("b.xml", 2)]
    chosen = newest_and_oldest([*menu, *files], 4)
    assert names(chosen) == ["menu0", "menu49", "a.xml", "b.xml"]


def test_links_to_scripts_come_before_a_menu() -> None:
    menu = [link(f"menu{number}", is_xml=False) for number in range(50)]
    scripts = [link(f"zaak.php?id={number}", number, is_xml=False) for number in (3, 1, 2)]
    assert names(newest_and_oldest([*menu, *scripts], 2)) == ["zaak.php?id=3", "zaak.php?id=1"]


@pytest.mark.parametrize(("hosts", "codes"), [((), 3), (("www.b.nl",), 3), (("www.a.nl", "www.b.nl"), 1)])
def test_of_a_sample_only_what_the_other_messages_cannot_explain_is_reported(
    hosts: tuple[str, ...], codes: int
) -> None:
    found: list[Finding] = []
    report = without_the_rest(Reporter(found.append), hosts)
    for code in ("ipm.zaak-onbekend", "ipm.document-zonder-zaak", "ipm.zaak-bekend"):
        report(code, host="www.a.nl")
    assert [finding.code for finding in found][-1] == "ipm.zaak-bekend"
    assert len(found) == codes
