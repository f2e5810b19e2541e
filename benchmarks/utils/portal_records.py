"""Records with text to fill a search engine with, and the questions to ask it."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from benchmarks.utils.dutch_text import compounds, pages
from benchmarks.utils.publisher import publisher
from benchmarks.utils.runs import woo
from woo_harvester.kinds import WOO
from woo_harvester.tooi.lists import informatiecategorieen, organisaties
from woo_harvester.utils.urls import record_id
from woo_portal.question import Clause, Question, Sort

_HARVESTED = 2_000
_FIRST_DAY, _DAYS = date(2022, 5, 1), 1600
_TITLE_WORDS = 8


def write_records(path: Path, count: int) -> None:
    """Write *count* records as JSON Lines: those of the benchmark publisher, with a page of text each.

    Each has an id, a title, a day, an organisation and a category of its own; there are 3,000 texts.
    """
    drawn, texts = random.Random(20), pages()
    categories = [_waarde(each.uri, each.label) for each in informatiecategorieen()]
    organisations = [_waarde(each.uri, each.label) for each in list(organisaties())[:400]]
    with path.open("w", encoding="utf-8") as file:
        for number, record in enumerate(_harvested(count)):
            loc = f"https://www.gemeente{number % 900}.nl/documenten/{number}.pdf"
            text = drawn.choice(texts)
            document = record["document"] | {
                "weblocatie": loc,
                "verantwoordelijke": drawn.choice(organisations),
            }
            document["titelcollectie"] = {"officieleTitel": _title(drawn, text)}
            classification = document["classificatiecollectie"]
            document["classificatiecollectie"] = classification | {
                "informatiecategorieen": [drawn.choice(categories)]
            }
            day = _FIRST_DAY + timedelta(days=drawn.randrange(_DAYS))
            version = record["versies"][0] | {"openbaarmakingsdatum": day.isoformat()}
            version["bestanden"] = [{"url": loc, "tekst": text}]
            one = record | {"id": record_id(loc), "document": document, "versies": [version]}
            file.write(json.dumps(one, ensure_ascii=False) + "\n")


def questions(rounds: int = 1) -> Mapping[str, list[Question]]:
    """Return 40 questions of each kind for each round, all different: only words may be asked again."""
    drawn, texts = random.Random(7), pages()
    words = [[word for word in text.split() if len(word) > 4 and word.isalpha()] for text in texts[:60]]
    asked = [row["vraag"] for row in compounds() if row["soort"] == "paar"]
    phrases = [" ".join(text.split()[at : at + 3]) for at, text in enumerate(texts[60:], 10)]
    category, organisation = list(informatiecategorieen()), list(organisaties())[:400]
    each_round = range(rounds)
    wanted = 40 * rounds
    return {
        "one word": [_of(drawn.choice(each)) for _ in each_round for each in words[:40]],
        "three words": [_of(*drawn.sample(each, 3)) for _ in each_round for each in words[:40]],
        "compound": [_of(word) for word in asked[:wanted]],
        "phrase": [Question(WOO, (Clause(text, is_phrase=True),)) for text in phrases[:wanted]],
        "filters only": [
            Question(
                WOO,
                chosen={
                    "informatiecategorie": (category[at % len(category)].uri,),
                    "organisatie": (organisation[at].uri,),
                },
            )
            for at in range(wanted)
        ],
        "all by date": [Question(WOO, sort=Sort.NEWEST, start=10 * at) for at in range(wanted)],
    }


def _of(*words: str) -> Question:
    return Question(WOO, tuple(Clause(word) for word in words))


def _harvested(count: int) -> Iterator[dict[str, Any]]:
    """Yield records as a harvest makes them, again and again until there are *count*."""
    with tempfile.TemporaryDirectory() as name, publisher(Path(name), _HARVESTED, _HARVESTED) as site:
        woo(Path(name), site)
        records = [json.loads(line) for line in (Path(name) / "out.jsonl").open("rb")]
    for number in range(count):
        yield dict(records[number % len(records)])


def _title(drawn: random.Random, text: str) -> str:
    words = text.split()
    at = drawn.randrange(len(words) - _TITLE_WORDS)
    return " ".join(words[at : at + _TITLE_WORDS])


def _waarde(uri: str, label: str) -> dict[str, str]:
    return {"id": uri, "label": label}
