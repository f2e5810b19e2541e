"""Compare two engines for the embedded index: tantivy, and FTS5 of SQLite, with the same Dutch tokens.

    python -m benchmarks.embedded_engines [RECORDS]

Both get the tokens that ``search/dutch.py`` makes, so that both find the same. The times are processor time
of the process, all of its threads: another program on the machine changes them little. Each question asks for
the ten best hits and their number. tantivy also highlights, and counts six filters; FTS5 counts two. It makes
the comparison of docs/performance.md.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import process_time
from typing import Any

from benchmarks.utils.dutch_text import compounds
from benchmarks.utils.portal_records import questions, write_records
from woo_harvester.kinds import WOO
from woo_harvester.outputs.definition import facet_values, facets
from woo_harvester.outputs.document import document_of
from woo_portal.dutch import analyzer, tokens_of
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.embedded.layout import texts_at
from woo_portal.engine import PARTS_SHARE, text_fields
from woo_portal.question import Clause, Question

RECORDS = 10_000
_MB = 1024 * 1024
_COUNTED = ("informatiecategorie", "organisatie")
_ANALYZERS = ("exact", "stam", "delen")
_ENGINES = ("tantivy", "FTS5")
Ask = Callable[[Question], int]


def main() -> None:
    """Print the table, as Markdown; or, as the process of one engine, its figures as JSON."""
    if len(sys.argv) == 4:
        print(json.dumps(_measured(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    with tempfile.TemporaryDirectory() as name:
        write_records(Path(name) / "records.jsonl", count)
        found = [_in_process(engine, count, Path(name)) for engine in _ENGINES]
    print(f"| {count:,} records | {' | '.join(_ENGINES)} |\n| --- | --- | --- |")
    for row in found[0]:
        print(f"| {row} | {' | '.join(str(each[row]) for each in found)} |")


def _in_process(engine: str, count: int, folder: Path) -> Mapping[str, Any]:
    command = [sys.executable, "-m", "benchmarks.embedded_engines", engine, str(count), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    measured: Mapping[str, Any] = json.loads(done.stdout)
    return measured


def _measured(engine: str, count: int, folder: Path) -> dict[str, Any]:
    fill = _tantivy if engine == "tantivy" else _fts5
    started = process_time()
    ask = fill(folder / engine, folder / "records.jsonl")
    seconds = process_time() - started
    found: dict[str, Any] = {"records a second": f"{count / seconds:,.0f}"}
    hits = {}
    for kind, asked in questions().items():
        if kind in ("filters only", "all by date"):
            continue
        times = []
        hits[kind] = 0
        for question in asked:
            started = process_time()
            hits[kind] += ask(question)
            times.append((process_time() - started) * 1000)
        found[f"{kind}, ms (hits)"] = f"{median(times):.1f} ({hits[kind]:,})"
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and engine in str(path))
    found["size, MB"] = f"{size / _MB:.0f}"
    found["memory, MB"] = f"{getrusage(RUSAGE_SELF).ru_maxrss / 1024:.0f}"
    found["compounds found of 200, traps of 100"] = _compounds(engine, folder)
    return found


def _tantivy(folder: Path, records: Path) -> Ask:
    engine = EmbeddedEngine.open(folder, 60)
    engine.fill([records])
    return lambda question: engine.search(question).total


def _compounds(engine: str, folder: Path) -> str:
    """Return how many words of compounds.csv a search for their part finds."""
    rows = compounds()
    path = folder / "compounds.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            document = {"weblocatie": "", "omschrijvingen": [row["woord"]]}
            record = {"id": f"{number}", "document": document, "versies": [{"oorzaak": "aanlevering"}]}
            file.write(json.dumps(record) + "\n")
    ask = (_tantivy if engine == "tantivy" else _fts5)(folder / f"{engine}-compounds", path)
    found = [
        row["soort"]
        for number, row in enumerate(rows)
        if analyzer("stam").tokens(row["vraag"])  # a question of stop words alone finds all
        and ask(Question(WOO, (Clause(row["vraag"]),), ids=(str(number),)))
    ]
    return f"{found.count('paar')}, {found.count('valkuil')}"


def _fts5(folder: Path, records: Path) -> Ask:
    """Fill a table of FTS5 with a column for each field and analyzer; return the function that asks it."""
    folder.mkdir()
    database = sqlite3.connect(folder / "index.sqlite")
    database.executescript(
        f"""PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
        CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT UNIQUE, document TEXT, tekst TEXT);
        CREATE TABLE values_of (number INTEGER, facet TEXT, value TEXT);
        CREATE VIRTUAL TABLE words USING fts5 ({", ".join(_columns())}, content='', tokenize=ascii);"""
    )
    with database, records.open("rb") as lines:
        for number, line in enumerate(lines):
            document = document_of(WOO, json.loads(line))
            texts = [texts_at(document, field.path) for field in text_fields(WOO)]
            tokens = [zip(*map(tokens_of, each), strict=True) if each else ("", "", "") for each in texts]
            cells = [" ".join(map(_stored, " ".join(each).split())) for field in tokens for each in field]
            marks = ", ".join("?" * (1 + len(cells)))
            database.execute(
                f"INSERT INTO words (rowid, {', '.join(_columns())}) VALUES ({marks})", [number, *cells]
            )
            text = "\n".join(texts_at(document, "tekst"))
            stored = json.dumps({**document, "tekst": None})
            database.execute(
                "INSERT INTO documents VALUES (?, ?, ?, ?)", [number, document["id"], stored, text]
            )
            for facet in facets(WOO):
                rows = [(number, facet.name, each.value) for each in facet_values(facet, document)]
                database.executemany("INSERT INTO values_of VALUES (?, ?, ?)", rows)
    database.execute("CREATE INDEX by_number ON values_of (number)")
    return lambda question: _ask(database, question)


def _columns() -> list[str]:
    return [f"{name}{number}" for number in range(len(text_fields(WOO))) for name in _ANALYZERS]


@lru_cache(200_000)
def _stored(token: str) -> str:
    """Return a token in letters and digits alone, so that FTS5 does not split it."""
    return re.sub("[^a-z0-9]", lambda match: f"X{ord(match[0])}X", token)


def _ask(database: sqlite3.Connection, question: Question) -> int:
    parts = []
    for clause in question.clauses:
        tokens = analyzer("exact" if clause.is_phrase else "stam").tokens(clause.text)
        if not tokens:  # only stop words
            continue
        fields = range(len(text_fields(WOO)))
        if clause.is_phrase:
            phrase = '"' + " ".join(map(_stored, tokens)) + '"'
            parts.append(" OR ".join(f"exact{number} : {phrase}" for number in fields))
        else:
            words = [_stored(token) for token in tokens]
            found = (" AND ".join(f"{{stam{at} delen{at}}} : {word}" for word in words) for at in fields)
            parts.append(" OR ".join(f"({each})" for each in found))
    if not parts:
        return 0
    match = " AND ".join(f"({part})" for part in parts)
    weights = [
        boost for field in text_fields(WOO) for boost in (field.boost, field.boost, field.boost * PARTS_SHARE)
    ]
    if question.ids:
        query = (
            "SELECT count(*) FROM words JOIN documents ON number = words.rowid WHERE words MATCH ? AND id = ?"
        )
        return int(database.execute(query, [match, question.ids[0]]).fetchone()[0])
    rank = f"bm25(words, {', '.join(map(str, weights))})"
    best = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY {rank} LIMIT 10"
    for (number,) in database.execute(best, [match]).fetchall():
        database.execute("SELECT document, tekst FROM documents WHERE number = ?", [number]).fetchone()
    for name in _COUNTED:
        counts = (
            "SELECT value, count(*) FROM values_of WHERE facet = ? AND number IN "
            "(SELECT rowid FROM words WHERE words MATCH ?) GROUP BY value"
        )
        database.execute(counts, [name, match]).fetchall()
    return int(database.execute("SELECT count(*) FROM words WHERE words MATCH ?", [match]).fetchone()[0])


if __name__ == "__main__":
    main()
