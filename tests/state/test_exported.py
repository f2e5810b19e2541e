from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.state.exports import FILE, HOST, LISTING, SITEMAP, document, transfer
from woo_harvester.state import rows as kinds
from woo_harvester.state.exported import ExportedError, read
from woo_harvester.state.rows import Row, row_line

MOMENTS = st.integers(-62_000_000_000, 253_000_000_000)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=20)
DOCUMENTS = st.builds(
    document,
    lastmod=st.none() | MOMENTS.map(lambda value: value * 1_000_000 + value % 999_983),
    published=st.none() | st.dates().map(str),
    harvested=st.none() | MOMENTS,
    withdrawn=st.none() | MOMENTS,
    entry_digest=st.none() | st.binary(min_size=1, max_size=32),
    sha256=st.none() | st.binary(min_size=1, max_size=32),
    etag=st.none() | TEXTS,
    restore=st.none() | st.booleans(),
)
LISTINGS = st.builds(
    kinds.LISTING.row,
    host=st.just("a.nl"),
    loc=st.just("https://b.nl/één.pdf"),
    sitemap=st.just(SITEMAP),
    listed=st.booleans(),
    misses=st.integers(0, 2_000_000_000),
    foreign=st.booleans(),
    lastmod=st.none() | MOMENTS.map(lambda value: value * 1_000_000 + value % 999_983),
)
FILES = st.builds(
    kinds.FILE.row,
    host=st.just("a.nl"),
    url=st.just(SITEMAP),
    type=st.sampled_from(["robots", "index", "sitemap"]),
    index=st.none() | TEXTS,
    last_modified=st.none() | TEXTS,
    read_at=st.none() | MOMENTS,
    content=st.none() | st.binary().map(zlib.compress),
)


@given(file=FILES, one=DOCUMENTS, listing=LISTINGS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_row_comes_out_of_a_file_as_it_went_in(tmp_path: Path, file: Row, one: Row, listing: Row) -> None:
    rows: list[Row] = [HOST, file, one, listing]
    assert transfer(rows, tmp_path / "export") == rows


def lines_of(*rows: Row) -> str:
    return "".join(map(row_line, rows))


def listing_line(**values: Any) -> str:
    """Return the lines of a host with a listing, with another value for one cell."""
    row = json.loads(row_line(LISTING)) | values
    return lines_of(HOST, FILE) + json.dumps(row) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("geen json\n", "line 1: Invalid JSON"),
        (lines_of(HOST) + '{"kind": "host"', "line 2: Invalid JSON"),
        ('\n{"kind": "huis"}\n', "line 2: .*'host', 'file', 'document', 'listing'"),
        ('{"kind": "host"}\n', "line 1: host: Field required"),
        ('{"kind": "host", "host": "A.NL"}\n', "line 1: host: expected a host such as www.a.nl"),
        ('{"kind": "host", "host": "a.nl/x"}\n', "line 1: host: expected a host such as www.a.nl"),
        ('{"kind": "host", "host": "a.nl", "naam": 1}\n', "line 1: naam: Extra inputs are not permitted"),
        (
            '{"kind": "host", "host": "a.nl", "complete": "misschien"}\n',
            "line 1: complete: Input should be a valid bool",
        ),
        (
            '{"kind": "host", "host": "a.nl", "unregistered": "{\\"b.nl\\": -1}"}\n',
            "line 1: unregistered: expected JSON such as",
        ),
        (lines_of(HOST, LISTING), f"line 2: expected a line of the sitemap {SITEMAP} before"),
        (lines_of(LISTING), "line 1: expected the line of the host a.nl before those of what it has"),
        (listing_line(misses=-1), "line 3: misses: Input should be greater than or equal to 0"),
        (listing_line(misses=2**63), "line 3: misses: Input should be less than or equal to 2000000000"),
        (listing_line(loc="http://a.nl/d.pdf"), "line 3: loc: expected the https URL of a document"),
        (listing_line(lastmod="gisteren"), "line 3: lastmod: expected a date-time such as"),
        (
            '{"kind": "host", "host": "a.nl", "complete_at": "2024-04-02T08:00:00"}\n',
            "line 1: complete_at: expected a date-time such as 2024-04-02T08:00:00Z",
        ),
        ('{"kind": "host", "host": "a.nl", "complete_at": 5}\n', "line 1: complete_at: expected a date-time"),
        (lines_of(HOST, HOST), "line 2: expected each host once, got a.nl a second time"),
        (lines_of(FILE), "line 1: expected the line of the host a.nl before those of what it has"),
        (
            lines_of(HOST, kinds.HOST.row(host="b.nl"), FILE),
            "line 3: expected the line of the host a.nl before",
        ),
        (lines_of(HOST, FILE, FILE), f"line 3: expected each file of a host once, got {SITEMAP} a second"),
        (lines_of(HOST, document()), f"line 2: expected a line of the sitemap {SITEMAP} before"),
        (
            lines_of(HOST, FILE, document("http://a.nl/d.pdf")),
            "line 3: loc: expected the https URL of a document, got 'http://a.nl/d.pdf'",
        ),
        (
            lines_of(HOST, FILE, document(published="morgen")),
            "line 3: published: Invalid isoformat string: 'morgen'",
        ),
        (
            lines_of(HOST, FILE).replace('"type"', '"digest": "zz", "type"'),
            "line 2: digest: expected hexadecimals, got 'zz'",
        ),
        (
            lines_of(HOST, FILE).replace('"type"', '"content": "eJwLLU4t", "type"'),
            r"line 2: content: expected content that is compressed \(zlib\) and in base64",
        ),
        (
            lines_of(HOST, FILE).replace('"type"', '"content": "geen base64", "type"'),
            r"line 2: content: expected content that is compressed \(zlib\) and in base64",
        ),
        (lines_of(HOST, FILE).replace('"sitemap"', '"kaart"'), "line 2: type: Input should be 'robots'"),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(text)
    with pytest.raises(ExportedError, match=f"export.jsonl, {message}") as caught:
        list(read(path))
    assert "\n" not in str(caught.value)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"kind": "host", "host": "a.nl"}\r\n')
    assert list(read(path)) == [HOST]


def test_a_large_content_fits_a_line(tmp_path: Path) -> None:
    content = zlib.compress(os.urandom(1024 * 1024 - 1000))
    rows: list[Row] = [HOST, FILE | {"content": content}]
    assert transfer(rows, tmp_path / "export") == rows


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ExportedError, match=r"nergens\.jsonl: No such file or directory"):
        list(read(tmp_path / "nergens.jsonl"))


def test_a_file_in_another_encoding_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(lines_of(HOST).encode("utf-16"))
    with pytest.raises(ExportedError, match=r"export\.jsonl, line 1: 'utf-8' codec"):
        list(read(path))
