from __future__ import annotations

import asyncio
from typing import Any

import pytest

from woo_harvester.crawl import hosts as capacity
from woo_harvester.crawl.hosts import Budget, Visit
from woo_harvester.findings import Finding, Reporter
from woo_harvester.report.funnel import Account
from woo_harvester.state.resources import KnownHost

HOST = "www.a.nl"
INDEX = f"https://{HOST}/sitemapindex-diwoo.xml"


def visit_of(findings: list[Finding] | None = None, backlog: int = 2) -> Visit:
    reporter = Reporter(([] if findings is None else findings).append)
    organisation = "https://identifier.overheid.nl/x"
    return Visit(HOST, organisation, KnownHost(1, None), backlog, reporter, lambda _: True, Account(HOST))


def test_a_finding_is_reported_with_the_host_and_its_body() -> None:
    findings: list[Finding] = []
    visit_of(findings).report("sitemap.leeg", url="https://www.a.nl/a.xml", line=3, seen="niets")
    given: dict[str, Any] = {"url": "https://www.a.nl/a.xml", "line": 3, "seen": "niets"}
    organisation = "https://identifier.overheid.nl/x"
    assert findings == [Finding(code="sitemap.leeg", host=HOST, organisation=organisation, **given)]


def test_an_error_means_that_the_host_was_not_read_completely_but_not_one_about_a_name() -> None:
    visit = visit_of()
    for code in ("index.naam", "index.infocat-onbekend", "index.hoofdletters", "sitemap.leeg"):
        visit.report(code, url="https://www.a.nl/")
    assert visit.is_complete
    errors = ["robots.ontbreekt", "robots.geen-diwoo-index", "index.onbereikbaar", "sitemap.afgebroken"]
    for code in [*errors, "tls.ongeldig"]:
        visit.report(code, url="https://www.a.nl/")
    assert visit.incomplete == [*errors, "tls.ongeldig"]
    assert not visit.is_complete


def test_a_visit_is_finished_when_all_is_read_and_no_document_is_under_way() -> None:
    visit = visit_of()
    visit.files_requested = 1
    assert not visit.finished
    visit.begin_request()
    visit.files_requested = 0
    assert not visit.finished
    visit.end_request()
    assert visit.finished


def test_there_is_room_until_the_backlog_is_full() -> None:
    async def run() -> list[bool]:
        visit, room = visit_of(), []
        for _ in range(3):
            room.append(await visit.has_capacity(0.01))
            visit.begin_request()
        return room

    assert asyncio.run(run()) == [True, True, False]


@pytest.mark.parametrize("is_taken", [False, True])
def test_whoever_waits_for_room_gets_it_unless_another_takes_it_first(is_taken: bool) -> None:
    async def run() -> bool:
        visit = visit_of(backlog=1)
        visit.begin_request()
        waiting = asyncio.create_task(visit.has_capacity(10))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        visit.end_request()
        if is_taken:
            visit.begin_request()
        return await asyncio.wait_for(waiting, 1)

    assert asyncio.run(run()) is not is_taken


def test_the_time_of_a_host_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([1000, 1000, 1004.9, 1005, 1009.9, 1010, 10**9, 10**9])
    monkeypatch.setattr(capacity, "monotonic", lambda: next(moments))
    budget, unbounded = Budget(10), Budget(None)
    assert [budget.is_over() for _ in range(5)] == [False, False, False, False, True]
    assert not unbounded.is_over()
    unbounded.give_up()
    assert unbounded.is_over()
