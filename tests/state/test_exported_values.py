"""Values of an exported state that no database can store, or that are not dates."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from pathlib import Path

import pytest

from tests.state.exports import FILE, HOST, LISTING, document, rows_of, transfer
from woo_harvester.state.exported import ExportedError, read
from woo_harvester.state.rows import MISSES_MAX, row_line
from woo_harvester.state.store import State
from woo_harvester.state.transfer import replace, replace_listings

Columns = dict[str, tuple[str, ...]]
INTEGERS: Columns = {"document": ("size", "pages"), "listing": ("misses",)}
DATES: Columns = {
    "host": ("complete_at",),
    "file": ("read_at",),
    "document": (
        *("first_seen", "lastmod", "harvested", "withdrawn"),
        *("fault_since", "refused_at", "refused_lastmod"),
    ),
}


def with_value(kind: str, name: str, value: object, path: Path) -> Path:
    """Write a file of a host, a sitemap and a document, one of which has this value."""
    listing = [LISTING | {"misses": 1}] if kind == "listing" else []
    made = [json.loads(row_line(row)) for row in (HOST, FILE, document(), *listing)]
    for row in made:
        if row["kind"] == kind:
            row[name] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(json.dumps(row) + "\n" for row in made)
    return path


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in INTEGERS for name in INTEGERS[kind]])
@pytest.mark.parametrize("value", [2**63, 10**30, -1, -(2**63) - 1])
def test_a_number_beyond_databases_is_refused(tmp_path: Path, kind: str, name: str, value: int) -> None:
    path = with_value(kind, name, value, tmp_path / "export")
    with pytest.raises(ExportedError, match=rf"line \d: {name}: Input should be"):
        list(read(path))


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in INTEGERS for name in INTEGERS[kind]])
def test_the_largest_accepted_number_is_kept(state: State, tmp_path: Path, kind: str, name: str) -> None:
    most = MISSES_MAX if kind == "listing" else 2**63 - 1
    rows = list(read(with_value(kind, name, most, tmp_path / "export")))
    replace(state, rows)
    replace_listings(state, rows)
    assert rows_of(state) == rows


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in DATES for name in DATES[kind]])
@pytest.mark.parametrize(
    "value", ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"]
)
def test_a_moment_beyond_dates_is_refused(tmp_path: Path, kind: str, name: str, value: str) -> None:
    path = with_value(kind, name, value, tmp_path / "export")
    with pytest.raises(ExportedError, match=rf"line \d: {name}: expected a date-time .*, got '{value[:4]}"):
        list(read(path))


@pytest.mark.parametrize("value", ["9999-12-31T22:59:59Z", "0001-01-01T00:00:00Z"])
def test_the_earliest_and_latest_lastmod_are_imported(state: State, tmp_path: Path, value: str) -> None:
    path = with_value("document", "lastmod", value, tmp_path / "export")
    replace(state, read(path))
    replace_listings(state, read(path))
    assert transfer(rows_of(state), tmp_path / "again") == list(read(path))


def test_content_that_is_too_large_after_decompression_is_refused(tmp_path: Path) -> None:
    bomb = b64encode(zlib.compress(bytes(100_000_000))).decode()
    path = with_value("file", "content", bomb, tmp_path / "export")
    with pytest.raises(ExportedError, match="line 2: content: expected content of at most 8388608 bytes"):
        list(read(path))
