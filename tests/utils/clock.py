"""Traces of a run that was made while the clock was ahead."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from tests.utils.command import DATA

AHEAD = timedelta(days=10)


def put_ahead(folder: Path) -> None:
    """Make the records and the state of an installation those of runs whose clock was ten days ahead."""
    for path in (folder / "records").glob("*.jsonl"):
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for record in records:
            moment = datetime.fromisoformat(record["herkomst"]["opgehaald"])
            record["herkomst"]["opgehaald"] = (moment + AHEAD).isoformat()
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with closing(sqlite3.connect(folder / DATA / "woo-state.sqlite")) as connection, connection:
        connection.execute("UPDATE documents SET harvested = harvested + ?", [int(AHEAD.total_seconds())])
        for number, data in connection.execute("SELECT id, data FROM permit_cases").fetchall():
            row = json.loads(data)
            row["opgehaald"] = (datetime.fromisoformat(row["opgehaald"]) + AHEAD).isoformat()
            connection.execute("UPDATE permit_cases SET data = ? WHERE id = ?", [json.dumps(row), number])
