"""The record and the finding that the pages show are those of the demo."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import ROOT, read_lines, run_scrapy

#: What differs from run to run: the port of a fictional publisher, the id that is made of it, and the time.
CHANGING = re.compile(
    r"(?<=localhost:)\d+|(?<=\"opgehaald\": \")[^\"]+|(?<=\"at\": \")[^\"]+|(?<=\"id\": \")[0-9a-f-]{36}"
)


def example(page: str, heading: str) -> str:
    """Return the JSON below a heading of a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    match = re.search(r"```json\n(.+?)\n```", text, flags=re.DOTALL)
    assert match is not None
    return match[1]


def without_what_changes(value: Any) -> str:
    return CHANGING.sub("", json.dumps(value, ensure_ascii=False))


@pytest.mark.integration
def test_the_record_and_the_finding_are_those_of_the_demo(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "--documents", "10"], tmp_path)
    assert done.returncode == 0, done.stderr
    (records,) = tmp_path.glob("demo/records/*.jsonl")
    (findings,) = tmp_path.glob("demo/reports/woo-*/findings.jsonl")
    for page, heading, made in (
        ("record.md", "An example", records),
        ("report.md", "A finding", findings),
    ):
        lines = {without_what_changes(line) for line in read_lines(made)}
        assert without_what_changes(json.loads(example(page, heading))) in lines, page
