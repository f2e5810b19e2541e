"""Rows of an exported state that are about entry pages, their files and their cases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.permits.world import ENTRY, mutation
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.rows import parse_row

HOST = "www.voorbeeldstad.nl"
CASE = PermitRow(mutation("C", 1)).dump()
GOOD: dict[str, dict[str, Any]] = {
    "entry": {"kind": "entry", "host": HOST, "url": ENTRY},
    "permit_file": {
        "kind": "permit_file",
        "host": HOST,
        "entry": ENTRY,
        "url": ENTRY + "1.xml",
        "digest": "00",
        "read_at": "2026-04-02T08:00:00Z",
        "faults": '[{"code": "ipm.schema"}]',
    },
    "message": {"kind": "message", "host": HOST, "entry": ENTRY, "data": CASE},
    "case": {"kind": "case", "host": HOST, "entry": ENTRY, "data": CASE},
}


def test_a_row_that_a_run_made_is_accepted() -> None:
    for row in GOOD.values():
        parse_row(json.dumps(row))


@pytest.mark.parametrize(
    ("kind", "change", "line"),
    [
        ("case", {"data": "{}"}, "expected a message as JSON, as a run stores it"),
        ("case", {"entry": "https://www.elders.nl/"}, "expected a message of the entry page"),
        ("message", {"entry": "https://www.elders.nl/"}, "expected a message of the entry page"),
        ("entry", {"host": "www.elders.nl"}, "expected an entry page on www.elders.nl, got"),
        ("entry", {"url": "ftp://a.nl/"}, "expected the URL of an entry page, got 'ftp://a.nl/'"),
        ("permit_file", {"faults": '[{"code": "x.y"}]'}, "expected findings as JSON"),
        (
            "permit_file",
            {"faults": '[{"code": "ipm.datum-toekomst", "seen": "ooit"}]'},
            "expected findings as JSON",
        ),
    ],
)
def test_a_row_that_no_run_made_is_refused(kind: str, change: dict[str, str], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        parse_row(json.dumps(GOOD[kind] | change))
