"""The lines of Python of each part of the project, which ``weight.toml`` bounds."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

from tests.conftest import ROOT

WEIGHT = Path(__file__).with_name("weight.toml")
#: The paths of each part. A module may belong to several parts.
PARTS = {
    "woo_harvester": "woo_harvester/",
    "permits": "woo_harvester/permits/",
    "documents": "woo_harvester/(state|crawl|sitemaps|spiders|operating)/",
    "reports": "woo_harvester/(report|audit)/",
    "runs": "woo_harvester/(running|commands|extensions|outputs|pipelines)/",
    "woo_portal": "woo_portal/",
    "tests": "tests/",
}


def test_no_part_has_more_lines_than_weight_toml_says_or_far_fewer() -> None:
    bounds = tomllib.loads(WEIGHT.read_text(encoding="utf-8"))
    sizes = lines_of_parts()
    assert bounds.keys() == PARTS.keys()
    assert [found for part, most in bounds.items() if (found := complaint(part, sizes[part], most))] == []


def test_a_bound_is_too_low_or_more_than_3_percent_too_high() -> None:
    assert [complaint("tests", lines, 1000) for lines in (970, 1000)] == [None, None]
    assert (
        complaint("tests", 969, 1000)
        == "tests has 969 lines: lower its line in tests/weight.toml to tests = 969"
    )
    assert complaint("tests", 1001, 1000) == (
        "tests has 1001 lines, 1 more than tests = 1000 in tests/weight.toml: remove as many, "
        "or raise that line in a commit that says what the new lines made unnecessary"
    )


def lines_of_parts() -> Counter[str]:
    """Return the number of lines of each part."""
    sizes = Counter[str]()
    for folder in ("woo_harvester", "woo_portal", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            lines, name = path.read_bytes().count(b"\n"), path.relative_to(ROOT).as_posix()
            for part, paths in PARTS.items():
                sizes[part] += lines if re.match(paths, name) else 0
    return sizes


def complaint(part: str, lines: int, most: int) -> str | None:
    """Return what is to be done about a part; None if its bound fits."""
    if lines > most:
        return (
            f"{part} has {lines} lines, {lines - most} more than {part} = {most} in tests/weight.toml: "
            "remove as many, or raise that line in a commit that says what the new lines made unnecessary"
        )
    if lines < most * 0.97:
        return f"{part} has {lines} lines: lower its line in tests/weight.toml to {part} = {lines}"
    return None
