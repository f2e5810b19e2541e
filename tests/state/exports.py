"""Rows of an exported state, written to a file and read from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from woo_harvester.state import rows
from woo_harvester.state.exported import read, write
from woo_harvester.state.rows import Row
from woo_harvester.state.store import State
from woo_harvester.state.transfer import export

SITEMAP = "https://a.nl/s.xml"
HOST = rows.HOST.row(host="a.nl")
FILE = rows.FILE.row(host="a.nl", url=SITEMAP, type="sitemap", index="https://a.nl/i.xml")
LISTING = rows.LISTING.row(host="a.nl", loc="https://a.nl/d.pdf", sitemap=SITEMAP)


def document(loc: str = "https://a.nl/d.pdf", **values: Any) -> Row:
    """Return a document of the host."""
    return rows.DOCUMENT.row(host="a.nl", loc=loc, sitemap=SITEMAP, first_seen=5, **values)


def transfer(given: list[Row], path: Path) -> list[Row]:
    """Write rows to a file; return the rows that are read from it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write(given, file)
    return list(read(path))


def rows_of(state: State, *hosts: str) -> list[Row]:
    """Return the export of hosts of a state, by default of all."""
    with state.snapshot() as connection:
        return list(export(connection, hosts or None))
