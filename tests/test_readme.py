from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import ROOT, read_lines, run_scrapy
from woo_harvester.arguments import WooArguments

README = (ROOT / "README.md").read_text(encoding="utf-8")

#: What differs from run to run: the port of a fictional publisher, the id that is made of it, and the time.
CHANGING = re.compile(
    r"(?<=localhost:)\d+|(?<=\"opgehaald\": \")[^\"]+|(?<=\"at\": \")[^\"]+|(?<=\"id\": \")[0-9a-f-]{36}"
)


def examples() -> list[str]:
    return re.findall(r"```json\n(.+?)\n```", README, flags=re.DOTALL)


def without_what_changes(value: Any) -> str:
    return CHANGING.sub("", json.dumps(value, ensure_ascii=False))


@pytest.mark.integration
def test_the_record_and_the_finding_are_those_of_the_demo(tmp_path: Path) -> None:
    done = run_scrapy(["demo", "--documents", "10"], tmp_path)
    assert done.returncode == 0, done.stderr
    (records,) = tmp_path.glob("demo/records/*.jsonl")
    (findings,) = tmp_path.glob("demo/reports/woo-*/findings.jsonl")
    made = {without_what_changes(line) for line in (*read_lines(records), *read_lines(findings))}
    assert len(examples()) == 2
    for example in examples():
        assert without_what_changes(json.loads(example)) in made


def test_it_begins_with_a_picture_of_the_report_that_weighs_little() -> None:
    match = re.match(r"# woo-harvester\n\n!\[.+?\]\((.+?)\)\n", README)
    assert match is not None
    assert (ROOT / match[1]).read_bytes().startswith(b"\x89PNG")
    assert (ROOT / match[1]).stat().st_size < 300_000


def test_every_option_of_an_audit_has_a_row() -> None:
    source = (ROOT / "woo_harvester/commands/audit.py").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `(--[\w-]+)", README, flags=re.MULTILINE))
    assert rows == set(re.findall(r'"(--[\w-]+)"', source))


def test_every_argument_has_a_row() -> None:
    rows = set(re.findall(r"^\| `-a (\w+)=", README, flags=re.MULTILINE))
    assert rows == {field.alias or name for name, field in WooArguments.model_fields.items()}


def test_it_tells_how_to_begin() -> None:
    targets = set(re.findall(r"(?:^    |`)make ([a-z-]+)", README, flags=re.MULTILINE))
    assert targets >= {"demo", "install", "bench"}
