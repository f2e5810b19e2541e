"""README.md and README.nl.md: short, with a picture, a command for each reader, and no dead end."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

READMES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.nl.md")}
README = READMES["README.md"]


@pytest.mark.parametrize("text", READMES.values(), ids=READMES)
def test_it_is_at_most_a_screen_and_a_half(text: str) -> None:
    assert len(text.splitlines()) <= 75


@pytest.mark.parametrize("text", READMES.values(), ids=READMES)
def test_after_the_first_paragraph_it_has_a_picture_of_the_report_that_weighs_little(text: str) -> None:
    match = re.match(r"# woo-harvester\n\n(?:\S.*\n)+\n!\[.+?\]\((.+?)\)\n", text)
    assert match is not None
    assert (ROOT / match[1]).read_bytes().startswith(b"\x89PNG")
    assert (ROOT / match[1]).stat().st_size < 300_000


def test_it_says_how_to_begin() -> None:
    targets = set(re.findall(r"(?:^    |`)make ([a-z-]+)", README, flags=re.MULTILINE))
    assert targets >= {"demo", "install", "site"}


@pytest.mark.parametrize("reader", ["harvest", "publish", "operate", "build upon"])
def test_each_reader_has_one_command_and_one_page(reader: str) -> None:
    (row,) = re.findall(rf"^\| \*\*{reader}\*\*.*$", README, flags=re.MULTILINE)
    cells = row.strip("| ").split(" | ")
    assert re.fullmatch(r"`[^`]+`", cells[1])
    assert re.fullmatch(r"\[[^\]]+\]\(docs/[\w/.-]+\)", cells[2])
