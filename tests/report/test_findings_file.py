from __future__ import annotations

from io import StringIO
from json import loads
from typing import Any

from tests.report.runs import about_document, about_file
from woo_harvester.findings import Finding
from woo_harvester.report.findings_file import WRITTEN_MAX, FindingsFile

CODE = "loc.ongeldig"
EXTRA = 500


def lines_of(*findings: Finding) -> list[dict[str, Any]]:
    """Return the lines that are there after the end."""
    text = StringIO()
    file = FindingsFile(text)
    for finding in findings:
        file.write(finding)
    file.end()
    return [loads(line) for line in text.getvalue().splitlines()]


def total(lines: list[dict[str, Any]]) -> int:
    return sum(line.get("count", 1) for line in lines)


ALIKE = about_document(CODE, element="loc", seen="x")
FULL = [ALIKE] * WRITTEN_MAX


def test_up_to_a_number_each_finding_of_a_code_about_a_file_is_a_line() -> None:
    other = about_document(CODE, host="www.b.nl"), about_document("loc.geen-https")
    lines = lines_of(*FULL, *other)
    assert len(lines) == WRITTEN_MAX + 2
    assert not [line for line in lines if "count" in line]


def test_the_others_are_counted_by_what_was_wrong() -> None:
    once = about_document(CODE, element="loc", seen="y")
    *_, alike, different = lines_of(*FULL, *[ALIKE] * EXTRA, once)
    assert alike == {**ALIKE.as_dict(), "count": EXTRA}
    assert different == {**once.as_dict(), "count": 1}


def test_what_differs_in_each_finding_is_counted_together() -> None:
    lines = lines_of(*FULL, *[about_document(CODE, seen=str(number)) for number in range(EXTRA)])
    assert total(lines) == WRITTEN_MAX + EXTRA
    assert len(lines) == WRITTEN_MAX + 101
    (together,) = [line for line in lines if "url" not in line]
    assert (together["count"], together["sitemap"]) == (EXTRA - 100, ALIKE.sitemap)


def test_the_number_of_lines_hardly_grows_with_that_of_findings() -> None:
    lines = lines_of(*FULL * 40)
    assert total(lines) == 40 * WRITTEN_MAX
    assert len(lines) < WRITTEN_MAX + 10


def test_findings_about_permit_messages_are_all_written_since_each_has_a_few() -> None:
    lines = lines_of(*[about_file("ipm.datum", number=number) for number in range(WRITTEN_MAX + EXTRA)])
    assert len(lines) == WRITTEN_MAX + EXTRA
