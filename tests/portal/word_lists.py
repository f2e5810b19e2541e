"""Words to hold the analysis in Python to that of Elasticsearch."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tests.conftest import ROOT

#: The analyses of a text between spaces, and of words that a narrow space joins.
SPACES = ["1\u202f000\u202feuro", "a\u00a0b", "een\ttwee\u2003drie\u3000vier", "x\u0085y\u001cz\u000bq"]


def words() -> list[str]:
    """Return some 12,000 words, the same in each run."""
    drawn = random.Random(20)
    found = {word for path in _texts() for word in path.read_text(encoding="utf-8").split()}
    chosen = set(drawn.sample(sorted(found), min(6000, len(found))))
    dictionary = _dictionary()
    chosen |= set(drawn.sample(dictionary, 2000))
    chosen |= {
        drawn.choice(dictionary) + drawn.choice(("", "s", "en")) + drawn.choice(dictionary)
        for _ in range(2000)
    }
    characters = [chr(number) for number in range(0x21, 0x3000) if chr(number).strip()]
    for _ in range(2500):
        choice = characters if drawn.random() < 0.3 else characters[:600]
        chosen.add("".join(drawn.choices(choice, k=drawn.randint(1, 8))))
    compounds = (ROOT / "tests/portal/compounds.csv").read_text(encoding="utf-8").replace(",", " ").split()
    odd = (ROOT / "tests/portal/odd_words.txt").read_text(encoding="utf-8").splitlines()
    return sorted({word for word in chosen if len(word) < 200} | {*compounds, *odd})


def _texts() -> list[Path]:
    lists = (ROOT / "woo_harvester/tooi/lists").glob("*.csv")
    return [
        *sorted(lists),
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "woo_harvester/findings/catalogue.toml",
        ROOT / "woo_harvester/permits/findings.toml",
    ]


def _dictionary() -> list[str]:
    path = ROOT / "woo_harvester/outputs/analysis.json"
    filters = json.loads(path.read_text(encoding="utf-8"))["settings"]["analysis"]["filter"]
    found = {word.strip("~") for word in filters["begin"]["word_list"]}
    found |= {word.strip("~")[::-1] for word in filters["eind"]["word_list"]}
    found |= {rule.partition("=>")[0] for rule in filters["meervoud"]["rules"]}
    return sorted(found)
