from __future__ import annotations

import pytest
from lxml import etree

from tests.report.runs import HOST
from woo_harvester.report.feed import ATOM, MAX_ENTRIES, feed
from woo_harvester.report.history import HostResult, RunResult

A = f"{{{ATOM}}}"


def run(day: int, harvested: int, *, came: tuple[str, ...] = (), mended: tuple[str, ...] = ()) -> RunResult:
    then = HostResult(10, harvested, 0, 0, 0, 90, came=list(came), mended=list(mended))
    return RunResult(f"woo-{day:04}", "woo", f"2026-01-01T08:{day:02}:00+01:00", {HOST: then})


def read(*runs: RunResult, base_url: str | None = None) -> etree._Element:
    return etree.fromstring(feed(HOST, runs, base_url=base_url))


def test_a_feed_has_what_the_standard_requires() -> None:
    made = read(run(1, 9))
    assert made.tag == f"{A}feed"
    for element in (made, *made.iter(f"{A}entry")):
        for name in ("id", "title", "updated"):
            assert element.findtext(A + name)
    assert made.findtext(f"{A}author/{A}name")
    assert made.findtext(f"{A}updated") == "2026-01-01T08:01:00+01:00"


def test_only_runs_with_news_have_an_entry_newest_first() -> None:
    made = read(run(1, 9), run(2, 9), run(3, 8), run(4, 8, came=("titel.ontbreekt",)), run(5, 8))
    assert [each.findtext(f"{A}updated") for each in made.iter(f"{A}entry")] == [
        f"2026-01-01T08:0{day}:00+01:00" for day in (4, 3, 1)
    ]


def test_an_entry_says_what_is_new_and_what_is_fixed() -> None:
    made = read(run(1, 9, came=("titel.ontbreekt",), mended=("robots.te-groot",)))
    text = made.findtext(f"{A}entry/{A}content") or ""
    assert "9 van 10 documenten geoogst" in text
    assert "Nieuwe bevindingen:\n- Het document heeft geen <officieleTitel>. (titel.ontbreekt)" in text
    assert "Opgelost:\n- De robots.txt is groter dan 500 KiB" in text


def test_a_feed_in_english() -> None:
    made = feed(HOST, [run(1, 9, came=("titel.ontbreekt",))], lang="en").decode()
    assert "- The document has no &lt;officieleTitel&gt;. (titel.ontbreekt)" in made


def test_ids_do_not_change_from_run_to_run() -> None:
    first, second = read(run(1, 9)), read(run(1, 9), run(2, 8))
    assert first.findtext(f"{A}id") == second.findtext(f"{A}id")
    ids = [each.text for each in second.iter(f"{A}id")]
    assert len(set(ids)) == len(ids) == 3
    assert first.findtext(f"{A}entry/{A}id") in ids


def test_links_are_there_where_the_address_is_known() -> None:
    assert read(run(1, 9)).find(f".//{A}link") is None
    links = [each.get("href") for each in read(run(1, 9), base_url="https://x.example/r/").iter(f"{A}link")]
    assert links == ["https://x.example/r/feeds/www.a.nl.xml", "https://x.example/r/woo-0001/index.html"]


def test_a_feed_does_not_grow_without_end() -> None:
    made = read(*(run(day, day) for day in range(59)))
    assert len(list(made.iter(f"{A}entry"))) == MAX_ENTRIES


def test_a_host_that_was_never_visited_has_no_feed() -> None:
    with pytest.raises(ValueError, match=r"No run visited www\.b\.nl"):
        feed("www.b.nl", [run(1, 1)])
