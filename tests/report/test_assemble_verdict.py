from __future__ import annotations

from typing import Any

import pytest

from tests.report.runs import host_report, row
from woo_harvester.findings import Language, explain
from woo_harvester.report.assemble import verdict
from woo_harvester.report.funnel import HarvestKind
from woo_harvester.report.model import FindingRow, HostReport


def host(*rows: FindingRow, listed: int = 3, **given: Any) -> HostReport:
    return host_report("www.a.nl", *rows, kind=HarvestKind.PERMITS, listed=listed, **given)


def test_without_errors_a_supplier_can_be_connected() -> None:
    made = verdict(host(row("ipm.zaak-bekend")), "nl")
    assert (made.connectable, made.in_the_way) == (True, [])
    assert made.text == "Aansluitbaar: 3 berichten beoordeeld, zonder fouten."


def test_a_warning_is_named_and_is_not_in_the_way() -> None:
    made = verdict(host(row("ipm.adres", 2), listed=1), "nl")
    assert made.connectable is True
    assert made.text.endswith(
        "1 bericht beoordeeld, zonder fouten. Daarnaast te verbeteren: 2 waarschuwingen."
    )


def test_a_sample_is_named() -> None:
    assert "(a sample: the entry page names 1,203)" in verdict(host(beyond_sample=1200), "en").text


def test_each_error_is_in_the_way_with_what_it_is() -> None:
    made = verdict(host(row("ipm.schema", 4), row("ipm.adres"), row("host.intern-adres")), "en")
    assert (made.connectable, made.in_the_way) == (False, ["ipm.schema", "host.intern-adres"])
    what = explain("ipm.schema", "en").what.rstrip(".")
    assert f"What is in the way: {what} (ipm.schema, 4 times); " in made.text


@pytest.mark.parametrize(("listed", "complete"), [(0, True), (3, None), (3, False)])
def test_of_what_was_not_read_nothing_is_said(listed: int, complete: bool | None) -> None:
    made = verdict(host(listed=listed, complete=complete), "nl")
    assert (made.connectable, made.text) == (None, "Niet te beoordelen: er is geen bericht gelezen.")


@pytest.mark.parametrize(
    ("passed_over", "listed", "lang", "text"),
    [
        (10, 3, "nl", "Niet gelezen: 10 links waarachter berichten kunnen staan."),
        (1, 3, "en", "Not read: 1 link that may lead to messages."),
        (4, 0, "nl", "er is geen bericht gelezen. Niet gelezen: 4 links waarachter berichten kunnen staan."),
    ],
)
def test_links_that_were_passed_over_are_in_the_verdict(
    passed_over: int, listed: int, lang: Language, text: str
) -> None:
    made = verdict(host(listed=listed, passed_over=passed_over), lang)
    assert text in made.text
    assert made.connectable is (True if listed else None)


@pytest.mark.parametrize("listed", [0, 3])
def test_links_that_were_not_requested_are_neither_messages_nor_passed_over(listed: int) -> None:
    made = verdict(host(listed=listed, not_asked=1200), "en")
    assert made.text.endswith("Not requested, so not judged: 1,200 links that may lead to messages.")
    assert ("3 messages judged, without errors. " in made.text) is bool(listed)
    assert made.connectable is (True if listed else None)
