"""The questions of ``asked.csv`` with their best answers, and the generated records that have these."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.utils.dutch_text import pages
from tests.portal.suite_records import woo
from woo_harvester.tooi.lists import organisaties

_FOLDER = Path(__file__).parent
_OTHERS, _WORDS, _DRAWN, _TITLE = 2000, 80, 6, 8


class Asked(NamedTuple):
    """A question as somebody asks it, and the id of the best answer."""

    question: str
    best: str


def asked() -> list[Asked]:
    """Return all questions."""
    return [
        Asked(question, f"best-{number}")
        for number, row in enumerate(_rows())
        for question in row["asked"].split("|")
    ]


def records() -> Iterator[dict[str, Any]]:
    """Yield the records that are best answers, and 2,000 others, some with words of these in their text."""
    owners = [{"id": each.uri, "label": each.label} for each in organisaties()]
    labels = {each["label"]: each for each in owners}
    for number, row in enumerate(_rows()):
        yield woo(f"best-{number}", row["title"], row["text"], owner=labels[row["organisation"]])
    drawn, texts = random.Random(47), pages()
    words = [word for row in _rows() for word in f"{row['title']} {row['text']}".split()]
    for number in range(_OTHERS):
        page = drawn.choice(texts).split()[:_WORDS]
        at = drawn.randrange(_WORDS - _TITLE)
        text = " ".join([*page, *drawn.sample(words, _DRAWN)])
        yield woo(f"other-{number}", " ".join(page[at : at + _TITLE]), text, owner=drawn.choice(owners))


@cache
def _rows() -> list[dict[str, str]]:
    with (_FOLDER / "asked.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))
