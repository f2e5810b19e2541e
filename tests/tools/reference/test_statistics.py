from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT


def keys_in(path: Path) -> Iterator[str]:
    """Return the keys of statistics in a module, with ``<>`` for each part that is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "<>" for part in node.values)
            key = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in within:
            key = str(node.value)
        else:
            continue
        if re.fullmatch(r"(?:woo|deltafetch)/[\w/.<>]+", key):
            yield key


PAGE = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.+`) \| \S", PAGE, re.MULTILINE)
STATISTICS = re.findall(r"`([^`]+)`", "".join(ROWS))
PATTERNS = {key: re.compile(re.sub(r"<\w+>", "[^/]+", key)) for key in STATISTICS}


@pytest.fixture(scope="module")
def code() -> set[str]:
    """Return the keys of statistics in the package."""
    return {key for path in (ROOT / "woo_harvester").rglob("*.py") for key in keys_in(path)}


def test_every_key_that_the_code_counts_has_a_meaning(code: set[str]) -> None:
    assert [key for key in code if not any(pattern.fullmatch(key) for pattern in PATTERNS.values())] == []


def test_every_key_with_a_meaning_is_counted_by_the_code(code: set[str]) -> None:
    assert [key for key, pattern in PATTERNS.items() if not any(map(pattern.fullmatch, code))] == []
