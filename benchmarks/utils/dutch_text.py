"""Dutch text to index, and compounds to search for."""

from __future__ import annotations

import csv
import random
import re
import tomllib
from pathlib import Path

from woo_harvester.findings.catalogue import catalogue
from woo_harvester.tooi import lists

_ROOT = Path(__file__).parents[2]
_PAGES, _WORDS = 3000, 400


def pages() -> list[str]:
    """Return 3,000 pages of 400 words, drawn from the catalogue of findings and the waardelijsten."""
    sentences = re.findall(r"[^.]+\.", " ".join(_texts(tomllib.loads(catalogue()))))
    folder = Path(str(lists.__file__)).parent / "lists"
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            sentences += [row[1] for row in csv.reader(file) if len(row) > 1]
    sentences += [row["woord"] for row in compounds()]
    drawn = random.Random(6)
    texts = []
    for _ in range(_PAGES):
        words: list[str] = []
        while len(words) < _WORDS:
            words += drawn.choice(sentences).split()
        texts.append(" ".join(words))
    return texts


def _texts(content: object) -> list[str]:
    if isinstance(content, dict):
        return [text for part in content.values() for text in _texts(part)]
    return [content] if isinstance(content, str) else []


def compounds() -> list[dict[str, str]]:
    """Return the words of ``tests/portal/compounds.csv``, with the part to search for."""
    with (_ROOT / "tests/portal/compounds.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
