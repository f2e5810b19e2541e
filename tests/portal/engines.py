"""Clients of a portal over each engine that needs no server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.portal.client import Client, client_of
from woo_portal.app import Options, make_app
from woo_portal.embedded.engine import EmbeddedEngine

ENGINES = ("scan", "embedded")


@contextmanager
def client_over(
    engine: str, records: Iterable[Mapping[str, Any]], folder: Path, options: Options | None = None
) -> Iterator[Client]:
    """Give a client of a portal over records in an engine; *folder* is for its files."""
    if engine == "scan":
        yield client_of(records, options)
        return
    file = folder / "records.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    embedded = EmbeddedEngine.open(folder / "portal", 60)
    try:
        embedded.fill([file])
        yield Client(make_app(embedded, options or Options()))
    finally:
        embedded.close()
