"""Ask the portal questions as people put them, and count those whose best answer is among the first three.

    python -m benchmarks.portal_questions [EXPORT]

The 165 questions are those of ``tests/portal/asked.csv``. Their best answers are among 2,000 other generated
records. EXPORT is an export of the register, whose abbreviations are then known.
"""

from __future__ import annotations

import csv
import random
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.utils.dutch_text import pages
from tests.portal.suite_questions import text
from tests.portal.suite_records import embedded, woo
from woo_harvester.findings import Reporter
from woo_harvester.register import read_export
from woo_harvester.tooi.lists import organisaties
from woo_portal.engine import Engine
from woo_portal.names import learn
from woo_portal.ways_on import FEW, ways_on

_FILE = Path(__file__).parents[1] / "tests/portal/asked.csv"
#: The day on which the organisations of the register exist.
_TODAY = date(2026, 11, 28)
_OTHERS, _WORDS, _DRAWN, _TITLE = 2000, 80, 6, 8


class Asked(NamedTuple):
    """A question as somebody asks it, and what its page shows."""

    question: str
    has_best: bool
    """Whether the best answer is among the first three documents."""
    has_way: bool
    """Whether there is any document or link to go on with."""


def main() -> None:
    """Print the figures, and the questions whose best answer is not shown."""
    for path in sys.argv[1:]:
        with Path(path).open("rb") as file:
            register = read_export(file, Reporter(lambda finding: None), _TODAY)
        learn((each.uri, each.name, each.abbreviation) for each in register.organisations)
    with tempfile.TemporaryDirectory() as folder:
        found = ask_all(Path(folder))
    print(f"{len(found)} questions: {sum(each.has_best for each in found)} have the best answer in the first")
    print(f"three, {sum(not each.has_way for each in found)} have no way on. The others:")
    print("\n".join(each.question for each in found if not each.has_best))


def ask_all(folder: Path) -> list[Asked]:
    """Return what the page of each question shows, from an index in *folder*."""
    with embedded(folder, [*records()]) as engine:
        return [
            _ask(engine, question, f"best-{number}")
            for number, row in enumerate(_rows())
            for question in row["asked"].split("|")
        ]


def _ask(engine: Engine, question: str, best: str) -> Asked:
    asked = text(question)
    answer = engine.search(asked)
    further = ways_on(engine, asked, answer.hits) if answer.total < FEW else None
    shown = [*answer.hits, *(further.hits if further else ())]
    has_way = bool(shown) or (further is not None and any(number for _, number in further.words))
    return Asked(question, best in [hit.document["id"] for hit in shown[:3]], has_way)


def records() -> Iterator[dict[str, Any]]:
    """Yield the records that are best answers, and 2,000 others, all with words of these in their text."""
    owners = [{"id": each.uri, "label": each.label} for each in organisaties()]
    labels = {each["label"]: each for each in owners}
    for number, row in enumerate(_rows()):
        yield woo(f"best-{number}", row["title"], row["text"], owner=labels[row["organisation"]])
    drawn, texts = random.Random(47), pages()
    words = [word for row in _rows() for word in f"{row['title']} {row['text']}".split()]
    for number in range(_OTHERS):
        page = drawn.choice(texts).split()[:_WORDS]
        at = drawn.randrange(_WORDS - _TITLE)
        content = " ".join([*page, *drawn.sample(words, _DRAWN)])
        yield woo(f"other-{number}", " ".join(page[at : at + _TITLE]), content, owner=drawn.choice(owners))


def _rows() -> list[dict[str, str]]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


if __name__ == "__main__":
    main()
