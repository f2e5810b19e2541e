"""Measure the size of the state on disk, in SQLite and in PostgreSQL, and the time to fill it.

::

    python -m benchmarks.state_size [DOCUMENTS]

The documents have a location of 86 characters. They were fetched, so the state has digests of entry and file,
ETag, size and name. As in a run, a thousand at a time are looked up, added and confirmed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from benchmarks.utils.postgresql import OPTIONS
from benchmarks.utils.target import target
from tests.utils.postgresql import new_database, query, server
from woo_harvester.state.deliveries import Harvested, KnownFile
from woo_harvester.state.documents import add_seen, confirm_harvested, look_up
from woo_harvester.state.resources import host_of_state, resource_of
from woo_harvester.state.sql import BATCH
from woo_harvester.state.store import State

HOST = "www.gemeente-voorbeeld.nl"
SIZES = (1_000_000, 10_000_000, 100_000_000)


def fill(url: str, count: int) -> float:
    """Fill the state; return the seconds."""
    started = perf_counter()
    with closing(State.open(url)) as state:
        with state.begin() as connection:
            host = host_of_state(connection, HOST).id
            sitemap = resource_of(connection, host, f"https://{HOST}/s.xml", "sitemap").id
        for first in range(0, count, BATCH):
            names = range(first, min(first + BATCH, count))
            locs = [
                f"https://{HOST}/documenten/woo-besluiten/2024/04/besluit-{name:09}.pdf" for name in names
            ]
            with state.begin() as connection:
                look_up(connection, locs)
                known = add_seen(connection, locs, sitemap)
            with state.begin() as connection:
                confirm_harvested(connection, [harvested(known[loc].id, sitemap, loc) for loc in locs])
    return perf_counter() - started


def harvested(key: int, sitemap: int, loc: str) -> Harvested:
    """Return the data of a document that was fetched."""
    digest = sha256(loc.encode()).digest()
    file = KnownFile(digest, 'ETag: "5f3a-61c2b8e0"', 204_800, "application/pdf", loc.rpartition("/")[2])
    return Harvested(key, 1_712_044_800_000_000, "2024-04-02", 1_700_000_100, sitemap, digest[:16], file)


def row(label: str, values: Sequence[str], aim: str = "") -> None:
    """Print a row of the table."""
    print(f"{label:14}" + "".join(f"{value:>16}" for value in values) + aim)


def main(count: int) -> None:
    """Print the table; sizes beyond *count* are extrapolated."""
    row("", ["documents/s", "bytes each", *(f"GB at {size:,}"[:15] for size in SIZES)], "   target")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        seconds = fill(f"sqlite:///{path}", count)
        print_database("SQLite", count, seconds, path.stat().st_size)
    with server(OPTIONS) as postgresql, new_database(postgresql.url) as url:
        State.open(url).close()
        size = "SELECT pg_database_size(current_database())"
        empty = query(url, size)[0][0]
        seconds = fill(url, count)
        print_database("PostgreSQL", count, seconds, int(str(query(url, size)[0][0])) - int(str(empty)))


def print_database(label: str, count: int, seconds: float, size: int) -> None:
    """Print the row of one database."""
    each = size / count
    gigabytes = (f"{each * documents / 1e9:.1f}" for documents in SIZES)
    aim = target("a million < 400 MB", each < 400) if label == "SQLite" else ""
    row(label, [f"{count / seconds:,.0f}", f"{each:.0f}", *gigabytes], aim)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200_000)
